package problem

import (
	"net/http"
	"strconv"
)

// Status returns the status that err is answered with. That is what the first
// error in the tree of err says (see [errors.As] for the order) that
//   - has a method StatusCode() int which returns 400 to 599, or
//   - is a *[http.MaxBytesError]: 413 Content Too Large.
//
// Where there is none it is 500.
func Status(err error) int {
	code := http.StatusInternalServerError
	find(err, func(err error) bool {
		switch e := err.(type) {
		case interface{ StatusCode() int }:
			if c := e.StatusCode(); c >= 400 && c <= 599 {
				code = c
				return true
			}
		case *http.MaxBytesError:
			code = http.StatusRequestEntityTooLarge
			return true
		}
		return false
	})
	return code
}

// find calls found for each error in the tree of err, depth first, until it
// returns true.
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

// A Code is an error that is a status, from 400 to 599, and nothing more.
// [Write] doesn't log it: use it where there is nothing to tell, or where the
// reason was logged already.
type Code int

// StatusCode returns c.
func (c Code) StatusCode() int { return int(c) }

// Error returns the status and its text, such as "404 Not Found".
func (c Code) Error() string { return strconv.Itoa(int(c)) + " " + statusText(int(c)) }

// An Error is an error that tells the client more than a status.
type Error struct {
	// Status is the status of the answer, from 400 to 599.
	Status int

	// Detail is a sentence for the client about what went wrong this time. It
	// is sent.
	Detail string

	// Members are further members of the JSON object, by name. They are sent.
	// "type", "title" and "instance" have the meaning that RFC 9457 gives them;
	// "status" and "detail" are ignored here. The values must be such that
	// [encoding/json] can encode them.
	Members map[string]any

	// Err is the reason, if there is one. It is logged and never sent.
	Err error
}

// StatusCode returns e.Status.
func (e *Error) StatusCode() int { return e.Status }

// ProblemDetail returns e.Detail.
func (e *Error) ProblemDetail() string { return e.Detail }

// ProblemMembers returns e.Members.
func (e *Error) ProblemMembers() map[string]any { return e.Members }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Error returns the detail, or the status where there is none, and the reason.
func (e *Error) Error() string {
	text := e.Detail
	if text == "" {
		text = Code(e.Status).Error()
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// statusText returns the text of a status. A status without a text is treated
// as the first one of its class (RFC 9110 section 15).
func statusText(code int) string {
	if text := http.StatusText(code); text != "" {
		return text
	}
	if code >= 400 && code <= 499 {
		return http.StatusText(http.StatusBadRequest)
	}
	return http.StatusText(http.StatusInternalServerError)
}
