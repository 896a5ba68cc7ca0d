package problem

import (
	"context"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// A Handler answers r with err: it chooses the status by [Status] and writes
// header and body. [Text] and [JSON] are Handlers.
//
// A Handler is called by [Write], on the goroutine of the request's handler,
// when nothing was sent yet. It may set any header. Those that w has already
// belong to the answer: Allow for a 405, WWW-Authenticate for a 401,
// Retry-After for a 503. It must be safe for concurrent use.
type Handler func(w http.ResponseWriter, r *http.Request, err error)

type contextKey struct{}

// NewContext returns a context in which [Write] answers by h, which must not
// be nil. A Handler that is set further in takes the place of one further out.
func NewContext(ctx context.Context, h Handler) context.Context {
	if h == nil {
		panic("problem: NewContext: the Handler is nil; give problem.Text for plain text")
	}
	return context.WithValue(ctx, contextKey{}, h)
}

// FromContext returns the Handler that [NewContext] put into ctx, nil if there
// is none.
func FromContext(ctx context.Context) Handler {
	h, _ := ctx.Value(contextKey{}).(Handler)
	return h
}

// With returns a middleware within which [Write] answers by h, which must not
// be nil. It sets the request's context, so it covers everything inside of it
// and what is outside of it but runs later. Put it outermost.
func With(h Handler) func(http.Handler) http.Handler {
	if h == nil {
		panic("problem: With: the Handler is nil; give problem.Text for plain text")
	}
	return func(next http.Handler) http.Handler { return &withHandler{next, h} }
}

type withHandler struct {
	next http.Handler
	h    Handler
}

func (m *withHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	*r = *r.WithContext(NewContext(r.Context(), m.h)) // what WithContext returns stays on the stack
	m.next.ServeHTTP(w, r)
}

// Write answers r with err, by the [Handler] in r's context or else by [Text].
//
// Before that it removes the headers that describe content which isn't sent
// any more: Content-Length, Content-Type, Content-Disposition,
// Content-Language, Content-Location, ETag, Last-Modified and
// Content-Encoding. Where Cache-Control or Expires was set, Cache-Control
// becomes no-store. Content-Encoding stays where w isn't a server's own
// writer, since a middleware that compresses may have set it (Go issue 66343).
// All other headers stay.
//
// Where the response has started already, or the connection was taken over,
// Write sends nothing, and the client gets what the handler sent.
//
// An error with a status of 500 or more, and any that comes too late to be
// sent, is logged to [slog.Default] with method, pattern, status, request id
// and its text. A [Code] isn't logged, for it says no more than its status.
func Write(w http.ResponseWriter, r *http.Request, err error) {
	_, bare := err.(Code)
	if p := recorder.Of(w); p == recorder.Started || p == recorder.Hijacked {
		if !bare {
			log(w, r, err, true)
		}
		return
	}
	if !bare && Status(err) >= 500 {
		log(w, r, err, false)
	}
	clearContent(w)
	if h := FromContext(r.Context()); h != nil {
		h(w, r, err)
		return
	}
	Text(w, r, err)
}
