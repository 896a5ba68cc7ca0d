package problem

import (
	"context"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// A Handler writes the response for an error: a header with the status returned
// by [Status], and a body. [Text] and [JSON] are Handlers.
//
// [Write] calls a Handler on the goroutine of the request, when nothing has
// been sent yet. The Handler may set any header. It must keep the headers that
// w already has, such as Allow for a 405, WWW-Authenticate for a 401 and
// Retry-After for a 503. It must be safe for concurrent use.
type Handler func(w http.ResponseWriter, r *http.Request, err error)

type contextKey struct{}

// NewContext returns a copy of ctx in which [Write] uses h. An inner context's
// Handler replaces that of an outer one. NewContext panics if h is nil.
func NewContext(ctx context.Context, h Handler) context.Context {
	if h == nil {
		panic("problem: NewContext: the Handler is nil; use problem.Text for plain text")
	}
	return context.WithValue(ctx, contextKey{}, h)
}

// FromContext returns the Handler that [NewContext] stored in ctx, or nil.
func FromContext(ctx context.Context) Handler {
	h, _ := ctx.Value(contextKey{}).(Handler)
	return h
}

// With returns a middleware that makes [Write] use h. It replaces the context
// of the request in place, so it also affects outer middleware that writes an
// error afterwards. Make it the outermost middleware. With panics if h is nil.
func With(h Handler) func(http.Handler) http.Handler {
	if h == nil {
		panic("problem: With: the Handler is nil; use problem.Text for plain text")
	}
	return func(next http.Handler) http.Handler { return &withHandler{next, h} }
}

type withHandler struct {
	next http.Handler
	h    Handler
}

func (m *withHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	*r = *r.WithContext(NewContext(r.Context(), m.h)) // the copy doesn't escape to the heap
	m.next.ServeHTTP(w, r)
}

// Write writes the response for err with the [Handler] in r's context, or with
// [Text] if there is none.
//
// Before calling the Handler, Write removes the headers that describe the
// discarded content: Content-Length, Content-Type, Content-Disposition,
// Content-Language, Content-Location, Content-Range, Content-Digest,
// Repr-Digest, ETag, Last-Modified and Content-Encoding. If Cache-Control or
// Expires is set, it replaces them by Cache-Control: no-store. It keeps
// Content-Encoding if w isn't a server's own writer, because a middleware that
// compresses may have set it (Go issue 66343), and a Content-Range of the form
// "bytes */1234", which belongs to status 416.
//
// If the response has already started or the connection was hijacked, Write
// sends nothing.
//
// Write logs errors with status 500 and above, and all errors that it can't
// send, to [slog.Default] with the method, pattern, status, request ID and
// text. It doesn't log a [Code].
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
