package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
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

// TestLogOfProtocols checks that the server logs which server serves which
// protocol.
func TestLogOfProtocols(t *testing.T) {
	t.Parallel()
	http2Server := "net/http"
	if engine.New(new(http.Server)).ServesHTTP2() {
		http2Server = "engine"
	}
	for _, c := range []struct {
		v    variant
		want string
	}{
		{plain, "protocols.HTTP/1.1=net/http\n"},
		{http2, "protocols.HTTP/1.1=net/http protocols.HTTP/2=net/http\n"},
		{variant{"HTTP/2, Protocols nil", "https://", func(t *testing.T, s *server.Server) { withTLS(t, s); s.HTTP.Protocols = nil }, nil}, "protocols.HTTP/1.1=net/http protocols.HTTP/2=net/http\n"},
		{http2c, "protocols.HTTP/1.1=net/http protocols.HTTP/2=net/http\n"},
		{onEngine(plain), `protocols.HTTP/1.1="engine; unusual requests: net/http"` + "\n"},
		{onEngine(http2), `protocols.HTTP/1.1="engine; unusual requests: net/http" protocols.HTTP/2=` + http2Server + "\n"},
	} {
		lines := make(chan string, 10)
		start(t, http.HandlerFunc(hello), func(s *server.Server) {
			c.v.configure(t, s)
			s.Log = slog.New(slog.NewTextHandler(lineWriter(lines), nil))
		})
		if got := <-lines; !strings.HasSuffix(got, " "+c.want) {
			t.Errorf("%s: logged %s want %s", c.v.name, got, c.want)
		}
	}
}

// A lineWriter receives the lines of a log.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) { w <- string(p); return len(p), nil }

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
			if err := stop(); (err != nil) != broken || s.Stats().Open != 0 {
				t.Errorf("drain: %v, %d open", err, s.Stats().Open)
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
		tr := v.transport()
		defer tr.CloseIdleConnections()
		if err := get(&http.Client{Transport: tr}, v.scheme+addr); err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		<-idle
		if err := stop(); err != nil || s.Stats().Open != 0 {
			t.Errorf("%s: %v, %d connections open; want nil and 0", v.name, err, s.Stats().Open)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	taken := listen(t)
	defer taken.Close()
	h := http.HandlerFunc(hello)
	dir, other, old := t.TempDir(), t.TempDir(), t.TempDir()
	cert, key := writeCert(t, dir, "a", tomorrow())
	_, otherKey := writeCert(t, other, "b", tomorrow())
	oldCert, oldKey := writeCert(t, old, "c", time.Now().Add(-time.Hour))
	garbage := filepath.Join(dir, "garbage.pem")
	os.WriteFile(garbage, []byte("x"), 0o600)
	for _, c := range []struct {
		name string
		set  func(s *server.Server)
		want []string
	}{
		{"port taken", func(s *server.Server) { s.HTTP.Addr = taken.Addr().String() }, []string{"cannot listen on \"" + taken.Addr().String(), "another process uses this port"}},
		{"address of another machine", func(s *server.Server) { s.HTTP.Addr = "192.0.2.1:0" }, []string{"no interface of this machine"}},
		{"bad address", func(s *server.Server) { s.HTTP.Addr = "nonsense" }, []string{"cannot listen on \"nonsense\"", "missing port"}},
		{"no handler", func(s *server.Server) { s.HTTP.Handler = nil }, []string{"HTTP.Handler is nil", "http.DefaultServeMux"}},
		{"zero value", func(s *server.Server) { s.HTTP = nil }, []string{"HTTP is nil; create the Server with New"}},
		{"half a pair", func(s *server.Server) { s.CertFile = cert }, []string{"set both or neither"}},
		{"no such file", func(s *server.Server) { s.CertFile, s.KeyFile = dir+"/none.pem", key }, []string{"none.pem", "no such file"}},
		{"not PEM", func(s *server.Server) { s.CertFile, s.KeyFile = garbage, key }, []string{"garbage.pem", "failed to find any PEM data"}},
		{"key of another certificate", func(s *server.Server) { s.CertFile, s.KeyFile = cert, otherKey }, []string{"private key does not match"}},
		{"expired", func(s *server.Server) { s.CertFile, s.KeyFile = oldCert, oldKey }, []string{"has expired on ", "renew it"}},
		{"two certificates", func(s *server.Server) {
			s.CertFile, s.KeyFile = cert, key
			s.HTTP.TLSConfig = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, nil }}
		}, []string{"set only one of them"}},
		{"recycling requests that others may read", func(s *server.Server) {
			s.Engine, s.Recycle, s.HTTP.Handler = true, true, http.TimeoutHandler(h, time.Second, "")
		}, []string{"is an http.TimeoutHandler", "set Recycle to false"}},
		{"recycling without the engine", func(s *server.Server) { s.Recycle = true }, []string{"Recycle requires Engine"}},
		{"paths without a slash", func(s *server.Server) { s.LivePath, s.ReadyPath = "livez", "readyz" }, []string{`LivePath is "livez"`, `ReadyPath is "readyz"`, "must begin with a slash"}},
		{"one path for both", func(s *server.Server) { s.LivePath, s.ReadyPath = "/z", "/z" }, []string{`both "/z"`}},
		{"endless headers", func(s *server.Server) { s.HTTP.MaxHeaderBytes = math.MaxInt }, []string{"MaxHeaderBytes is", "1 GiB"}},
		{"no protocols", func(s *server.Server) { s.HTTP.Protocols = new(http.Protocols) }, []string{"no protocol", "TLS: false", "SetHTTP1(true)"}},
		{"only HTTP/2 without TLS, with TLS", func(s *server.Server) {
			s.CertFile, s.KeyFile, s.HTTP.Protocols = cert, key, new(http.Protocols)
			s.HTTP.Protocols.SetUnencryptedHTTP2(true)
		}, []string{"no protocol", "TLS: true"}},
		{"Ready without a path", func(s *server.Server) { s.Ready = func(context.Context) error { return nil } }, []string{"nothing calls it without ReadyPath"}},
		{"before it listens", func(s *server.Server) { s.HTTP.Addr, s.MaxConnsPerIP = taken.Addr().String(), -1 }, []string{"MaxConnsPerIP is -1"}},
		{"several at once", func(s *server.Server) {
			s.HTTP.Handler, s.StallTimeout, s.DrainTimeout, s.MaxConns = nil, -1, -1, -1
		}, []string{"Handler is nil", "StallTimeout is -1ns", "DrainTimeout is -1ns", "MaxConns is -1"}},
	} {
		s := server.New(":0", h)
		c.set(s)
		err := s.Run(context.Background())
		for _, want := range c.want {
			if err == nil || !strings.HasPrefix(err.Error(), "server: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want an error of server that says %q", c.name, err, want)
			}
		}
	}
	eventually(t, longest, "nothing handles signals", func() bool { return runtime.NumGoroutine() <= goroutines+1 }) // os/signal keeps one
	if err := server.New("", h).Serve(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "the listener is nil") {
		t.Errorf("Serve without a listener: %v", err)
	}
	if _, err := new(server.Server).Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "HTTP is nil") {
		t.Errorf("Listen of the zero value: %v", err)
	}
	s, _, stop := start(t, h, func(s *server.Server) { s.CertFile, s.KeyFile = cert, key })
	stop()
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	if err := s.Serve(context.Background(), ln); err == nil || !strings.Contains(err.Error(), "a Server can serve only once") {
		t.Errorf("second Serve: %v", err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("second Serve left its listener open: %v", err)
	}
}

