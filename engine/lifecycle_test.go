package engine

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// TestShutdown checks that Shutdown closes idle connections, waits for a
// running request, closes its connection afterwards, and calls registered
// functions. Shutdown of the http.Server of an engine does so without waiting.
func TestShutdown(t *testing.T) {
	eachWay(t, kinds, ways, func(t *testing.T, k kind, way way) {
		started, goOn, registered := make(chan bool), make(chan bool), make(chan bool)
		var open atomic.Int64 // connections
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				started <- true
				<-goOn
			}
			io.WriteString(w, "done")
		}), ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed:
				open.Add(-1)
			}
		}}
		srv.RegisterOnShutdown(sync.OnceFunc(func() { close(registered) })) // net/http runs it on each call
		s, addr := way.start(t, k, srv)
		for range 2 {
			cl, url := way.client(t, addr)
			res, err := cl.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			bodyOf(t, res)
		}
		responses := make(chan *http.Response, 1)
		go func() {
			cl, url := way.client(t, addr)
			res, err := cl.Get(url + "/slow")
			if err != nil {
				t.Error(err)
			}
			responses <- res
		}()
		eventually(t, "the handler starts", started)

		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if k.name == "engine" {
			if err := srv.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		} else if err := s.Shutdown(ctx); err != context.DeadlineExceeded {
			t.Errorf("Shutdown with a running request: %v, want DeadlineExceeded", err)
		}
		eventually(t, "registered functions run", registered)
		steady.Until(t, time.Minute, "idle connections are open", func() bool { return open.Load() == 1 })
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			t.Error("the listener is still open")
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Shutdown(context.Background()) }()
		close(goOn)
		res := eventually(t, "a response", responses)
		if b := bodyOf(t, res); b != "done" || !res.Close && !way.http2 {
			t.Errorf("the running request got %q, Connection: close: %v", b, res.Close)
		}
		if err := eventually(t, "Shutdown returns", ended); err != nil {
			t.Error(err)
		}
	})
}

