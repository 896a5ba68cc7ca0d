package problem

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
)

// A Format writes the response for an error: a header with the status returned
// by [Status], and a body. [Text] and [JSON] are Formats.
//
// [Write] calls a Format on the goroutine of the request, when nothing has been
// sent yet. The Format may set any header. It must keep the headers that
// w already has, such as Allow for a 405, WWW-Authenticate for a 401 and
// Retry-After for a 503. It must be safe for concurrent use.
type Format func(w http.ResponseWriter, r *http.Request, err error)

type contextKey struct{}

// NewContext returns a copy of ctx in which [Write] uses f. An inner context's
// Format replaces that of an outer one. NewContext panics if f is nil.
func NewContext(ctx context.Context, f Format) context.Context {
	if f == nil {
		panic("problem: NewContext: the Format is nil; use problem.Text for plain text")
	}
	return context.WithValue(ctx, contextKey{}, f)
}

// FromContext returns the Format that [NewContext] stored in ctx, or nil.
func FromContext(ctx context.Context) Format {
	f, _ := ctx.Value(contextKey{}).(Format)
	return f
}

// With returns a middleware that makes [Write] use f. It replaces the context
// of the request in place, so it also affects outer middleware that writes an
// error afterwards. Make it the outermost middleware. With panics if f is nil.
func With(f Format) func(http.Handler) http.Handler {
	if f == nil {
		panic("problem: With: the Format is nil; use problem.Text for plain text")
	}
	return func(next http.Handler) http.Handler { return &withFormat{next, f} }
}

type withFormat struct {
	next   http.Handler
	format Format
}

func (m *withFormat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	*r = *r.WithContext(NewContext(r.Context(), m.format)) // the copy doesn't escape to the heap
	m.next.ServeHTTP(w, r)
}

// Handler makes an HTTP handler of a function that returns an error. If the
// error isn't nil, [Write] writes the response, so f must not have written one.
// If it has, the error is only logged. The handler works with any router and
// inside any middleware: if that has replaced the server's writer, f gets a
// writer that wraps it. Lists of routes show the name of f. Handler panics if f
// is nil.
func Handler(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	if f == nil {
		panic("problem: Handler: the function is nil; pass a func(http.ResponseWriter, *http.Request) error")
	}
	return handler(f)
}

// handler isn't inlined, so that all handlers have the same code, by which
// package wrapped knows them.
//
//go:noinline
func handler(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	var seen recorder.Cache
	return func(w http.ResponseWriter, r *http.Request) {
		if q, ok := w.(*wrapped.Query); ok {
			q.Func = f
			return
		}
		if !seen.Own(w) {
			w, _ = recorder.Wrap(w) // it may not say what f has written, or buffer it
		}
		if err := f(w, r); err != nil {
			Write(w, r, err)
		}
	}
}

func init() { wrapped.Register(handler(nil)) }

// Write writes the response for err with the [Format] in r's context, or with
// [Text] if there is none. The text of err is never sent. If err has no status,
// but is or wraps [context.DeadlineExceeded], and the deadline of r's context
// has passed, the status is 503 Service Unavailable, not 500.
//
// Before calling the Format, Write removes the headers that describe the
// discarded content: Content-Length, Content-Type, Content-Disposition,
// Content-Language, Content-Location, Content-Range, Content-Digest,
// Repr-Digest, ETag, Last-Modified and Content-Encoding. If Cache-Control,
// Expires, CDN-Cache-Control or Surrogate-Control is set, it replaces them by
// Cache-Control: no-store, and X-Accel-Expires by 0. It keeps Content-Encoding
// if w isn't a server's own writer, because a middleware that compresses may
// have set it (Go issue 66343), and a Content-Range of the form "bytes */1234",
// which belongs to status 416.
//
// If the response has already started or the connection was hijacked, Write
// sends nothing.
//
// Write logs errors with status 500 and above, those below that wrap a cause,
// which the client doesn't see, and all errors that it can't send, to
// [slog.Default] with the method, pattern, status, request ID and text. The level
// is Error from 500 on, Info below, and Warn for errors that Write can't send with
// a status below 500, or if r was canceled, usually because its client has
// disconnected, for context.Canceled and for errors that Write can't send. Write
// doesn't log a [Code] from 400 to 599.
func Write(w http.ResponseWriter, r *http.Request, err error) {
	code, bare := err.(Code)
	bare = bare && isError(int(code))
	if !bare && isExpired(r, err) {
		err = expired{err}
		if late, ok := r.Context().Value(recorder.Late{}).(*atomic.Bool); ok {
			late.Store(true)
		}
	}
	if p := recorder.Of(w); p == recorder.Started || p == recorder.Hijacked {
		if !bare {
			log(w, r, err, true)
		}
		return
	}
	if !bare && (Status(err) >= 500 || wraps(err)) {
		log(w, r, err, false)
	}
	if f := FromContext(r.Context()); f != nil {
		clearContent(w)
		delete(w.Header(), "Content-Type")
		f(w, r, err)
		return
	}
	text(w, err, true)
}

// wraps reports whether err wraps one or several errors.
func wraps(err error) bool {
	several, ok := err.(interface{ Unwrap() []error })
	return errors.Unwrap(err) != nil || ok && len(several.Unwrap()) > 0
}
