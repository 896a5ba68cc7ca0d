package client

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// The limits for reading the rest of a body in Close, so that the connection
// can be reused. Reading more would take longer than a new connection. Go
// 1.27's net/http has the same limits.
const (
	maxDrain     = 256 << 10
	maxDrainTime = 50 * time.Millisecond
)

// A body is a response body that applies StallTimeout to Read, and whose Close
// allows reusing the connection. If either takes too long, it cancels the
// request. Unlike closing an HTTP/1 body, that is safe while a Read is in
// progress.
type body struct {
	io.ReadCloser
	ctx     context.Context
	cancel  context.CancelCauseFunc
	sending *sending // the request
	stall   time.Duration

	quiet   bool // an event stream, for which StallTimeout limits each single wait
	clock   stall.Clock
	timer   *time.Timer
	unwatch func() bool // stops the context.AfterFunc; may be nil
	reading atomic.Bool
	ended   atomic.Bool // Read has returned io.EOF
	closed  atomic.Bool
	once    sync.Once
	err     error // result of shut
}

func (b *body) Read(p []byte) (int, error) {
	if b.ended.Load() && !b.closed.Load() {
		return 0, io.EOF // net/http's body is closed already
	}
	b.reading.Store(true)
	defer b.reading.Store(false)
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose // Close may be reading
	}
	var start time.Time
	if b.stall > 0 {
		start = time.Now()
		if left := b.clock.Left(b.stall); b.timer == nil {
			b.timer = time.AfterFunc(left, func() { b.cancel(&StalledError{After: b.stall}) })
		} else {
			b.timer.Reset(left)
		}
	}
	n, err := b.ReadCloser.Read(p)
	if b.timer != nil {
		b.timer.Stop()
		b.clock.Add(time.Since(start), int64(n))
		if b.quiet {
			b.clock = stall.Clock{}
		}
	}
	switch {
	case err == io.EOF:
		b.ended.Store(true)
		// Do what Close does, in case nobody calls it.
		if b.sending.whenFinished(b.release) {
			b.shut()
		}
	case err != nil:
		if stalled := b.sending.stallError(err); stalled != nil {
			err = stalled
		} else if cause := context.Cause(b.ctx); cause != nil && b.unwatch != nil && !b.closed.Load() {
			err = cause
		}
	}
	return n, err
}

func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	// If a Read is in progress, don't wait for it: Close should interrupt it.
	// Reading at the same time could wait forever, because the end of net/http's
	// HTTP/2 bodies wakes only one reader.
	if !b.ended.Load() && !b.reading.Load() {
		t := time.AfterFunc(maxDrainTime, func() { b.cancel(context.Canceled) })
		_, err := io.CopyN(io.Discard, b.ReadCloser, maxDrain)
		t.Stop()
		b.ended.Store(err == io.EOF)
	}
	if !b.ended.Load() {
		b.cancel(context.Canceled)
	}
	return b.shut()
}

// shut closes the body of net/http, once, and releases the context.
func (b *body) shut() error {
	b.once.Do(func() {
		if b.unwatch != nil {
			b.unwatch() // so that the AfterFunc doesn't close the body too
		}
		b.err = b.ReadCloser.Close()
		// If the response has no body, the request may still be sent; see once.
		if b.unwatch == nil || b.sending.whenFinished(b.release) {
			b.release()
		}
	})
	return b.err
}

// release releases the resources of the request's context, which would
// otherwise reference b until it ends.
func (b *body) release() {
	if b.unwatch != nil {
		b.unwatch()
	}
	b.cancel(context.Canceled)
}

// upgraded is the body of a 101 response: a connection without limits.
type upgraded struct {
	b *body
	io.Writer
}

func (u *upgraded) Read(p []byte) (int, error) { return u.b.ReadCloser.Read(p) }
func (u *upgraded) CloseWrite() error          { return closeWrite(u.Writer) }
func (u *upgraded) Close() error {
	defer u.b.cancel(context.Canceled)
	return u.b.ReadCloser.Close()
}
