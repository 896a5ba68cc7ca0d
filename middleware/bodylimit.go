package middleware

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

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
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > 0 && r.ContentLength <= h.n && hasItsLength(r.Body) {
		h.next.ServeHTTP(w, r)
		return
	}
	if r.ContentLength > h.n {
		closeAfterResponse(w, r)
		problem.Write(w, r, problem.Code(http.StatusRequestEntityTooLarge))
		return
	}
	inner := copyOf(r, r.Context())
	body := &limitedBody{ReadCloser: r.Body, w: w, limit: h.n, left: h.n}
	inner.Body = body
	defer func() { // after a panic too
		if body.release() {
			closeAfterResponse(w, r)
		}
		handBack(r, inner, inner.Context())
	}()
	h.next.ServeHTTP(w, inner)
}

// A limitedBody is like [http.MaxBytesReader], but Read never changes the
// response, because it may be called on a goroutine other than the handler's.
// httputil.ReverseProxy sends the body on its transport's goroutine while its
// handler writes the header of an early response. Two concurrent writes to the
// header map end the process.
type limitedBody struct {
	io.ReadCloser
	limit int64
	left  int64
	err   error // what Read returned last

	mu       sync.Mutex
	w        http.ResponseWriter // nil after release
	exceeded bool
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) <= b.left {
		b.left -= int64(n)
		b.err = err
		return n, err
	}
	n = int(b.left)
	b.left, b.err = 0, &http.MaxBytesError{Limit: b.limit}
	b.exceed(err != io.EOF)
	return n, b.err
}

// exceed makes the server's reads of the connection fail while the handler
// runs, if there is more of the body. Otherwise, a server that sends the header
// of the response would first read a part of the rest. At the end of the body,
// net/http reads the connection to notice that the client is gone, and would
// cancel the request's context. Setting a deadline is safe on any goroutine.
func (b *limitedBody) exceed(more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exceeded = true; more {
		_ = http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0)) // without effect if b.w is nil
	}
}

// release is called when the handler has returned. Then the response must not
// be used any more. release reports whether the limit was exceeded.
func (b *limitedBody) release() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.w = nil
	return b.exceeded
}

// hasItsLength reports whether body never exceeds the Content-Length, because
// it is that of an HTTP/1 connection of net/http or package engine. Other types
// may, for example if a middleware decompresses the body.
func hasItsLength(body io.Reader) bool {
	_, ok := body.(interface{ EndsAtContentLength() })
	return ok || reflect.TypeOf(body) == http1Body
}

// http1Body is the type of request bodies of net/http's HTTP/1 server.
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
// It tells net/http by exceeding the limit of another body, so that net/http
// also waits before it closes the connection: a reset could overtake the
// response. That works only with net/http's own writer: a wrapper can't
// implement the method that MaxBytesReader looks for. Other servers look at the
// header.
func closeAfterResponse(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	_, _ = http.MaxBytesReader(recorder.Base(w), io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
