package engine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// A cutConn is a connection whose input arrives in the given parts, one for
// each Read, and then ends.
type cutConn struct {
	mu     sync.Mutex
	parts  [][]byte
	out    bytes.Buffer
	closed chan struct{}
	once   sync.Once
}

func (c *cutConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.parts[0])
	if c.parts[0] = c.parts[0][n:]; len(c.parts[0]) == 0 {
		c.parts = c.parts[1:]
	}
	return n, nil
}

func (c *cutConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(p)
}

func (c *cutConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (*cutConn) LocalAddr() net.Addr              { return new(net.TCPAddr) }
func (*cutConn) RemoteAddr() net.Addr             { return new(net.TCPAddr) }
func (*cutConn) SetDeadline(time.Time) error      { return nil }
func (*cutConn) SetReadDeadline(time.Time) error  { return nil }
func (*cutConn) SetWriteDeadline(time.Time) error { return nil }

// A chanListener is a listener whose connections come from a channel.
type chanListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *chanListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *chanListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (*chanListener) Addr() net.Addr { return new(net.TCPAddr) }

// cutServers returns for each kind of server a function that serves a
// connection with handler h, or compared, and returns the output.
func cutServers(t testing.TB, h http.HandlerFunc) (serve []func(parts [][]byte) string) {
	if h == nil {
		h = func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/hijack") {
				compared(w, r)
			}
		}
	}
	for _, k := range kinds {
		s := k.make(&http.Server{Handler: h})
		ln := &chanListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		go s.Serve(ln)
		t.Cleanup(func() { s.Close() })
		serve = append(serve, func(parts [][]byte) string {
			c := &cutConn{parts: parts, closed: make(chan struct{})}
			ln.conns <- c
			<-c.closed
			c.mu.Lock()
			defer c.mu.Unlock()
			return comparable(c.out.String())
		})
	}
	return serve
}

// cutAll cuts b into parts of the given sizes and the rest.
func cutAll(b []byte, sizes ...int) (parts [][]byte) {
	for _, n := range sizes {
		if n > 0 && n < len(b) {
			parts, b = append(parts, b[:n]), b[n:]
		}
	}
	if len(b) > 0 {
		parts = append(parts, b)
	}
	return parts
}

// sameCut serves the parts with each kind of server and compares the outputs.
func sameCut(t *testing.T, serve []func([][]byte) string, parts func() [][]byte) {
	t.Helper()
	want := serve[0](parts())
	for i, f := range serve[1:] {
		if got := f(parts()); !sameOutput(got, want, string(bytes.Join(parts(), nil))) {
			t.Fatalf("%s, input %q:\ngot  %.2000q\nwant %.2000q", engines[i].name, parts(), got, want)
		}
	}
}

// cutTexts are whole connections for TestReadHead and FuzzConn.
var cutTexts = []string{
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi\r\nPOST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n\n\n\n\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n\r\n\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST /some HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\n\x00\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\n0\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGE",
	"\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a%zz HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /a%zz HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\nHost: h\n\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
	"GET /close HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"HEAD /short HTTP/1.1\r\nHost: h\r\n\r\nGET /short HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /panic HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
}

// TestReadHead compares the engine's output with net/http's for input that
// arrives in two parts, cut at every place, in three parts, and byte by byte.
func TestReadHead(t *testing.T) {
	serve := cutServers(t, nil)
	for _, text := range cutTexts {
		b := []byte(text)
		single := make([]int, len(b))
		for i := range b {
			single[i] = 1
			sameCut(t, serve, func() [][]byte { return cutAll(b, i) })
			for n := 1; n <= 4; n++ {
				sameCut(t, serve, func() [][]byte { return cutAll(b, i, n) })
			}
		}
		sameCut(t, serve, func() [][]byte { return cutAll(b, single...) })
	}
}

