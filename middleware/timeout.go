package middleware

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// Timeout gives the request's context a deadline, d after the request arrives here, and answers 503 Service Unavailable
// if the handler returned after it without having sent anything. d must be positive.
//
// The handler runs on the server's goroutine, so nothing races and nothing is buffered: unlike with
// [http.TimeoutHandler], streaming and hijacking work. The price is that a handler that neither watches its context nor
// hands it to what it waits for isn't interrupted. Reading the body and writing the response don't watch it: the
// server's ReadTimeout and WriteTimeout bound those.
func Timeout(d time.Duration) func(http.Handler) http.Handler {
	if d <= 0 {
		panic("middleware: Timeout: the duration must be positive; leave Timeout out where there is to be none")
	}
	return func(next http.Handler) http.Handler { return &timeoutHandler{next, d} }
}

type timeoutHandler struct {
	next http.Handler
	d    time.Duration
}

func (h *timeoutHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w, rec := recorder.Wrap(w)
	// A copy, and not r with another context for a while: a goroutine that outlives the handler may ask for the context
	// at the moment at which it would be put back.
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
	if ctx.Err() == context.DeadlineExceeded && !rec.Started() {
		fail(w, http.StatusServiceUnavailable)
	}
}

// A timedRequest is a request and its context in one allocation.
type timedRequest struct {
	http.Request
	deadline deadline
}

// A deadline is context.WithDeadline(parent, at) for requests that mostly never look at it: the context with its timer
// and its entry in the parent is made when someone first asks for Done. Until then Err compares the time.
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

// Done makes the context. In a context package that asks its parent for Done before it asks for anything else, every
// context derived from c hangs on c.ctx directly.
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
