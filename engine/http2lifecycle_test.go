package engine

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// http2Kinds runs f for each kind of server, with a function that starts it.
func http2Kinds(t *testing.T, f func(t *testing.T, start func(*http.Server) (addr string, s server))) {
	each(t, kinds, func(t *testing.T, k kind) {
		t.Parallel()
		f(t, func(srv *http.Server) (string, server) {
			s := k.make(srv)
			return startHTTP2(t, func(*http.Server) server { return s }, srv), s
		})
	})
}

// TestHTTP2HEAD checks that the context of a HEAD request ends with the response,
// which the first Flush or 4 KB complete. The client doesn't reset the stream, so
// nothing else would end a handler that sends events.
func TestHTTP2HEAD(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		ended := make(chan string)
		addr, _ := start(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if w.Write(make([]byte, 10)); r.URL.Path == "/write" {
				w.Write(make([]byte, 5000))
			} else {
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
			ended <- fmt.Sprint(r.Context().Err(), <-w.(http.CloseNotifier).CloseNotify())
		})})
		c := dialFrames(t, addr)
		id := uint32(1)
		for _, path := range []string{"/write", "/flush"} {
			for _, flags := range []uint8{endStream, 0} {
				c.frame(fHeaders, endHeaders|flags, id, reqBlock("HEAD", path))
				if got := eventually(t, "the end of the context", ended); got != "context canceled true" {
					t.Errorf("%s: got %s", path, got)
				}
				if c.ended(id); !strings.HasPrefix(c.end(id), "end") {
					t.Errorf("%s: got %s", path, c.summary())
				}
				id += 2
			}
		}
	})
}

// TestHTTP2SlowReader checks that a response arrives that takes long to be
// written after its handler has returned, when the server is shut down or the
// connection would be idle for too long.
func TestHTTP2SlowReader(t *testing.T) {
	eachCase(t, engines, names("Shutdown", "IdleTimeout"), func(t *testing.T, k kind, way string, _ bool) {
		t.Parallel()
		returned, done := make(chan bool), make(chan error)
		srv := &http.Server{Protocols: protocols(true, false, true), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(returned)
			w.Write(megabyte[:60_000])
		})}
		if way == "IdleTimeout" {
			srv.IdleTimeout = 100 * time.Millisecond
		}
		s := k.make(srv)
		c := dialFrames(t, startOn(t, slowly(t, 300*time.Millisecond), s, s.Serve))
		c.get(1, "/")
		eventually(t, "the end of the handler", returned)
		go func() {
			if way == "Shutdown" {
				s.Shutdown(context.Background())
			}
			close(done)
		}()
		if c.ended(1); c.end(1) != "end" {
			t.Error(c.summary())
		}
		eventually(t, "the end of "+way, done)
		if !c.wait(func() bool { return c.closed }) {
			t.Error("the connection is open")
		}
	})
}

// TestHTTP2NoDeadlines checks that connections without deadlines end after an error
// of the client, the IdleTimeout or Shutdown, although the client does nothing.
func TestHTTP2NoDeadlines(t *testing.T) {
	eachCase(t, kinds, names("error", "IdleTimeout", "Shutdown"), func(t *testing.T, k kind, way string, _ bool) {
		t.Parallel()
		srv := &http.Server{Protocols: protocols(true, false, true)}
		if way == "IdleTimeout" {
			srv.IdleTimeout = 10 * time.Millisecond
		}
		closed := make(chan bool, 1)
		srv.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed <- true
			}
		}
		s := k.make(srv)
		nc := dial(t, startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return noDeadlines{nc} }}, s, s.Serve))
		begin := []byte(http2Hello)
		if way == "error" {
			begin = appendTestFrame(begin, fPing, 0, 0, "1")
		}
		nc.Write(begin)
		if way == "Shutdown" {
			time.Sleep(50 * time.Millisecond)
			go s.Shutdown(context.Background())
		}
		eventually(t, "the end of the connection", closed)
	})
}

