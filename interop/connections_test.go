package interop

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// certificate returns the TLS settings of a server for 127.0.0.1 and HTTP/2,
// and those of its clients.
func certificate(s *site) (server, client *tls.Config) {
	s.Helper()
	// httptest has a certificate for example.com and 127.0.0.1.
	ts := httptest.NewUnstartedServer(nil)
	ts.StartTLS()
	defer ts.Close()
	roots := x509.NewCertPool()
	roots.AddCert(ts.Certificate())
	return &tls.Config{Certificates: ts.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}}, &tls.Config{RootCAs: roots}
}

// useH2C makes the client speak HTTP/2 without TLS.
func (s *site) useH2C() {
	t := s.client.Transport.(*http.Transport)
	t.CloseIdleConnections()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetUnencryptedHTTP2(true)
}

// concurrently calls f with 0 to 15 at the same time.
func (s *site) concurrently(f func(n int)) {
	var wg sync.WaitGroup
	for n := range 16 {
		wg.Go(func() { f(n) })
	}
	wg.Wait()
}

// dial returns a connection to the server that was started last.
func (s *site) dial() net.Conn {
	s.Helper()
	u, err := url.Parse(s.url)
	s.must(err)
	conn, err := net.Dial("tcp", u.Host)
	s.must(err)
	s.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return conn
}

// An h2cTransport sends requests to the site's own servers over HTTP/2 without
// TLS, and leaves others to the transport that it is registered with.
type h2cTransport struct {
	transport http.Transport
	requests  atomic.Int64 // that the servers got over HTTP/2

	mu    sync.Mutex
	hosts map[string]bool
}

// serve prepares a server for the address.
func (t *h2cTransport) serve(srv *http.Server, addr string) {
	if srv.Protocols == nil {
		srv.Protocols = new(http.Protocols)
		srv.Protocols.SetHTTP1(true)
		srv.Protocols.SetHTTP2(true)
	}
	srv.Protocols.SetUnencryptedHTTP2(true)
	h := srv.Handler
	srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			t.requests.Add(1)
		}
		h.ServeHTTP(w, r)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hosts == nil {
		t.hosts = make(map[string]bool)
	}
	t.hosts[addr] = true
}

// RoundTrip implements [http.RoundTripper].
func (t *h2cTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	ours := t.hosts[r.URL.Host]
	t.mu.Unlock()
	if !ours {
		return nil, http.ErrSkipAltProtocol
	}
	return t.transport.RoundTrip(r)
}
