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
	"syscall"

	"time"
	"weak"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// A conn counts toward the limits on connections until it is closed. It applies
// StallTimeout to HTTP/1 request bodies and to all writes, and records whether
// it is waiting for its peer.
//
// net/http also sets deadlines on it, and so do handlers, with
// http.ResponseController. Those of handlers take precedence:
//
//   - For reads of an HTTP/1 request with a body, StallTimeout applies from the
//     start of its handler until SetReadDeadline is called or the connection becomes
//     idle, and again when the handler has returned.
//   - For writes, it applies from the end of a request header until the handler
//     calls SetWriteDeadline, and again when the handler has returned.
//
// The first rule depends on a property of net/http and package engine: while a
// handler runs, they call SetReadDeadline before every read other than of the
// body, such as the one that detects that the client disconnects. Otherwise the
// request of a handler that runs for longer than StallTimeout after reading the
// body would be canceled. TestWhichReadsAreBounded checks this for the Go
// release that runs it.
type conn struct {
	net.Conn
	l       *listener
	ip      netip.Addr  // address for MaxConnsPerIP; invalid if it doesn't count
	http2   atomic.Bool // it has had an HTTP/2 request
	standIn *conn       // in the listener's set once it is hijacked, see hijackedConn; or nil

	mu       sync.Mutex // guards the fields below, and the order of SetDeadline calls
	activity activity
	earlier  flusher // the engine's writer of the HTTP/1 request, while its handler runs; or nil
	reads    direction
	writes   direction
	now      directWriter
	unread   int  // of the output, when the peer was last seen to receive some
	eager    bool // deadlines apply to the socket immediately
	active   bool // it has a request, or a response that isn't written out
	asked    bool // other connections waited for room when the last handler began
	stalled  bool // a write has stalled; later ones fail
	work     work // of the HTTP/1 request; has a lock of its own
}

type connKey struct{}

// NetConn returns the underlying connection, for handlers that hijack.
func (c *conn) NetConn() net.Conn { return c.Conn }

// gone reports whether the connection was hijacked, and its socket was closed,
// but not with c's Close.
func (c *conn) gone() bool {
	c.mu.Lock()
	hijacked := c.activity.hijacked
	c.mu.Unlock()
	sc, ok := c.Conn.(syscall.Conn)
	if !hijacked || !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	return err != nil || raw.Control(func(uintptr) {}) != nil
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.l.remove(c)
	return err
}

// A hijackedConn is a hijacked connection in the listener's set. It doesn't keep
// the socket open: the garbage collector closes one that is abandoned.
type hijackedConn struct {
	net.Conn
	socket weak.Pointer[net.TCPConn]
}

func (h hijackedConn) Close() error {
	if nc := h.socket.Value(); nc != nil {
		return nc.Close()
	}
	return nil
}

// SyscallConn implements [syscall.Conn].
func (h hijackedConn) SyscallConn() (syscall.RawConn, error) {
	if nc := h.socket.Value(); nc != nil {
		return nc.SyscallConn()
	}
	return nil, net.ErrClosed
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
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active = cs == http.StateActive
	switch cs {
	case http.StateActive:
		if c.writes.calls == 0 || !c.writes.ours {
			// Otherwise a client that reads nothing could reset the clock of
			// the write in progress, by opening and resetting HTTP/2 streams.
			c.writes.limit()
		}
	case http.StateIdle:
		c.reads.ours = false
		if !c.http2.Load() { // a program with access to c may have set them for the request
			c.reads.deadline, c.writes.deadline = time.Time{}, time.Time{}
		}
		if c.asked && !c.http2.Load() {
			// It stays because its request offered an upgrade, or its handler
			// has changed the Connection header.
			c.activity.clock.Add(patience, 0)
		}
		if c.eager { // the engine reads and writes the socket
			c.restoreDeadlines()
		}
	case http.StateHijacked:
		c.activity.hijacked = true
		c.work.respond()
		c.reads.ours, c.writes.ours = false, false
		c.eager = true
		c.restoreDeadlines()
	}
}

// handlerBegins is called before the handler of a request runs.
func (c *conn) handlerBegins(w http.ResponseWriter, http1Body bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.earlier, _ = w.(flusher)
	c.activity.handlerBegins(c.l.pulse.now())
	c.asked = c.l.waiting.Load()
	if http1Body {
		c.reads.limit()
	}
}

// handlerReturns is called after the handler. Deadlines that it has set still
// apply to the rest of the body and of the response, but so does StallTimeout:
// otherwise a client that doesn't send or read that could keep the connection
// forever.
func (c *conn) handlerReturns(http1Body bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.handlerReturns(c.l.pulse.now())
	c.earlier = nil
	c.work.requestEnds()
	if c.activity.hijacked || c.http2.Load() {
		return
	}
	if !c.writes.ours {
		c.writes.limit()
	}
	if http1Body && !c.reads.ours && c.reads.calls == 0 {
		c.reads.limit()
	}
}