// FuzzConn compares the engine's output with net/http's for whole connections
// whose input arrives in parts of any sizes.
func FuzzConn(f *testing.F) {
	for _, text := range cutTexts {
		f.Add([]byte(text), []byte{30, 4, 1})
	}
	const first = "POST /first HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n1"
	const next = "GET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
	for _, tt := range heads {
		if len(tt.text) < 20<<10 { // large seeds slow the fuzzer down
			f.Add([]byte(tt.text), []byte{})
			f.Add([]byte(tt.text+next), []byte{byte(len(tt.text)), 1, 2, 1})
			f.Add([]byte(first+tt.text+next), []byte{byte(len(first))})
		}
	}
	serve := cutServers(f, nil)
	f.Fuzz(func(t *testing.T, b, cuts []byte) {
		sizes := make([]int, len(cuts))
		for i, n := range cuts {
			sizes[i] = int(n)
		}
		sameCut(t, serve, func() [][]byte { return cutAll(b, sizes...) })
	})
}

// TestReadHeadTimeout compares the engine's output with net/http's for heads
// that don't arrive completely before a timeout.
func TestReadHeadTimeout(t *testing.T) {
	const first = "GET /first HTTP/1.1\r\nHost: h\r\n\r\n"
	const timeout = 300 * time.Millisecond
	const post = "POST /first HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n1"
	heads := []string{
		"", "G", "GET", "GET ", "GET / HT", "GET / HTTP/1.1", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHo",
		"GET / HTTP/1.1\r\nHost:", "GET / HTTP/1.1\r\nHost: h", "GET / HTTP/1.1\r\nHost: h\r\n", "GET / HTTP/1.1\r\nHost: h\r\nX", "GET / HTTP/1.1\r\nHost: h\r\nX: y\r\n\r",
		"\r\n", "\r\n\r", "\r\n\r\n", "\r\n\r\nGET", "0\r\n", "\x00\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\nHo", "junk\r\n",
	}
	servers := map[string]func() *http.Server{
		"ReadHeaderTimeout": func() *http.Server { return &http.Server{ReadHeaderTimeout: timeout, IdleTimeout: timeout} },
		"ReadTimeout":       func() *http.Server { return &http.Server{ReadTimeout: timeout} },
	}
	for name := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var addrs []string
			for _, k := range kinds {
				srv := servers[name]()
				srv.Handler = http.HandlerFunc(compared)
				addrs = append(addrs, start(t, k.make(srv)))
			}
			var wg sync.WaitGroup
			for _, before := range []string{"", first, post} {
				for _, head := range heads {
					wg.Go(func() {
						steady.Try(t, timeout/10, func() error {
							var outputs [3]string
							var clients sync.WaitGroup
							for i, addr := range addrs {
								c := dial(t, addr)
								clients.Go(func() {
									io.WriteString(c, before+head)
									b, _ := io.ReadAll(c)
									outputs[i] = comparable(string(b))
								})
							}
							clients.Wait()
							if want := outputs[0]; outputs[1] == want && outputs[2] == want {
								return nil
							}
							return fmt.Errorf("%q:\nengine  %q\nrecycle %q\nwant    %q", before+head, outputs[1], outputs[2], outputs[0])
						})
					})
				}
			}
			wg.Wait()
		})
	}
}

// TestHandOverDeadline checks that a request passed to net/http has the timeout
// for heads, and not that for idle connections.
func TestHandOverDeadline(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		t.Parallel()
		addr := start(t, k.make(&http.Server{
			Handler: http.HandlerFunc(compared), ReadHeaderTimeout: time.Minute, IdleTimeout: 50 * time.Millisecond,
		}))
		c := dial(t, addr)
		io.WriteString(c, "GET /first HTTP/1.1\r\nHost: h\r\n\r\nGET /second HTTP/1.1\nHo")
		time.Sleep(150 * time.Millisecond)
		io.WriteString(c, "st: h\nConnection: close\n\n")
		b, _ := io.ReadAll(c)
		if n := strings.Count(string(b), "HTTP/1.1 200 OK\r\n"); n != 2 {
			t.Errorf("%d responses, want 2: %q", n, b)
		}
	})
}