// TestHTTP2KeepAlives checks that each connection serves a request when keep-alives
// are disabled: some clients wait for SETTINGS before they send one, and others
// abandon their requests when GOAWAY arrives.
func TestHTTP2KeepAlives(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		addr, s := start(&http.Server{Handler: http.NotFoundHandler()})
		s.(interface{ SetKeepAlivesEnabled(bool) }).SetKeepAlivesEnabled(false)
		c, early := dialFrames(t, addr), false
		c.ping()
		if c.wait(func() bool { early = c.away; return true }); early {
			t.Error("GOAWAY arrived before the first request")
		}
		c.get(1, "/")
		if c.ended(1); c.end(1) != "end" || !c.wait(func() bool { return c.away }) {
			t.Errorf("got %s", c.summary())
		}
	})
}

// TestHTTP2Goexit checks that the client learns at once that a handler has ended
// its goroutine, as t.FailNow does. So do clients of other connections that
// share the goroutines.
func TestHTTP2Goexit(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		addr, _ := start(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/exit" {
				runtime.Goexit()
			}
		})})
		c := dialFrames(t, addr)
		for id := uint32(1); id < 20; id += 4 {
			c.get(id, "/exit")
			if !c.ended(id) {
				t.Fatalf("stream %d: got %s, want a reset", id, c.summary())
			}
			c.get(id+2, "/")
			if !c.ended(id + 2) {
				t.Fatalf("stream %d: no response after Goexit", id+2)
			}
		}
	})
}

// A slowConn is a connection whose Write takes some time.
type slowConn struct {
	net.Conn
	pause   time.Duration // before each 4,000 bytes
	mu      sync.Mutex
	written int
}

func (c *slowConn) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		time.Sleep(c.pause)
		var m int
		m, err = c.Conn.Write(p[:min(len(p), 4000)])
		n, p = n+m, p[m:]
		c.mu.Lock()
		c.written += m
		c.mu.Unlock()
	}
	return n, err
}

func slowly(t *testing.T, pause time.Duration) net.Listener {
	return wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return &slowConn{Conn: nc, pause: pause} }}
}

// TestHTTP2StateIdle checks that a connection isn't called idle before the last
// byte of a response is written: package server closes idle connections.
func TestHTTP2StateIdle(t *testing.T) {
	for _, k := range engines {
		const size = 50_000
		idle := make(chan int, 10)
		srv := &http.Server{
			Protocols: protocols(false, false, true),
			Handler:   http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, size)) }),
			ConnState: func(nc net.Conn, state http.ConnState) {
				if c := nc.(*slowConn); state == http.StateIdle {
					c.mu.Lock()
					idle <- c.written
					c.mu.Unlock()
				}
			},
		}
		s := k.make(srv)
		c := dialFrames(t, startOn(t, slowly(t, time.Millisecond), s, s.Serve))
		<-idle // when the preface has arrived
		for i := range 3 {
			id := uint32(2*i + 1)
			c.get(id, "/")
			c.ended(id)
			if written := <-idle; written < (i+1)*size {
				t.Errorf("%s: idle after %d bytes, want at least %d", k.name, written, (i+1)*size)
			}
			c.frame(fWindow, 0, 0, u32(size))
		}
	}
}

// TestHTTP2StatePanics checks that a panic of the ConnState hook, which runs in
// the goroutine of a handler, is logged and doesn't end the program.
func TestHTTP2StatePanics(t *testing.T) {
	for _, k := range engines {
		logged, lines := io.Pipe()
		idle := 0
		addr := startHTTP2(t, k.make, &http.Server{
			Handler:  http.NotFoundHandler(),
			ErrorLog: log.New(lines, "", 0),
			ConnState: func(_ net.Conn, state http.ConnState) {
				if state == http.StateIdle {
					if idle++; idle == 2 {
						panic("no more")
					}
				}
			},
		})
		c := dialFrames(t, addr)
		c.get(1, "/")
		b := make([]byte, 1<<10)
		if n, _ := logged.Read(b); !strings.Contains(string(b[:n]), ": no more") {
			t.Errorf("%s: logged %q", k.name, b[:n])
		}
		logged.Close()
		c.get(3, "/")
		if c.ended(3); strings.Count(c.summary(), ":status=404") != 2 {
			t.Errorf("%s: got %s", k.name, c.summary())
		}
	}
}

