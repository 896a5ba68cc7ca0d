package engine

import (
	"bytes"
	"io"
	"net"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A prefix holds bytes that are read before those of a connection.
type prefix struct {
	b        []byte
	deadline time.Time // upper bound for the first read deadline
	hijacked bool      // so what is written isn't net/http's
	ends     bool      // the connection ends after the current request
}

// read reads from the prefix. It reports false if the prefix is empty.
func (p *prefix) read(b []byte) (int, bool) {
	if len(p.b) == 0 {
		return 0, false
	}
	n := copy(b, p.b)
	if p.b = p.b[n:]; len(p.b) == 0 {
		p.b = nil
	}
	return n, true
}

// bound returns t, but at most p.deadline in the first call.
func (p *prefix) bound(t time.Time) time.Time {
	if d := p.deadline; !d.IsZero() {
		p.deadline = time.Time{}
		if !t.IsZero() && d.Before(t) {
			return d
		}
	}
	return t
}

// A prefixConn is a connection whose first bytes come from a prefix.
type prefixConn struct {
	net.Conn
	pre *prefix
}

func withPrefix(nc net.Conn, pre *prefix) net.Conn {
	if st, ok := nc.(tlsStater); ok {
		return &prefixTLS{prefixConn{nc, pre}, st}
	}
	if rf, ok := nc.(io.ReaderFrom); ok {
		return &prefixReaderFrom{prefixConn{nc, pre}, rf}
	}
	return &prefixConn{nc, pre}
}

// withoutPrefix returns the connection inside nc if withPrefix made it, and
// otherwise nc.
func withoutPrefix(nc net.Conn) net.Conn {
	switch c := nc.(type) {
	case *prefixConn:
		return c.Conn
	case *prefixTLS:
		return c.Conn
	case *prefixReaderFrom:
		return c.Conn
	}
	return nc
}

// NetConn returns the wrapped connection.
func (c *prefixConn) NetConn() net.Conn { return c.Conn }

func (c *prefixConn) Read(b []byte) (int, error) {
	if n, ok := c.pre.read(b); ok {
		return n, nil
	}
	return c.Conn.Read(b)
}

// errorHeaders are between the status and the body of net/http's own responses
// to requests that it can't serve.
const errorHeaders = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write writes b. A response of net/http's own gets a Date (RFC 9110 section
// 6.6.1), and the status 400 for a Transfer-Encoding (RFC 9112 section 6.3).
func (c *prefixConn) Write(b []byte) (int, error) {
	if c.pre.hijacked || len(b) > 300 || !bytes.HasPrefix(b, []byte("HTTP/1.1 ")) {
		return c.Conn.Write(b)
	}
	status, text, ok := strings.Cut(string(b), errorHeaders)
	switch {
	case !ok || strings.Contains(status, "\n"): // a handler's
		return c.Conn.Write(b)
	case status == "HTTP/1.1 501 Not Implemented":
		status = "HTTP/1.1 400 Bad Request"
	}
	if _, err := io.WriteString(c.Conn, status+"\r\nDate: "+syntax.Date()+errorHeaders+text); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (c *prefixConn) SetReadDeadline(t time.Time) error {
	return c.Conn.SetReadDeadline(c.pre.bound(t))
}

// A prefixed connection has a prefix.
type prefixed interface{ prefix() *prefix }

func (c *prefixConn) prefix() *prefix { return c.pre }

// CloseWrite closes the sending side, if the connection supports it.
func (c *prefixConn) CloseWrite() error {
	if cw, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return nil
}

// A prefixTLS is a prefixConn with a TLS state, from which net/http sets
// Request.TLS.
type prefixTLS struct {
	prefixConn
	tlsStater
}

// A prefixReaderFrom is a prefixConn that supports sendfile.
type prefixReaderFrom struct {
	prefixConn
	io.ReaderFrom
}
