package inspect

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/seed-1954dcaa/muxmaster"
)

// A Route is a route in routes.json: what the Mux says about it, and what
// [Examine] and a [Coverage] found out.
type Route struct {
	muxmaster.Route
	Mount         bool                `json:",omitempty"` // of a handler that was mounted here
	Example       string              `json:",omitempty"` // a path, or a URL with a host, that the route serves
	ExampleMethod string              `json:",omitempty"` // for this method
	Guard         string              `json:",omitempty"` // the name of a middleware that looks like a login
	Notes         []string            `json:",omitempty"` // the texts of its annotations that have a method String, the innermost first
	Warning       string              `json:",omitempty"` // what is suspicious about the route
	*Use          `json:",omitempty"` // on the page of a Coverage
}

// Examine returns the routes of m in the order of m.Routes, with an example
// request for each and warnings about suspicious ones.
//
// Patterns match infinitely many paths, and Examine tries only a few for each
// route. So warnings are hints, and the absence of a warning proves nothing.
// Examine calls no handlers.
func Examine(m *muxmaster.Mux) []Route {
	routes := listRoutes(m)
	examine(m, routes)
	return routes
}

// listRoutes returns the routes of m before they are examined.
func listRoutes(m *muxmaster.Mux) []Route {
	routes := []Route{} // [] in JSON, not null
	for r := range m.Routes() {
		routes = append(routes, Route{Route: r, Mount: isMount(&r), Notes: notes(r)})
	}
	markGuards(routes)
	return routes
}

// notes returns the texts of annotations, which may be limits or the scopes of a login.
func notes(r muxmaster.Route) (list []string) {
	seen := map[any]bool{}
	for key, value := range r.Annotations() {
		if _, ok := value.(fmt.Stringer); ok && !seen[key] {
			list = append(list, fmt.Sprint(value)) // it also catches panics
		}
		seen[key] = true // the innermost applies
	}
	return list
}

// finder returns a function that returns the index of the route that serves a request
// with the given method and target, most likely that of self, or -1.
func finder(m *muxmaster.Mux, routes []Route) func(self int, method, target string) int {
	index := map[key]int{}
	for i, r := range routes {
		index[keyOf(r.Route)] = i
	}
	return func(self int, method, target string) int {
		r := newRequest(method, target)
		if r == nil {
			return -1
		}
		found, ok := m.Lookup(r)
		i, known := index[keyOf(found)]
		switch {
		case !ok || !known: // served without a route, or by one registered since
			return -1
		case keyOf(found) == keyOf(routes[self].Route):
			return self // several routes of one line can have the same key
		}
		return i
	}
}

// A key tells the routes of a Mux apart.
type key struct {
	method, host, pattern, file string
	line                        int
}

func keyOf(r muxmaster.Route) key { return key{r.Method, r.Host, r.Pattern, r.File, r.Line} }

// newRequest returns a request for a path, or for a URL with a host. It returns
// nil if the target is invalid.
func newRequest(method, target string) *http.Request {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil
	}
	return &http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}}
}

// text returns the route as it is registered.
func (r *Route) text() string {
	if r.Method == "" {
		return r.Host + r.Pattern
	}
	return r.Method + " " + r.Host + r.Pattern
}