// fullConns opens connections to s, whose handler writes as many bytes as its
// path says. Each client sends a request, the first byte of the next, and reads
// nothing. The sizes of the responses differ by less than what the engine may
// hold back, so that the last part of some of them is just too much for the
// buffers.
func fullConns(t *testing.T, s server) (conns []*net.TCPConn, sizes []int) {
	t.Helper()
	addr := startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn {
		nc.(*net.TCPConn).SetWriteBuffer(32 << 10)
		return nc
	}}, s, s.Serve)
	for size := 1 << 10; size < 451<<10; size += 3 << 10 {
		c := dial(t, addr)
		c.SetReadBuffer(32 << 10)
		io.WriteString(c, fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: h\r\n\r\nG", size))
		conns, sizes = append(conns, c), append(sizes, size)
	}
	return conns, sizes
}

// sized writes a response with as many bytes as the path says.
func sized(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Path[1:])
	w.Header().Set("Content-Length", strconv.Itoa(n))
	for b := make([]byte, 1<<10); n > 0; n -= len(b) {
		if _, err := w.Write(b); err != nil {
			return
		}
	}
}

// TestWriteTimeout checks that a client which reads no response is disconnected
// after the timeout, whatever part of a response is left, and also if it has
// begun its next request.
func TestWriteTimeout(t *testing.T) {
	const timeout = 200 * time.Millisecond
	for by, writeTimeout := range map[string]time.Duration{"server": timeout, "handler": 0} {
		t.Run(by, func(t *testing.T) {
			each(t, engines, func(t *testing.T, k kind) {
				s := k.make(&http.Server{WriteTimeout: writeTimeout, IdleTimeout: timeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if by == "handler" {
						http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout))
					}
					sized(w, r)
				})}).(*Server)
				fullConns(t, s)
				awaitConns(t, s, 0)
			})
		})
	}
}

// awaitConns waits until s has n connections.
func awaitConns(t *testing.T, s *Server, n int) {
	t.Helper()
	steady.Until(t, 20*time.Second, fmt.Sprintf("%d connections are left", n), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.conns) == n && s.stat.connections.Load() > 0
	})
}

// TestShutdownWaitsForWrites checks that Shutdown doesn't take a connection for
// idle while the client hasn't read the response.
func TestShutdownWaitsForWrites(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		var began sync.WaitGroup
		s := k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began.Done()
			sized(w, r)
		})})
		began.Add(150)
		conns, sizes := fullConns(t, s)
		began.Wait()
		time.Sleep(50 * time.Millisecond) // the handlers are likely to have returned
		done := make(chan error, 1)
		go func() { done <- s.Shutdown(context.Background()) }()
		time.Sleep(50 * time.Millisecond)
		for i, c := range conns {
			b, _ := io.ReadAll(c)
			if _, body, _ := strings.Cut(string(b), "\r\n\r\n"); len(body) != sizes[i] {
				t.Errorf("got %d bytes of a response of %d", len(body), sizes[i])
			}
		}
		if err := eventually(t, "Shutdown returns", done); err != nil {
			t.Error(err)
		}
	})
}

// TestShutdownPipelined calls Shutdown while clients send requests without
// waiting for responses. Each request that a handler served must get its
// response.
func TestShutdownPipelined(t *testing.T) {
	const batch = 20
	requests := strings.Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", batch)
	each(t, kinds, func(t *testing.T, k kind) {
		var served, answered atomic.Int64
		for range 50 {
			var clients sync.WaitGroup
			s := k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				served.Add(1)
				io.WriteString(w, "response")
			})})
			addr := start(t, s)
			warm := make(chan bool, 8)
			for range cap(warm) {
				c := dial(t, addr)
				clients.Go(func() {
					// More requests at once would fill the client's receive
					// buffer. Closing a connection with unread input discards
					// the output that isn't there yet.
					br := bufio.NewReader(c)
					for i := 0; ; i++ {
						io.WriteString(c, requests)
						for range batch {
							res, err := http.ReadResponse(br, nil)
							if err != nil {
								return
							}
							if b, _ := io.ReadAll(res.Body); string(b) == "response" {
								answered.Add(1)
							}
						}
						if i == 2 {
							warm <- true
						}
					}
				})
			}
			for range cap(warm) {
				eventually(t, "responses", warm)
			}
			if err := s.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			clients.Wait()
		}
		if served.Load() != answered.Load() {
			t.Errorf("%d requests were served, %d got their response", served.Load(), answered.Load())
		}
	})
}

