// Package debugpage serves a web page about the routes of a router, and the
// JSON files that the page loads. It depends on the pattern language but not on
// the router, which provides the routes.
package debugpage

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"
)

// A Source is what the page shows. Its functions must be safe for concurrent use.
type Source struct {
	Routes  func() []Route                  // for routes.json
	Explain func(method, target string) any // for explain.json
	OpenAPI func() (any, error)             // for openapi.json
	Allow   func(*http.Request) bool        // who may look; nil for local clients alone
}

// A Route is a route in routes.json. The router fills in the first group of
// fields, and [Examine] the second.
type Route struct {
	Method     string // "" for every method
	Host       string // "" for every host
	Pattern    string // the path part of the pattern
	Handler    string
	File       string
	Line       int
	Fast       bool
	Middleware []string // outermost first
	Scopes     []Scope  // what adds the middleware, outermost first
	Below      bool     `json:",omitempty"` // serves everything below its path, too

	Mount         bool   `json:",omitempty"` // of a handler that was mounted here
	Example       string `json:",omitempty"` // a path, or a URL with a host, that the route serves
	ExampleMethod string `json:",omitempty"` // for this method
	Warning       string `json:",omitempty"` // what is suspicious about the route
}

// A Scope is a Mux or Group that a route was registered with.
type Scope struct {
	Kind       string // mux, group, with, or mount for a mounted Mux
	Prefix     string // the prefix of all paths in the scope
	Middleware int    // the number of the route's middleware that the scope adds
}

// ServeHTTP serves the page, and below it routes.json, explain.json and
// openapi.json.
func (s *Source) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allow := s.Allow
	if allow == nil {
		allow = Local
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if !allow(r) {
		http.Error(w, "muxmaster: the routes are shown to local clients only; see DebugHandlerFor", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	switch path.Base(r.URL.Path) {
	case "routes.json":
		writeJSON(w, s.Routes())
	case "explain.json":
		q := r.URL.Query()
		method, target := q.Get("method"), q.Get("path")
		if method == "" {
			method = http.MethodGet
		}
		if !strings.HasPrefix(target, "/") && !strings.Contains(target, "://") {
			http.Error(w, "muxmaster: explain.json needs a path that begins with /, as in ?method=GET&path=/users/1", http.StatusBadRequest)
			return
		}
		writeJSON(w, s.Explain(method, target))
	case "openapi.json":
		doc, err := s.OpenAPI()
		if err != nil {
			http.Error(w, "muxmaster: the OpenAPI document cannot be made", http.StatusInternalServerError)
			return
		}
		writeJSON(w, doc)
	default:
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		w.Write(page)
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "muxmaster: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(append(data, '\n'))
}