func (c *conn) Read(p []byte) (n int, err error) {
	for again := true; again; {
		again = false
		c.mu.Lock()
		d := &c.reads
		ours, start := d.ours, c.l.pulse.now()
		c.arm(d, d.left(c.l.s.StallTimeout))
		d.calls++
		if ours {
			c.activity.waitBegins(start)
			c.work.pause()
		}
		c.mu.Unlock()

		n, err = c.Conn.Read(p)

		c.mu.Lock()
		d.calls--
		if ours {
			end := c.l.pulse.now()
			c.activity.waitEnds(end, int64(n))
			c.work.resume()
			d.clock.Add(end-start, int64(n))
		}
		if err != nil && n == 0 && d.timedOut(err) {
			deadline, stall := d.expired(c.l.s.StallTimeout)
			again = !deadline && !stall
		}
		c.mu.Unlock()
	}
	return n, err
}

func (c *conn) opened() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.opened(c.l.pulse.now())
}

// streamWaits records that an HTTP/2 stream begins (+1) or ends (-1) to wait,
// and the bytes that it has read; those written are counted when they are sent.
// A stream that reads and writes at the same time counts once.
func (c *conn) streamWaits(change int, moved int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.update(c.l.pulse.now(), 0, change, int64(moved))
}

// wasUsed reports whether the connection has had a request.
func (c *conn) wasUsed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.activity.used
}

// waited calls activity.waited.
func (c *conn) waited() (d time.Duration, idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, idle = c.activity.waited(c.l.pulse.now())
	return d, idle && !(c.active && c.http2.Load())
}

// receives returns how many bytes of output the peer has not received, although
// they were written, and reports whether it has received 4 KiB since the last
// time. Then the wait starts again: closing the connection could discard the end
// of a response.
func (c *conn) receives() (unsent int, receives bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	unsent = c.unsent()
	receives = unsent > 0 && (c.unread == 0 || unsent > c.unread || unsent <= c.unread-stall.Bytes)
	if receives || unsent == 0 {
		c.unread = unsent
	}
	if receives {
		c.activity.moved(c.l.pulse.now(), stall.Bytes)
	}
	return unsent, receives
}

// Socket implements [engine.SocketConn]. Before the handler of a request runs,
// Read only calls the socket's Read, and a write that doesn't wait needs no
// limit.
func (c *conn) Socket() net.Conn { return c.Conn }

// Wrote implements [engine.SocketConn].
func (c *conn) Wrote(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrote(n)
}

// wrote records a write that didn't wait. The caller holds c.mu.
func (c *conn) wrote(n int) {
	c.work.wrote(n)
	if c.responds() {
		c.activity.moved(c.l.pulse.now(), int64(n))
	}
	c.writes.clock.Add(0, int64(n))
}

// responds reports whether a write is of a response, or sent beside one. Without
// a request, a client can ask for other writes as often as it wants, such as
// responses to PING. The caller holds c.mu.
func (c *conn) responds() bool { return c.activity.used && (c.active || !c.http2.Load()) }

// write calls f, which performs a single write, with a deadline according to
// the rules above. more reports whether f exceeded the deadline but the peer
// has time left, so that the caller should write the rest.
func (c *conn) write(f func() (int64, error)) (n int64, err error, more bool) {
	c.mu.Lock()
	if c.stalled {
		// crypto/tls would wait another 5 s to send its closing alert.
		c.mu.Unlock()
		return 0, os.ErrDeadlineExceeded, false
	}
	d := &c.writes
	limit, start := d.left(c.l.s.StallTimeout), c.l.pulse.now()
	if d.ours && resumableWrites && (limit == 0 || limit > writePeriod) {
		limit = writePeriod
	}
	c.arm(d, limit)
	d.calls++
	waits := d.ours && c.responds() && !c.http2.Load() // HTTP/2 streams record their own waits
	if waits {
		c.activity.waitBegins(start)
		c.work.pause()
	}
	c.mu.Unlock()

	n, err = f()

	c.mu.Lock()
	defer c.mu.Unlock()
	d.calls--
	end := c.l.pulse.now()
	switch {
	case waits:
		c.activity.waitEnds(end, n)
		c.work.resume()
	case c.responds():
		c.activity.moved(end, n)
	}
	d.clock.Add(end-start, n)
	if err == nil || !d.timedOut(err) {
		return n, err, false
	}
	deadline, stall := d.expired(c.l.s.StallTimeout)
	if !resumableWrites && !deadline {
		stall = true
	}
	c.stalled = stall
	if deadline || stall {
		return n, err, false
	}
	return n, nil, true
}

func (c *conn) Write(p []byte) (n int, err error) {
	c.work.wrote(len(p))
	if n = c.writeNow(p); n == len(p) && n > 0 {
		return n, nil
	}
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
	c.work.respond()
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
