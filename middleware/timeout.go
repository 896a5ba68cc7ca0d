package middleware

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// Timeout sets a deadline for the request's context, d after Timeout gets the
// request. If the handler returns after the deadline without having sent
// anything, Timeout responds with 503 Service Unavailable, which
// [problem.Write] logs. It panics if d is not positive.
//
// Unlike [http.TimeoutHandler], Timeout doesn't buffer the response or start a
// goroutine, so streaming and hijacking work. But it doesn't interrupt a
// handler that ignores its context. In particular, reading the request body and
// writing the response don't depend on the context. Limit them with the
// server's ReadTimeout and WriteTimeout.
func Timeout(d time.Duration) func(http.Handler) http.Handler {
	if d <= 0 {
		panic("middleware: Timeout: the duration must be positive; to have no timeout, omit the middleware")
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
	// Use a copy instead of replacing the context of r for a while, because
	// restoring it would race with goroutines that outlive the handler.
	inner := &timedRequest{deadline: deadline{parent: r.Context(), at: time.Now().Add(h.d)}}
	ctx := &inner.deadline
	shareTrailer(r)
	inner.Request = *r.WithContext(ctx)
	defer func() { // after a panic too
		ctx.release()
		handBack(r, &inner.Request, ctx.parent)
	}()
	h.next.ServeHTTP(w, &inner.Request)
	// Compare the time instead of calling ctx.Err: the context's timer may be
	// late.
	if at, _ := ctx.Deadline(); !rec.Started() && !time.Now().Before(at) {
		replace(w, &inner.Request, &lateError{h.d}, encoding)
	}
}

// shareTrailer prepares r for being copied. When net/http reads a trailer that
// the client didn't declare, it adds it to the map of its own request, and
// makes one if there is none, which a copy would not have.
func shareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = make(http.Header)
	}
}

// handBack copies what the next handler has stored in its copy of r, such as
// the pattern and the path values, to r. It doesn't copy the context and the
// body. net/http needs to find its own body, see limitedRequest.
func handBack(r, inner *http.Request, ctx context.Context) {
	if inner.Pattern == r.Pattern && inner.RemoteAddr == r.RemoteAddr && inner.MultipartForm == r.MultipartForm {
		return
	}
	body := r.Body
	*r = *inner.WithContext(ctx)
	r.Body = body
}

// A lateError is the error for a handler that exceeded the deadline.
type lateError struct{ d time.Duration }

func (e *lateError) StatusCode() int { return http.StatusServiceUnavailable }
func (e *lateError) Error() string {
	return fmt.Sprintf("middleware: Timeout: the handler returned after its deadline of %v without a response", e.d)
}

// A timedRequest is a request and its context in one allocation.
type timedRequest struct {
	http.Request
	deadline deadline
}

// A deadline is a lazy context.WithDeadline(parent, at). It creates that
// context, with its timer and its registration with the parent, at the first
// call of Done, which most requests never make. Until then, Err compares the
// time.
type deadline struct {
	parent context.Context
	at     time.Time

	mu     sync.Mutex
	ctx    context.Context // nil until the first call of Done
	cancel context.CancelFunc
	over   bool // release was called
}

func (c *deadline) Deadline() (time.Time, bool) {
	if at, ok := c.parent.Deadline(); ok && at.Before(c.at) {
		return at, true
	}
	return c.at, true
}

// Done creates the context. Package context calls Done of a parent first, so
// all contexts derived from c are children of c.ctx.
func (c *deadline) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made().Done()
}

// made returns c.ctx, and creates it if necessary. The caller must hold c.mu.
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

// release cancels the context at the end of the request.
func (c *deadline) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.cancel != nil {
		c.cancel()
	}
}
