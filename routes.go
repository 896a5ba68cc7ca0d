package muxmaster

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// A Route describes a registered route.
type Route struct {
	Method     string   // "" for every method
	Host       string   // "" for every host
	Pattern    string   // the path part of the pattern
	Handler    string   // name of the handler's function or type
	File       string   // file of the registration
	Line       int      // line in File
	Fast       bool     // the handler is a FastHandler
	Below      bool     // serves everything below its path, too
	Middleware []string // names of its middleware, outermost first
	Scopes     []Scope  // where it was registered, outermost first
}

// A Scope is a Mux or Group that a route was registered with.
type Scope struct {
	Kind       string // "mux", "mount" for a mounted Mux, "group", or "with" for a Group that With returned
	Prefix     string // the prefix of all paths in the scope
	Middleware int    // how many of the route's middleware the scope adds
}

// String returns the method, the host and path, the handler, and the file and
// line of the registration as one line of text.
func (r Route) String() string {
	return fmt.Sprintf("%-7s %s  %s  %s:%d", cmp.Or(r.Method, "*"), r.Host+r.Pattern, r.Handler, r.File, r.Line)
}

// Routes returns an iterator over the routes of m, including those of mounted
// Muxes, ordered by host, path and method. It yields a route with several
// methods once for each method. It yields the routes that exist when Routes is
// called. The route for / in a Group or mounted Mux, which also serves the
// prefix without a slash, is listed once.
func (m *Mux) Routes() iter.Seq[Route] {
	m.requireNew()
	registering.Lock()
	defer registering.Unlock()
	var list []Route
	for _, rt := range m.listedRoutes() {
		list = append(list, m.describe(rt))
	}
	return slices.Values(list)
}

// Lookup returns the route that would serve r, by the method, host and path that
// r has now. It reports false if no route would: the response is then a
// redirect, 404, 405 or, for OPTIONS, 204. It calls neither middleware nor
// handlers.
func (m *Mux) Lookup(r *http.Request) (Route, bool) {
	s := m.peek()
	search := s.newSearch()
	defer release(search)
	rt := s.find(search, r)
	if rt == nil || search.Redirects(rt) {
		return Route{}, false
	}
	registering.Lock()
	defer registering.Unlock()
	return m.describe(rt), true
}

// listedRoutes returns the routes that Routes lists. The caller must hold
// registering.
func (m *Mux) listedRoutes() []*trie.Route[endpoint] {
	return slices.DeleteFunc(m.uniqueRoutes(), func(rt *trie.Route[endpoint]) bool { return rt.Flags&trie.Implied != 0 })
}

// A routeID tells the routes of a Mux apart.
type routeID struct {
	seq    uint32
	method trie.Method
}

func idOf(rt *trie.Route[endpoint]) routeID { return routeID{rt.Payload.seq, rt.Method} }

// uniqueRoutes returns all routes in the order of Routes. The caller must hold
// registering.
func (m *Mux) uniqueRoutes() []*trie.Route[endpoint] {
	seen := map[routeID]bool{} // a path with a trailing slash is in the static table and in the trie
	return slices.DeleteFunc(m.routes.Freeze().Routes(), func(rt *trie.Route[endpoint]) bool {
		twice := seen[idOf(rt)]
		seen[idOf(rt)] = true
		return twice
	})
}

func (m *Mux) methodName(method trie.Method) string { return m.routes.Freeze().MethodName(method) }

// describe returns the description of rt. The caller must hold registering.
func (m *Mux) describe(rt *trie.Route[endpoint]) Route {
	e := &rt.Payload
	head := rt.Head()
	d := Route{
		Method:  m.methodName(rt.Method),
		Host:    head[strings.LastIndexAny(head, " \t")+1:],
		Pattern: rt.Path(),
		Handler: m.handlerName(e),
		Fast:    e.mode&fastRoute != 0,
		Below:   rt.Flags&trie.CatchAll != 0,
	}
	d.File, d.Line = location(m.sites[e.seq])
	for s := e.scope; s != nil; s = s.parent {
		names := s.middlewareNames(d.Fast)
		d.Middleware = append(names, d.Middleware...)
		d.Scopes = append(d.Scopes, Scope{s.kind(), s.prefix, len(names)})
	}
	slices.Reverse(d.Scopes)
	return d
}

// kind returns the Kind of s in a Route.
func (s *scope) kind() string {
	switch {
	case s.parent == nil:
		return "mux"
	case s.expandedFrom != nil && s.expandedFrom.parent == nil:
		return "mount"
	case s.group != nil:
		return "group"
	}
	return "with"
}

// middlewareNames returns the names of the middleware that s puts around its
// routes, outermost first.
func (s *scope) middlewareNames(fast bool) (names []string) {
	pre, use, useFast := s.middleware()
	if s.parent == nil {
		pre = s.mux.pre
	}
	if fast {
		use = nil
	} else {
		useFast = nil
	}
	for _, mw := range append(slices.Clone(pre), use...) {
		names = append(names, funcName(mw))
	}
	for _, mw := range useFast {
		names = append(names, funcName(mw))
	}
	return names
}

// handlerName returns the name of the handler without its middleware.
func (m *Mux) handlerName(e *endpoint) string {
	if inner, ok := m.unwrapped[e.seq]; ok {
		return funcName(inner)
	}
	return funcName(e.handler)
}
