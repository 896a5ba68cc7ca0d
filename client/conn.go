package client

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// A conn is a connection that applies StallTimeout to its writes and counts the
// bytes written.
//
// The SOCKS client of net/http sets write deadlines before requests are sent,
// and crypto/tls does so when it closes the connection. While such a deadline
// is set, StallTimeout doesn't apply.
type conn struct {
	net.Conn
	wrote atomic.Int64 // number of bytes
	http2 bool         // without TLS

	mu      sync.Mutex
	stall   time.Duration // 0 means no limit
	own     bool          // a write deadline was set from outside
	setup   bool          // a read deadline limits the time until the first request
	stalled bool          // a Write has stalled; later ones fail
}

// limitSetup limits the time until the first request is sent. net/http has no
// limit for the answer of a proxy.
func (c *conn) limitSetup(d time.Duration) {
	c.setup = true
	_ = c.Conn.SetReadDeadline(time.Now().Add(d))
}

// ready removes the limit of limitSetup.
func (c *conn) ready() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.setup {
		c.setup = false
		_ = c.Conn.SetReadDeadline(time.Time{})
	}
}

// NetConn returns the underlying connection.
func (c *conn) NetConn() net.Conn { return c.Conn }

// CloseWrite is called by net/http's body of a 101 response.
func (c *conn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(w io.Writer) error {
	if cw, ok := w.(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return fmt.Errorf("CloseWrite: %w", http.ErrNotSupported)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.own = !t.IsZero()
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.own = !t.IsZero()
	return c.Conn.SetDeadline(t)
}

// unbound removes the limit for writes.
func (c *conn) unbound() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stall > 0 && !c.own {
		_ = c.Conn.SetWriteDeadline(time.Time{})
	}
	c.stall = 0
}

// hasStalled reports whether a Write has stalled.
func (c *conn) hasStalled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stalled
}

// bound sets the deadline for the next write. It fails after a stall, because
// otherwise crypto/tls would wait 5 s to send its closing alert.
func (c *conn) bound() (limit time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stalled {
		return 0, os.ErrDeadlineExceeded
	}
	if c.stall == 0 || c.own {
		return 0, nil
	}
	_ = c.Conn.SetWriteDeadline(time.Now().Add(c.stall))
	return c.stall, nil
}

// Write writes p. It fails if the peer receives less than stall.Bytes in a
// StallTimeout.
func (c *conn) Write(p []byte) (n int, err error) {
	for {
		limit, err := c.bound()
		if err != nil {
			return n, err
		}
		m, err := c.Conn.Write(p[n:])
		n += m
		c.wrote.Add(int64(m))
		switch {
		case err == nil || limit == 0 || !errors.Is(err, os.ErrDeadlineExceeded):
			return n, err
		case m < stall.Bytes:
			c.mu.Lock()
			c.stalled = true
			c.mu.Unlock()
			return n, &StalledError{After: limit, Sending: true}
		}
	}
}
