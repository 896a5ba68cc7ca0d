package engine

import (
	"fmt"
	"go/version"
	"io"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
)

// closesBodies reports whether net/http closes the body before it responds, as
// since Go 1.27 and 1.26.11.
var closesBodies = since127 || version.Compare(runtime.Version(), "go1.26.11") >= 0

// refusesBodies is true since Go 1.27. It applies to a request with
// Expect: 100-continue, if the handler responds or closes the body before
// reading from it. The client may then never send the body. So net/http fails
// later reads and closes the connection after the response.
var refusesBodies = since127

// maxDrain is how much of an unread body the engine reads, so that the
// connection can serve another request. It is the limit of net/http.
const maxDrain = 256 << 10

// A body is the body of a request. It is closed after the handler returns, and
// never reused.
type body struct {
	conn     *conn
	ctx      *requestContext // of the request
	closing  bool            // the connection closes after this request
	expected bool            // the request has Expect: 100-continue

	continuePending atomic.Bool // the first read sends 100 Continue
	refused         atomic.Bool // noContinue prevented that, so the client may not send it
	sawEOF          atomic.Bool // Read has returned io.EOF
	consumed        atomic.Bool // read to its end, or the connection has ended
	closedUnread    atomic.Bool // closed with more than maxDrain bytes unread
	over            atomic.Bool // the handler has returned or hijacked the connection

	mu     sync.Mutex // guards the following, and reading
	chunks *chunks    // nil if the body has a Content-Length
	remain int64      // unread bytes of a Content-Length
	closed bool
	err    error // the first read error other than io.EOF
}

// EndsAtContentLength tells package middleware that the body is never longer.
func (b *body) EndsAtContentLength() {}

// Format implements [fmt.Formatter], because the fields must not be read while
// they change.
func (b *body) Format(s fmt.State, _ rune) { io.WriteString(s, "engine.body") }

// Read implements [io.Reader]. With a Content-Length, it returns io.EOF
// together with the last bytes.
func (b *body) Read(p []byte) (int, error) {
	if b.continuePending.Load() {
		b.sendContinue()
	}
	if b.refused.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.over.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.readLocked(p)
	if err == io.EOF {
		b.sawEOF.Store(true)
	}
	return n, err
}

// expectedEnd reports whether the body of a request with Expect: 100-continue
// was read completely, so that the connection can be reused.
func (b *body) expectedEnd() bool {
	if closesBodies {
		return b.consumed.Load()
	}
	return b.sawEOF.Load()
}

// refuse is called if the body is closed before sendContinue was called.
func (b *body) refuse() {
	if r := b.ctx.res; r.LockFor(b.ctx.gen) {
		defer r.Unlock()
		r.noContinue(true)
	}
}

// sendContinue tells the client to send the body, unless the handler has begun
// its response. The caller must not hold b.mu, because the response's lock
// comes first.
func (b *body) sendContinue() {
	r := b.ctx.res
	if !r.LockFor(b.ctx.gen) {
		return
	}
	defer r.Unlock()
	if b.continuePending.Swap(false) {
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
			b.complete()
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
		b.complete()
		return n, io.EOF
	case err == io.EOF:
		// Nothing more can arrive. Like net/http, treat the body as read.
		b.complete()
		return n, io.ErrUnexpectedEOF
	}
	b.err = err
	return n, err
}

// complete records that the body was read completely.
func (b *body) complete() {
	b.conn.bodyComplete()
	b.consumed.Store(true)
	b.ctx.resumeWatch()
}

// Close implements [io.Closer]. Like net/http, it reads up to 256 KB of the
// rest of the body, so that the connection can serve another request.
func (b *body) Close() error {
	if b.continuePending.Load() {
		b.refuse()
	}
	if b.refused.Load() || b.over.Load() {
		return nil
	}
	return b.close()
}

// close is Close without the handling of 100 Continue.
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
		b.closedUnread.Store(true)
		return nil
	}
	limit := int64(maxDrain)
	if closesBodies {
		limit++ // bodies of maxDrain bytes are read to their end
	}
	n, err := io.CopyN(io.Discard, lockedBody{b}, limit)
	if n == limit || closesBodies && err != io.EOF {
		b.closedUnread.Store(true)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// closeNow makes later reads fail. It doesn't read the rest.
func (b *body) closeNow() {
	b.closed = true
	if b.chunks != nil {
		b.chunks.giveBack()
	}
}

// unread returns what to do with the unread rest before writing the response's
// head: discard it, close the connection afterwards, or neither because it is
// too big.
func (b *body) unread() (discard, close, tooBig bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return false, !b.consumed.Load(), false
	case b.remain >= maxDrain:
		b.closedUnread.Store(true)
		return false, false, true
	}
	return true, false, false
}

// drain reads the rest. It reports whether the connection can be reused, and if
// not, whether the rest is too big to read.
//
// With closesBodies, drain closes the body in any case. Before, the handler can
// still read the end of a body that is too big, without its middle.
func (b *body) drain() (ok, tooBig bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if closesBodies && !b.closed {
		b.closeLocked()
		b.closeNow()
		return !b.closedUnread.Load(), false
	}
	if b.closed || b.consumed.Load() {
		b.closeNow()
		return true, false
	}
	switch _, err := io.CopyN(io.Discard, lockedBody{b}, maxDrain+1); err {
	case nil:
		b.closedUnread.Store(true)
		return false, true
	case io.EOF:
		b.closeNow()
		return true, false
	}
	return false, false // the handler's next Read returns the error
}

// detach makes later reads fail because the connection was hijacked.
func (b *body) detach() {
	b.mu.Lock()
	b.closeNow()
	b.mu.Unlock()
}

// A lockedBody reads a body. The caller must hold the body's lock.
type lockedBody struct{ b *body }

func (l lockedBody) Read(p []byte) (int, error) { return l.b.readLocked(p) }