// TestTimeouts checks that each timeout closes the connections of slow clients,
// and not too early.
func TestTimeouts(t *testing.T) {
	const timeout = 200 * time.Millisecond
	const get, large = "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 1 << 30
	frame := func(kind, flags uint8, stream uint32, payload string) string {
		return string(appendTestFrame(nil, kind, flags, stream, payload))
	}
	endless := clientPreface + frame(fSettings, 0, 0, settingsText([]uint32{4, large})) + frame(fWindow, 0, 0, u32(large)) +
		frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/endless"))
	tests := []struct {
		name string
		srv  *http.Server
		send string // what the client sends before it stalls
	}{
		{"header of the first request", &http.Server{ReadHeaderTimeout: timeout}, ""},
		{"header, some of it", &http.Server{ReadHeaderTimeout: timeout}, "GET / HTTP/1.1\r\nHo"},
		{"header of the second request", &http.Server{ReadHeaderTimeout: timeout, IdleTimeout: time.Hour}, get + "GET / HT"},
		{"header after handing over", &http.Server{ReadHeaderTimeout: timeout}, "GET / HTTP/1.1\nHo"},
		{"idle", &http.Server{IdleTimeout: timeout}, get},
		{"idle by ReadTimeout", &http.Server{ReadTimeout: timeout}, get},
		{"chunked body", &http.Server{ReadTimeout: timeout}, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"},
		{"trailers", &http.Server{ReadTimeout: timeout}, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX"},
		{"body that waits for 100 Continue", &http.Server{ReadTimeout: timeout}, "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"},
		{"body", &http.Server{ReadTimeout: timeout}, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe"},
		{"write", &http.Server{WriteTimeout: timeout}, "GET /endless HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"write, beside a huge timeout", &http.Server{ReadTimeout: math.MaxInt64, WriteTimeout: timeout}, "GET /endless HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"HTTP/2, idle", &http.Server{IdleTimeout: timeout}, http2Hello + frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/"))},
		{"HTTP/2, idle without requests", &http.Server{IdleTimeout: timeout}, http2Hello},
		{"HTTP/2, a part of the preface", &http.Server{ReadHeaderTimeout: timeout}, clientPreface[:5]},
		{"HTTP/2, no settings", &http.Server{}, clientPreface},
		{"HTTP/2, ping", &http.Server{HTTP2: &http.HTTP2Config{SendPingTimeout: timeout, PingTimeout: timeout}}, http2Hello},
		{"HTTP/2, fields" + engineOnly, &http.Server{ReadHeaderTimeout: timeout}, http2Hello + frame(fHeaders, 0, 1, "")},
		{"HTTP/2, a part of fields" + engineOnly, &http.Server{ReadHeaderTimeout: timeout}, http2Hello + "\x00\x00\x20\x01"},
		{"HTTP/2, write" + engineOnly, &http.Server{WriteTimeout: 10 * timeout}, endless},
		{"HTTP/2, write, beside a huge timeout" + engineOnly, &http.Server{IdleTimeout: math.MaxInt64, WriteTimeout: 10 * timeout}, endless},
		{"HTTP/2, write of some bytes" + engineOnly, &http.Server{HTTP2: &http.HTTP2Config{WriteByteTimeout: 10 * timeout}}, endless},
	}
	for _, k := range kinds {
		for _, tt := range tests {
			if k.name == "net/http" && strings.HasSuffix(tt.name, engineOnly) {
				continue
			}
			t.Run(k.name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				ended := make(chan bool, 2)
				srv := &http.Server{
					ReadTimeout: tt.srv.ReadTimeout, ReadHeaderTimeout: tt.srv.ReadHeaderTimeout,
					WriteTimeout: tt.srv.WriteTimeout, IdleTimeout: tt.srv.IdleTimeout, HTTP2: tt.srv.HTTP2,
					ConnState: func(_ net.Conn, st http.ConnState) {
						if st == http.StateClosed {
							ended <- true
						}
					},
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						io.Copy(io.Discard, r.Body)
						for r.URL.Path == "/endless" {
							if _, err := w.Write(make([]byte, 1<<16)); err != nil {
								ended <- true
								return
							}
						}
					}),
				}
				addr := startHTTP2(t, k.make, srv)
				begin := time.Now()
				c := dial(t, addr)
				io.WriteString(c, tt.send)
				if !strings.Contains(tt.send, "/endless") {
					io.Copy(io.Discard, c)
				}
				eventually(t, "the connection ends", ended)
				if took := time.Since(begin); took < timeout-10*time.Millisecond {
					t.Errorf("ended after %v, before the timeout of %v", took, timeout)
				}
			})
		}
	}
}

// TestExpiredTimeout checks that ReadTimeout ends the read of a body also if it
// passes when the handler starts: here, the head took longer.
func TestExpiredTimeout(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		addr := start(t, k.make(&http.Server{ReadHeaderTimeout: time.Minute, ReadTimeout: 20 * time.Millisecond, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
		})}))
		var clients sync.WaitGroup
		for range 30 {
			clients.Go(func() {
				for range 25 { // the timer fires at the critical moment in a few percent
					c := dial(t, addr)
					io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\n")
					time.Sleep(40 * time.Millisecond)
					io.WriteString(c, "Content-Length: 5\r\n\r\nh")
					c.SetReadDeadline(time.Now().Add(20 * time.Second))
					if _, err := io.ReadAll(c); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		clients.Wait()
	})
}

// engineOnly ends the names of timeouts that net/http doesn't have.
const engineOnly = ", unlike net/http"

// TestOwnDeadlines checks that a handler's deadlines replace the timeouts, only
// for its request.
func TestOwnDeadlines(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		addr := start(t, k.make(&http.Server{
			ReadTimeout: 50 * time.Millisecond, WriteTimeout: 50 * time.Millisecond, IdleTimeout: time.Hour,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rc := http.NewResponseController(w)
				if r.URL.Path == "/past" {
					rc.SetReadDeadline(time.Unix(1, 0))
					_, err := io.ReadAll(r.Body)
					if ne, ok := err.(net.Error); !ok || !ne.Timeout() {
						t.Errorf("read after the deadline: %v", err)
					}
					return
				}
				rc.SetReadDeadline(time.Time{})
				rc.SetWriteDeadline(time.Time{})
				time.Sleep(150 * time.Millisecond)
				io.Copy(w, r.Body)
			}),
		}))
		steady.Try(t, 10*time.Millisecond, func() error {
			c := dial(t, addr)
			br := bufio.NewReader(c)
			for range 2 {
				io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe")
				go func() { time.Sleep(100 * time.Millisecond); io.WriteString(c, "llo") }()
				res, err := http.ReadResponse(br, nil)
				if err != nil {
					return err
				}
				if b, err := io.ReadAll(res.Body); string(b) != "hello" {
					return fmt.Errorf("got %q, %v", b, err)
				}
			}
			io.WriteString(c, "POST /past HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe")
			if res, err := http.ReadResponse(br, nil); err != nil || !res.Close {
				return fmt.Errorf("after a failed read: %v, %v", res, err)
			}
			return nil
		})
	})
}

