package client

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// A conn is a connection that bounds its writes by StallTimeout and counts what
// it has written.
//
// Nobody else sets a write deadline on it while requests are sent. The SOCKS
// client of net/http does so before, and crypto/tls when it closes the
// connection. Then only that deadline holds, until it is removed.
type conn struct {
	net.Conn
	wrote atomic.Int64 // bytes

	mu      sync.Mutex
	stall   time.Duration // 0: no bound
	own     bool          // somebody has set a write deadline
	stalled bool          // a Write has stalled: no other is tried
}

// NetConn returns the connection underneath.
func (c *conn) NetConn() net.Conn { return c.Conn }

// unwrap finds the conn below TLS; nil if there is none.
func unwrap(nc net.Conn) *conn {
	for {
		switch c := nc.(type) {
		case *conn:
			return c
		case interface{ NetConn() net.Conn }:
			nc = c.NetConn()
		default:
			return nil
		}
	}
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

// unbound ends the bound on writes.
func (c *conn) unbound() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stall > 0 && !c.own {
		_ = c.Conn.SetWriteDeadline(time.Time{})
	}
	c.stall = 0
}

// bound sets the deadline for the next write. It fails after a stall, or else
// crypto/tls would wait 5 s more to say goodbye.
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

// Write goes on for as long as the peer takes stall.Bytes in each StallTimeout.
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