// TestConnStateIdle checks that all responses are written before the ConnState
// hook is called with StateIdle.
func TestConnStateIdle(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		addr := start(t, k.make(&http.Server{
			Handler: http.HandlerFunc(compared),
			ConnState: func(c net.Conn, state http.ConnState) {
				if state == http.StateIdle {
					c.Close()
				}
			},
		}))
		for _, next := range []string{"", "G", "GET /b HTTP/1.1\r\nHost: h\r\n\r\n", "GET /b HTTP/1.1\nHost: h\n\n"} {
			got := talk(t, addr, "GET /length HTTP/1.1\r\nHost: h\r\n\r\n"+next)
			if !strings.Contains(got, "\r\n\r\nhello") || strings.Contains(got, "/b") && !strings.HasSuffix(got, "/b") {
				t.Errorf("then %q: got %q", next, got)
			}
		}
	})
}

// A writesConn counts calls of Write.
type writesConn struct {
	net.Conn
	writes atomic.Int64
}

func (c *writesConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// TestConnStatePipelined checks that a ConnState hook doesn't keep the engine
// from sending responses together.
func TestConnStatePipelined(t *testing.T) {
	for _, k := range engines {
		idle := make(chan int64, 100)
		s := k.make(&http.Server{
			Handler: http.HandlerFunc(compared),
			ConnState: func(nc net.Conn, state http.ConnState) {
				if state == http.StateIdle {
					idle <- nc.(*writesConn).writes.Load()
				}
			},
		})
		c := dial(t, startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return &writesConn{Conn: nc} }}, s, s.Serve))
		const n = 16
		io.WriteString(c, strings.Repeat("GET /length HTTP/1.1\r\nHost: h\r\n\r\n", n))
		br := bufio.NewReader(c)
		for range n {
			readText(t, br)
		}
		if got := <-idle; got == 0 || got > n/2 {
			t.Errorf("%s: %d writes for %d responses", k.name, got, n)
		}
		if len(idle) > 0 {
			t.Errorf("%s: idle more than once", k.name)
		}
	}
}

// TestEarlierResponse checks that a response isn't kept back while the next handler,
// which doesn't read its request's body, waits for that to be discarded, or for a
// goroutine that reads it.
func TestEarlierResponse(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		c := dial(t, start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var reader sync.WaitGroup
			defer reader.Wait()
			if b, ok := r.Body.(*body); ok && r.URL.Path == "/4" {
				reader.Go(func() { io.Copy(io.Discard, b) })
				for b.mu.TryLock() { // until it reads
					b.mu.Unlock()
					runtime.Gosched()
				}
				io.WriteString(w, strings.Repeat(" ", 2*stageSize))
			}
			io.WriteString(w, r.URL.Path)
		})})))
		c.SetDeadline(time.Now().Add(20 * time.Second))
		br := bufio.NewReader(c)
		for _, step := range []struct{ send, want string }{
			{"GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", "/1"},
			{"hello", "/2"},
			{"GET /3 HTTP/1.1\r\nHost: x\r\n\r\nPOST /4 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", "/3"},
			{"hello", "/4"},
		} {
			io.WriteString(c, step.send)
			if got := strings.TrimLeft(readText(t, br), " "); got != step.want {
				t.Errorf("got %q, want %q", got, step.want)
			}
		}
	})
}