// TestLateDeadline checks that a deadline which a goroutine sets while its handler
// returns doesn't apply to the next request.
func TestLateDeadline(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		locked, done := make(chan *deadlines, 1), make(chan bool)
		c := dial(t, start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/late" {
				d := &w.(*writer).Conn.(*conn).deadlines
				d.mu.Lock()
				locked <- d
				go func() { http.NewResponseController(w).SetReadDeadline(longAgo); close(done) }()
				for waits := false; !waits; time.Sleep(time.Millisecond) {
					stacks := make([]byte, 1<<20)
					for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
						waits = waits || strings.Contains(g, "[sync.Mutex.Lock") && strings.Contains(g, ".SetReadDeadline(")
					}
				}
			}
		})})))
		br := bufio.NewReader(c)
		for _, path := range []string{"/", "/late", "/"} {
			io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
			readText(t, br)
			if path == "/late" {
				(<-locked).mu.Unlock()
				<-done
			}
		}
	})
}

// TestStaleDeadlines checks that a deadline which a program has set on a connection
// itself doesn't end the connection after the request for which it was set.
func TestStaleDeadlines(t *testing.T) {
	const wait = 300 * time.Millisecond
	type key struct{}
	eachCase(t, kinds, names("listener", "ConnContext", "ConnState"), func(t *testing.T, k kind, by string, _ bool) {
		t.Parallel()
		set := func(nc net.Conn, caller string) net.Conn {
			if caller == by {
				nc.SetDeadline(time.Now().Add(wait))
			}
			return nc
		}
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if nc, ok := r.Context().Value(key{}).(net.Conn); ok && r.URL.Path == "/first" {
				set(nc, "ConnContext")
			}
			io.WriteString(w, r.URL.Path)
		})}
		switch by {
		case "ConnContext":
			srv.ConnContext = func(ctx context.Context, nc net.Conn) context.Context { return context.WithValue(ctx, key{}, nc) }
		case "ConnState":
			srv.ConnState = func(nc net.Conn, state http.ConnState) {
				if state == http.StateActive {
					set(nc, "ConnState")
				}
			}
		}
		s := k.make(srv)
		addr := startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return set(nc, "listener") }}, s, s.Serve)
		steady.Try(t, wait/10, func() error {
			c := dial(t, addr)
			br := bufio.NewReader(c)
			for _, path := range []string{"/first", "/second"} {
				io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
				if _, err := http.ReadResponse(br, nil); err != nil {
					return fmt.Errorf("%s: %v", path, err)
				}
				io.ReadFull(br, make([]byte, len(path)))
				time.Sleep(2 * wait)
			}
			return nil
		})
	})
}