// TestDefaults checks the documented defaults.
func TestDefaults(t *testing.T) {
	s := server.New(":1", http.HandlerFunc(hello))
	for _, c := range []struct {
		name      string
		got, want time.Duration
	}{
		{"ReadHeaderTimeout", s.HTTP.ReadHeaderTimeout, 5 * time.Second},
		{"IdleTimeout", s.HTTP.IdleTimeout, 120 * time.Second},
		{"StallTimeout", s.StallTimeout, 30 * time.Second},
		{"DrainTimeout", s.DrainTimeout, 20 * time.Second},
		{"DrainDelay", s.DrainDelay, 0},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if s.HTTP.MaxHeaderBytes != 64<<10 || s.MaxConns < 16 || s.MaxConns > 10_000 || s.MaxConnsPerIP != 0 {
		t.Errorf("MaxHeaderBytes %d, MaxConns %d, MaxConnsPerIP %d", s.HTTP.MaxHeaderBytes, s.MaxConns, s.MaxConnsPerIP)
	}
	if p := s.HTTP.Protocols; !p.HTTP1() || !p.HTTP2() || p.UnencryptedHTTP2() {
		t.Errorf("Protocols = %v", p)
	}
}

// TestSecondListener checks that HTTP can serve another listener, whose
// connections have no limits.
func TestSecondListener(t *testing.T) {
	t.Parallel()
	s, addr, _ := start(t, http.HandlerFunc(hello), nil)
	tr := plain.transport()
	defer tr.CloseIdleConnections()
	if err := get(&http.Client{Transport: tr}, "http://"+addr); err != nil {
		t.Fatal(err)
	}
	ln := listen(t)
	go s.HTTP.Serve(ln) // until the server drains
	if err := get(&http.Client{Transport: tr}, "http://"+ln.Addr().String()); err != nil {
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
