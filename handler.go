package muxmaster

import (
	"errors"
	"net/http"
)

// A FastHandler gets the path values as an argument. It sees no middleware of
// Use; see [FastMiddleware].
type FastHandler func(http.ResponseWriter, *http.Request, Params)

// A FastMiddleware wraps fast handlers.
type FastMiddleware func(FastHandler) FastHandler

// fastHandler is how a FastHandler stands in a route.
type fastHandler FastHandler

// ServeHTTP serves a fast route from where there is only an http.Handler.
func (h fastHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h(w, r, PathParams(r))
}

// A HandlerFuncE is a handler that reports its failure. An error goes to the
// ErrorHandler of the Mux that the handler is registered with. Without one, the
// answer is the error's status with the status's text as body, where the status is
// what the first error in the tree of err with a method StatusCode() int says, if
// that is from 400 to 599, and 500 otherwise. The text of the error never leaves
// the program.
//
// What the handler sent before it returned the error has been sent: the answer
// then is what the client got, and the status has no effect.
type HandlerFuncE func(http.ResponseWriter, *http.Request) error

// ServeHTTP calls f and answers its error as described at [HandlerFuncE].
func (f HandlerFuncE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f(w, r); err != nil {
		answerError(w, r, err)
	}
}

func answerError(w http.ResponseWriter, _ *http.Request, err error) {
	code := http.StatusInternalServerError
	var s interface{ StatusCode() int }
	if errors.As(err, &s) && s.StatusCode() >= 400 && s.StatusCode() <= 599 {
		code = s.StatusCode()
	}
	text := http.StatusText(code)
	if text == "" {
		text = http.StatusText(http.StatusInternalServerError)
	}
	http.Error(w, text, code)
}

// errorHandler is a HandlerFuncE in a route: it knows its Mux.
type errorHandler struct {
	f   HandlerFuncE
	mux *Mux
}

func (h *errorHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.f(w, r); err != nil {
		h.mux.onError()(w, r, err)
	}
}

// onError returns the ErrorHandler of m or, where m is mounted and has none, of
// the Mux it is mounted on.
func (m *Mux) onError() func(http.ResponseWriter, *http.Request, error) {
	if m.ErrorHandler != nil {
		return m.ErrorHandler
	}
	if mounted := m.set.mounted.Load(); mounted != nil {
		for _, mt := range *mounted {
			return mt.scope.mux.onError()
		}
	}
	return answerError
}

// HTTPError is an error with the status of its answer. Make one with [Error].
type HTTPError struct {
	Code int
	Err  error
}

// Error returns err as an error that is answered with the status code. A nil err
// stands for the status's text.
func Error(code int, err error) HTTPError {
	if err == nil {
		err = errors.New(http.StatusText(code))
	}
	return HTTPError{code, err}
}

// StatusCode returns the status of the answer.
func (e HTTPError) StatusCode() int { return e.Code }

func (e HTTPError) Error() string {
	if e.Err == nil {
		return http.StatusText(e.Code)
	}
	return e.Err.Error()
}

func (e HTTPError) Unwrap() error { return e.Err }
