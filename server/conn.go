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
)

// stallBytes is how much must move in each StallTimeout of waiting.
const stallBytes = 4 << 10

// stallClock counts waiting. Its zero value has waited for nothing yet.
type stallClock struct {
	spent time.Duration
	moved int
}

// left returns how long the next operation may wait.
func (k *stallClock) left(limit time.Duration) time.Duration {
	return max(limit-k.spent, time.Millisecond)
}

// add counts an operation that took d and moved n bytes.
func (k *stallClock) add(d time.Duration, n int) {
	k.spent += d
	k.moved += n
	if k.moved >= stallBytes {
		*k = stallClock{}
	}
}

// A conn counts against the server's limits until it is closed, and applies
// StallTimeout to HTTP/1 bodies and to all writes.
//
// How it knows what net/http is about: net/http sets read deadlines for the
// header and for idle connections itself, and says SetReadDeadline(zero) both
// when a header is complete and when it begins, the body being read, to watch
// the connection for the client's going away. The first of these is followed
// by ConnState(StateActive), the second is not. So a request whose last call
// came before StateActive has a body left to read, and that is when reads are
// put under StallTimeout. Whoever calls SetReadDeadline after that, be it
// net/http or a handler through http.ResponseController, ends it. Writes are
// under StallTimeout from StateActive on until somebody sets a deadline.
//
// Would net/http change its ways, bodies could be read without a bound, or
// long requests be cancelled; the tests on slow bodies and slow handlers see
// either.
type conn struct {
	net.Conn
	l  *listener
	ip netip.Addr

	// quietSince is when the connection was opened or finished its last
	// request, in Unix nanoseconds; 0 while it has a request or is hijacked.
	quietSince atomic.Int64
	used       atomic.Bool // it has had a request
	closing    sync.Once

	mu            sync.Mutex // guards the rest, and the order of SetDeadline calls
	readDeadline  bool       // somebody has set a read deadline
	writeDeadline bool
	fresh         bool // no SetReadDeadline since StateActive
	stallReads    bool
	stallWrites   bool
	stalled       bool       // a write has stalled: no further one is tried
	reads         stallClock // used by one reader at a time
}

type connKey struct{}

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

// NetConn returns the connection underneath, for those who hijack.
func (c *conn) NetConn() net.Conn { return c.Conn }

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.closing.Do(func() { c.l.remove(c) })
	return err
}

// CloseWrite is used by net/http to let a last answer arrive.
func (c *conn) CloseWrite() error {
	if cw, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (c *conn) setState(cs http.ConnState) {
	switch cs {
	case http.StateNew, http.StateIdle:
		c.quietSince.Store(time.Now().UnixNano())
	case http.StateActive:
		c.used.Store(true)
		c.quietSince.Store(0)
		c.mu.Lock()
		c.fresh = !c.readDeadline
		c.stallWrites = !c.writeDeadline && c.l.s.StallTimeout > 0
		c.mu.Unlock()
	case http.StateHijacked:
		c.quietSince.Store(0)
	}
}

// beginBody is called before an HTTP/1 handler.
func (c *conn) beginBody() {
	c.mu.Lock()
	c.stallReads = c.fresh && c.l.s.StallTimeout > 0
	c.reads = stallClock{}
	c.mu.Unlock()
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh, c.stallReads, c.readDeadline = false, false, !t.IsZero()
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stallWrites, c.writeDeadline = false, !t.IsZero()
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	if !c.stallReads {
		c.mu.Unlock()
		return c.Conn.Read(p)
	}
	start := time.Now()
	c.Conn.SetReadDeadline(start.Add(c.reads.left(c.l.s.StallTimeout)))
	c.mu.Unlock()
	n, err := c.Conn.Read(p)
	c.reads.add(time.Since(start), n)
	return n, err
}

// write does one write under the rules. It reports whether to go on after a
// timeout, because the peer has taken enough in time.
func (c *conn) write(f func() (int64, error)) (n int64, err error, more bool) {
	c.mu.Lock()
	stall := c.stallWrites
	if c.stalled {
		// Without this, crypto/tls would wait 5 s more to say goodbye.
		c.mu.Unlock()
		return 0, os.ErrDeadlineExceeded, false
	}
	if stall {
		c.Conn.SetWriteDeadline(time.Now().Add(c.l.s.StallTimeout))
	}
	c.mu.Unlock()
	n, err = f()
	if err == nil || !stall || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err, false
	}
	if n >= stallBytes {
		return n, nil, true
	}
	c.mu.Lock()
	c.stalled = c.stallWrites // else the deadline was somebody else's
	c.mu.Unlock()
	return n, err, false
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

// sendfileChunk is short enough for a slow client to take stallBytes of it,
// and long enough to be no slower than sendfile in one go.
const sendfileChunk = 4 << 20

// ReadFrom keeps sendfile working through this wrapper. Only files can be
// resumed where a timeout has cut them; from anything else, bytes that were
// read and not sent would be lost.
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
		if more { // where sendfile did not apply, more was read than sent
			_, err = file.Seek(start+n, io.SeekStart)
		}
		if err != nil || m < want && !more {
			return n, err
		}
	}
	return n, nil
}