// TestHTTP2SendPing checks that a connection whose client answers PINGs remains.
func TestHTTP2SendPing(t *testing.T) {
	for _, k := range kinds {
		addr := startHTTP2(t, k.make, &http.Server{Handler: http.NotFoundHandler(), HTTP2: &http.HTTP2Config{SendPingTimeout: 10 * time.Millisecond}})
		c := dialFrames(t, addr)
		c.ping()
		c.wait(func() bool { return c.pinged >= 5 })
		c.get(1, "/")
		if c.ended(1); !strings.Contains(c.summary(), ":status=404") {
			t.Errorf("%s: got %s", k.name, c.summary())
		}
	}
}

// TestHammer sends requests of all kinds concurrently: canceled ones, uploads
// that exceed the windows and that handlers read slowly or not at all,
// downloads, panics. No connection over HTTP/2 may end by an error.
func TestHammer(t *testing.T) {
	eachWay(t, kinds, ways, func(t *testing.T, k kind, way way) {
		_, addr := way.start(t, k, &http.Server{
			WriteTimeout: 2 * time.Minute, ReadTimeout: 2 * time.Minute,
			HTTP2: &http.HTTP2Config{MaxReceiveBufferPerConnection: 1 << 16, MaxReceiveBufferPerStream: 1 << 16, CountError: func(name string) {
				if strings.HasPrefix(name, "conn_") {
					t.Error(name)
				}
			}},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Path", r.URL.Path)
				switch r.URL.Path {
				case "/panic":
					w.Write(make([]byte, 5000))
					panic(http.ErrAbortHandler)
				case "/big":
					for range 10 {
						w.Write(make([]byte, 30_000))
					}
				case "/flush":
					for range 5 {
						io.WriteString(w, "part")
						w.(http.Flusher).Flush()
					}
				case "/wait":
					<-r.Context().Done()
				case "/goroutine":
					done := make(chan bool)
					go func() { io.Copy(io.Discard, r.Body); close(done) }()
					w.Write(make([]byte, 100_000))
					<-done
				case "/refuse":
					w.WriteHeader(http.StatusRequestEntityTooLarge)
				case "/some":
					io.ReadFull(r.Body, make([]byte, 1000))
				default:
					b, _ := io.ReadAll(io.MultiReader(io.LimitReader(r.Body, 1000), r.Body))
					w.Write(b)
				}
			}),
		})
		shared, url := way.client(t, addr)
		var wg sync.WaitGroup
		for g := range 12 {
			cl := shared
			if g%4 == 0 {
				cl, _ = way.client(t, addr)
			}
			wg.Go(func() {
				for i := range 16 {
					path := []string{"/", "/panic", "/big", "/flush", "/wait", "/goroutine", "/refuse", "/some"}[(g+i)%8]
					ctx, cancel := context.WithCancel(context.Background())
					body := strings.Repeat("x", i*6000)
					req, _ := http.NewRequestWithContext(ctx, "POST", url+path, strings.NewReader(body))
					if path == "/wait" || i%7 == 3 {
						time.AfterFunc(time.Duration(i)*time.Millisecond/3, cancel)
					}
					res, err := cl.Do(req)
					if err == nil {
						var b []byte
						b, err = io.ReadAll(res.Body)
						res.Body.Close()
						if err == nil && path == "/" && string(b) != body {
							t.Errorf("got %d bytes, want %d", len(b), len(body))
						}
						if got := res.Header.Get("X-Path"); got != path {
							t.Errorf("response to %q, want %q", got, path)
						}
					}
					// Over HTTP/1.1, the connection may end before the client has sent a refused body.
					if err != nil && ctx.Err() == nil && path != "/panic" && (way.http2 || path != "/refuse" && path != "/some") {
						t.Errorf("%s: %v", path, err)
					}
					cancel()
				}
			})
		}
		wg.Wait()
	})
}
