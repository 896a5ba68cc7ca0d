package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestEventStreamsEndWithTheServer checks that event streams are notified at
// the end of DrainDelay, and that none is cut off if it ends then, although that
// takes longer than the drain waits for connections that seem unused.
func TestEventStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			const delay = time.Second
			drains := make(chan time.Time, 1)
			_, addr, stop := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx, cancel := context.WithCancel(r.Context()) // like middleware
				defer cancel()
				io.WriteString(w, "event\n")
				http.NewResponseController(w).Flush()
				select {
				case <-server.Draining(ctx):
					drains <- time.Now()
					time.Sleep(1500 * time.Millisecond)
					io.WriteString(w, "last\n")
				case <-ctx.Done():
				}
			}), func(s *server.Server) { v.configure(t, s); s.DrainDelay = delay; s.DrainTimeout = longest })
			resp, err := v.client(t).Get(v.scheme + addr)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			lines.Scan()
			began := time.Now()
			if err := stop(); err != nil {
				t.Errorf("stop: %v", err)
			}
			select {
			case at := <-drains:
				if at.Sub(began) < delay {
					t.Errorf("the handler was notified %v after the stop, want %v", at.Sub(began), delay)
				}
			default:
				t.Error("the handler was not notified")
			}
			if !lines.Scan() || lines.Text() != "last" || lines.Scan() || lines.Err() != nil {
				t.Errorf("the stream's end: %q, %v; want a last line and a clean end", lines.Text(), lines.Err())
			}
		})
	}
}

// TestShutdownAndCloseOfHTTP checks that HTTP.Shutdown ends the server without
// cutting off running requests, and that HTTP.Close ends it and cuts them off.
func TestShutdownAndCloseOfHTTP(t *testing.T) {
	t.Parallel()
	for _, v := range []variant{plain, overTLS, http2, http2c} {
		for _, cut := range []bool{false, true} {
			started, release := make(chan bool), make(chan bool)
			s, addr, stop := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				started <- true
				<-server.Draining(r.Context())
				<-release
				hello(w, r)
			}), func(s *server.Server) { v.configure(t, s); s.DrainTimeout = longest })
			c := v.client(t)
			responded := make(chan error)
			go func() { responded <- get(c, v.scheme+addr) }()
			<-started
			if cut {
				s.HTTP.Close()
				if err := <-responded; err == nil {
					t.Errorf("%s: Close: the request got a response", v.name)
				}
				close(release)
			} else {
				go s.HTTP.Shutdown(context.Background())
				close(release)
				if err := <-responded; err != nil {
					t.Errorf("%s: Shutdown: %v", v.name, err)
				}
			}
			c.CloseIdleConnections()
			if err := stop(); err != nil {
				t.Errorf("%s: %v", v.name, err)
			}
		}
	}
}

// TestShutdownOfHTTPAtMaxConns checks that HTTP.Shutdown ends the server also
// while a connection waits for room, and doesn't cut off the running request.
func TestShutdownOfHTTPAtMaxConns(t *testing.T) {
	t.Parallel()
	for _, v := range []variant{plain, onEngine(overTLS)} {
		accepted, started, release := make(chan bool, 2), make(chan bool), make(chan bool)
		ln := wrapper{listen(t), func(c net.Conn) net.Conn { accepted <- true; return c }}
		s, stop := startOn(t, ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			started <- true
			select {
			case <-server.Draining(r.Context()):
				hello(w, r)
			case <-release:
			}
		}), func(s *server.Server) { v.configure(t, s); s.MaxConns, s.DrainTimeout = 1, longest })
		responded := make(chan error)
		go func() {
			c := v.client(t)
			c.Timeout = longest / 4
			responded <- get(c, v.scheme+ln.Addr().String())
		}()
		<-started
		<-accepted
		dial(t, ln.Addr().String())
		<-accepted
		go s.HTTP.Shutdown(context.Background())
		if err := <-responded; err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		close(release)
		if err := stop(); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// TestBrokenListener checks that Serve returns an error, waits for running
// requests and closes all connections if the listener fails.
func TestBrokenListener(t *testing.T) {
	test := func(t *testing.T, engine bool) {
		t.Parallel() // each waits for the DrainTimeout
		ln := listen(t)
		hijacked, conns := make(chan bool), make(chan net.Conn, 1)
		s := server.New("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				hijacked <- false
				<-server.Draining(r.Context())
				hello(w, r)
				return
			}
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
			}
			conns <- c
			hijacked <- true
			<-server.Draining(r.Context())
			hijacked <- true
		}))
		s.Log, s.Engine = discardLog, engine
		s.DrainTimeout = 10 * time.Second
		done := make(chan error, 1)
		go func() { done <- s.Serve(context.Background(), ln) }()
		nc := dial(t, ln.Addr().String())
		io.WriteString(nc, headHello)
		<-hijacked
		answered := make(chan string, 1)
		go func() {
			resp, err := http.Post("http://"+ln.Addr().String(), "", nil)
			if err != nil {
				answered <- err.Error()
				return
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			answered <- string(text)
		}()
		<-hijacked
		ln.Close()
		<-hijacked
		if got := <-answered; got != "hello" {
			t.Errorf("the running request got %q, want hello", got)
		}
		if err := <-done; !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), "were closed: 1;") ||
			!strings.HasPrefix(err.Error(), "server: stopped accepting connections on "+ln.Addr().String()) {
			t.Errorf("%v, want the listener's error and the hijacked connection's", err)
		}
		if n, err := nc.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("%d, %v; want the end of the hijacked connection", n, err)
		}
		<-conns
	}
	t.Run("net/http", func(t *testing.T) { test(t, false) })
	t.Run("engine", func(t *testing.T) { test(t, true) })
}

