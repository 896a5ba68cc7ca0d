package server

import (
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// A conn counts against the server's limits until it is closed, applies
// StallTimeout to HTTP/1 bodies and to all writes, and keeps track of whether
// it waits for its peer.
//
// net/http and handlers set deadlines on it too, handlers through
// http.ResponseController. Theirs take precedence, by these rules:
//
//   - StallTimeout applies to the reads of an HTTP/1 request that has a body,
//     from the start of its handler until somebody calls SetReadDeadline or the
//     connection becomes idle.
//   - It applies to writes from the end of a request's header until somebody
//     calls SetWriteDeadline.
//   - It doesn't apply where a deadline was already set then, by net/http's
//     ReadTimeout or WriteTimeout.
//
// The first rule relies on one property of net/http and package engine: while a
// handler runs, they call SetReadDeadline before every read that isn't for the
// body, such as the one that notices that the client leaves. Otherwise a handler
// that works for longer than StallTimeout after reading the body would find its
// request canceled. TestWhichReadsAreBounded checks this for the Go release that
// runs it.
type conn struct {
	net.Conn
	l        *listener
	ip       netip.Addr // what counts for MaxConnsPerIP; the zero Addr doesn't
	activity activity
	http2    atomic.Bool // it has had an HTTP/2 request
	closing  sync.Once

	mu      sync.Mutex // guards the rest, and the order of SetDeadline calls
	reads   direction
	writes  direction
	stalled bool // a write has stalled: no further one is tried
}

// A direction is what a conn knows about the deadlines of its reads or writes.
type direction struct {
	deadline time.Time // set from outside; zero if there is none
	ours     bool      // nobody has set a deadline since ours was set to true
	clock    stall.Clock
}

type connKey struct{}

// unwrap returns the conn inside nc, which may be a TLS connection, or nil.
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

// NetConn returns the underlying connection, for handlers that hijack.
func (c *conn) NetConn() net.Conn { return c.Conn }

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.closing.Do(func() { c.l.remove(c) })
	return err
}

// CloseWrite is called by net/http before it closes a connection with unread
// input, so that the client sees the answer.
func (c *conn) CloseWrite() error {
	if cw, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (c *conn) setState(cs http.ConnState) {
	switch cs {
	case http.StateActive:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.writes.ours, c.writes.clock = true, stall.Clock{}
	case http.StateIdle:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.reads.ours {
			c.reads.ours = false
			c.Conn.SetReadDeadline(c.reads.deadline)
		}
	case http.StateHijacked:
		c.activity.hijack()
	}
}

// beginBody is called before the handler of an HTTP/1 request with a body.
func (c *conn) beginBody() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads.ours, c.reads.clock = true, stall.Clock{}
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads.ours, c.reads.deadline = false, t
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes.ours, c.writes.deadline = false, t
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	if !c.reads.ours {
		c.mu.Unlock()
		return c.Conn.Read(p)
	}
	start := time.Now()
	if limit := c.l.s.StallTimeout; limit > 0 && c.reads.deadline.IsZero() {
		c.Conn.SetReadDeadline(start.Add(c.reads.clock.Left(limit)))
	}
	c.mu.Unlock()
	c.activity.waitBegins(start)
	n, err := c.Conn.Read(p)
	end := time.Now()
	c.activity.waitEnds(end, int64(n))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads.clock.Add(end.Sub(start), int64(n))
	return n, err
}

// Socket implements [engine.SocketConn]. Before the handler of a request runs,
// Read adds nothing to what the socket's does, and a write that needn't wait
// needs no bound.
func (c *conn) Socket() net.Conn { return c.Conn }

// Wrote implements [engine.SocketConn].
func (c *conn) Wrote(n int) {
	c.activity.moved(int64(n))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes.clock.Add(0, int64(n))
}

// writePeriod is how long one write may take before its progress is counted, on
// systems where a write that was cut off by a deadline can be resumed.
const writePeriod = 200 * time.Millisecond

// write calls f, which does one write, under the rules above. It reports
// whether the caller should go on with the rest: f was cut off by a deadline,
// but the peer has time left.
func (c *conn) write(f func() (int64, error)) (n int64, err error, more bool) {
	start := time.Now()
	c.mu.Lock()
	if c.stalled {
		// crypto/tls would wait another 5 s to send its closing alert.
		c.mu.Unlock()
		return 0, os.ErrDeadlineExceeded, false
	}
	if !c.writes.ours {
		c.mu.Unlock()
		n, err = f()
		return n, err, false
	}
	limit := c.l.s.StallTimeout
	if !c.writes.deadline.IsZero() {
		limit = 0
	}
	c.Conn.SetWriteDeadline(c.writes.period(start, limit))
	c.mu.Unlock()

	waits := !c.http2.Load() // else its streams count their own waits
	if waits {
		c.activity.waitBegins(start)
	}
	n, err = f()
	end := time.Now()
	if waits {
		c.activity.waitEnds(end, n)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes.clock.Add(end.Sub(start), n)
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err, false
	}
	if deadline := c.writes.deadline; !deadline.IsZero() && !end.Before(deadline) {
		return n, err, false
	}
	if c.writes.ours && limit > 0 && c.writes.clock.Waited() >= limit || !resumableWrites {
		c.stalled = true
		return n, err, false
	}
	return n, nil, true
}

// period returns the deadline for one write: what is left of limit, the
// deadline from outside or the end of writePeriod, whichever comes first.
func (d *direction) period(now time.Time, limit time.Duration) (t time.Time) {
	if limit > 0 {
		t = now.Add(d.clock.Left(limit))
	}
	if resumableWrites {
		t = earlier(t, now.Add(writePeriod))
	}
	return earlier(t, d.deadline)
}

// earlier returns the earlier of two deadlines, of which zero means none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (c *conn) Write(p []byte) (n int, err error) {
	for more := true; more; {
		var m int64
		m, err, more = c.write(func() (int64, error) {
			m, err := c.Conn.Write(p[n:])
			return int64(m), err
		})
		n += int(m)
	}
	return n, err
}

// sendfileChunk is the size of one sendfile call. Larger ones are no faster.
const sendfileChunk = 4 << 20

// ReadFrom keeps sendfile working for files. Other sources are copied: they
// can't be read again from where a deadline has cut off the sending.
func (c *conn) ReadFrom(src io.Reader) (n int64, err error) {
	outer, _ := src.(*io.LimitedReader) // net/http and net look through one
	limit := int64(math.MaxInt64)
	inner := src
	if outer != nil {
		inner, limit = outer.R, outer.N
	}
	file, _ := inner.(*os.File)
	to, ok := c.Conn.(io.ReaderFrom)
	if file == nil || !ok {
		return io.Copy(struct{ io.Writer }{c}, src)
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil { // a pipe
		return io.Copy(struct{ io.Writer }{c}, src)
	}
	for n < limit {
		want := min(limit-n, sendfileChunk)
		m, err, more := c.write(func() (int64, error) { return to.ReadFrom(&io.LimitedReader{R: file, N: want}) })
		n += m
		if outer != nil {
			outer.N -= m
		}
		if more { // without sendfile, more may have been read than sent
			_, err = file.Seek(start+n, io.SeekStart)
		}
		if err != nil || m < want && !more {
			return n, err
		}
	}
	return n, nil
}
