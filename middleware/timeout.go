package middleware

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// Timeout gives the request's context a deadline, d after the request arrives
// here. If the handler returns after the deadline without having sent anything,
// Timeout answers 503 Service Unavailable, which [problem.Write] logs. d must be
// positive.
//
// The handler runs on the server's goroutine, and nothing is buffered, so
// unlike with [http.TimeoutHandler] streaming and hijacking work. But a
// handler that doesn't watch its context, and doesn't pass it on to what it
// waits for, isn't interrupted. Reading the request's body and writing the
// response don't watch it: the server's ReadTimeout and WriteTimeout limit
// those.
func Timeout(d time.Duration) func(http.Handler) http.Handler {
	if d <= 0 {
		panic("middleware: Timeout: the duration must be positive; leave Timeout out where there is to be none")
	}
	return func(next http.Handler) http.Handler { return &timeoutHandler{next: next, d: d} }
}

type timeoutHandler struct {
	next http.Handler
	d    time.Duration
	seen recorder.Cache
}

func (h *timeoutHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w, rec := recorder.Wrap(w)
	var encoding []string
	if !h.seen.Own(w) {
		encoding = w.Header()["Content-Encoding"]
	}
	// A copy, and not r with another context for a while: a goroutine that
	// outlives the handler may ask for the context just when it is put back.
	inner := &timedRequest{deadline: deadline{parent: r.Context(), at: time.Now().Add(h.d)}}
	ctx := &inner.deadline
	inner.Request = *r.WithContext(ctx)
	defer func() { // after a panic too
		ctx.release()
		if inner.Pattern != r.Pattern || inner.MultipartForm != r.MultipartForm {
			*r = *inner.WithContext(ctx.parent)
		}
	}()
	h.next.ServeHTTP(w, &inner.Request)
	// The clock decides, and not ctx.Err: the context's timer may be late.
	if at, _ := ctx.Deadline(); !rec.Started() && !time.Now().Before(at) {
		replace(w, &inner.Request, &lateError{h.d}, encoding)
	}
}

// A lateError is answered with 503.
type lateError struct{ d time.Duration }

func (e *lateError) StatusCode() int { return http.StatusServiceUnavailable }
func (e *lateError) Error() string {
	return fmt.Sprintf("middleware: Timeout: the handler returned after its deadline of %v without an answer", e.d)
}

// A timedRequest is a request and its context in one allocation.
type timedRequest struct {
	http.Request
	deadline deadline
}

// A deadline is context.WithDeadline(parent, at) for requests that mostly never
// look at it: that context, with its timer and its entry in the parent, is made
// when someone first asks for Done. Until then Err compares the time.
type deadline struct {
	parent context.Context
	at     time.Time

	mu     sync.Mutex
	ctx    context.Context // made by Done
	cancel context.CancelFunc
	over   bool // release was called
}

func (c *deadline) Deadline() (time.Time, bool) {
	if at, ok := c.parent.Deadline(); ok && at.Before(c.at) {
		return at, true
	}
	return c.at, true
}

// Done makes the context. Package context asks a parent for Done before
// anything else, so every context derived from c hangs on c.ctx directly.
func (c *deadline) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made().Done()
}

// made returns the context behind c; c.mu is held.
func (c *deadline) made() context.Context {
	if c.ctx == nil {
		c.ctx, c.cancel = context.WithDeadline(c.parent, c.at)
		if c.over {
			c.cancel()
		}
	}
	return c.ctx
}

func (c *deadline) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil && !c.over && c.parent.Err() == nil && time.Now().Before(c.at) {
		return nil
	}
	return c.made().Err()
}

func (c *deadline) Value(key any) any {
	c.mu.Lock()
	ctx := c.ctx
	c.mu.Unlock()
	if ctx == nil {
		ctx = c.parent
	}
	return ctx.Value(key)
}

// release cancels the context: the request is over.
func (c *deadline) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.cancel != nil {
		c.cancel()
	}
}