// TestConnState compares the calls of the ConnState hook with net/http's. With
// the engine, a connection remains active between responses that are sent
// together.
func TestConnState(t *testing.T) {
	var want string
	for _, k := range kinds {
		var mu sync.Mutex
		var states []string
		closed := make(chan bool, 10)
		addr := startHTTP2(t, k.make, &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/hijack" {
					nc, _, _ := w.(http.Hijacker).Hijack()
					nc.Close()
				}
			}),
			ConnState: func(nc net.Conn, st http.ConnState) {
				if _, ok := nc.(*net.TCPConn); !ok {
					t.Errorf("%s: the hook gets a %T", k.name, nc)
				}
				mu.Lock()
				states = append(states, st.String())
				mu.Unlock()
				if st == http.StateClosed || st == http.StateHijacked {
					closed <- true
				}
			},
		})
		for _, send := range []string{
			"", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "bad, and longer than a preface\r\n\r\n", "GET /longer/than/a/preface HT",
			"GET /hijack HTTP/1.1\r\nHost: h\r\n\r\n",
		} {
			talk(t, addr, send)
			eventually(t, "the connection ends", closed)
		}
		c := dialFrames(t, addr)
		c.ping()
		for id := uint32(1); id < 6; id += 2 {
			c.get(id, "/")
			c.ended(id)
			for idle := false; !idle; {
				c.ping()
				mu.Lock()
				idle = states[len(states)-1] == "idle"
				mu.Unlock()
			}
		}
		c.Close()
		eventually(t, "the connection over HTTP/2 ends", closed)
		mu.Lock()
		got := strings.Join(states, " ")
		mu.Unlock()
		if want == "" {
			const two = "new active idle active idle closed"
			if !strings.Contains(got, two) {
				t.Errorf("net/http: got %s, want it to contain %s", got, two)
			}
			want = strings.Replace(got, two, "new active idle closed", 1)
		} else if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", k.name, got, want)
		}
	}
}

// TestLinger checks that the response of a connection that ends arrives although
// the client still sends (RFC 9112 section 9.6).
func TestLinger(t *testing.T) {
	const size = 1 << 20
	for name, head := range map[string]string{
		"closed by the client":   "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 1000000000\r\n\r\n",
		"closed by the handler":  "POST /close HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n",
		"HTTP/1.0":               "POST / HTTP/1.0\r\nContent-Length: 1000000000\r\n\r\n",
		"a large chunk":          "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n10000000\r\n",
		"a body that is refused": "POST /full HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n",
		"requests that follow":   "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET",
	} {
		for _, w := range []way{{name: "HTTP"}, {name: "HTTPS", tls: true}, {name: "connections without CloseWrite"}} {
			wraps := strings.HasPrefix(w.name, "connections")
			if wraps && name == "HTTP/1.0" {
				continue // the response ends with the connection
			}
			each(t, engines, func(t *testing.T, k kind) {
				t.Parallel()
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/close" {
						w.Header().Set("Connection", "close")
					}
					w.Write(make([]byte, size))
				})}
				var addr string
				if wraps {
					s := k.make(srv)
					addr = startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return struct{ net.Conn }{nc} }}, s, s.Serve)
				} else {
					_, addr = w.start(t, k, srv)
				}
				var c net.Conn = dial(t, addr)
				if w.tls {
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
				}
				go func() {
					b := []byte(head)
					for {
						if _, err := c.Write(b); err != nil {
							return
						}
						b = make([]byte, 16<<10)
					}
				}()
				res, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					t.Fatalf("%s over %s: %v", name, w.name, err)
				}
				if n, err := io.Copy(io.Discard, res.Body); n != size || err != nil {
					t.Errorf("%s over %s: %d of %d bytes, %v", name, w.name, n, size, err)
				}
				c.Close()
			})
		}
	}
}

// A pausedConn is the connection of a process that is paused while it reads. The
// results of its reads are in a list.
type pausedConn struct {
	net.Conn
	results *[]error
}

func (c pausedConn) Read([]byte) (int, error) {
	err := (*c.results)[0]
	*c.results = (*c.results)[1:]
	return 0, err
}

func (pausedConn) SetReadDeadline(time.Time) error { return nil }
func (pausedConn) SetDeadline(time.Time) error     { return nil }
func (pausedConn) CloseWrite() error               { return nil }

