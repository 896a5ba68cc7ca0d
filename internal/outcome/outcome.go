// Package outcome decides on the response to a request that no route serves, and
// writes it. The package knows neither handlers nor middleware.
package outcome

import (
	"fmt"
	"net/http"
	"strings"
)

// An Outcome is the response to a request that no route serves. The zero Outcome
// is a 404.
type Outcome struct {
	Location string // of a redirect; a clean and escaped path
	Pattern  string // of the route at Location; "" if there is none
	Allow    string // the methods that have a route for the path
}

// Status returns the status of the response to a request with the given method.
func (o Outcome) Status(method string) int {
	switch {
	case o.Location != "":
		return http.StatusTemporaryRedirect
	case o.Allow == "":
		return http.StatusNotFound
	case method == http.MethodOptions:
		return http.StatusNoContent
	}
	return http.StatusMethodNotAllowed
}

// Start sets r.Pattern and the headers of the response, and writes it unless it
// is a 404 or 405. It returns the status.
func (o Outcome) Start(w http.ResponseWriter, r *http.Request) (status int) {
	if o.Allow != "" {
		w.Header()["Allow"] = []string{o.Allow}
	}
	switch status = o.Status(r.Method); status {
	case http.StatusNoContent:
		w.WriteHeader(status)
	case http.StatusTemporaryRedirect:
		r.Pattern = o.Pattern
		redirect(w, r, o.Location)
	}
	return status
}

// redirect is http.Redirect for a location that is already a clean, escaped
// path. http.Redirect would parse and escape it again.
func redirect(w http.ResponseWriter, r *http.Request, location string) {
	h := w.Header()
	_, hasType := h["Content-Type"]
	h["Location"] = []string{location}
	if !hasType && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h["Content-Type"] = []string{"text/html; charset=utf-8"}
	}
	w.WriteHeader(http.StatusTemporaryRedirect)
	if !hasType && r.Method == http.MethodGet {
		fmt.Fprintf(w, "<a href=\"%s\">Temporary Redirect</a>.\n\n", htmlEscaper.Replace(location))
	}
}

// htmlEscaper escapes as html.EscapeString does. Package html would bring its
// table of entities along.
var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
