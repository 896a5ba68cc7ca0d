package server_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestMain runs the test binary as a server if a test started it as a child
// process.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_SERVER_ADDR") != "" {
		childServer()
		return
	}
	if os.Getenv("TEST_OVERLOAD") != "" {
		overloadServer()
		return
	}
	// Most tests wait for timeouts, so more can run than there are processors.
	flag.Parse()
	flag.Set("test.parallel", "64")
	os.Exit(m.Run())
}

// childServer is the main function of processes started by startChild.
func childServer() {
	addr := os.Getenv("TEST_SERVER_ADDR")
	s := server.New(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
			if v, ok := os.LookupEnv(name); ok {
				http.Error(w, name+" is still "+v, 500)
				return
			}
		}
		hello(w, r)
	}))
	s.Log = slog.New(slog.NewJSONHandler(os.Stdout, nil))
	s.ReusePort = true
	s.SocketName = os.Getenv("TEST_SERVER_SOCKET")
	s.Engine = os.Getenv("TEST_SERVER_ENGINE") != ""
	s.ReadyPath = "/readyz"
	s.DrainDelay, _ = time.ParseDuration(os.Getenv("TEST_SERVER_DRAIN_DELAY"))
	if err := s.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// discardLog keeps expected warnings out of the test's output.
var discardLog = slog.New(slog.DiscardHandler)

// listen returns a listener on a free port.
func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// start serves h until the test ends. It returns the server, its address, and a
// function that stops it.
func start(t *testing.T, h http.Handler, configure func(*server.Server)) (s *server.Server, addr string, stop func() error) {
	t.Helper()
	ln := listen(t)
	s, stop = startOn(t, ln, h, configure)
	return s, ln.Addr().String(), stop
}

// startOn is start with the given listener.
func startOn(t *testing.T, ln net.Listener, h http.Handler, configure func(*server.Server)) (s *server.Server, stop func() error) {
	t.Helper()
	s = server.New("", h)
	s.Log = discardLog
	if configure != nil {
		configure(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	stop = func() error {
		cancel()
		err := <-done
		done <- err
		return err
	}
	t.Cleanup(func() { stop() })
	return s, stop
}

// A wrapper is a listener that wraps what it accepts.
type wrapper struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l wrapper) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

// send sends a GET request over a new connection.
func send(t *testing.T, addr, path string) net.Conn {
	t.Helper()
	c := dial(t, addr)
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	return c
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// readResponse reads the head of one response whose body is "hello" or empty.
func readResponse(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(longest))
	defer c.SetReadDeadline(time.Time{})
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no response: %v", err)
	}
	return resp
}

// longest is the timeout for events that happen immediately unless the machine
// is very busy.
const longest = time.Minute

// eventually waits until ok returns true.
func eventually(t *testing.T, within time.Duration, what string, ok func() bool) {
	t.Helper()
	steady.Until(t, within, what, ok)
}

// awaitPulse waits until the pulse of s has advanced by more than d.
func awaitPulse(t *testing.T, s *server.Server, d time.Duration) {
	t.Helper()
	began := server.Pulse(s)
	eventually(t, longest, "the pulse advances", func() bool { return server.Pulse(s)-began > d })
}

// refusesConnections waits until a drain has closed the listener.
func refusesConnections(t *testing.T, addr string) {
	t.Helper()
	eventually(t, longest, "new connections are refused", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

func hello(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }

// get sends one GET with c. It returns an error unless the response is 200 and
// "hello".
func get(c *http.Client, url string) error { return isHello(c.Get(url)) }

func isHello(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != 200 || string(text) != "hello") {
		err = fmt.Errorf("%s %q, want 200 hello", resp.Status, text)
	}
	return err
}

// writeCert writes a key pair for 127.0.0.1 with the given name and returns the
// file names.
func writeCert(t *testing.T, dir, name string, expires time.Time) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	tmpl := &x509.Certificate{SerialNumber: serial, NotBefore: expires.Add(-48 * time.Hour), NotAfter: expires, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// onEngine returns v for a server that runs on a recycling engine.
func onEngine(v variant) variant {
	configure := v.configure
	v.name += " on the engine"
	v.configure = func(t *testing.T, s *server.Server) {
		configure(t, s)
		s.Engine, s.Recycle = true, true
	}
	return v
}

func tomorrow() time.Time { return time.Now().Add(24 * time.Hour) }

// A variant is a protocol with the configuration of a server and a client.
type variant struct {
	name      string
	scheme    string
	configure func(*testing.T, *server.Server)
	transport func() *http.Transport
}

// client returns a client whose connections are closed when the test ends.
func (v variant) client(t *testing.T) *http.Client {
	tr := v.transport()
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// secure returns c with TLS if v has it.
func (v variant) secure(c net.Conn) net.Conn {
	if v.scheme == "http://" {
		return c
	}
	protocol := "http/1.1"
	if v.transport().Protocols.HTTP2() {
		protocol = "h2"
	}
	return tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
}

func withTLS(t *testing.T, s *server.Server) {
	s.CertFile, s.KeyFile = writeCert(t, t.TempDir(), "localhost", tomorrow())
}

func withTLSConfig(t *testing.T, s *server.Server) {
	pair, err := tls.LoadX509KeyPair(writeCert(t, t.TempDir(), "localhost", tomorrow()))
	if err != nil {
		t.Fatal(err)
	}
	s.HTTP.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}}
}

func transport(h1, h2, h2c bool) func() *http.Transport {
	return func() *http.Transport {
		p := new(http.Protocols)
		p.SetHTTP1(h1)
		p.SetHTTP2(h2)
		p.SetUnencryptedHTTP2(h2c)
		return &http.Transport{Protocols: p, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	}
}

var (
	plain   = variant{"HTTP/1", "http://", func(*testing.T, *server.Server) {}, transport(true, false, false)}
	overTLS = variant{"HTTP/1 over TLS", "https://", withTLSConfig, transport(true, false, false)}
	http2   = variant{"HTTP/2", "https://", withTLS, transport(false, true, false)}
	http2c  = variant{"HTTP/2 without TLS", "http://", func(_ *testing.T, s *server.Server) { s.HTTP.Protocols.SetUnencryptedHTTP2(true) }, transport(false, false, true)}

	variants = []variant{plain, overTLS, http2, http2c, onEngine(plain), onEngine(overTLS), onEngine(http2), onEngine(http2c)}
)
