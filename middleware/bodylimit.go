package middleware

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// BodyLimit limits the request's body to n bytes, which must not be negative.
// It answers a request that announces more with 413 Content Too Large and
// doesn't read the body. Where the length isn't announced, reading more than n
// bytes fails with [*http.MaxBytesError], which the handler should answer with
// 413, as [problem.Write] does. After that the server reads no more and closes
// the connection instead of waiting for the rest.
//
// Put it inside of a middleware that decompresses bodies to limit what comes
// out, outside to limit what comes in.
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
	// MaxBytesReader tells only net/http's own writer to close the connection
	// after the answer. Through a wrapper, the server would first wait for up
	// to 256 KB of the body, and a client that waits for the answer would never
	// get it.
	base := recorder.Base(w)
	if r.ContentLength > h.n {
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close") // for servers other than net/http's
		}
		closeAfterAnswer(base)
		problem.Write(w, r, problem.Code(http.StatusRequestEntityTooLarge))
		return
	}
	r.Body = http.MaxBytesReader(base, r.Body, h.n)
	h.next.ServeHTTP(w, r)
}

// http1Body is the type of the body that an HTTP/1 server gives to a request. A
// body of that type ends after the announced length, so nobody has to count
// again. For every other body the length means nothing: it may be what a
// middleware decompresses.
var http1Body = func() reflect.Type {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(r.Body)
}()

// closeAfterAnswer has the server leave the request's body unread, by exceeding
// a limit on another body.
func closeAfterAnswer(base http.ResponseWriter) {
	_, _ = http.MaxBytesReader(base, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
