package engine

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A server has the common methods of http.Server and Server that tests use.
type server interface {
	Serve(net.Listener) error
	Shutdown(context.Context) error
	Close() error
}

// kinds are the servers under test, which must behave the same.
var kinds = []struct {
	name string
	make func(*http.Server) server
}{
	{"net/http", func(srv *http.Server) server { return srv }},
	{"engine", func(srv *http.Server) server { return New(srv) }},
	{"recycle", func(srv *http.Server) server { s := New(srv); s.Recycle = true; return s }},
}

// engines are the kinds without net/http.
var engines = kinds[1:]

// onFreePort returns a listener on a free port.
func onFreePort(t testing.TB) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// certificate returns the TLS configurations of a server for example.com and
// 127.0.0.1, and of its clients.
func certificate(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	srv.StartTLS()
	defer srv.Close()
	return &tls.Config{Certificates: srv.TLS.Certificates}, srv.Client().Transport.(*http.Transport).TLSClientConfig
}

// start serves s on a new listener until the test ends, and returns the
// address.
func start(t testing.TB, s server) string {
	t.Helper()
	ln := onFreePort(t)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-done; err != http.ErrServerClosed {
			t.Errorf("Serve returned %v, want ErrServerClosed", err)
		}
	})
	return ln.Addr().String()
}

func dial(t testing.TB, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	return c.(*net.TCPConn)
}

// talk sends the parts, one write each, half-closes the connection and returns
// everything that it receives.
func talk(t testing.TB, addr string, parts ...string) string {
	t.Helper()
	c := dial(t, addr)
	defer c.Close()
	for _, p := range parts {
		if _, err := io.WriteString(c, p); err != nil {
			break // the server may have closed the connection
		}
	}
	c.CloseWrite()
	b, _ := io.ReadAll(c)
	return string(b)
}
