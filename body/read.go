package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// DefaultMax is the limit, in bytes, that max <= 0 stands for.
const DefaultMax = 1 << 20

// An Error says why a request body can't be used, and which status to answer
// with: 400, 408 or 413.
type Error struct {
	Code   int
	Err    error  // for the log
	detail string // for the client
}

// Error returns the text of e.Err after the name of this package.
func (e *Error) Error() string { return "body: " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// StatusCode returns e.Code. The router's HandlerFuncE and package problem look
// for this method.
func (e *Error) StatusCode() int { return e.Code }

// ProblemDetail returns a sentence for the client about what is wrong with the
// body. Package problem looks for this method.
func (e *Error) ProblemDetail() string { return e.detail }

// WithBody reads the whole body of r, at most max bytes, into a pooled buffer
// and calls fn with it. The slice is valid until fn returns. max <= 0 means
// DefaultMax. WithBody returns what fn returns, or an *Error without calling
// fn: 413 if the body is larger, 408 if the client took too long, 400 if the
// body ended early or couldn't be read.
//
// Memory grows with what has arrived, not with what Content-Length announces.
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
		// net/http then answers before the client has sent the rest. In HTTP/2
		// it resets only the stream.
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		return tooLarge(max)
	}
	if r.ContentLength > 0 {
		// Room for the body and for the read that finds its end: no regrowth.
		buf.Grow(int(min(r.ContentLength, 64<<10)) + bytes.MinRead)
	}
	// MaxBytesReader tells net/http's own writer to stop reading, through a
	// method that wrappers can't have. Given a wrapper, a refused upload would
	// hang until its client has sent 256 KiB more.
	_, err := buf.ReadFrom(http.MaxBytesReader(recorder.Base(w), r.Body, max))
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
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Error{http.StatusRequestTimeout, fmt.Errorf("reading the request body took too long: %w", err), "The request body did not arrive in time."}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{http.StatusBadRequest, fmt.Errorf("the request body ends early: %w", err), "The request body ends early."}
	default:
		return &Error{http.StatusBadRequest, fmt.Errorf("the request body cannot be read: %w", err), "The request body could not be read."}
	}
}

func tooLarge(max int64) error {
	return &Error{
		http.StatusRequestEntityTooLarge,
		fmt.Errorf("the request body is larger than %d bytes", max),
		fmt.Sprintf("The request body is larger than %d bytes.", max),
	}
}