// TestLingerPaused checks that a connection that ends goes on reading after a
// deadline that has passed because the process didn't run.
func TestLingerPaused(t *testing.T) {
	late := os.ErrDeadlineExceeded
	for _, want := range []struct {
		results []error
		left    int
	}{
		{[]error{late, nil, late, nil, nil, io.EOF, nil}, 1},
		{[]error{nil, late, late, nil}, 1},
	} {
		c := &conn{server: New(new(http.Server)), nc: pausedConn{results: &want.results}}
		if c.linger(); len(want.results) != want.left {
			t.Errorf("%d results are left, want %d", len(want.results), want.left)
		}
	}
}

// TestLingerTimeout checks that ReadTimeout doesn't cut off the response of a
// connection that ends while the client still sends.
func TestLingerTimeout(t *testing.T) {
	const size = 200 << 10
	each(t, engines, func(t *testing.T, k kind) {
		t.Parallel()
		s := k.make(&http.Server{ReadTimeout: 300 * time.Millisecond, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			w.Header().Set("Content-Length", fmt.Sprint(size))
			w.Write(make([]byte, size))
		})})
		c := dial(t, startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn {
			nc.(*net.TCPConn).SetWriteBuffer(4 * size) // so that the handler returns at once
			return nc
		}}, s, s.Serve))
		c.SetReadBuffer(32 << 10)
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n")
		for range 60 {
			io.WriteString(c, "body")
			time.Sleep(10 * time.Millisecond)
		}
		b, err := io.ReadAll(c)
		if _, body, _ := strings.Cut(string(b), "\r\n\r\n"); len(body) != size {
			t.Errorf("%d bytes of a body of %d, %v", len(body), size, err)
		}
	})
}

// TestHijackStatePanics checks that a connection ends if the ConnState hook panics
// when it is hijacked, also if the handler recovers.
func TestHijackStatePanics(t *testing.T) {
	eachCase(t, engines, names("/", "/recover"), func(t *testing.T, k kind, path string, _ bool) {
		addr := start(t, k.make(&http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/recover" {
					defer func() { recover() }()
				}
				w.(http.Hijacker).Hijack()
			}),
			ConnState: func(_ net.Conn, state http.ConnState) {
				if state == http.StateHijacked {
					panic("no")
				}
			},
		}))
		c := dial(t, addr)
		c.SetDeadline(time.Now().Add(20 * time.Second))
		io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
		if b, err := io.ReadAll(c); err != nil || len(b) > 0 {
			t.Errorf("got %q, %v", b, err)
		}
	})
}

// TestClose closes a server while clients send and receive much, read nothing,
// wait, or have sent nothing. All handlers must end.
func TestClose(t *testing.T) {
	eachWay(t, kinds, ways, func(t *testing.T, k kind, way way) {
		began, ended, closed := make(chan bool, 100), make(chan bool, 100), make(chan bool)
		s, addr := way.start(t, k, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() { ended <- true }()
			http.NewResponseController(w).EnableFullDuplex()
			w.WriteHeader(200)
			began <- true
			switch r.URL.Path {
			case "/write":
				for err := error(nil); err == nil; {
					_, err = w.Write(make([]byte, 50_000))
				}
			case "/read":
				io.Copy(io.Discard, r.Body)
			case "/wait":
				<-r.Context().Done()
			}
		})})
		silent := dial(t, addr)
		cl, url := way.client(t, addr)
		var clients sync.WaitGroup
		paths := []string{"/write", "/write", "/write, unread", "/read", "/read", "/wait"}
		for _, path := range paths {
			path, unread := strings.CutSuffix(path, ", unread")
			clients.Go(func() {
				var body io.Reader
				if path == "/read" {
					body = zeros{}
				}
				res, err := cl.Post(url+path, "", body)
				if err != nil {
					return
				}
				defer res.Body.Close()
				if unread {
					<-closed
				}
				io.Copy(io.Discard, res.Body)
			})
		}
		for range paths {
			eventually(t, "a request", began)
		}
		s.Close()
		close(closed)
		for range paths {
			eventually(t, "the end of a handler", ended)
		}
		clients.Wait()
		if n, err := silent.Read(make([]byte, 1)); err == nil {
			t.Errorf("read %d bytes", n)
		}
	})
}

