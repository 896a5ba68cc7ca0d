package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
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

// TestHTTP2Context checks when the context of a request ends, and why.
func TestHTTP2Context(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		ended, began, after := make(chan string, 10), make(chan bool, 10), make(chan context.Context, 10)
		addr, _ := start(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began <- true
			if r.URL.Path == "/return" {
				after <- r.Context()
				return
			}
			<-r.Context().Done()
			_, werr := w.Write(make([]byte, 10_000))
			_, rerr := r.Body.Read(make([]byte, 1))
			ended <- fmt.Sprint(r.Context().Err(), ", ", werr != nil, rerr != nil && rerr != io.EOF)
		})})
		for _, tt := range []struct {
			name string
			end  func(c *frameConn)
		}{
			{"reset", func(c *frameConn) { c.reset(1) }},
			{"close", func(c *frameConn) { c.Close() }},
			{"half-close", func(c *frameConn) { c.Conn.(*net.TCPConn).CloseWrite() }},
			{"connection error", func(c *frameConn) { c.frame(fPing, 0, 0, "1") }},
			{"stream error", func(c *frameConn) { c.frame(fWindow, 0, 1, u32(0)) }},
		} {
			c := dialFrames(t, addr)
			c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/"))
			<-began
			tt.end(c)
			if got, want := <-ended, "context canceled, true true"; got != want {
				t.Errorf("%s: the context's error, and whether Write and Read fail: %s, want %s", tt.name, got, want)
			}
			c.Close()
		}
		c := dialFrames(t, addr)
		c.get(1, "/return")
		<-began
		ctx := <-after
		<-ctx.Done()
	})
}

// TestHTTP2Stream sends a request and its response at the same time, in parts.
func TestHTTP2Stream(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		addr, _ := start(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			rc.EnableFullDuplex()
			w.WriteHeader(200)
			rc.Flush()
			buf := make([]byte, 5)
			for {
				if _, err := io.ReadFull(r.Body, buf); err != nil {
					return
				}
				w.Write(buf)
				rc.Flush()
			}
		})})
		pr, pw := io.Pipe()
		res, err := http2Client(t).Post("http://"+addr, "", pr)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 5)
		for i := range 100 {
			part := fmt.Sprintf("%05d", i)
			if _, err := io.WriteString(pw, part); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(res.Body, buf); err != nil || string(buf) != part {
				t.Fatalf("got %q, %v, want %q", buf, err, part)
			}
		}
		pw.Close()
		if b, err := io.ReadAll(res.Body); len(b) > 0 || err != nil {
			t.Errorf("got %q, %v at the end", b, err)
		}
	})
}

// TestHTTP2Uploads sends many bodies at once whose total exceeds the windows,
// and which handlers read slowly or not at all.
func TestHTTP2Uploads(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		addr, _ := start(&http.Server{
			HTTP2: &http.HTTP2Config{MaxReceiveBufferPerConnection: 1 << 16, MaxReceiveBufferPerStream: 1 << 16},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/refuse":
					w.WriteHeader(413)
				case "/some":
					io.ReadFull(r.Body, make([]byte, 1000))
				default:
					n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r.Body, make([]byte, 100))
					fmt.Fprint(w, n, err)
				}
			})})
		cl := http2Client(t)
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				path := []string{"/", "/refuse", "/some"}[i%3]
				res, err := cl.Post("http://"+addr+path, "", strings.NewReader(strings.Repeat("x", 200_000)))
				if err != nil {
					if path == "/" {
						t.Error(err)
					}
					return
				}
				b, err := io.ReadAll(res.Body)
				res.Body.Close()
				if path == "/" && (string(b) != "200000 <nil>" || err != nil) {
					t.Errorf("got %q, %v", b, err)
				}
			})
		}
		wg.Wait()
	})
}

