package middleware

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// BodyLimit limits the request's body to n bytes, which must not be negative. A request that declares more is answered
// with 413 Content Too Large, its body unread. Where the length isn't declared, reading more than n bytes fails with
// [http.MaxBytesError], which the handler should answer with 413; nothing is read after that, and the server closes the
// connection instead of waiting for the rest.
//
// Put it inside of a middleware that decompresses bodies to limit what comes out, outside to limit what comes in.
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
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > 0 && r.ContentLength <= h.n && reflect.TypeOf(r.Body) == bodyOfHTTP1 {
		h.next.ServeHTTP(w, r)
		return
	}
	// MaxBytesReader tells only net/http's own writer to close the connection after the answer. Through a wrapper the
	// server would first wait for up to 256 KB of the body, and a client that waits for the answer would never get it.
	base := recorder.Base(w)
	if r.ContentLength > h.n {
		closeAfterAnswer(base)
		fail(w, http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = http.MaxBytesReader(base, r.Body, h.n)
	h.next.ServeHTTP(w, r)
}

// bodyOfHTTP1 is the type of the body that an HTTP/1 server gives to a request. One with a declared length ends there,
// so that no reader has to count along. Of any other body the length says nothing: it may be what a middleware
// decompresses.
var bodyOfHTTP1 = func() reflect.Type {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(r.Body)
}()

// closeAfterAnswer has the server leave the body unread: it exceeds a limit on a body that isn't the request's.
func closeAfterAnswer(base http.ResponseWriter) {
	_, _ = http.MaxBytesReader(base, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
