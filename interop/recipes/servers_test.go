package recipes

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
	"github.com/quic-go/quic-go/http3"
	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// withAutocert returns servers for ports 443 and 80. m obtains certificates when
// they are needed and keeps them in dir. Run both servers with runAll.
func withAutocert(h http.Handler, host, dir string) (public, challenges *server.Server, m *autocert.Manager) {
	m = &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(host), Cache: autocert.DirCache(dir)}
	public = server.New(":443", h)
	public.HTTP.TLSConfig = m.TLSConfig()
	challenges = server.New(":80", m.HTTPHandler(toHTTPS(host)))
	return public, challenges, m
}

func toHTTPS(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
	})
}

// TestAutocertRecipe obtains a certificate from Pebble, Let's Encrypt's server
// for tests, which checks the challenges over the network.
func TestAutocertRecipe(t *testing.T) {
	const host = "notes.example.com"
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	for _, engine := range []bool{false, true} {
		public, challenges, m := withAutocert(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello over ", r.Proto) }), host, t.TempDir())
		public.Engine, public.HTTP.ReadHeaderTimeout = engine, time.Minute // of the handshake, too, for a busy machine
		publicAddr, challengesAddr := serveRecipe(t, public), serveRecipe(t, challenges)
		authority, roots := pebble(t, port(t, challengesAddr), port(t, publicAddr))
		m.Client = &acme.Client{DirectoryURL: authority.URL + wfe.DirectoryPath, HTTPClient: authority.Client()}

		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots(), ServerName: host}, ForceAttemptHTTP2: true}
		resp, err := tr.RoundTrip(httptest.NewRequest("GET", "https://"+publicAddr, nil))
		if err != nil {
			t.Fatalf("engine %v: %v", engine, err)
		}
		if text, _ := io.ReadAll(resp.Body); string(text) != "hello over HTTP/2.0" {
			t.Errorf("engine %v: %q", engine, text)
		}
		resp.Body.Close()
		tr.CloseIdleConnections()
	}
}

func port(t *testing.T, addr string) int {
	t.Helper()
	_, p, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(p)
	return n
}

// pebble starts an ACME server, which finds every host at 127.0.0.1. The second
// result returns its root certificate.
func pebble(t *testing.T, httpPort, tlsPort int) (*httptest.Server, func() *x509.CertPool) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	resolver := &dns.Server{Listener: ln, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			m.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)}}
		}
		w.WriteMsg(m)
	})}
	go resolver.ActivateAndServe()
	t.Cleanup(func() { resolver.Shutdown() })

	logger, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	issuer := ca.New(logger, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: 7_776_000}})
	front := wfe.New(logger, store, va.New(logger, httpPort, tlsPort, true, ln.Addr().String(), store), issuer, nil, true, false, 0, 0)
	srv := httptest.NewTLSServer(front.Handler())
	t.Cleanup(srv.Close)
	return srv, func() *x509.CertPool {
		pool := x509.NewCertPool()
		pool.AddCert(issuer.GetRootCert(0).Cert)
		return pool
	}
}

// certificate returns configurations of a server and a client.
func certificate(t *testing.T) (server, client *tls.Config) {
	ts := httptest.NewUnstartedServer(nil)
	ts.StartTLS()
	defer ts.Close()
	roots := x509.NewCertPool()
	roots.AddCert(ts.Certificate())
	return &tls.Config{Certificates: ts.TLS.Certificates}, &tls.Config{RootCAs: roots}
}

// serveHTTP3 serves h on TCP and UDP until ctx ends or a signal arrives, and
// then waits for the requests of both.
func serveHTTP3(ctx context.Context, s *server.Server, h http.Handler, tcp net.Listener, udp net.PacketConn) error {
	h3 := &http3.Server{Handler: h, TLSConfig: http3.ConfigureTLSConfig(s.HTTP.TLSConfig)}
	s.HTTP.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h3.SetQUICHeaders(w.Header()) // Alt-Svc: the next connection can be QUIC
		h.ServeHTTP(w, r)
	})
	ctx, stop := server.NotifyContext(ctx)
	defer stop()
	drained := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.DrainTimeout)
		defer cancel()
		drained <- h3.Shutdown(ctx)
	})
	go h3.Serve(udp)
	err := s.Serve(ctx, tcp)
	stop() // also if the listener failed
	return errors.Join(err, <-drained)
}

