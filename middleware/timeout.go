package middleware

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// Timeout sets a deadline for the request's context, d after Timeout gets the
// request. If the handler returns after the deadline without having sent
// anything, Timeout responds with 503 Service Unavailable, which
// [problem.Write] logs. It panics if d is below a millisecond.
//
// If a handler returns the context's error to [problem.Handler], the response
// has the same status. To send another status, return a [problem.Error].
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
	refuseTiny("Timeout: the duration", d)
	return func(next http.Handler) http.Handler { return &timeoutHandler{next, d} }
}

// refuseTiny panics if d is positive and below a millisecond, which is a number
// without a unit: Timeout(5) would be 5 nanoseconds.
func refuseTiny(what string, d time.Duration) {
	if 0 < d && d < time.Millisecond {
		panic(fmt.Sprintf("middleware: %s is %v; did you mean %d*time.Second?", what, d, int64(d)))
	}
}

type timeoutHandler struct {
	next http.Handler
	d    time.Duration
}

func (h *timeoutHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w, _ = recorder.Wrap(w)
	encoding := w.Header()["Content-Encoding"]
	outer, begin := r.Context(), time.Now()
	ctx, cancel := context.WithDeadline(outer, begin.Add(h.d)) // or an earlier one of outer
	inner := copyOf(r, ctx)
	defer func() { // after a panic too
		cancel()
		handBack(r, inner, outer)
	}()
	h.next.ServeHTTP(w, inner)
	// Compare the time instead of asking ctx.Err: the context's timer may be late.
	if at, _ := ctx.Deadline(); !time.Now().Before(at) && recorder.Of(w) == recorder.Unsent {
		replace(w, inner, &lateError{max(0, at.Sub(begin))}, encoding)
	}
}

// A lateError is the error for a handler that exceeded the deadline.
type lateError struct{ d time.Duration }

func (e *lateError) Unwrap() error { return context.DeadlineExceeded } // so that problem.Write responds with 503
func (e *lateError) Error() string {
	return fmt.Sprintf("middleware: Timeout: the handler returned after its deadline of %v without a response", e.d)
}
