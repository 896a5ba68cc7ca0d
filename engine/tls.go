package engine

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// A tlsStater is a connection with a TLS state.
type tlsStater interface {
	ConnectionState() tls.ConnectionState
}

// ListenAndServeTLS listens on the TCP address srv.Addr (":https" if empty) and
// calls ServeTLS. It always returns a non-nil error.
func (s *Server) ListenAndServeTLS(certFile, keyFile string) error {
	if s.inShutdown.Load() {
		return http.ErrServerClosed
	}
	ln, err := listen(s.srv.Addr, ":https")
	if err != nil {
		return err
	}
	defer ln.Close()
	return s.ServeTLS(ln, certFile, keyFile)
}

// ServeTLS is like Serve but uses TLS. certFile and keyFile are the names of
// PEM files with a certificate and its key. Both can be empty if srv.TLSConfig
// has a certificate. Clients can use HTTP/1.1 and HTTP/2.
func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error {
	config, err := s.startTLS(certFile, keyFile)
	if err != nil {
		return err
	}
	return s.Serve(tls.NewListener(underTLS(l), config))
}

// startTLS prepares s for ServeTLS and returns the configuration.
func (s *Server) startTLS(certFile, keyFile string) (*tls.Config, error) {
	s.over.mu.Lock()
	defer s.over.mu.Unlock()
	config := new(tls.Config)
	if s.srv.TLSConfig != nil {
		config = s.srv.TLSConfig.Clone()
	}
	config.NextProtos = nextProtos(config.NextProtos, s.protocols())
	if len(config.Certificates) == 0 && config.GetCertificate == nil &&
		config.GetConfigForClient == nil || certFile != "" || keyFile != "" {
		cert, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{cert}
	}
	s.configure()
	if err := s.over.start(config); err != nil {
		return nil, err
	}
	if s.http2 == nil && !s.over.http2 {
		// Serve was called before, when TLSConfig did not enable HTTP/2 in
		// net/http, which serves it here.
		config.NextProtos = slices.DeleteFunc(config.NextProtos, func(p string) bool { return p == "h2" })
	}
	return config, nil
}

// protocols returns the protocols that net/http serves over TLS.
func (s *Server) protocols() http.Protocols {
	if s.srv.Protocols != nil {
		return *s.srv.Protocols
	}
	var p http.Protocols
	p.SetHTTP1(true)
	_, own := s.srv.TLSNextProto["h2"]
	off := s.srv.TLSNextProto != nil || http2Disabled()
	p.SetHTTP2(own || !off)
	return p
}

// nextProtos returns the protocols for ALPN: it removes disabled protocols from
// list and adds missing ones.
func nextProtos(list []string, p http.Protocols) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		return s == "h2" && !p.HTTP2() || s == "http/1.1" && !p.HTTP1()
	})
	if p.HTTP2() && !slices.Contains(list, "h2") {
		list = append(list, "h2")
	}
	if p.HTTP1() && !slices.Contains(list, "http/1.1") {
		list = append(list, "http/1.1")
	}
	return list
}

// handshake performs the TLS handshake if the connection uses TLS. It reports
// false if the connection ended or was passed to net/http.
func (c *conn) handshake() bool {
	nc, ok := c.nc.(*tls.Conn)
	if !ok {
		if st, ok := c.nc.(tlsStater); ok {
			state := st.ConnectionState()
			c.tls = &state
		}
		return true
	}
	timeout := c.server.handshakeTimeout()
	if timeout > 0 {
		nc.SetDeadline(time.Now().Add(timeout))
	}
	if err := nc.HandshakeContext(c.connCtx); err != nil {
		reason := err.Error()
		if re, ok := err.(tls.RecordHeaderError); ok && re.Conn != nil && looksLikeHTTP(re.RecordHeader) {
			io.WriteString(re.Conn, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")
			re.Conn.Close()
			reason = "client sent an HTTP request to an HTTPS server"
		}
		c.server.logf("http: TLS handshake error from %s: %v", c.remoteAddr, reason)
		return false
	}
	if timeout > 0 {
		nc.SetDeadline(time.Time{})
	}
	state := nc.ConnectionState()
	c.tls = &state
	switch state.NegotiatedProtocol {
	case "", "http/1.1", "http/1.0":
		return true
	}
	if state.NegotiatedProtocol == "h2" && c.server.http2 != nil {
		if w, ok := nc.NetConn().(interface{ startHTTP2() }); ok {
			w.startHTTP2()
		}
		c.serveHTTP2()
		return false
	}
	why := c.server.http2Reason
	if state.NegotiatedProtocol != "h2" {
		why = reasonTLSNextProto
	}
	c.handOver(why)
	return false
}

// handshakeTimeout returns the timeout for the handshake, as in net/http.
func (s *Server) handshakeTimeout() (shortest time.Duration) {
	for _, d := range [...]time.Duration{s.srv.ReadHeaderTimeout, s.srv.ReadTimeout, s.srv.WriteTimeout} {
		if d > 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	return shortest
}

// looksLikeHTTP reports whether a TLS record header is the start of a request.
func looksLikeHTTP(hdr [5]byte) bool {
	switch string(hdr[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO":
		return true
	}
	return false
}
