package server_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	var notReady error
	s, addr, stop := start(t, http.HandlerFunc(hello), func(s *server.Server) {
		s.LivePath, s.ReadyPath = "/livez", "/readyz"
		s.Ready = func(context.Context) error { return notReady }
		s.DrainDelay = time.Hour // until HTTP.Shutdown
	})
	ask := func(method, path string) (int, string) {
		req, _ := http.NewRequest(method, "http://"+addr+path, nil)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	type row struct {
		method, path string
		err          error
		code         int
		text         string
	}
	check := func(when string, rows []row) {
		t.Helper()
		for _, c := range rows {
			notReady = c.err
			if code, text := ask(c.method, c.path); code != c.code || text != c.text {
				t.Errorf("%s: %s %s: %d %q, want %d %q", when, c.method, c.path, code, text, c.code, c.text)
			}
		}
	}
	down := errors.New("database password is hunter2")
	check("serving", []row{
		{"GET", "/livez", down, 200, "ok\n"},
		{"GET", "/readyz", nil, 200, "ok\n"},
		{"HEAD", "/readyz", nil, 200, ""},
		{"GET", "/readyz", down, 503, "not ready\n"},
		{"POST", "/readyz", nil, 405, "Method Not Allowed\n"},
		{"GET", "/readyz/x", nil, 200, "hello"},
		{"GET", "/", nil, 200, "hello"},
	})
	go stop()
	eventually(t, longest, "not ready while draining", func() bool { code, _ := ask("GET", "/readyz"); return code == 503 })
	check("during DrainDelay", []row{
		{"GET", "/livez", nil, 200, "ok\n"},
		{"GET", "/", nil, 200, "hello"},
	})
	s.HTTP.Shutdown(t.Context())
	if err := stop(); err != nil {
		t.Errorf("drain: %v", err)
	}
	if got := s.Stats().Open; got != 0 {
		t.Errorf("%d connections open after the drain", got)
	}
	_, addr, _ = start(t, http.HandlerFunc(hello), nil)
	for _, path := range []string{"/livez", "/readyz"} {
		if code, text := ask("GET", path); code != 200 || text != "hello" {
			t.Errorf("%s by default: %d %q, want the handler's response", path, code, text)
		}
	}
}

// TestDrainServesKeepAliveConnections checks that a client that is about to
// send its next request gets a response with Connection: close. It has a second
// to send it.
func TestDrainServesKeepAliveConnections(t *testing.T) {
	for _, broken := range []bool{false, true} { // the listener
		steady.Try(t, 50*time.Millisecond, func() error {
			ln := listen(t)
			s, stop := startOn(t, ln, http.HandlerFunc(hello), nil)
			c := dial(t, ln.Addr().String())
			send := func() { io.WriteString(c, headHello) }
			send()
			if readResponse(t, c).Close {
				t.Error("before the drain: Connection: close, want keep-alive")
			}
			if broken {
				ln.Close()
			} else {
				go stop()
			}
			refusesConnections(t, ln.Addr().String())
			send()
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			stopped := stop()
			if s.Stats().Open != 0 {
				t.Errorf("drain: %v, %d open", stopped, s.Stats().Open)
			}
			if (stopped != nil) != broken { // on a busy machine, it may not know that the listener is closed
				return fmt.Errorf("drain: %v", stopped)
			}
			if err != nil || !resp.Close {
				return fmt.Errorf("during the drain: %v, %v; want a response with Connection: close", resp, err)
			}
			return nil
		})
	}
}

func TestDrainDeadline(t *testing.T) {
	block := make(chan bool)
	defer close(block)
	for _, c := range []struct {
		name string
		h    http.HandlerFunc
	}{
		{"a request", func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			<-r.Context().Done() // its connection is eventually closed
		}},
		{"a hijacked connection", func(w http.ResponseWriter, r *http.Request) {
			c, _, _ := http.NewResponseController(w).Hijack()
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
			<-block
			c.Close()
		}},
	} {
		_, addr, stop := start(t, c.h, func(s *server.Server) { s.DrainTimeout = 100 * time.Millisecond })
		nc := dial(t, addr)
		io.WriteString(nc, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		readResponse(t, nc)
		err := stop()
		if err == nil || !strings.Contains(err.Error(), "still open after DrainTimeout (100ms) and were closed: 1;") {
			t.Errorf("%s: %v, want an error that counts it", c.name, err)
		}
		nc.SetReadDeadline(time.Now().Add(longest))
		if _, err := io.Copy(io.Discard, nc); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: still open", c.name)
		}
	}
}

// Connections that are idle at the end of a short drain are closed, and aren't
// worth an error.
func TestDrainClosesIdleConnections(t *testing.T) {
	t.Parallel()
	for _, v := range variants {
		idle := make(chan bool, 10)
		s, addr, stop := start(t, http.HandlerFunc(hello), func(s *server.Server) {
			v.configure(t, s)
			s.DrainTimeout = 0
			s.HTTP.ConnState = func(_ net.Conn, cs http.ConnState) {
				if cs == http.StateIdle {
					idle <- true
				}
			}
		})
		if err := get(v.client(t), v.scheme+addr); err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		<-idle
		if strings.HasPrefix(v.name, "HTTP/2") { // the first one was before the request
			<-idle
		}
		if err := stop(); err != nil || s.Stats().Open != 0 {
			t.Errorf("%s: %v, %d connections open; want nil and 0", v.name, err, s.Stats().Open)
		}
	}
}

