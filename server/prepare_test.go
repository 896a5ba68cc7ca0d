package server_test

import (
	"context"
	"crypto/tls"
	"errors"
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
	"github.com/seed-1954dcaa/muxmaster/server"
)

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
		{"port alone", func(s *server.Server) { s.HTTP.Addr = "8080" }, []string{`did you mean ":8080"?`}},
		{"durations without a unit", func(s *server.Server) {
			s.StallTimeout, s.HTTP.ReadTimeout, s.HTTP.HTTP2 = 30, 5, &http.HTTP2Config{PingTimeout: 15}
		}, []string{"HTTP2.PingTimeout is 15ns", "StallTimeout is 30ns; did you mean 30*time.Second?", "HTTP.ReadTimeout is 5ns; did you mean 5*time.Second?"}},
		{"no New", func(s *server.Server) { *s = server.Server{HTTP: s.HTTP} }, []string{"wasn't created with New"}},
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
		{"extended CONNECT without the engine", func(s *server.Server) { s.EnableConnectProtocol = true }, []string{"EnableConnectProtocol requires Engine"}},
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
