package engine

import (
	"bufio"
	"context"
	"crypto/tls"
	"flag"
	"go/version"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	// Parallel tests wait for timeouts, so more can run than there are processors.
	flag.Parse()
	flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

// A server has the common methods of http.Server and Server that tests use.
type server interface {
	Serve(net.Listener) error
	Shutdown(context.Context) error
	Close() error
}

// A kind is a way to serve an http.Server, whose errors are not logged unless
// ErrorLog is set.
type kind struct {
	name string
	make func(*http.Server) server
}

// kinds are the servers under test, which must behave the same.
var kinds = []kind{
	{"net/http", func(srv *http.Server) server { return quiet(srv) }},
	{"engine", func(srv *http.Server) server { return New(quiet(srv)) }},
	{"recycle", func(srv *http.Server) server { s := New(quiet(srv)); s.Recycle = true; return s }},
}

// engines are the kinds without net/http.
var engines = kinds[1:]

// A way is a way in which requests reach a handler.
type way struct {
	name  string
	tls   bool
	http2 bool
	proxy bool // the client takes the server for a proxy, so that net/http serves it
}

var ways = []way{
	{name: "passed to net/http", proxy: true},
	{name: "HTTP/1.1"},
	{name: "HTTP/1.1 over TLS", tls: true},
	{name: "HTTP/2 without TLS", http2: true},
	{name: "HTTP/2", tls: true, http2: true},
}

// ownWays are the ways in which the engine serves requests itself, and http2Ways
// those over HTTP/2.
var ownWays, http2Ways = ways[1:], ways[3:]

// eachWay runs a test for each kind of server and each way.
func eachWay(t *testing.T, list []kind, ways []way, test func(t *testing.T, k kind, w way)) {
	for _, k := range list {
		for _, w := range ways {
			t.Run(k.name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				test(t, k, w)
			})
		}
	}
}

// start starts a server of a kind until the test ends. It returns its address.
func (w way) start(t *testing.T, k kind, srv *http.Server) (s server, addr string) {
	srv.Protocols = protocols(true, w.tls, !w.tls)
	s = k.make(srv)
	if w.tls {
		return s, startTLS(t, s, srv)
	}
	return s, start(t, s)
}

// client returns a client of a server with a connection of its own, and the URL
// of the server.
func (w way) client(t *testing.T, addr string) (cl *http.Client, url string) {
	tr := transport(t, protocols(!w.http2, w.http2, w.http2))
	if url = "http://" + addr; w.tls {
		url = "https://" + addr
	}
	if w.proxy {
		tr.Proxy = func(*http.Request) (*neturl.URL, error) { return neturl.Parse(url) }
	}
	return &http.Client{Transport: tr, Timeout: 2 * time.Minute}, url
}

// since reports whether the Go release is at least go126, or go127 if it isn't Go
// 1.26. Security fixes are in releases of both.
func since(go126, go127 string) bool {
	v := runtime.Version()
	if version.Lang(v) == "go1.26" {
		return version.Compare(v, go126) >= 0
	}
	return version.Compare(v, go127) >= 0
}

func quiet(srv *http.Server) *http.Server {
	if srv.ErrorLog == nil {
		srv.ErrorLog = log.New(io.Discard, "", 0)
	}
	return srv
}

// each runs a test for each kind of server.
func each(t *testing.T, list []kind, test func(t *testing.T, k kind)) {
	for _, k := range list {
		t.Run(k.name, func(t *testing.T) { test(t, k) })
	}
}

// eachCase runs a test for each kind of server and each case.
func eachCase[T any](t *testing.T, list []kind, cases map[string]T, test func(t *testing.T, k kind, name string, c T)) {
	for _, k := range list {
		for name, c := range cases {
			t.Run(k.name+"/"+name, func(t *testing.T) { test(t, k, name, c) })
		}
	}
}

// names returns cases that consist only of their names.
func names(list ...string) map[string]bool {
	cases := make(map[string]bool)
	for _, name := range list {
		cases[name] = true
	}
	return cases
}

// A wrapper is a listener that wraps what it accepts.
type wrapper struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l wrapper) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(nc), nil
}

// protocols returns a set of protocols.
func protocols(http1, http2, unencryptedHTTP2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(http1)
	p.SetHTTP2(http2)
	p.SetUnencryptedHTTP2(unencryptedHTTP2)
	return p
}

// readText reads a response and returns its body.
func readText(t testing.TB, br *bufio.Reader) string {
	t.Helper()
	res, err := http.ReadResponse(br, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bodyOf(t, res)
}

// bodyOf reads the body of a response.
func bodyOf(t testing.TB, res *http.Response) string {
	t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("the body of a response: %v", err)
	}
	return string(b)
}

// onFreePort returns a listener on a free port.
func onFreePort(t testing.TB) net.Listener { return listenOn(t, "tcp") }

// listenOn returns a TCP listener on a free port, or one of a Unix socket.
func listenOn(t testing.TB, network string) net.Listener {
	t.Helper()
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = filepath.Join(t.TempDir(), "s")
	}
	ln, err := net.Listen(network, addr)
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
func start(t testing.TB, s server) string { return startOn(t, onFreePort(t), s, s.Serve) }

// startOn is start with the given listener and method.
func startOn(t testing.TB, ln net.Listener, s server, serve func(net.Listener) error) string {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- serve(ln) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-done; err != http.ErrServerClosed {
			t.Errorf("Serve returned %v, want ErrServerClosed", err)
		}
	})
	return ln.Addr().String()
}

// A tlsServer can also serve over TLS.
type tlsServer interface {
	server
	ServeTLS(l net.Listener, certFile, keyFile string) error
}

// startTLS serves s over TLS until the test ends.
func startTLS(t testing.TB, s server, srv *http.Server) string {
	t.Helper()
	srv.TLSConfig, _ = certificate(t)
	return startTLSOn(t, onFreePort(t), s)
}

// startTLSOn is startTLS with the given listener, for a server with a
// certificate.
func startTLSOn(t testing.TB, ln net.Listener, s server) string {
	return startOn(t, ln, s, func(ln net.Listener) error { return s.(tlsServer).ServeTLS(ln, "", "") })
}

// transport returns a transport that uses the given protocols, with any
// certificate.
func transport(t testing.TB, p *http.Protocols) *http.Transport {
	tr := &http.Transport{Protocols: p, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
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

// acceptOne returns both ends of a connection to ln, which it closes.
func acceptOne(t testing.TB, ln net.Listener) (nc net.Conn, client *net.TCPConn) {
	t.Helper()
	defer ln.Close()
	client = dial(t, ln.Addr().String())
	nc, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return nc, client
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
