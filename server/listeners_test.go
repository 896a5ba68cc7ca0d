package server_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// serveOn is like start, but with the given listener.
func serveOn(t *testing.T, ln net.Listener, configure func(*server.Server)) {
	t.Helper()
	s := server.New("", http.HandlerFunc(hello))
	s.Log = discardLog
	configure(s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	t.Cleanup(func() { cancel(); <-done })
}

// TestUnixSocketsHaveNoAddress checks that MaxConnsPerIP doesn't apply to
// connections over a Unix socket, which have no address.
func TestUnixSocketsHaveNoAddress(t *testing.T) {
	for _, engine := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "s")
		ln, err := net.Listen("unix", file)
		if err != nil {
			t.Fatal(err)
		}
		serveOn(t, ln, func(s *server.Server) { s.MaxConnsPerIP, s.Engine = 1, engine })
		for range 3 {
			c, err := net.Dial("unix", file)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			io.WriteString(c, headHello)
			readResponse(t, c)
		}
	}
}

// lateListener is like a listener for the PROXY protocol: RemoteAddr waits for
// the first bytes from the peer, which contain the address.
type lateListener struct {
	net.Listener
	accepted atomic.Int64
	known    chan bool
}

type lateConn struct {
	net.Conn
	known chan bool
}

func (l *lateListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil && l.accepted.Add(1) == 1 {
		c = lateConn{c, l.known}
	}
	return c, err
}

func (c lateConn) RemoteAddr() net.Addr { <-c.known; return c.Conn.RemoteAddr() }

// TestLateAddresses checks that a connection whose address is still unknown
// doesn't delay others.
func TestLateAddresses(t *testing.T) {
	for _, engine := range []bool{false, true} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		late := &lateListener{Listener: ln, known: make(chan bool)}
		serveOn(t, late, func(s *server.Server) { s.Engine = engine })
		silent := dial(t, ln.Addr().String())
		eventually(t, longest, "the first connection is in", func() bool { return late.accepted.Load() == 1 })
		other := dial(t, ln.Addr().String())
		io.WriteString(other, headHello)
		readResponse(t, other)
		close(late.known)
		io.WriteString(silent, headHello)
		readResponse(t, silent)
	}
}

// TestListenersThatDoTLSThemselves checks that TLS listeners are rejected,
// because handlers would get no Request.TLS.
func TestListenersThatDoTLSThemselves(t *testing.T) {
	for _, engine := range []bool{false, true} {
		cert, key := writeCert(t, t.TempDir(), "localhost", tomorrow())
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
		if err != nil {
			t.Fatal(err)
		}
		s := server.New("", http.HandlerFunc(hello))
		s.Log, s.Engine = discardLog, engine
		done := make(chan error, 1)
		go func() { done <- s.Serve(t.Context(), ln) }()
		dial(t, ln.Addr().String())
		if err := <-done; err == nil || !strings.Contains(err.Error(), "set CertFile and KeyFile") {
			t.Errorf("engine %v: %v, want an error that says what to do", engine, err)
		}
	}
}
