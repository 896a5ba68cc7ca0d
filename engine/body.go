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

// A body is the body of a request. It isn't used again, in any mode: after the
// handler returned it is closed.
type body struct {
	conn     *conn
	ctx      *requestContext // of the request
	closing  bool            // the connection closes after this request
	expected bool            // the request has Expect: 100-continue

	mayContinue atomic.Bool // the first read sends 100 Continue
	refused     atomic.Bool // and never did, so the client needn't send it
	sawEOF      atomic.Bool // Read has returned io.EOF
	consumed    atomic.Bool // read to its end, or to the connection's
	early       atomic.Bool // closed with much of it unread

	mu     sync.Mutex // guards the following, and reading
	chunks *chunks    // nil if the body has a Content-Length
	remain int64      // bytes of a Content-Length that weren't read
	closed bool
	err    error // what ended it early
}

// Read implements [io.Reader]. It returns io.EOF with the last bytes, if it
// knows that they are the last.
func (b *body) Read(p []byte) (int, error) {
	if b.mayContinue.Load() {
		b.sendContinue()
	}
	if b.refused.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.readLocked(p)
	if err == io.EOF {
		b.sawEOF.Store(true)
	}
	return n, err
}

// expectedEnd reports whether the body of a request with Expect: 100-continue
// was read to its end, so that the connection can be used again.
func (b *body) expectedEnd() bool {
	if refusesBodies {
		return b.consumed.Load()
	}
	return b.sawEOF.Load()
}

// refuse is called instead of sendContinue when the body was closed.
func (b *body) refuse() {
	r := b.ctx.res
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gen.Load() == b.ctx.gen {
		r.noContinue(true)
	}
}

// sendContinue tells the client to send the body, unless the handler has
// begun to answer. It must not hold b.mu, which is locked after that of the
// response elsewhere.
func (b *body) sendContinue() {
	r := b.ctx.res
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gen.Load() == b.ctx.gen && b.mayContinue.Swap(false) {
		r.out = append(r.out, "HTTP/1.1 100 Continue\r\n\r\n"...)
		r.flushOut()
	}
}

func (b *body) readLocked(p []byte) (int, error) {
	if b.consumed.Load() {
		return 0, io.EOF
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.chunks != nil {
		n, err := b.chunks.read(p)
		if err == io.EOF {
			b.end()
		} else {
			b.err = err
		}
		return n, err
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
		b.end()
		return n, io.EOF
	case err == io.EOF:
		// Nothing more can come: like net/http, count it as read.
		b.consumed.Store(true)
		return n, io.ErrUnexpectedEOF
	}
	b.err = err
	return n, err
}

// end notes that the body was read to its end.
func (b *body) end() {
	b.conn.bodyEnded()
	b.consumed.Store(true)
}

// Close implements [io.Closer]. It reads a rest of up to 256 KB, as net/http
// does, so that the connection can serve another request.
func (b *body) Close() error {
	if b.mayContinue.Load() {
		b.refuse()
	}
	if b.refused.Load() {
		return nil
	}
	return b.close()
}

// close is Close without regard to 100 Continue.
func (b *body) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	err := b.closeLocked()
	b.closeNow()
	return err
}

func (b *body) closeLocked() error {
	switch {
	case b.consumed.Load(), b.closing && b.chunks == nil:
		return nil
	case b.remain > maxDrain:
		b.early.Store(true)
		return nil
	}
	n, err := io.CopyN(io.Discard, lockedBody{b}, maxDrain)
	if n == maxDrain {
		b.early.Store(true)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// closeNow makes further reads fail. It reads nothing.
func (b *body) closeNow() {
	b.closed = true
	if b.chunks != nil {
		b.chunks.release()
	}
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
		b.early.Store(true)
		return false, false, true
	}
	return true, false, false
}

// drain reads the rest. It reports whether the connection can be used again,
// and if not, whether there is too much to read.
func (b *body) drain() (ok, tooBig bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.consumed.Load() {
		b.closeNow()
		return true, false
	}
	if n, _ := io.CopyN(io.Discard, lockedBody{b}, maxDrain+1); n > maxDrain {
		b.early.Store(true)
		return false, true
	}
	b.closeNow()
	return b.consumed.Load() && b.remain == 0, false
}

// detach makes further reads fail: the connection was hijacked.
func (b *body) detach() {
	b.mu.Lock()
	b.closeNow()
	b.mu.Unlock()
}

// A lockedBody reads a body whose lock the caller holds.
type lockedBody struct{ b *body }

func (l lockedBody) Read(p []byte) (int, error) { return l.b.readLocked(p) }
