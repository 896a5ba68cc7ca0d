package muxmaster

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/debugpage"
	"github.com/seed-1954dcaa/muxmaster/internal/openapi"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// DebugHandler returns a handler that serves a web page about the routes of m:
// a searchable tree, a form that explains which route serves a request and why
// the others don't, and warnings about suspicious routes. Mount it on any path:
//
//	mux.Mount("/debug/routes", mux.DebugHandler())
//
// Below that path it also serves routes.json, openapi.json and
// explain.json?method=GET&path=/x. The page loads nothing from other servers,
// and it doesn't call the routes' handlers.
//
// The handler responds only to clients on the same machine that connect
// directly. It recognizes a proxy by the headers that it adds, so behind a proxy
// on this machine that adds none, use [Mux.DebugHandlerFor] and choose the
// clients. Don't make the page public: it shows the structure of the service,
// including file names.
func (m *Mux) DebugHandler() http.Handler { return m.DebugHandlerFor(nil) }

// DebugHandlerFor is like [Mux.DebugHandler] but responds to the requests for
// which allow returns true, for example those of logged-in administrators. If
// allow is nil, it is the same as DebugHandler.
func (m *Mux) DebugHandlerFor(allow func(*http.Request) bool) http.Handler {
	m.requireNew()
	return &debugpage.Source{
		Routes:  m.examinedRoutes,
		Explain: func(method, target string) any { return m.Explain(method, target) },
		OpenAPI: func() (any, error) { return m.OpenAPI("Routes", "0", nil) },
		Allow:   allow,
	}
}

// OpenAPI returns an OpenAPI 3.1 document of the routes, as a map to be encoded
// with [encoding/json]. It contains paths, methods, parameters with their
// constraints, and operation IDs derived from the handlers' names. If describe
// is not nil, it is called for each operation with its route and method. It can
// add a summary, a request body and responses, or remove the operation with
// clear. Methods that OpenAPI 3.1 doesn't define are left out. OpenAPI doesn't
// distinguish paths by the names and constraints of parameters: of two such
// routes the document describes the first.
func (m *Mux) OpenAPI(title, version string, describe func(r Route, operation map[string]any)) (map[string]any, error) {
	routes := slices.Collect(m.Routes())
	list := make([]openapi.Route, len(routes))
	for i, r := range routes {
		list[i] = openapi.Route{Method: r.Method, Host: r.Host, Pattern: r.Pattern, Handler: r.Handler}
	}
	return openapi.Document(title, version, list, func(i int, method string, operation map[string]any) {
		if r := routes[i]; describe != nil {
			r.Method = method
			describe(r, operation)
		}
	})
}

// examinedRoutes returns the routes for the page: with the scopes that add their
// middleware, an example request, and warnings about the suspicious ones.
func (m *Mux) examinedRoutes() []debugpage.Route {
	list := []debugpage.Route{} // [] in JSON, not null
	index := map[routeID]int{}
	registering.Lock()
	for _, rt := range m.listedRoutes() {
		r := m.describe(rt)
		index[idOf(rt)] = len(list)
		list = append(list, debugpage.Route{
			Method: r.Method, Host: r.Host, Pattern: r.Pattern, Handler: r.Handler, File: r.File, Line: r.Line,
			Fast: r.Fast, Middleware: r.Middleware, Scopes: rt.Payload.scope.describe(r.Fast), Below: rt.Flags&trie.CatchAll != 0,
		})
	}
	registering.Unlock()
	s := m.peek()
	search := s.newSearch()
	defer release(search)
	debugpage.Examine(list, func(method, target string) int {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return -1
		}
		rt := s.find(search, &http.Request{Method: method, URL: u, Host: u.Host})
		if rt == nil || search.Redirects(rt) {
			return -1
		}
		if i, ok := index[idOf(rt)]; ok {
			return i
		}
		return -1 // registered since
	})
	return list
}

// describe returns what s and the scopes around it are, outermost first. The
// caller holds registering.
func (s *scope) describe(fast bool) (list []debugpage.Scope) {
	kind := "with"
	switch {
	case s.parent == nil:
		kind = "mux"
	case s.expandedFrom != nil && s.expandedFrom.parent == nil:
		kind = "mount"
	case s.group != nil:
		kind = "group"
	}
	if s.parent != nil {
		list = s.parent.describe(fast)
	}
	return append(list, debugpage.Scope{Kind: kind, Prefix: s.prefix, Middleware: len(s.middlewareNames(fast))})
}
