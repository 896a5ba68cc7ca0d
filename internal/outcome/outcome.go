// Package outcome holds the response to a request that no route serves. The
// router decides on it before the middleware runs and writes it behind the
// middleware. In between it is a text, because copies of the request carry it,
// too. The package knows neither handlers nor middleware.
package outcome

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// An Outcome is the response to a request that no route serves. The zero Outcome
// is a 404.
type Outcome struct {
	Location string // of a redirect; a clean and escaped path
	Pattern  string // of the route at Location; "" if there is none
	Allow    string // the methods that have a route for the path
}

// MaxDepth is the maximum depth of [Outcome.Encode].
const MaxDepth = 250

// notFounds holds the encoded 404, by depth.
var notFounds = func() (list [MaxDepth + 1]string) {
	for depth := range list {
		list[depth] = string([]byte{byte(depth)})
	}
	return list
}()

// NotFound returns the zero Outcome, encoded, as a slice that isn't allocated.
func NotFound(depth int) []string { return notFounds[depth : depth+1 : depth+1] }

// Encode returns the text for o. depth is the number of requests without a route
// within each other.
func (o Outcome) Encode(depth int) string {
	switch head := notFounds[depth]; {
	case o.Location != "":
		return head + "L" + o.Location + "\x00" + o.Pattern
	case o.Allow != "":
		return head + "A" + o.Allow
	default:
		return head
	}
}

// Depth returns the depth in a text of Encode, or 0 for "".
func Depth(text string) int {
	if text == "" {
		return 0
	}
	return int(text[0])
}

// Decode returns the Outcome in a text of Encode. method is that of the request
// behind the middleware, which may have changed it: if Allow has it, the Outcome
// is a 404.
func Decode(text, method string) (o Outcome) {
	switch {
	case len(text) < 2:
	case text[1] == 'L':
		o.Location, o.Pattern, _ = strings.Cut(text[2:], "\x00")
	case method == http.MethodOptions || !slices.Contains(strings.Split(text[2:], ", "), method):
		o.Allow = text[2:]
	}
	return o
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
