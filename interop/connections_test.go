package interop

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
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

// serveHTTP2 makes a server also serve HTTP/2 without TLS, and counts the
// requests.
func (s *site) serveHTTP2(srv *http.Server) {
	if srv.Protocols == nil {
		withH2C(srv)
		srv.Protocols.SetHTTP2(true)
	}
	srv.Protocols.SetUnencryptedHTTP2(true)
	h := srv.Handler
	srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			s.http2.Add(1)
		}
		h.ServeHTTP(w, r)
	})
}
