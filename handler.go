package muxmaster

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A FastHandler gets the path values as an argument. Middleware of UseFast wraps
// it, that of Use can't; see [FastMiddleware].
type FastHandler func(http.ResponseWriter, *http.Request, Params)

// A FastMiddleware wraps fast handlers.
type FastMiddleware func(FastHandler) FastHandler

// fastHandler is how a FastHandler stands in a route.
type fastHandler FastHandler

// ServeHTTP serves a fast route from where there is only an http.Handler.
func (h fastHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h(w, r, PathParams(r))
}

// A HandlerFuncE is a handler that returns an error. The ErrorHandler of its Mux
// answers the error. Without one, problem.Write does: with the status of the
// first error in the tree of err that has a method StatusCode() int, or 500, and
// with the text of that status or as the problem.Handler in the request's
// context says. A 500 and above is logged to slog's default logger with the
// method, the pattern, the request's id and the error. The text of the error
// never leaves the program.
//
// If the handler has sent something before it returns the error, the client has
// got that, and the error is only logged.
//
// Register it with Method or Handle. The ErrorHandler is known only to a
// HandlerFuncE that is registered itself: one that other code has wrapped, or its
// ServeHTTP as a function, answers by problem.Write.
type HandlerFuncE func(http.ResponseWriter, *http.Request) error

// ServeHTTP calls f and answers its error.
func (f HandlerFuncE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f(w, r); err != nil {
		problem.Write(w, r, err)
	}
}

// errorHandler is a HandlerFuncE in a route: it knows its scope.
type errorHandler struct {
	f     HandlerFuncE
	scope *scope
}

func (h *errorHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h.f(w, r)
	if err == nil {
		return
	}
	for s := h.scope; s != nil; s = s.parent {
		if onError := s.settings.readSettings().onError; onError != nil {
			onError(w, r, err)
			return
		}
	}
	problem.Write(w, r, err)
}

// HTTPError is an error with the status of its answer. Make one with
// [NewHTTPError].
type HTTPError struct {
	Code int
	Err  error
}

// NewHTTPError returns err as an error that is answered with the status code. If
// err is nil, its text is that of the status.
func NewHTTPError(code int, err error) HTTPError {
	if err == nil {
		err = errors.New(http.StatusText(code))
	}
	return HTTPError{code, err}
}

// Error is [NewHTTPError]. Unlike http.Error it writes nothing.
//
// Deprecated: Use NewHTTPError.
func Error(code int, err error) HTTPError { return NewHTTPError(code, err) }

// StatusCode returns the status of the answer.
func (e HTTPError) StatusCode() int { return e.Code }

func (e HTTPError) Error() string {
	if e.Err == nil {
		return http.StatusText(e.Code)
	}
	return e.Err.Error()
}

func (e HTTPError) Unwrap() error { return e.Err }

// JSON writes v as JSON with the status code, in one write with a Content-Length.
// If v cannot be encoded, it writes nothing, not even a header, and returns the
// error. A Content-Type that is already set stays. body.WriteJSON does the same
// with a pooled buffer.
func JSON(w http.ResponseWriter, code int, v any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	return send(w, code, "application/json; charset=utf-8", b.Bytes())
}

// XML writes v as XML after an XML header, like [JSON].
func XML(w http.ResponseWriter, code int, v any) error {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	return send(w, code, "application/xml; charset=utf-8", b.Bytes())
}

// Text writes plain text, like [JSON].
func Text(w http.ResponseWriter, code int, text string) error {
	head(w, code, "text/plain; charset=utf-8", len(text))
	if !bodyAllowed(code) {
		return nil
	}
	_, err := io.WriteString(w, text)
	return err
}

// NoContent writes status 204 without a body.
func NoContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func send(w http.ResponseWriter, code int, contentType string, body []byte) error {
	head(w, code, contentType, len(body))
	if !bodyAllowed(code) {
		return nil
	}
	_, err := w.Write(body)
	return err
}

// head sends the header; a Content-Type that is already set is kept.
func head(w http.ResponseWriter, code int, contentType string, length int) {
	if bodyAllowed(code) {
		h := w.Header()
		if _, ok := h["Content-Type"]; !ok {
			h["Content-Type"] = []string{contentType}
		}
		if h.Get("Content-Encoding") == "" {
			h["Content-Length"] = []string{strconv.Itoa(length)}
		}
	}
	w.WriteHeader(code)
}

// bodyAllowed is RFC 9110, section 6.4.1.
func bodyAllowed(code int) bool {
	return code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}
