package muxmaster

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/respond"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A FastHandler serves a request and receives the path values as an argument.
// UseFast adds middleware for fast handlers; middleware of Use cannot wrap
// them.
type FastHandler func(http.ResponseWriter, *http.Request, Params)

// A FastMiddleware wraps a FastHandler. Add it with UseFast.
type FastMiddleware func(FastHandler) FastHandler

// fastHandler makes a FastHandler an http.Handler, so that a route can hold it.
type fastHandler FastHandler

// ServeHTTP calls h for callers that know only an http.Handler, such as Pre
// middleware.
func (h fastHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h(w, r, PathParams(r))
}

// A HandlerFuncE is a handler that returns an error. Register it with Method or
// Handle.
//
// If it returns an error, the Mux's ErrorHandler writes the response. If
// ErrorHandler is nil, [problem.Write] does: the status is that of the first
// error in the error's tree with a method StatusCode() int, or 500. The body is
// the text of the status, unless the request's context has a problem.Handler.
// The error's own text is never sent to the client. Errors with status 500 and
// above are logged to slog's default logger with the method, the pattern, the
// request ID and the error. If the handler has already sent a response, the
// error is only logged.
//
// ErrorHandler applies only if the HandlerFuncE itself is registered, or is the
// NotFound or MethodNotAllowed of a Mux or Group. If other code wraps it, or
// its ServeHTTP method is registered, errors go to problem.Write.
type HandlerFuncE func(http.ResponseWriter, *http.Request) error

// ServeHTTP calls f and passes its error to [problem.Write].
func (f HandlerFuncE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f(w, r); err != nil {
		problem.Write(w, r, err)
	}
}

// errorHandler is a registered HandlerFuncE. It calls the ErrorHandler of its
// scope's Mux.
type errorHandler struct {
	f     HandlerFuncE
	scope *scope
}

// withErrorHandler returns h, or nil if h is a nil function. A HandlerFuncE gets
// the ErrorHandler of s.
func (s *scope) withErrorHandler(h http.Handler) http.Handler {
	if isNil(h) {
		return nil
	}
	if f, ok := h.(HandlerFuncE); ok {
		return &errorHandler{f, s}
	}
	return h
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

// An HTTPError is an error with an HTTP status code. Create one with
// [NewHTTPError].
type HTTPError struct {
	Code int   // HTTP status code
	Err  error // the underlying error
}

// NewHTTPError returns an error that wraps err and has the given HTTP status
// code. A [HandlerFuncE] returns it to choose the status of the response. If
// err is nil, the error's text is that of the status.
func NewHTTPError(code int, err error) HTTPError {
	if err == nil {
		err = errors.New(http.StatusText(code))
	}
	return HTTPError{code, err}
}

// Error calls [NewHTTPError]. Unlike http.Error it doesn't write a response.
//
// Deprecated: Use NewHTTPError.
func Error(code int, err error) HTTPError { return NewHTTPError(code, err) }

// StatusCode returns e.Code.
func (e HTTPError) StatusCode() int { return e.Code }

// Error returns the text of e.Err, or that of the status if e.Err is nil.
func (e HTTPError) Error() string {
	if e.Err == nil {
		return http.StatusText(e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns e.Err.
func (e HTTPError) Unwrap() error { return e.Err }

// JSON writes a response with the given status code and v encoded as JSON. It
// sets Content-Length, and Content-Type unless that is already set. If encoding
// v fails, JSON writes nothing, not even a header, and returns the error. For a
// status that allows no body, such as 204, it writes only the header.
func JSON(w http.ResponseWriter, code int, v any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	return respond.Bytes(w, code, "application/json; charset=utf-8", b.Bytes())
}

// XML is like [JSON] but encodes v as XML, after an XML header.
func XML(w http.ResponseWriter, code int, v any) error {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	return respond.Bytes(w, code, "application/xml; charset=utf-8", b.Bytes())
}

// Text is like [JSON] but writes plain text.
func Text(w http.ResponseWriter, code int, text string) error {
	return respond.Text(w, code, "text/plain; charset=utf-8", text)
}

// NoContent writes status 204 without a body. It always returns nil, so that a
// [HandlerFuncE] can return its result.
func NoContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