// TestHTTP3Recipe checks that HTTP/1.1 and HTTP/2 responses announce HTTP/3, and
// that a request over HTTP/3 finishes while the server stops.
func TestHTTP3Recipe(t *testing.T) {
	started, release := make(chan bool), make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			started <- true
			<-release
		}
		fmt.Fprint(w, r.Proto)
	})
	var tcp net.Listener
	var udp net.PacketConn
	for udp == nil { // until a port is free for both
		var err error
		if tcp, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		if udp, err = net.ListenPacket("udp", tcp.Addr().String()); err != nil {
			tcp.Close()
		}
	}
	defer udp.Close()
	serverTLS, clientTLS := certificate(t)
	s := server.New("", nil)
	s.Log, s.HTTP.TLSConfig = slog.New(slog.DiscardHandler), serverTLS
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serveHTTP3(ctx, s, h, tcp, udp) }()

	url := "https://" + tcp.Addr().String()
	tr := &http.Transport{TLSClientConfig: clientTLS}
	defer tr.CloseIdleConnections()
	var altSvc string // "" until HTTP/3 is being served
	for deadline := time.Now().Add(time.Minute); altSvc == "" && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		resp, err := tr.RoundTrip(httptest.NewRequest("GET", url, nil))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		altSvc = resp.Header.Get("Alt-Svc")
	}
	if want := fmt.Sprintf(`h3=":%d"`, port(t, tcp.Addr().String())); !strings.HasPrefix(altSvc, want) {
		t.Errorf("Alt-Svc: %s, want %s", altSvc, want)
	}
	quic := &http3.Transport{TLSClientConfig: clientTLS.Clone()}
	defer quic.Close()
	answered := make(chan string, 1)
	go func() {
		resp, err := (&http.Client{Transport: quic}).Get(url + "/slow")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		answered <- string(text)
	}()
	<-started
	cancel()
	close(release)
	if got := <-answered; got != "HTTP/3.0" {
		t.Errorf("the running request got %q", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// echo sends back the messages of a websocket until the client leaves, stops
// reading, or the server stops.
func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil) // from pages of the same origin only
	if err != nil {
		return // Accept has responded
	}
	defer conn.CloseNow()
	conn.SetReadLimit(4 << 10)
	ctx, cancel := context.WithCancel(r.Context())
	var drain sync.WaitGroup
	defer drain.Wait() // nothing outlives the handler
	defer cancel()
	drain.Go(func() {
		select {
		case <-server.Draining(ctx):
			conn.Close(websocket.StatusGoingAway, "the server stops")
		case <-ctx.Done():
		}
	})
	for {
		kind, message, err := conn.Read(ctx)
		if err != nil {
			return
		}
		wait, done := context.WithTimeout(ctx, 10*time.Second)
		err = conn.Write(wait, kind, message)
		done()
		if err != nil {
			return
		}
	}
}

// TestWebsocketRecipe checks that a message comes back, that pages of other
// origins are refused, and that a draining server says goodbye.
func TestWebsocketRecipe(t *testing.T) {
	mux := muxmaster.New()
	mux.GET("/echo", echo)
	for _, engine := range []bool{false, true} {
		s := server.New("", mux)
		s.Engine = engine
		t.Run(fmt.Sprintf("engine=%t", engine), func(t *testing.T) {
			addr, stop := startRecipe(t, s)
			_, resp, err := websocket.Dial(t.Context(), "ws://"+addr+"/echo", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
			if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
				t.Errorf("another origin: %v, %v; want 403", resp, err)
			}
			conn, _, err := websocket.Dial(t.Context(), "ws://"+addr+"/echo", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.CloseNow()
			if err := conn.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
				t.Fatal(err)
			}
			if _, got, err := conn.Read(t.Context()); string(got) != "hello" {
				t.Fatalf("got %q, %v", got, err)
			}
			stop()
			if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
				t.Errorf("draining: %v, want status %v", err, websocket.StatusGoingAway)
			}
		})
	}
}
