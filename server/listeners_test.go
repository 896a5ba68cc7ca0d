package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
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
		ln := listen(t)
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

// A proxyListener is a listener for the PROXY protocol, version 1: clients first
// send a line with their address.
type proxyListener struct{ net.Listener }

func (l proxyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &proxyConn{Conn: c, r: bufio.NewReader(c)}, nil
}

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
					var s *server.Server
					serveOn(t, proxyListener{ln}, func(of *server.Server) {
						s = of
						s.Engine, s.Recycle = mode != "net/http", mode == "recycle"
						s.HTTP.Protocols.SetUnencryptedHTTP2(true)
						if scheme == "https" {
							s.CertFile, s.KeyFile = cert, key
						}
						s.HTTP.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							n, err := io.Copy(io.Discard, r.Body)
							fmt.Fprint(w, r.Proto, " from ", r.RemoteAddr, " with ", n, " bytes ", err)
						})
					})
					tr := &http.Transport{
						TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
						Protocols:       new(http.Protocols),
						DialContext: func(context.Context, string, string) (net.Conn, error) {
							c, err := net.Dial("tcp", ln.Addr().String())
							if err == nil {
								io.WriteString(c, "PROXY TCP4 192.0.2.7 192.0.2.1 4711 443\r\n")
							}
							return c, err
						},
					}
					defer tr.CloseIdleConnections()
					tr.Protocols.SetHTTP1(proto == "HTTP/1.1")
					tr.Protocols.SetHTTP2(proto == "HTTP/2.0")
					tr.Protocols.SetUnencryptedHTTP2(proto == "HTTP/2.0")
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
					if st := s.Stats().Engine; st != nil && (st.Requests != 2 || st.HandedOver != 0 || (st.HTTP2Connections == 1) != (proto == "HTTP/2.0")) {
						t.Errorf("the engine's statistics are %+v", st)
					}
				})
			}
		}
	}
}