// TestHTTP2Timeouts checks the timeouts of http.Server and HTTP2Config.
func TestHTTP2Timeouts(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			switch r.URL.Path {
			case "/readdeadline":
				rc.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			case "/readnow":
				rc.SetReadDeadline(time.Now().Add(-time.Second))
			case "/writedeadline":
				rc.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
			case "/writenow":
				rc.SetWriteDeadline(time.Now().Add(-time.Second))
			}
			if strings.HasPrefix(r.URL.Path, "/read") {
				_, err := io.ReadAll(r.Body)
				fmt.Fprint(w, errors.Is(err, os.ErrDeadlineExceeded))
			} else if r.URL.Path != "/" {
				<-r.Context().Done()
			}
		})
		for _, tt := range []struct {
			name        string
			read, write bool // which timeout the server has
			path        string
			want        string
		}{
			{"read", true, false, "/read", `"true"; end`},
			{"write", false, true, "/wait", "reset 2"},
			{"read deadline", false, false, "/readdeadline", `"true"; end`},
			{"read deadline in the past", false, false, "/readnow", `"true"; end`},
			{"write deadline", false, false, "/writedeadline", "reset 2"},
			{"write deadline in the past", false, false, "/writenow", "reset 2"},
		} {
			// On a busy machine, a short timeout ends the connection before the
			// request arrives.
			for timeout := 50 * time.Millisecond; ; timeout *= 4 {
				srv := &http.Server{Handler: handler}
				if tt.read {
					srv.ReadTimeout = timeout
				}
				if tt.write {
					srv.WriteTimeout = timeout
				}
				addr, _ := start(srv)
				c := dialFrames(t, addr)
				c.frame(fHeaders, endHeaders, 1, reqBlock("POST", tt.path))
				c.ended(1)
				c.ping()
				got := c.summary()
				c.Close()
				if strings.Contains(got, tt.want) {
					break
				}
				if timeout > 3*time.Second {
					t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
					break
				}
			}
		}

		// Those of a connection.
		for _, tt := range []struct {
			name string
			srv  *http.Server
			send func(c *frameConn)
		}{
			{"idle", &http.Server{IdleTimeout: 50 * time.Millisecond}, func(c *frameConn) { c.get(1, "/") }},
			{"idle without requests", &http.Server{IdleTimeout: 50 * time.Millisecond}, func(c *frameConn) {}},
			{"no settings", &http.Server{}, func(c *frameConn) {
				c.mute.Store(true)
				io.WriteString(c, clientPreface)
			}},
			{"ping", &http.Server{HTTP2: &http.HTTP2Config{SendPingTimeout: 50 * time.Millisecond, PingTimeout: 50 * time.Millisecond}},
				func(c *frameConn) { c.mute.Store(true) }},
		} {
			tt.srv.Handler = handler
			addr, _ := start(tt.srv)
			c := dialSilent(t, addr)
			if tt.name != "no settings" {
				c.begin()
			}
			tt.send(c)
			c.wait(func() bool { return false }) // until it's closed
			if !c.closed {
				t.Errorf("%s: the connection is not closed", tt.name)
			}
		}
	})
}

// TestHTTP2HeadTimeout sends HEADERS slowly.
func TestHTTP2HeadTimeout(t *testing.T) {
	for _, k := range engines {
		addr := startHTTP2(t, k.make, &http.Server{ReadHeaderTimeout: 50 * time.Millisecond})
		for _, send := range []func(c *frameConn){
			func(c *frameConn) { c.frame(fHeaders, 0, 1, "") },
			func(c *frameConn) { io.WriteString(c, "\x00\x00\x20\x01") },
		} {
			c := dialFrames(t, addr)
			c.ping()
			send(c)
			c.wait(func() bool { return false })
			if !c.closed {
				t.Errorf("%s: the connection is not closed", k.name)
			}
		}
	}
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

// TestHTTP2ConnState compares the calls of the ConnState hook.
func TestHTTP2ConnState(t *testing.T) {
	var want string
	for i, k := range kinds {
		var mu sync.Mutex
		var states []http.ConnState
		closed := make(chan bool)
		srv := &http.Server{Handler: http.NotFoundHandler(), ConnState: func(_ net.Conn, state http.ConnState) {
			mu.Lock()
			defer mu.Unlock()
			if states = append(states, state); state == http.StateClosed {
				close(closed)
			}
		}}
		addr := startHTTP2(t, k.make, srv)
		c := dialFrames(t, addr)
		c.ping()
		for id := uint32(1); id < 6; id += 2 {
			c.get(id, "/")
			c.ended(id)
			for idle := false; !idle; {
				c.ping()
				mu.Lock()
				idle = states[len(states)-1] == http.StateIdle
				mu.Unlock()
			}
		}
		c.Close()
		<-closed
		got := fmt.Sprint(states)
		if i == 0 {
			want = got
		} else if got != want {
			t.Errorf("%s: %s, want %s", k.name, got, want)
		}
	}
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

// TestHTTP2Writer checks what a ResponseWriter implements besides writing.
func TestHTTP2Writer(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		left := make(chan bool, 1)
		addr, _ := start(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			switch r.URL.Path {
			case "/hijack":
				_, is := w.(http.Hijacker)
				_, _, err := rc.Hijack()
				fmt.Fprint(w, !is && errors.Is(err, http.ErrNotSupported))
			case "/push":
				fmt.Fprint(w, errors.Is(w.(http.Pusher).Push("/x", nil), http.ErrNotSupported))
			case "/maxbytes":
				_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3))
				var tooLarge *http.MaxBytesError
				fmt.Fprint(w, errors.As(err, &tooLarge))
			case "/notify":
				ch := w.(http.CloseNotifier).CloseNotify() //lint:ignore SA1019 tested
				rc.Flush()
				left <- <-ch
			case "/closed":
				r.Body.Close()
				_, err := r.Body.Read(make([]byte, 1))
				fmt.Fprint(w, err != nil && err != io.EOF)
			case "/code":
				defer func() { fmt.Fprint(w, recover()) }()
				w.WriteHeader(99)
			case "/nobody":
				w.WriteHeader(http.StatusNoContent)
				_, err := io.WriteString(w, "x")
				if err != http.ErrBodyNotAllowed {
					t.Error(err)
				}
			case "/hints":
				for range 3 {
					w.Header().Set("Link", "</x>")
					w.WriteHeader(http.StatusEarlyHints)
				}
				w.Header().Del("Link")
				io.WriteString(w, "hints")
			}
		})})
		c := dialFrames(t, addr, 2, 0)
		id := uint32(1)
		for _, tt := range []struct{ path, want string }{
			{"/hijack", `"true"; end`},
			{"/push", `"true"; end`},
			{"/maxbytes", `"true"; end`},
			{"/closed", `"true"; end`},
			{"/code", `"invalid WriteHeader code 99"; end`},
			{"/nobody", `:status=204 Date=X; ""; end`},
			{"/hints", `:status=103 Link=</x> | :status=103 Link=</x> | :status=103 Link=</x> | :status=200`},
		} {
			c.frame(fHeaders, endHeaders, id, reqBlock("POST", tt.path))
			c.frame(fData, endStream, id, "hello")
			c.ended(id)
			_, got, _ := strings.Cut(c.summary(), fmt.Sprintf("stream %d:", id))
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s: got %s, want %s", tt.path, got, tt.want)
			}
			id += 2
		}
		c.get(id, "/notify")
		c.wait(func() bool { return c.streams[id] != nil && len(c.streams[id].blocks) > 0 })
		c.reset(id)
		<-left
	})
}

