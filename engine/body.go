package engine

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// maxDrain is how much of an unread body is read, so that the connection can
// serve another request. It is net/http's limit.
const maxDrain = 256 << 10

// A body is the body of a request with a Content-Length. It isn't used again,
// in any mode: after the handler returned it is closed.
type body struct {
	conn     *conn
	closing  bool        // the connection closes after this request
	consumed atomic.Bool // read to its end, or to the connection's
	early    atomic.Bool // closed with much of it unread

	mu     sync.Mutex // guards the following, and reading
	remain int64      // bytes that weren't read
	closed bool
	err    error // what ended it early
}

// Read implements [io.Reader]. It returns io.EOF with the last bytes.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.readLocked(p)
}

func (b *body) readLocked(p []byte) (int, error) {
	if b.consumed.Load() {
		return 0, io.EOF
	}
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if int64(len(p)) > b.remain {
		p = p[:b.remain]
	}
	n, err := b.conn.readBody(p)
	b.remain -= int64(n)
	switch {
	case b.remain == 0:
		b.conn.bodyEnded()
		b.consumed.Store(true)
		return n, io.EOF
	case err == io.EOF:
		// Nothing more can come: like net/http, count it as read.
		b.consumed.Store(true)
		b.conn.current.clientLeft()
		return n, io.ErrUnexpectedEOF
	}
	if err != nil {
		b.err = err
		b.conn.current.clientLeft()
	}
	return n, err
}

// Close implements [io.Closer]. It reads a rest of up to 256 KB, as net/http
// does, so that the connection can serve another request.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	err := b.closeLocked()
	b.closed = true
	return err
}

func (b *body) closeLocked() error {
	switch {
	case b.consumed.Load(), b.closing:
		return nil
	case b.remain > maxDrain:
		b.early.Store(true)
		return nil
	}
	_, err := io.Copy(io.Discard, lockedBody{b})
	return err
}

// unread says what is to be done about the unread rest before the answer's
// head is written.
func (b *body) unread() (discard, close, tooBig bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return false, !b.consumed.Load(), false
	case b.remain >= maxDrain:
		return false, false, true
	}
	return true, false, false
}

// drain reads the rest. It reports whether the connection can be used again.
func (b *body) drain() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.consumed.Load() {
		b.closed = true
		return true
	}
	io.Copy(io.Discard, lockedBody{b})
	b.closed = true
	return b.remain == 0
}

// detach makes further reads fail: the connection was hijacked.
func (b *body) detach() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
}

// A lockedBody reads a body whose lock the caller holds.
type lockedBody struct{ b *body }

func (l lockedBody) Read(p []byte) (int, error) { return l.b.readLocked(p) }
