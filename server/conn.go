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

// A conn counts toward the limits on connections until it is closed. It applies
// StallTimeout to HTTP/1 request bodies and to all writes, and records whether
// it is waiting for its peer.
//
// net/http also sets deadlines on it, and so do handlers, with
// http.ResponseController. These take precedence:
//
//   - For reads of an HTTP/1 request with a body, StallTimeout applies from the
//     start of its handler until SetReadDeadline is called or the connection becomes
//     idle.
//   - For writes, it applies from the end of a request header until
//     SetWriteDeadline is called.
//   - It doesn't apply if a deadline was already set at that time, because of
//     net/http's ReadTimeout or WriteTimeout.
//
// The first rule depends on a property of net/http and package engine: while a
// handler runs, they call SetReadDeadline before every read other than of the
// body, such as the one that detects that the client disconnects. Otherwise the
// request of a handler that runs for longer than StallTimeout after reading the
// body would be canceled. TestWhichReadsAreBounded checks this for the Go
// release that runs it.
type conn struct {
	net.Conn
	l        *listener
	ip       netip.Addr // address for MaxConnsPerIP; invalid if it doesn't count
	activity activity
	http2    atomic.Bool // it has had an HTTP/2 request
	closing  sync.Once

	mu      sync.Mutex // guards the fields below, and the order of SetDeadline calls
	reads   direction
	writes  direction
	stalled bool // a write has stalled; later ones fail
}

// A direction holds the deadlines of reads or writes.
type direction struct {
	deadline time.Time // set by net/http or a handler; zero if there is none
	ours     bool      // StallTimeout applies
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
// input, so that the client can read the response.
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

// beginBody is called before the handler of an HTTP/1 request with a body runs.
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
// Read only calls the socket's Read, and a write that doesn't wait needs no
// limit.
func (c *conn) Socket() net.Conn { return c.Conn }

// Wrote implements [engine.SocketConn].
func (c *conn) Wrote(n int) {
	c.activity.moved(int64(n))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes.clock.Add(0, int64(n))
}

// writePeriod is the maximum duration of a single write, after which its
// progress is recorded, on systems where a write that exceeds a deadline can be
// resumed.
const writePeriod = 200 * time.Millisecond

// write calls f, which performs a single write, with a deadline according to
// the rules above. more reports whether f exceeded the deadline but the peer
// has time left, so that the caller should write the rest.
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

	waits := !c.http2.Load() // HTTP/2 streams record their own waits
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

// period returns the deadline for a single write: the end of limit, d.deadline
// or the end of writePeriod, whichever is earliest.
func (d *direction) period(now time.Time, limit time.Duration) (t time.Time) {
	if limit > 0 {
		t = now.Add(d.clock.Left(limit))
	}
	if resumableWrites {
		t = earlier(t, now.Add(writePeriod))
	}
	return earlier(t, d.deadline)
}

// earlier returns the earlier of two deadlines. Zero means none.
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

// ReadFrom uses sendfile for files. It copies other sources with Write, because
// they can't be rewound after a write exceeded a deadline.
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
