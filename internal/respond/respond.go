// Package respond writes small responses: redirects, errors and encoded values.
package respond

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"strconv"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// Redirect is http.Redirect for a location that is already a clean, escaped
// path. http.Redirect would parse and escape it again.
func Redirect(w http.ResponseWriter, r *http.Request, location string) {
	h := w.Header()
	_, hasType := h["Content-Type"]
	h["Location"] = []string{location}
	if !hasType && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h["Content-Type"] = []string{"text/html; charset=utf-8"}
	}
	w.WriteHeader(http.StatusTemporaryRedirect)
	if !hasType && r.Method == http.MethodGet {
		fmt.Fprintf(w, "<a href=\"%s\">%s</a>.\n\n", html.EscapeString(location), http.StatusText(http.StatusTemporaryRedirect))
	}
}

// Error writes an error response as http.Error does, with one allocation for
// all header values. If the request's context has a problem.Handler, that one
// writes the response. allow is the Allow header, or "".
func Error(w http.ResponseWriter, r *http.Request, text string, code int, allow string) {
	h := w.Header()
	values := &[3]string{"text/plain; charset=utf-8", "nosniff", allow}
	if allow != "" {
		h["Allow"] = values[2:3:3]
	}
	if problem.FromContext(r.Context()) != nil {
		problem.Write(w, r, problem.Code(code))
		return
	}
	delete(h, "Content-Length")
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
	w.WriteHeader(code)
	io.WriteString(w, text)
}

// Text writes text like [Bytes].
func Text(w http.ResponseWriter, code int, contentType, text string) error {
	header(w, code, contentType, len(text))
	if !bodyAllowed(code) {
		return nil
	}
	_, err := io.WriteString(w, text)
	return err
}

// Bytes writes body with a status code, Content-Length and, unless it is already
// set, Content-Type.
func Bytes(w http.ResponseWriter, code int, contentType string, body []byte) error {
	header(w, code, contentType, len(body))
	if !bodyAllowed(code) {
		return nil
	}
	_, err := w.Write(body)
	return err
}

// header writes the header. It keeps a Content-Type that is already set.
func header(w http.ResponseWriter, code int, contentType string, length int) {
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

// bodyAllowed reports whether a response with the status may have a body. See
// RFC 9110, section 6.4.1.
func bodyAllowed(code int) bool {
	return code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}
