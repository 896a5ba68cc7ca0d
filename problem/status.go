package problem

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Status returns the status of the response for err. It searches err's tree, in
// the order of [errors.As], for an error that
//   - has a method StatusCode() int that returns 400 to 599, or
//   - is an [*http.MaxBytesError]: status 413 Content Too Large.
//
// If there is none, the status is 500.
func Status(err error) int {
	if c, ok := err.(Code); ok && isError(int(c)) { // most errors
		return int(c)
	}
	code, _ := status(err)
	return code
}

// status is Status, and reports whether err has a status.
func status(err error) (code int, found bool) {
	code = http.StatusInternalServerError
	found = find(err, func(err error) bool {
		switch e := err.(type) {
		case interface{ StatusCode() int }:
			if c := e.StatusCode(); isError(c) {
				code = c
				return true
			}
		case *http.MaxBytesError:
			code = http.StatusRequestEntityTooLarge
			return true
		}
		return false
	})
	return code, found
}

// An expired is an error without a status, because the deadline of the request has
// passed.
type expired struct{ error }

func (e expired) StatusCode() int { return http.StatusServiceUnavailable }
func (e expired) Unwrap() error   { return e.error }

// isExpired reports whether err has no status and is due to the deadline of r's
// context.
func isExpired(r *http.Request, err error) bool {
	_, found := status(err)
	if found || !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	at, ok := r.Context().Deadline()
	return ok && !time.Now().Before(at) // the context's timer may be late
}

// isError reports whether code is a status of an error response.
func isError(code int) bool { return code >= 400 && code <= 599 }

// find calls found for each error in err's tree, depth first, until it returns
// true.
func find(err error, found func(error) bool) bool {
	for err != nil {
		if found(err) {
			return true
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				if find(err, found) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

// A Code is an error that consists only of a status from 400 to 599. [Write]
// doesn't log it. Use it if there is nothing to log, or if the reason was
// already logged. Any other number is a mistake: Write logs it, and the status
// is 500.
type Code int

// StatusCode returns c.
func (c Code) StatusCode() int { return int(c) }

// Error returns the status and its text, such as "404 Not Found".
func (c Code) Error() string { return strconv.Itoa(int(c)) + " " + statusText(int(c)) }

// An Error is an error with information for the client.
type Error struct {
	// Status is the status of the response, from 400 to 599. With any other
	// number it is that of Err, or 500.
	Status int

	// Detail is a sentence for the client about this occurrence of the problem.
	Detail string

	// Members are additional members of the JSON object, by name. The values
	// must be encodable by [encoding/json]. RFC 9457 defines the meaning of
	// "type", "title" and "instance". "status" and "detail" are ignored.
	Members map[string]any

	// Err is the cause, or nil. It is logged, at level Info for a status below 500,
	// and never sent.
	Err error
}

// StatusCode returns e.Status.
func (e *Error) StatusCode() int { return e.get().Status }

// ProblemDetail returns e.Detail.
func (e *Error) ProblemDetail() string { return e.get().Detail }

// ProblemMembers returns e.Members.
func (e *Error) ProblemMembers() map[string]any { return e.get().Members }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.get().Err }

// Error returns e.Detail, or the status if that is empty, followed by the text
// of e.Err.
func (e *Error) Error() string {
	if e == nil {
		return errNil.Error()
	}
	text := e.Detail
	if text == "" {
		text = Code(cmp.Or(e.Status, Status(e))).Error()
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// errNil is logged for a nil *Error.
var errNil = errors.New("problem: the error is a nil *problem.Error, which isn't a nil error; return nil, or declare the variable as error")

// get returns *e. For a nil *Error, which a function may return by mistake, it
// returns the zero value: a panic would happen after the function has returned,
// so that the stack would not show it.
func (e *Error) get() (v Error) {
	if e != nil {
		v = *e
	}
	return v
}

// statusText returns the text of a status. An unknown status is treated as the
// first one of its class (RFC 9110 section 15).
func statusText(code int) string {
	if text := http.StatusText(code); text != "" {
		return text
	}
	if code/100 == 4 {
		return http.StatusText(http.StatusBadRequest)
	}
	return http.StatusText(http.StatusInternalServerError)
}
