package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// DefaultMax is the limit, in bytes, if max <= 0.
const DefaultMax = 1 << 20

// An Error is an error caused by a request body.
type Error struct {
	Code   int    // status of the response: 400, 408, 413, 415 or 422
	Err    error  // for the log
	detail string // for the client
}

// Error returns the text of e.Err, prefixed by "body: ".
func (e *Error) Error() string { return "body: " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// StatusCode returns e.Code. Package problem uses it as the status of the
// response.
func (e *Error) StatusCode() int { return e.Code }

// ProblemDetail returns a sentence for the client about what is wrong with the
// body. Package problem includes it in the response.
func (e *Error) ProblemDetail() string { return e.detail }

// WithBody reads the body of r, at most max bytes, into a pooled buffer and
// calls fn with it. max <= 0 means DefaultMax. The slice is valid until fn
// returns. WithBody returns the result of fn. If reading fails, it returns an
// *Error without calling fn. The status is 413 if the body is larger than max,
// 408 if reading exceeded a deadline, and 400 if the body ended early or
// couldn't be read.
//
// The buffer grows with the received data, independent of the Content-Length.
func WithBody(w http.ResponseWriter, r *http.Request, max int64, fn func([]byte) error) error {
	buf := getBuffer()
	defer putBuffer(buf)
	if err := readInto(buf, w, r, max); err != nil {
		return err
	}
	return fn(buf.Bytes())
}

func readInto(buf *bytes.Buffer, w http.ResponseWriter, r *http.Request, max int64) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if max <= 0 {
		max = DefaultMax
	}
	if r.ContentLength > max {
		// net/http then responds before the client has sent the whole body. In
		// HTTP/2 it resets only the stream.
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		return tooLarge(max)
	}
	if r.ContentLength > 0 {
		// Large enough for the body and for the last read, which finds its end.
		buf.Grow(int(min(r.ContentLength, 64<<10)) + bytes.MinRead)
	}
	// MaxBytesReader closes the connection only if it gets net/http's own
	// writer, by an unexported method. With a wrapper, the server would first
	// read up to 256 KiB more.
	_, err := buf.ReadFrom(http.MaxBytesReader(recorder.Base(w), r.Body, max))
	if _, ok := err.(*http.MaxBytesError); ok && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close") // for other servers
	}
	return readError(err)
}

// readError returns the *Error for an error of reading a body.
func readError(err error) error {
	if err == nil {
		return nil
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(large.Limit)
	case isTimeout(err):
		return &Error{http.StatusRequestTimeout, fmt.Errorf("reading the request body took too long: %w", err), "The request body did not arrive in time."}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{http.StatusBadRequest, fmt.Errorf("the request body ends early: %w", err), "The request body ends early."}
	default:
		return &Error{http.StatusBadRequest, fmt.Errorf("the request body cannot be read: %w", err), "The request body could not be read."}
	}
}

// isTimeout reports whether err is a timeout of a connection of any kind, or of a
// context.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

func tooLarge(max int64) error {
	return &Error{
		http.StatusRequestEntityTooLarge,
		fmt.Errorf("the request body is larger than %d bytes", max),
		fmt.Sprintf("The request body is larger than %d bytes.", max),
	}
}
