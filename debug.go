package muxmaster

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/debugpage"
	"github.com/seed-1954dcaa/muxmaster/internal/openapi"
)

// DebugHandler returns a handler that shows the routes of m on a page: a table to
// search, a box that explains which route serves a request and why the others
// don't, and hints at suspicious routes. Mount it where you like:
//
//	mux.Mount("/debug/routes", mux.DebugHandler())
//
// Below that path are routes.json, explain.json?method=GET&path=/x and
// openapi.json. The page needs no network beside the program. It calls no handler
// of a route.
//
// It answers only clients on this machine that ask directly, not through a
// proxy. Don't show it to the public: it tells what a service consists of, down
// to file names. [Mux.DebugHandlerFor] lets you say who may look.
func (m *Mux) DebugHandler() http.Handler { return m.DebugHandlerFor(nil) }

// DebugHandlerFor is DebugHandler for the clients that allow accepts, for example
// those that have passed a login.
func (m *Mux) DebugHandlerFor(allow func(*http.Request) bool) http.Handler {
	m.requireNew()
	return &debugpage.Source{
		Routes:  func() any { return m.debugRoutes() },
		Explain: func(method, target string) any { return m.Explain(method, target) },
		OpenAPI: func() (any, error) { return m.OpenAPI("Routes", "0", nil) },
		Allow:   allow,
	}
}

// OpenAPI returns the routes as an OpenAPI 3.1 document, a JSON object for
// [encoding/json]: paths, methods, parameters with their constraints, and
// operation ids made of the handlers' names. describe, if not nil, is called for
// each operation; it may add a summary, request bodies and responses. Methods
// that OpenAPI 3.1 doesn't know are left out, and so are hosts.
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

// debugRoutes returns the routes with what is suspicious about them.
func (m *Mux) debugRoutes() []debugRoute {
	var list []debugRoute
	for r := range m.Routes() {
		d := debugRoute{Route: r}
		d.Warning = m.unreachable(r)
		list = append(list, d)
	}
	guards := debugpage.Unguarded(len(list), func(i int) (string, []string) { return list[i].Pattern, list[i].Middleware })
	for _, i := range guards {
		list[i].Warning = cmp.Or(list[i].Warning, "no middleware here checks who asks, as it does for most routes beside this one")
	}
	return list
}

// samples are values that most constraints match one of.
var samples = []string{"1", "a", "abc", "12345678", "2024-01-31", "00000000-0000-0000-0000-000000000000", "A1"}

// unreachable returns a warning if requests that r's pattern matches go to another
// route. It tries sample values.
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
