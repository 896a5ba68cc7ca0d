package muxmaster

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/debugpage"
	"github.com/seed-1954dcaa/muxmaster/internal/openapi"
)

// DebugHandler returns a handler that serves a web page about the routes of m:
// a searchable table, a form that explains which route serves a request and why
// the others don't, and warnings about suspicious routes. Mount it on any path:
//
//	mux.Mount("/debug/routes", mux.DebugHandler())
//
// Below that path it also serves routes.json, openapi.json and
// explain.json?method=GET&path=/x. The page loads nothing from other servers,
// and it doesn't call the routes' handlers.
//
// The handler responds only to clients on the same machine that connect
// directly, not through a proxy. Don't make it public: it shows the structure
// of the service, including file names. [Mux.DebugHandlerFor] lets you choose
// the clients.
func (m *Mux) DebugHandler() http.Handler { return m.DebugHandlerFor(nil) }

// DebugHandlerFor is like [Mux.DebugHandler] but responds to the requests for
// which allow returns true, for example those of logged-in administrators. If
// allow is nil, it is the same as DebugHandler.
func (m *Mux) DebugHandlerFor(allow func(*http.Request) bool) http.Handler {
	m.requireNew()
	return &debugpage.Source{
		Routes:  func() any { return m.debugRoutes() },
		Explain: func(method, target string) any { return m.Explain(method, target) },
		OpenAPI: func() (any, error) { return m.OpenAPI("Routes", "0", nil) },
		Allow:   allow,
	}
}

// OpenAPI returns an OpenAPI 3.1 document of the routes, as a map to be encoded
// with [encoding/json]. It contains paths, methods, parameters with their
// constraints, and operation IDs derived from the handlers' names. If describe
// is not nil, it is called for each operation and can add a summary, a request
// body and responses. Hosts, and methods that OpenAPI 3.1 doesn't define, are
// left out.
func (m *Mux) OpenAPI(title, version string, describe func(r Route, operation map[string]any)) (map[string]any, error) {
	routes := slices.Collect(m.Routes())
	list := make([]openapi.Route, len(routes))
	for i, r := range routes {
		list[i] = openapi.Route{Method: r.Method, Pattern: r.Pattern, Handler: r.Handler}
	}
	return openapi.Document(title, version, list, func(i int, operation map[string]any) {
		if describe != nil {
			describe(routes[i], operation)
		}
	})
}

// A debugRoute is a route in routes.json.
type debugRoute struct {
	Route
	Warning string `json:",omitempty"`
}

// debugRoutes returns the routes with warnings about the suspicious ones.
func (m *Mux) debugRoutes() []debugRoute {
	var list []debugRoute
	for r := range m.Routes() {
		d := debugRoute{Route: r}
		d.Warning = m.unreachable(r)
		list = append(list, d)
	}
	guards := debugpage.Unguarded(len(list), func(i int) (string, []string) { return list[i].Pattern, list[i].Middleware })
	for _, i := range guards {
		list[i].Warning = cmp.Or(list[i].Warning, "no authentication middleware, unlike most routes with the same prefix")
	}
	return list
}

// samples are parameter values. Most constraints match at least one of them.
var samples = []string{"1", "a", "abc", "12345678", "2024-01-31", "00000000-0000-0000-0000-000000000000", "A1"}

// unreachable returns a warning if other routes serve the requests that r's
// pattern matches, and "" otherwise. It tries the sample values.
func (m *Mux) unreachable(r Route) string {
	p, err := parse(r.Pattern, 0)
	if err != nil || strings.Contains(r.Host, "{") {
		return ""
	}
	method := cmp.Or(r.Method, http.MethodGet)
	s := m.peek()
	search := s.newSearch()
	defer release(search)
	winner := ""
	for _, v := range samples {
		var pairs []string
		for _, name := range p.Names() {
			pairs = append(pairs, name, v)
		}
		path, err := BuildPath(r.Pattern, pairs...)
		if err != nil {
			continue
		}
		req, err := http.NewRequest(method, "http://"+cmp.Or(r.Host, "example.com")+path, nil)
		if err != nil {
			return ""
		}
		rt := s.find(search, req)
		if rt == nil {
			continue
		}
		if rt.Path() == r.Pattern {
			return ""
		}
		winner = rt.Pattern
	}
	if winner == "" {
		return "" // no sample fits
	}
	return "requests for this route go to " + winner
}
