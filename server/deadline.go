package server

import (
	"errors"
	"net"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// A direction holds the deadlines of a connection's reads or writes.
//
// Setting a socket's deadline takes about as long as all other work of this
// package for a request, and net/http sets six for each. So a call of
// SetReadDeadline or SetWriteDeadline is only recorded, unless it must end a
// call in progress. Before a read or write, the socket's deadline changes only
// if it would pass too late. If it passes too early, the read or write is
// resumed. A write that doesn't wait has no deadline; see writeNow.
type direction struct {
	deadline time.Time // set by net/http or a handler; zero if there is none
	socket   time.Time // set on the socket
	calls    int       // in progress
	ours     bool      // no handler has set a deadline: waits count for StallTimeout and eviction
	clock    stall.Clock
}

// writePeriod is the maximum duration of a single write, after which its
// progress is recorded, on systems where a write that exceeds a deadline can be
// resumed.
const writePeriod = 200 * time.Millisecond

var past = time.Unix(1, 0)

// limit makes StallTimeout apply.
func (d *direction) limit() { d.ours, d.clock = true, stall.Clock{} }

// left returns how long the next call may wait according to StallTimeout, or 0
// if it doesn't apply.
func (d *direction) left(limit time.Duration) time.Duration {
	if limit == 0 || !d.ours {
		return 0
	}
	return d.clock.Left(limit)
}

// timedOut reports whether err, which a call returned, means that the socket's
// deadline has passed. Connections that aren't sockets, such as the streams of a
// multiplexer, have errors of their own for that. So does a socket for a peer
// that is gone (ETIMEDOUT), before the deadline.
func (d *direction) timedOut(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || isTimeout(err) && !d.socket.IsZero() && !time.Now().Before(d.socket)
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// expired is called after a call exceeded the socket's deadline. It reports
// whether it exceeded d.deadline or StallTimeout, or should be resumed.
func (d *direction) expired(limit time.Duration) (deadline, stall bool) {
	d.socket = past
	deadline = !d.deadline.IsZero() && !time.Now().Before(d.deadline)
	stall = limit > 0 && d.ours && d.clock.Waited() >= limit
	return deadline, stall
}

// arm makes the socket's deadline pass no later than d.deadline, and no later
// than limit after now unless it is 0. The caller holds c.mu.
func (c *conn) arm(d *direction, limit time.Duration) {
	if limit == 0 && d.socket.Equal(d.deadline) {
		return
	}
	lately, latest := c.l.pulse.lately(), d.deadline
	if limit > 0 {
		latest = earlier(latest, lately.Add(limit+pulsePeriod))
	}
	resumable := resumableWrites || d == &c.reads
	if resumable && d.socket.After(lately) && (latest.IsZero() || !d.socket.After(latest)) {
		return
	}
	if limit > 0 {
		latest = earlier(d.deadline, time.Now().Add(limit))
	}
	c.setSocket(d, latest)
}

// setSocket sets the socket's deadline. The caller holds c.mu.
func (c *conn) setSocket(d *direction, t time.Time) error {
	d.socket = t
	if d == &c.reads {
		return c.Conn.SetReadDeadline(t)
	}
	return c.Conn.SetWriteDeadline(t)
}

// restoreDeadlines sets the socket's deadlines as net/http and handlers set
// them. The caller holds c.mu.
func (c *conn) restoreDeadlines() {
	for _, d := range []*direction{&c.reads, &c.writes} {
		if !d.socket.Equal(d.deadline) {
			c.setSocket(d, d.deadline)
		}
	}
}

// earlier returns the earlier of two deadlines. Zero means none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads.ours = false
	return c.setDeadline(&c.reads, t)
}

// SetWriteDeadline takes precedence over StallTimeout if a handler calls it.
// HTTP/2 handlers set deadlines of their streams instead.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.activity.handlers > 0 && !c.http2.Load() {
		c.writes.ours = false
	}
	return c.setDeadline(&c.writes, t)
}

// setDeadline records a deadline. It sets it on the socket if a call in
// progress must end earlier.
func (c *conn) setDeadline(d *direction, t time.Time) error {
	d.deadline = t
	switch {
	case d.calls > 0:
		if at := earlier(d.socket, t); !at.Equal(d.socket) {
			return c.setSocket(d, at)
		}
	case c.eager:
		return c.setSocket(d, t)
	}
	return nil
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}