// A lateListener accepts nothing until its channel is closed.
type lateListener struct {
	*net.TCPListener
	open chan bool
}

func (l lateListener) Accept() (net.Conn, error) { <-l.open; return l.TCPListener.Accept() }

// TestDrainWaitsForTheQueue checks that a server without connections doesn't
// close its listener before it has looked for some in the kernel's queue.
func TestDrainWaitsForTheQueue(t *testing.T) {
	ln := lateListener{listen(t).(*net.TCPListener), make(chan bool)}
	_, stop := startOn(t, ln, http.HandlerFunc(hello), nil)
	c := send(t, ln.Addr().String(), "/")
	done := make(chan error)
	go func() { done <- stop() }()
	select {
	case err := <-done:
		t.Errorf("stopped at once: %v", err)
	case <-time.After(200 * time.Millisecond): // it would take less
		close(ln.open)
		readResponse(t, c)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A deafListener doesn't wake Accept when a deadline is set.
type deafListener struct {
	net.Listener
	closed *atomic.Int32
}

func (deafListener) SetDeadline(time.Time) error { return nil }

func (l deafListener) Close() error { l.closed.Add(1); return l.Listener.Close() }

// TestDrainWithoutDeadlines checks that a server stops whose listener's Accept
// ignores deadlines, and closes it once: Close of some listeners panics the
// second time.
func TestDrainWithoutDeadlines(t *testing.T) {
	t.Parallel()
	ln := deafListener{listen(t), new(atomic.Int32)}
	_, stop := startOn(t, ln, http.HandlerFunc(hello), nil)
	stopped := make(chan error)
	go func() { stopped <- stop() }()
	if err := steady.Receive(t, "the server stops", stopped); err != nil {
		t.Error(err)
	}
	if n := ln.closed.Load(); n != 1 {
		t.Errorf("the listener was closed %d times", n)
	}
}

// TestServeReturnsTheErrorOfTheBackend checks that Serve returns the error of a
// server that can't start, or whose listener fails during DrainDelay, and closes
// the listener.
func TestServeReturnsTheErrorOfTheBackend(t *testing.T) {
	for _, engine := range []bool{false, true} {
		ln := listen(t)
		s := server.New("", http.HandlerFunc(hello))
		s.Log, s.Engine = discardLog, engine
		cert, key := writeCert(t, t.TempDir(), "localhost", tomorrow())
		s.CertFile, s.KeyFile = cert, key
		s.HTTP.TLSConfig = &tls.Config{CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}}
		if err := s.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "CipherSuites") {
			t.Errorf("engine %v, cipher suites that HTTP/2 forbids: %v", engine, err)
		}
		if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("engine %v: Serve left its listener open: %v", engine, err)
		}

		ln = listen(t)
		s, stop := startOn(t, ln, http.HandlerFunc(hello), func(s *server.Server) {
			s.Engine, s.ReadyPath, s.DrainDelay = engine, "/readyz", time.Hour
		})
		ready := func() bool {
			resp, err := http.Get("http://" + ln.Addr().String() + "/readyz")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return resp.StatusCode == 200
		}
		eventually(t, longest, "ready", ready)
		done := make(chan error)
		go func() { done <- stop() }()
		eventually(t, longest, "draining", func() bool { return !ready() })
		ln.Close()
		if err := <-done; !errors.Is(err, net.ErrClosed) {
			t.Errorf("engine %v, the listener failed during DrainDelay: %v", engine, err)
		}
	}
}

func TestDrainingElsewhere(t *testing.T) {
	if c := server.Draining(context.Background()); c != nil {
		t.Error("Draining of another context is not nil")
	}
}

// TestRunEndsBeforeItListens checks that a context that ends while the name of
// the address is looked up is no error.
func TestRunEndsBeforeItListens(t *testing.T) {
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, addr := range []string{"localhost:0", "127.0.0.1:0"} {
		if err := server.New(addr, http.NotFoundHandler()).Run(ended); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestNotifyContextEndsWithParent(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	ctx, stop := server.NotifyContext(parent)
	cancel()
	<-ctx.Done()
	stop()
}

// TestErrorHandler checks that the context of requests contains ErrorHandler
// and the values of the user's BaseContext and ConnContext, and that the user's
// ConnState is called.
func TestErrorHandler(t *testing.T) {
	type key string
	states := make(chan http.ConnState, 100)
	_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if base, conn := r.Context().Value(key("base")), r.Context().Value(key("conn")); base != "set" || conn != "set" {
			t.Errorf("the values of BaseContext and ConnContext are %v and %v", base, conn)
		}
		problem.Write(w, r, problem.Code(http.StatusTeapot))
	}), func(s *server.Server) {
		s.LivePath = "/livez"
		s.ErrorHandler = problem.JSON
		s.HTTP.BaseContext = func(net.Listener) context.Context { return context.WithValue(context.Background(), key("base"), "set") }
		s.HTTP.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, key("conn"), "set")
		}
		s.HTTP.ConnState = func(_ net.Conn, cs http.ConnState) { states <- cs }
	})
	for _, c := range []struct{ path, want string }{
		{"/", `{"title":"I'm a teapot","status":418}` + "\n"},
		{"/livez", `{"title":"Method Not Allowed","status":405}` + "\n"},
	} {
		resp, err := http.Post("http://"+addr+c.path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != c.want {
			t.Errorf("POST %s: %s, want %s", c.path, got, c.want)
		}
	}
	if got := <-states; got != http.StateNew {
		t.Errorf("first state %v, want new", got)
	}
}
