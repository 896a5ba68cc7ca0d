package client

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// What Close reads at most to save a connection. Reading more would cost more
// than a new connection; net/http of Go 1.27 has the same limits.
const (
	maxDrain     = 256 << 10
	maxDrainTime = 50 * time.Millisecond
)

// A body is an answer's body with a bound on reading, and with a Close that
// lets the connection be reused. Both end what takes too long by canceling the
// request. That is safe while a Read is in progress; closing isn't, in HTTP/1.
type body struct {
	io.ReadCloser
	ctx     context.Context
	cancel  context.CancelCauseFunc
	sending *sending // the request
	stall   time.Duration

	quiet   bool // an event stream: only each wait is bounded, not what comes with it
	clock   stall.Clock
	timer   *time.Timer
	unwatch func() bool // ends watching the context; nil if that is not needed
	reading atomic.Bool
	ended   atomic.Bool // there is nothing left to read
	closed  atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	b.reading.Store(true)
	defer b.reading.Store(false)
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
		if !b.sending.unfinished() {
			b.release() // in case that nobody calls Close
		}
	case err != nil:
		cause := context.Cause(b.ctx)
		if _, ok := cause.(*StalledError); ok || cause != nil && b.unwatch != nil && !b.closed.Load() {
			err = cause
		}
	}
	return n, err
}

func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	// A Close during a Read is meant to end it.
	if !b.ended.Load() && !b.reading.Load() {
		t := time.AfterFunc(maxDrainTime, func() { b.cancel(context.Canceled) })
		_, err := io.CopyN(io.Discard, b.ReadCloser, maxDrain)
		t.Stop()
		b.ended.Store(err == io.EOF)
	}
	if !b.ended.Load() {
		b.cancel(context.Canceled)
	}
	defer b.release()
	if b.unwatch != nil {
		b.unwatch() // so that it doesn't close the body a second time
	}
	return b.ReadCloser.Close()
}

// release lets go of the request's context, which would otherwise keep b until
// it ends itself.
func (b *body) release() {
	if b.unwatch != nil {
		b.unwatch()
	}
	b.cancel(context.Canceled)
}

// upgraded is the body of a 101 answer: a connection that belongs to the caller
// and has no bounds.
type upgraded struct {
	b *body
	io.Writer
}

func (u *upgraded) Read(p []byte) (int, error) { return u.b.ReadCloser.Read(p) }
func (u *upgraded) Close() error {
	defer u.b.cancel(context.Canceled)
	return u.b.ReadCloser.Close()
}
