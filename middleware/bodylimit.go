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
	// MaxBytesReader closes the connection after the response only if it gets
	// net/http's own writer. With a wrapper, the server would first wait for up
	// to 256 KB of the body, and a client that waits for the response would
	// hang.
	base := recorder.Base(w)
	if r.ContentLength > h.n {
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close") // for servers other than net/http's
		}
		closeAfterResponse(base)
		problem.Write(w, r, problem.Code(http.StatusRequestEntityTooLarge))
		return
	}
	r.Body = http.MaxBytesReader(base, r.Body, h.n)
	h.next.ServeHTTP(w, r)
}

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

// closeAfterResponse makes the server close the connection without reading the
// request body, by exceeding the limit of a MaxBytesReader.
func closeAfterResponse(base http.ResponseWriter) {
	_, _ = http.MaxBytesReader(base, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