// TestSecondListener checks that HTTP can serve another listener, whose
// connections have no limits.
func TestSecondListener(t *testing.T) {
	t.Parallel()
	s, addr, _ := start(t, http.HandlerFunc(hello), nil)
	c := plain.client(t)
	if err := get(c, "http://"+addr); err != nil {
		t.Fatal(err)
	}
	ln := listen(t)
	go s.HTTP.Serve(ln) // until the server drains
	if err := get(c, "http://"+ln.Addr().String()); err != nil {
		t.Error(err)
	}
}

// TestOptionsStar checks that the server responds to OPTIONS * like net/http,
// and passes it to the handler if net/http would.
func TestOptionsStar(t *testing.T) {
	t.Parallel()
	for _, v := range []variant{plain, onEngine(plain), http2c} {
		for _, c := range []struct {
			disabled bool
			want     string
		}{{false, ""}, {true, "OPTIONS *"}} {
			_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, r.Method+" "+r.RequestURI)
			}), func(s *server.Server) {
				v.configure(t, s)
				s.HTTP.DisableGeneralOptionsHandler = c.disabled
			})
			tr := v.transport()
			for range 2 { // on one connection
				req, _ := http.NewRequest("OPTIONS", "http://"+addr, strings.NewReader("body"))
				req.URL.Opaque = "*"
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Fatalf("%s: %v", v.name, err)
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != 200 || string(text) != c.want || resp.ContentLength != int64(len(c.want)) {
					t.Errorf("%s, disabled %v: %s %d %q, want 200 %q", v.name, c.disabled, resp.Status, resp.ContentLength, text, c.want)
				}
			}
			tr.CloseIdleConnections()
		}
	}
}

// TestDrainServesTheQueue checks that connections that wait in the kernel's
// queue because of MaxConns are served before the listener is closed, which
// would reset them.
func TestDrainServesTheQueue(t *testing.T) {
	t.Parallel()
	started, release := make(chan bool, 1), make(chan bool)
	_, addr, stop := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			started <- true
			<-release
		}
		hello(w, r)
	}), func(s *server.Server) { s.MaxConns = 1 })
	busy := send(t, addr, "/busy")
	<-started
	var queue []net.Conn
	for range 10 {
		queue = append(queue, send(t, addr, "/"))
	}
	done := make(chan error)
	go func() { done <- stop() }()
	for _, c := range queue {
		if resp := readResponse(t, c); resp.StatusCode != 200 || !resp.Close {
			t.Errorf("queued: %s, close %v; want 200 and a close", resp.Status, resp.Close)
		}
	}
	close(release)
	readResponse(t, busy)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// MUXMASTER_ENGINE=off makes net/http serve, without a new build.
func TestEngineVariable(t *testing.T) {
	for _, c := range []struct {
		value  string
		engine bool
		log    string
	}{
		{"", true, `HTTP/1.1="engine`},
		{"off", false, "MUXMASTER_ENGINE=off"},
	} {
		t.Setenv("MUXMASTER_ENGINE", c.value)
		var text bytes.Buffer
		s, addr, stop := start(t, http.HandlerFunc(hello), func(s *server.Server) {
			s.Engine, s.Recycle = true, true
			s.Log = slog.New(slog.NewTextHandler(&text, nil))
		})
		if err := get(plain.client(t), "http://"+addr); err != nil {
			t.Error(err)
		}
		if st := s.Stats().Engine; (st != nil) != c.engine || st != nil && st.Requests != 1 {
			t.Errorf("%q: statistics %v, engine: %v", c.value, st, c.engine)
		}
		if err := stop(); err != nil || !strings.Contains(text.String(), c.log) {
			t.Errorf("%q: %v, log:\n%s", c.value, err, &text)
		}
	}
	t.Setenv("MUXMASTER_ENGINE", "of")
	s := server.New("127.0.0.1:0", http.HandlerFunc(hello))
	s.Engine = true
	if err := s.Serve(t.Context(), listen(t)); err == nil || !strings.Contains(err.Error(), "set it to off") {
		t.Error(err)
	}
}

// TestReplacedBody checks that the rest of a large body that was replaced, and
// closed unread, isn't served as another request.
func TestReplacedBody(t *testing.T) {
	t.Parallel()
	rest := "\r\n\r\nGET /rest HTTP/1.1\r\nHost: h\r\n\r\n" + strings.Repeat("x", 300<<10)
	for _, v := range []variant{plain, onEngine(plain)} {
		for _, target := range []string{"/", "/duplex", "/flush", "http://h/", "http://h/duplex"} {
			served := make(chan string, 9)
			_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				served <- r.URL.Path
				r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
				defer r.Body.Close()
				switch rc := http.NewResponseController(w); r.URL.Path {
				case "/duplex":
					rc.EnableFullDuplex()
				case "/flush":
					r.Body.Close()
					rc.Flush()
				}
			}), func(s *server.Server) { v.configure(t, s) })
			c := dial(t, addr)
			go fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", target, len(rest), rest)
			io.Copy(io.Discard, c)
			if n := len(served); n != 1 {
				t.Errorf("%s, %s: served %d requests", v.name, target, n)
			}
		}
	}
}