type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) { f(); return len(p), nil }

// TestHooks checks that each function of the program that the engine calls may
// call the server, and that a panic of one ends at most its connection, or Serve
// if that calls it. Only a panic of a function for Shutdown ends the program, as
// in net/http.
func TestHooks(t *testing.T) {
	shutdown := func(s *Server) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		s.Shutdown(ctx)
	}
	for _, k := range engines {
		for _, hook := range []string{"BaseContext", "ConnContext", "ConnState new", "ConnState active", "ConnState idle", "ConnState closed",
			"ErrorLog", "Handler", "CountError conn_close_lost_ping", "CountError conn_frame_ping_length", "CountError stream_bad_path_method", "OnShutdown"} {
			for name, call := range map[string]func(*Server){
				"SetKeepAlivesEnabled": func(s *Server) { s.SetKeepAlivesEnabled(false) },
				"Shutdown":             shutdown,
				"Close":                func(s *Server) { s.Close() },
				"Stats":                func(s *Server) { s.Stats() },
				"panic":                nil,
			} {
				if call == nil && hook == "OnShutdown" {
					continue
				}
				t.Run(k.name+"/"+hook+"/"+name, func(t *testing.T) {
					t.Parallel()
					var s *Server
					var calls atomic.Int64
					called := make(chan bool, 1)
					f := func(got string) {
						if got != hook || calls.Add(1) > 1 {
							return
						}
						defer func() { called <- true }()
						if call == nil {
							panic("test")
						}
						call(s)
					}
					srv := &http.Server{
						Protocols:   protocols(true, false, true),
						BaseContext: func(net.Listener) context.Context { f("BaseContext"); return t.Context() },
						ConnContext: func(ctx context.Context, _ net.Conn) context.Context { f("ConnContext"); return ctx },
						ConnState:   func(_ net.Conn, state http.ConnState) { f("ConnState " + state.String()) },
						ErrorLog:    log.New(writerFunc(func() { f("ErrorLog") }), "", 0),
						HTTP2:       &http.HTTP2Config{CountError: func(name string) { f("CountError " + name) }},
						Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							f("Handler")
							w.WriteHeader(http.StatusNoContent)
							w.WriteHeader(http.StatusNoContent) // is logged
						}),
					}
					srv.RegisterOnShutdown(func() { f("OnShutdown") })
					frames := appendTestFrame([]byte(http2Hello), fHeaders, endStream|endHeaders, 1, reqBlock("GET", "/"))
					frames = appendTestFrame(frames, fHeaders, endStream|endHeaders, 3, block(":scheme=http"))
					if strings.HasSuffix(hook, "lost_ping") {
						srv.HTTP2.SendPingTimeout, srv.HTTP2.PingTimeout = time.Millisecond, time.Millisecond
					} else {
						frames = appendTestFrame(frames, fPing, 0, 0, "1")
					}
					s = k.make(srv).(*Server)
					ln := onFreePort(t)
					served := make(chan any)
					go func() {
						defer func() { served <- recover() }()
						s.Serve(ln)
					}()
					for _, input := range []string{string(frames), "GET / HTTP/1.1\r\nHost: h\r\n\r\n" + "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"} {
						if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
							t.Cleanup(func() { c.Close() })
							io.WriteString(c, input)
							go io.Copy(io.Discard, c)
						}
					}
					if hook == "OnShutdown" {
						shutdown(s)
					}
					eventually(t, "the hook returns", called)
					s.Close()
					if v := eventually(t, "Serve returns", served); v != nil && (call != nil || !strings.Contains("BaseContext ConnContext ConnState new", hook)) {
						t.Errorf("Serve panics: %v", v)
					}
				})
			}
		}
	}
}
