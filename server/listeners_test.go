package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestUnixSocketsHaveNoAddress checks that MaxConnsPerIP doesn't apply to
// connections over a Unix socket, which have no address.
func TestUnixSocketsHaveNoAddress(t *testing.T) {
	for _, engine := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "s")
		ln, err := net.Listen("unix", file)
		if err != nil {
			t.Fatal(err)
		}
		startOn(t, ln, http.HandlerFunc(hello), func(s *server.Server) { s.MaxConnsPerIP, s.Engine = 1, engine })
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

// withProxy returns a listener for the PROXY protocol, version 1: clients first
// send a line with their address, for which RemoteAddr waits.
func withProxy(ln net.Listener) net.Listener {
	return wrapper{ln, func(c net.Conn) net.Conn { return &proxyConn{Conn: c, r: bufio.NewReader(c)} }}
}

const proxyLine = "PROXY TCP4 192.0.2.7 192.0.2.1 4711 443\r\n"

type proxyConn struct {
	net.Conn
	r    *bufio.Reader
	once sync.Once
	from net.Addr
}

func (c *proxyConn) readLine() {
	line, _ := c.r.ReadString('\n')
	f := strings.Fields(line) // PROXY TCP4 from to port port
	c.from = &net.TCPAddr{}
	if len(f) == 6 {
		if addr, err := netip.ParseAddrPort(f[2] + ":" + f[4]); err == nil {
			c.from = net.TCPAddrFromAddrPort(addr)
		}
	}
}

func (c *proxyConn) Read(p []byte) (int, error) { c.once.Do(c.readLine); return c.r.Read(p) }
func (c *proxyConn) RemoteAddr() net.Addr       { c.once.Do(c.readLine); return c.from }

// TestLateAddresses checks that a connection whose address is still unknown
// doesn't delay others.
func TestLateAddresses(t *testing.T) {
	for _, engine := range []bool{false, true} {
		ln := listen(t)
		var accepted atomic.Int64
		startOn(t, wrapper{withProxy(ln), func(c net.Conn) net.Conn { accepted.Add(1); return c }}, http.HandlerFunc(hello), func(s *server.Server) { s.Engine = engine })
		silent := dial(t, ln.Addr().String())
		eventually(t, longest, "the first connection is in", func() bool { return accepted.Load() == 1 })
		for _, c := range []net.Conn{dial(t, ln.Addr().String()), silent} {
			io.WriteString(c, proxyLine+headHello)
			readResponse(t, c)
		}
	}
}

// TestProxyProtocol serves connections whose first line is the client's address,
// over HTTP/1.1 and HTTP/2, with and without TLS.
func TestProxyProtocol(t *testing.T) {
	cert, key := writeCert(t, t.TempDir(), "localhost", tomorrow())
	for _, mode := range []string{"net/http", "engine", "recycle"} {
		for _, scheme := range []string{"http", "https"} {
			for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
				t.Run(mode+" "+scheme+" "+proto, func(t *testing.T) {
					t.Parallel()
					ln := listen(t)
					s, _ := startOn(t, withProxy(ln), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						n, err := io.Copy(io.Discard, r.Body)
						fmt.Fprint(w, r.Proto, " from ", r.RemoteAddr, " with ", n, " bytes ", err)
					}), func(s *server.Server) {
						s.Engine, s.Recycle = mode != "net/http", mode == "recycle"
						s.HTTP.Protocols.SetUnencryptedHTTP2(true)
						if scheme == "https" {
							s.CertFile, s.KeyFile = cert, key
						}
					})
					tr := transport(proto == "HTTP/1.1", proto == "HTTP/2.0", proto == "HTTP/2.0")()
					tr.DialContext = func(context.Context, string, string) (net.Conn, error) {
						c, err := net.Dial("tcp", ln.Addr().String())
						if err == nil {
							io.WriteString(c, proxyLine)
						}
						return c, err
					}
					defer tr.CloseIdleConnections()
					for _, size := range []int{0, 300_000} {
						res, err := (&http.Client{Transport: tr}).Post(scheme+"://localhost/", "", strings.NewReader(strings.Repeat("x", size)))
						if err != nil {
							t.Fatal(err)
						}
						b, _ := io.ReadAll(res.Body)
						res.Body.Close()
						if want := fmt.Sprint(proto, " from 192.0.2.7:4711 with ", size, " bytes <nil>"); string(b) != want {
							t.Errorf("got %q, want %q", b, want)
						}
					}
					if st := s.Stats().Engine; (st == nil) != (mode == "net/http") || st != nil && (st.Requests != 2 || st.HandedOver != 0 || (st.HTTP2Connections == 1) != (proto == "HTTP/2.0")) {
						t.Errorf("the engine's statistics are %+v", st)
					}
				})
			}
		}
	}
}

// TestPrune checks that a connection doesn't count toward the limits and doesn't
// delay the drain if the handler that has hijacked it closes what NetConn returns,
// or drops it.
func TestPrune(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			hello(w, r)
			return
		}
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		for r.URL.Path == "/close" {
			inner, ok := c.(interface{ NetConn() net.Conn })
			if !ok {
				if _, ok := c.(*net.TCPConn); !ok {
					t.Errorf("NetConn returns a %T", c)
				}
				c.Close()
				return
			}
			c = inner.NetConn()
		}
	})
	for _, tt := range []struct {
		name  string
		limit func(*server.Server)
	}{
		{"MaxConns", func(s *server.Server) { s.MaxConns = 1 }},
		{"MaxConnsPerIP", func(s *server.Server) { s.MaxConnsPerIP = 1 }},
		{"drain", func(s *server.Server) { s.DrainTimeout = longest }},
	} {
		for _, v := range []variant{plain, onEngine(plain)} {
			for _, path := range []string{"/close", "/drop"} {
				t.Run(tt.name+path+", "+v.name, func(t *testing.T) {
					t.Parallel()
					s, addr, stop := start(t, h, func(s *server.Server) { v.configure(t, s); tt.limit(s) })
					c := send(t, addr, path)
					eventually(t, longest, "it is closed", func() bool {
						runtime.GC()
						c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
						_, err := c.Read(make([]byte, 1))
						return !errors.Is(err, os.ErrDeadlineExceeded)
					})
					if s.MaxConns == 1 || s.MaxConnsPerIP == 1 {
						eventually(t, longest, "another client is served", func() bool {
							c := send(t, addr, "/")
							defer c.Close()
							c.SetReadDeadline(time.Now().Add(longest / 2))
							status := make([]byte, len("HTTP/1.1 200"))
							io.ReadFull(c, status)
							return string(status) == "HTTP/1.1 200"
						})
					}
					began := time.Now()
					if err := stop(); err != nil || time.Since(began) > longest/2 {
						t.Errorf("%v after %v, want no error at once", err, time.Since(began))
					}
				})
			}
		}
	}
}
