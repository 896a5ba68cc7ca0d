package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// eventually waits for ch with a timeout that is long enough for a busy
// machine.
func eventually[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	return steady.Receive(t, what, ch)
}

// TestClientLeaves checks that a disconnect of the client ends the request's
// context, for each way of observing it.
func TestClientLeaves(t *testing.T) {
	follow := map[string]http.HandlerFunc{
		"Done": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"Err": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				time.Sleep(time.Millisecond)
			}
		},
		"AfterFunc": func(w http.ResponseWriter, r *http.Request) {
			ch := make(chan bool)
			context.AfterFunc(r.Context(), func() { close(ch) })
			<-ch
		},
		"WithTimeout": func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
			defer cancel()
			<-ctx.Done()
		},
		"CloseNotify": func(w http.ResponseWriter, r *http.Request) { <-w.(http.CloseNotifier).CloseNotify() },
		"body read": func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"write": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write(make([]byte, 1<<16))
			}
		},
	}
	eachWay(t, kinds, ways, func(t *testing.T, k kind, way way) {
		for name, f := range follow {
			started, ended := make(chan bool, 1), make(chan error, 1)
			_, addr := way.start(t, k, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if name != "body read" {
					io.Copy(io.Discard, r.Body) // before, nobody watches the connection, as in net/http
				}
				started <- true
				f(w, r)
				ended <- r.Context().Err()
			})})
			ctx, leave := context.WithCancel(t.Context())
			cl, url := way.client(t, addr)
			req, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader("hi"))
			go cl.Do(req)
			eventually(t, "the handler starts", started)
			leave()
			if err := eventually(t, "the handler ends", ended); err != context.Canceled && name != "CloseNotify" {
				t.Errorf("%s: the context's error is %v, want Canceled", name, err)
			}
		}
	})
}

// A noDeadlines is a connection without deadlines, as the channels of SSH.
type noDeadlines struct{ net.Conn }

func (noDeadlines) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (noDeadlines) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (noDeadlines) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

// TestConnectionsWithoutDeadlines checks that a response doesn't wait for the
// client because the handler has waited for the end of the context.
func TestConnectionsWithoutDeadlines(t *testing.T) {
	for _, k := range kinds {
		s := k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(10 * watchAfter):
			case <-r.Context().Done():
			}
			io.WriteString(w, "hello")
		})})
		c := dial(t, startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return noDeadlines{nc} }}, s, s.Serve))
		c.SetReadDeadline(time.Now().Add(time.Minute))
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.ContentLength != 5 {
			t.Errorf("%s: %v, %v; want a response", k.name, resp, err)
		}
		c.Close()
	}
}

// TestContextEnds checks that the handler's return and the end of the
// connection's context end a request's context, its values, and that hooks see one
// connection.
func TestContextEnds(t *testing.T) {
	eachWay(t, kinds, ways, func(t *testing.T, k kind, way way) {
		type key struct{}
		var conns sync.Map
		base, cancel := context.WithCancelCause(context.WithValue(context.Background(), key{}, "base"))
		ctxs := make(chan context.Context, 1)
		srv := &http.Server{
			BaseContext: func(net.Listener) context.Context { return base },
			ConnContext: func(ctx context.Context, nc net.Conn) context.Context {
				return context.WithValue(ctx, "conn", nc.RemoteAddr().String())
			},
			ConnState: func(nc net.Conn, _ http.ConnState) { conns.Store(nc, true) },
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctxs <- context.WithValue(r.Context(), "client", r.RemoteAddr)
				if (r.TLS != nil) != way.tls {
					t.Errorf("Request.TLS is %v", r.TLS)
				}
				if r.URL.Path == "/wait" {
					<-r.Context().Done()
				}
			}),
		}
		s, addr := way.start(t, k, srv)
		cl, url := way.client(t, addr)
		get := func(path string) {
			if res, err := cl.Get(url + path); err != nil {
				t.Error(err)
			} else {
				bodyOf(t, res)
			}
		}
		get("/")
		ctx := eventually(t, "a context", ctxs)
		eventually(t, "the context ends with its handler", ctx.Done())
		if ctx.Err() != context.Canceled {
			t.Errorf("Err is %v", ctx.Err())
		}
		if ctx.Value(key{}) != "base" || ctx.Value("conn") != ctx.Value("client") ||
			ctx.Value(http.ServerContextKey) != srv || ctx.Value(http.LocalAddrContextKey).(net.Addr).String() != addr {
			t.Errorf("wrong values in %v", ctx)
		}

		responded := make(chan bool)
		go func() { get("/wait"); close(responded) }()
		ctx = eventually(t, "a context", ctxs)
		cancel(io.ErrNoProgress)
		eventually(t, "the context ends with the base context", ctx.Done())
		if cause := context.Cause(ctx); cause != io.ErrNoProgress {
			t.Errorf("the cause is %v", cause)
		}
		eventually(t, "a response", responded)

		n := uint64(0)
		for range conns.Range {
			n++
		}
		e, ok := s.(*Server)
		for when := 0; ok && when < 2; when++ { // with the connection, and after its end
			if st := e.Stats(); n != 1 || way.http2 && (st.HandedOver != 0 || st.HTTP2Connections != 1 || st.Requests != 2 || st.HTTP2Requests != 2) {
				t.Errorf("the hook got %d connections; stats are %+v", n, st)
			}
			e.Close()
		}
	})
}

