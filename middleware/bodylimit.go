package middleware

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// BodyLimit limits the request body to n bytes. It panics if n is negative.
//
// If the Content-Length is larger than n, it responds with 413 Content Too
// Large without reading the body. If there is no Content-Length, reading more
// than n bytes fails with an [*http.MaxBytesError]. The handler should then
// respond with 413; [problem.Write] does so for this error. In both cases the
// server closes the connection without reading the rest of the body.
//
// To limit the decompressed size of bodies, add BodyLimit inside a middleware
// that decompresses them; to limit the compressed size, add it outside.
func BodyLimit(n int64) func(http.Handler) http.Handler {
	if n < 0 {
		panic("middleware: BodyLimit: the limit must not be negative; BodyLimit(0) allows no body")
	}
	return func(next http.Handler) http.Handler { return &bodyLimitHandler{next, n} }
}

type bodyLimitHandler struct {
	next http.Handler
	n    int64
}

func (h *bodyLimitHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > 0 && r.ContentLength <= h.n && reflect.TypeOf(r.Body) == http1Body {
		h.next.ServeHTTP(w, r)
		return
	}
	if r.ContentLength > h.n {
		closeAfterResponse(w, r)
		problem.Write(w, r, problem.Code(http.StatusRequestEntityTooLarge))
		return
	}
	inner := copyOf(r, r.Context())
	body := &limitedBody{ReadCloser: r.Body, w: w, r: r, limit: h.n, left: h.n}
	inner.Body = body
	defer func() { handBack(r, inner, inner.Context()) }() // after a panic too
	h.next.ServeHTTP(w, inner)
	if body.exceeded.Load() {
		closeAfterResponse(w, r) // the limit may have been exceeded on another goroutine
	}
}

// A limitedBody is like [http.MaxBytesReader], but never uses the response on a
// goroutine other than the handler's. httputil.ReverseProxy sends the body on
// its transport's goroutine while its handler writes the header of an early
// response. Two concurrent writes to the header map end the process.
type limitedBody struct {
	io.ReadCloser
	w        http.ResponseWriter
	r        *http.Request
	limit    int64
	left     int64
	err      error // what Read returned last
	exceeded atomic.Bool
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if int64(len(p))-1 > b.left { // the extra byte tells whether the body is longer
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) <= b.left {
		b.left -= int64(n)
		b.err = err
		return n, err
	}
	n = int(b.left)
	b.left, b.err = 0, &http.MaxBytesError{Limit: b.limit}
	b.exceeded.Store(true)
	if calledByBodyLimit() {
		closeAfterResponse(b.w, b.r)
	}
	return n, b.err
}

// calledByBodyLimit reports whether a bodyLimitHandler's ServeHTTP is on the
// stack, so that this is a handler's goroutine. It is slow, but is only called
// when a limit is exceeded.
func calledByBodyLimit() bool {
	var pcs [100]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if n == 0 {
			return false
		}
		frames := runtime.CallersFrames(pcs[:n])
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Function == serveBodyLimit {
				return true
			}
		}
	}
}

var serveBodyLimit = runtime.FuncForPC(reflect.ValueOf((*bodyLimitHandler).ServeHTTP).Pointer()).Name()

// http1Body is the type of request bodies of net/http's HTTP/1 server. Such a
// body never exceeds the Content-Length. Bodies of other types may, for example
// if a middleware decompresses them.
var http1Body = func() reflect.Type {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(r.Body)
}()

// closeAfterResponse makes the server close the connection after the response
// without reading the rest of the request body. Otherwise it would first wait
// for up to 256 KB of the body, and a client that waits for the response would
// hang.
//
// It tells net/http by exceeding the limit of another body. That works only
// with net/http's own writer: a wrapper can't implement the method that
// MaxBytesReader looks for. Other servers look at the header.
func closeAfterResponse(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	_, _ = http.MaxBytesReader(recorder.Base(w), io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
