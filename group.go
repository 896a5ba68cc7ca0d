package muxmaster

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// A Group registers routes on its Mux with a prefix and middleware of its own,
// inside those of the Mux or Group that it was made from. It is a [Router], as
// [Mux] is. Make one with Group, Route or With.
//
// The root of a Group is its prefix: GET("/", h) serves /articles and /articles/,
// without a redirect; so do Method("GET", "/", h) and Handle("GET /{$}", h).
// GET("", h) and Handle("GET ", h) serve /articles alone, and win there.
//
// A request below the prefix that no route serves is answered inside the
// middleware of the deepest such Group, so unauthenticated clients cannot probe
// routes behind a login, and CORS middleware of a Group sees preflight requests.
// Of several Groups with one prefix, the first one that was made answers. A Group
// without a prefix of its own, and what With returns, never does; neither does one
// below the prefix of a mounted Mux, which answers there itself. All routes of
// the Mux still come first, whichever Group they are in.
type Group struct {
	scope

	// NotFound and MethodNotAllowed answer the requests below the prefix that
	// no route matches, or none for the method. If nil, those of the Group or
	// Mux around this one do. Set them before the first request.
	NotFound         http.Handler
	MethodNotAllowed http.Handler
}

// ServeHTTP serves r as the Group's Mux does: with any of its routes. It is there
// for code that takes a router as an http.Handler.
func (g *Group) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.mux.ServeHTTP(w, r) }

// Group returns a Group for the paths that begin with prefix, which may have
// parameters. It panics if prefix is not a path, or ends in a catch-all.
func (s *scope) Group(prefix string) *Group {
	s.requireNew()
	g := &Group{scope: scope{mux: s.mux, settings: s.settings, parent: s, prefix: s.join(prefix)}}
	if g.prefix != s.prefix {
		g.group = g
		registering.Lock()
		defer registering.Unlock()
		s.mux.addFallback(&g.scope)
	}
	return g
}

// Route calls fn with a new Group for prefix.
func (s *scope) Route(prefix string, fn func(*Group)) { fn(s.Group(prefix)) }

// With returns a Group with the same prefix and more middleware. It covers the
// routes that are registered with it, not what no route serves.
func (s *scope) With(mw ...func(http.Handler) http.Handler) *Group {
	s.requireNew()
	g := &Group{scope: scope{mux: s.mux, settings: s.settings, parent: s, prefix: s.prefix}}
	g.Use(mw...)
	return g
}

// join returns the prefix of s followed by another one, without a trailing slash.
func (s *scope) join(prefix string) string {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return s.prefix
	}
	_, err := parsePrefix(prefix)
	if err == nil {
		_, err = parsePrefix(s.prefix + prefix)
	}
	if err != nil {
		panic(fmt.Sprintf("muxmaster: prefix %q: %v", s.prefix+prefix, err))
	}
	return s.prefix + prefix
}

// parsePrefix parses a prefix, which may be empty.
func parsePrefix(prefix string) (*pattern.Pattern, error) {
	if prefix == "" {
		return new(pattern.Pattern), nil
	}
	p, err := pattern.ParsePath("GET " + prefix) // GET, so that it must be clean
	if err == nil && p.End != pattern.Exact {
		err = fmt.Errorf("a prefix cannot end in a catch-all or {$}")
	}
	return p, err
}

// Use adds middleware around the http.Handler routes that are registered
// afterwards in this scope and the Groups made from it, the first one outermost,
// inside the middleware of the scopes around. On a Mux it also surrounds the 404,
// 405, OPTIONS and redirect answers, on a Group those below its prefix.
//
// A middleware is called once for each route and once for those answers, when
// the route is registered. State that it makes in this call belongs to one route;
// make state that routes share outside of it, as limiters usually do.
//
// Use panics if a route was registered in the scope before, and registering a
// fast route in a scope with Use panics: no route escapes a policy in silence.
// Routes are found before this middleware runs, so it can't change which route
// serves a request: for [http.StripPrefix] and its like, use Pre or Mount.
func (s *scope) Use(mw ...func(http.Handler) http.Handler) {
	s.beforeRoutes("Use")
	for _, f := range mw {
		if f == nil {
			panic("muxmaster: Use: the middleware is nil")
		}
	}
	registering.Lock()
	defer registering.Unlock()
	s.use = append(s.use, mw...)
	s.mux.changeAnswers()
}

// changeAnswers makes m and the Muxes it is mounted on look for new middleware
// around the answers without a route.
func (m *Mux) changeAnswers() {
	m.snapshot.Store(nil)
	for _, mnt := range m.mounted {
		mnt.scope.mux.changeAnswers()
	}
}

// UseFast is Use for fast routes.
func (s *scope) UseFast(mw ...FastMiddleware) {
	s.beforeRoutes("UseFast")
	for _, f := range mw {
		if f == nil {
			panic("muxmaster: UseFast: the middleware is nil")
		}
	}
	s.fast = append(s.fast, mw...)
}

func (s *scope) beforeRoutes(method string) {
	s.requireNew()
	if s.hasRoutes.Load() {
		panic("muxmaster: " + method + " after a route was registered: the route would escape the middleware; call " + method + " first")
	}
}

// addFallback makes s answer what is below its prefix and has no route. The caller
// holds registering.
func (m *Mux) addFallback(s *scope) {
	p, err := parsePrefix(s.prefix)
	if err != nil {
		panic(fmt.Sprintf("muxmaster: prefix %q: %v", s.prefix, err)) // it was parsed before
	}
	e := endpoint{scope: s}
	if list := p.Names(); len(list) > 0 {
		e.names = values.NewNames(m.owner, list, false)
	}
	m.scopes = append(m.scopes, s)
	m.routes.AddFallback(p, e, s.ownsPrefix, s.region)
	m.routes.Commit()
	m.snapshot.Store(nil)
	for _, mnt := range m.mounted {
		mnt.scope.mux.addFallback(mnt.expandScope(s))
	}
}