// TestFormat prints what a handler and the program can print, with several
// verbs, while goroutines change it.
func TestFormat(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		var s server
		printed := make(chan string, 1)
		s = k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "GET" {
				return
			}
			var users sync.WaitGroup
			for range 2 {
				users.Go(func() {
					for range 500 {
						ctx, cancel := context.WithCancel(r.Context())
						context.AfterFunc(ctx, func() {})
						cancel()
					}
				})
			}
			users.Go(func() {
				for range 500 {
					w.Header().Set("X", "y")
					io.WriteString(w, "response")
				}
			})
			users.Go(func() { readPortions(r.Body, 10) })
			var text string
			for range 100 {
				for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%q"} {
					text = fmt.Sprintf(verb+verb+verb+verb, r.Context(), w, r.Body, s)
				}
			}
			printed <- text
			users.Wait()
		})})
		addr := start(t, s)
		var clients sync.WaitGroup
		clients.Go(func() {
			talk(t, addr, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 20000\r\n\r\n"+strings.Repeat("b", 20000))
		})
		for range 50 {
			talk(t, addr, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		}
		clients.Wait()
		text := eventually(t, "the values are printed", printed)
		for _, want := range []string{"context.Background.WithValue(", ".WithCancel", "engine.ResponseWriter", "engine.body", "engine.Server("} {
			if !strings.Contains(text, want) {
				t.Errorf("%q doesn't contain %q", text, want)
			}
		}
	})
}

// TestHandlerReadDeadline checks that the watch for the client keeps a read
// deadline of the handler. As in net/http, the deadline cancels the context if
// it was set after the body was read, and otherwise doesn't apply any more.
func TestHandlerReadDeadline(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wait := 300 * time.Millisecond
			if r.URL.Path == "/after" {
				io.Copy(io.Discard, r.Body)
				wait = 10 * time.Second
			}
			http.NewResponseController(w).SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				io.WriteString(w, "too late")
				return
			}
			select {
			case <-r.Context().Done():
				io.WriteString(w, "canceled")
			case <-time.After(wait):
				io.WriteString(w, "not canceled")
			}
		})}))
		for _, framing := range []string{bodies["length"], bodies["chunked"]} {
			for path, want := range map[string]string{"/before": "not canceled", "/after": "canceled"} {
				steady.Try(t, 50*time.Millisecond, func() error {
					c := dial(t, addr)
					io.WriteString(c, "POST "+path+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"+framing)
					b, _ := io.ReadAll(c)
					if !strings.HasSuffix(string(b), "\r\n\r\n"+want) {
						return fmt.Errorf("%s: got %q, want %s", path, b, want)
					}
					return nil
				})
			}
		}
	})
}
