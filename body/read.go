package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
)

// DefaultMax is the size limit, in bytes, where a caller passes max <= 0.
const DefaultMax = 1 << 20

// An Error says why a request body was refused and with which status a handler
// should answer: 400, 408 or 413.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return "body: " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// StatusCode returns e.Code. The router's error-returning handlers look for
// this method.
func (e *Error) StatusCode() int { return e.Code }

// WithBody reads the whole body of r, at most max bytes, into a pooled buffer
// and calls fn with it. fn's slice is valid until fn returns. WithBody returns
// what fn returns, or an *Error without calling fn: 413 if the body is larger,
// 408 if the client took too long, 400 if it broke off.
//
// Content-Length is believed only as far as refusing a body goes: memory grows
// with what has arrived, not with what was announced.
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
		// Closing is what lets net/http answer before the client has sent the
		// rest; in HTTP/2 the stream alone is reset.
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
	// method that wrappers cannot have: without the base writer a refused
	// upload hangs until its client has sent 256 KiB more.
	_, err := buf.ReadFrom(http.MaxBytesReader(baseWriter(w), r.Body, max))
	return readError(err)
}

// readError gives an error met while reading a body its status.
func readError(err error) error {
	if err == nil {
		return nil
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Error{http.StatusRequestTimeout, fmt.Errorf("reading took too long: %w", err)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{http.StatusBadRequest, fmt.Errorf("ends early: %w", err)}
	default:
		return &Error{http.StatusBadRequest, fmt.Errorf("cannot be read: %w", err)}
	}
}

func tooLarge(max int64) error {
	return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("larger than %d bytes", max)}
}

// baseWriter follows Unwrap to the writer that net/http made.
func baseWriter(w http.ResponseWriter) http.ResponseWriter {
	for {
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}