// TestHTTP2Unread checks that connections end whose clients read nothing.
func TestHTTP2Unread(t *testing.T) {
	const timeout = 3 * time.Second // long enough for the request to arrive
	for name, srv := range map[string]*http.Server{
		"WriteTimeout":     {WriteTimeout: timeout},
		"WriteByteTimeout": {HTTP2: &http.HTTP2Config{WriteByteTimeout: timeout}},
	} {
		for _, k := range engines {
			t.Run(name+"/"+k.name, func(t *testing.T) {
				t.Parallel()
				ended := make(chan bool)
				addr := startHTTP2(t, k.make, &http.Server{WriteTimeout: srv.WriteTimeout, HTTP2: srv.HTTP2, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					for err := error(nil); err == nil; {
						_, err = w.Write(megabyte)
					}
					close(ended)
				})})
				c := dial(t, addr)
				b := appendTestFrame([]byte(clientPreface), fSettings, 0, 0, settingsText([]uint32{4, 1 << 30}))
				b = appendTestFrame(b, fWindow, 0, 0, u32(1<<30))
				c.Write(appendTestFrame(b, fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/")))
				eventually(t, "the handler's writes fail", ended)
			})
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

// TestHTTP2Hammer sends requests of all kinds concurrently, with and without TLS:
// canceled ones, uploads, downloads, panics, deadlines.
func TestHTTP2Hammer(t *testing.T) {
	hammered := func() *http.Server {
		return &http.Server{WriteTimeout: 20 * time.Second, ReadTimeout: 20 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			default:
				io.Copy(w, r.Body)
			}
		})}
	}
	each(t, kinds, func(t *testing.T, k kind) {
		t.Parallel()
		addr := startHTTP2(t, k.make, hammered())
		srv := hammered()
		overTLS := startTLS(t, k.make(srv), srv)
		cl := http2Client(t)
		var wg sync.WaitGroup
		for g := range 20 {
			url := "http://" + addr
			if g%2 == 1 {
				url = "https://" + overTLS
			}
			wg.Go(func() {
				for i := range 30 {
					path := []string{"/", "/panic", "/big", "/flush", "/wait", "/goroutine"}[(g/2+i)%6]
					ctx, cancel := context.WithCancel(context.Background())
					body := strings.Repeat("x", i*1000)
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
					if err != nil && ctx.Err() == nil && path != "/panic" {
						t.Errorf("%s: %v", path, err)
					}
					cancel()
				}
			})
		}
		wg.Wait()
	})
}
