package muxmaster

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// A Group registers routes on its Mux with a common prefix and common
// middleware. The prefix and middleware of the enclosing Group or Mux come
// first. Group and [Mux] both implement [Router]. Create one with the methods
// Group, Route or With.
//
// In a Group with the prefix /articles, GET("/", h), Method("GET", "/", h) and
// Handle("GET /{$}", h) serve both /articles and /articles/, without a
// redirect. GET("", h) and Handle("GET ", h) serve only /articles, and take
// precedence there.
//
// If no route matches a request, the Group with the longest matching prefix
// responds, inside its middleware. So unauthenticated clients cannot probe
// routes behind a login, and a Group's CORS middleware sees preflight requests.
// If several Groups have the same prefix, the one created first responds.
// Groups that add no prefix, such as those returned by With, never respond.
// Neither do Groups below the prefix of a mounted Mux, because that Mux
// responds. Groups don't affect matching: all routes of the Mux are tried
// first.
type Group struct {
	scope

	// NotFound and MethodNotAllowed serve unmatched requests below the prefix,
	// as the fields of Mux do. If nil, the field of the enclosing Group or Mux
	// applies. Set them before the first request.
	NotFound         http.Handler
	MethodNotAllowed http.Handler
}

// ServeHTTP serves r with any route of the Group's Mux, not only those of the
// Group. It allows passing a Group to code that requires an http.Handler.
func (g *Group) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.requireNew()
	g.mux.ServeHTTP(w, r)
}

// Group returns a Group with the given prefix, a path that may have parameters.
// It panics if prefix is not a valid path or ends in a catch-all.
func (s *scope) Group(prefix string) *Group {
	s.requireNew()
	g := &Group{scope: scope{mux: s.mux, settings: s.settings, parent: s, prefix: s.join(prefix)}}
	if g.prefix != s.prefix {
		g.group = g
		registering.Lock()
		defer registering.Unlock()
		s.must(s.mux.checkPrefix(g.prefix))
		s.mux.addFallback(&g.scope)
	}
	return g
}

// Route calls fn with a new Group with the given prefix. It panics if fn is nil.
func (s *scope) Route(prefix string, fn func(*Group)) {
	if fn == nil {
		panic(fmt.Sprintf("muxmaster: Route %q: the function is nil", prefix))
	}
	fn(s.Group(prefix))
}

// With returns a Group with the same prefix and additional middleware. The
// middleware applies to the routes registered on the returned Group, and not to
// responses to unmatched requests.
func (s *scope) With(mw ...func(http.Handler) http.Handler) *Group {
	s.requireNew()
	g := &Group{scope: scope{mux: s.mux, settings: s.settings, parent: s, prefix: s.prefix}}
	g.Use(mw...)
	return g
}

// join returns the prefix of s followed by prefix, without a trailing slash.
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
	p, err := pattern.ParsePath("GET " + prefix) // CONNECT allows unclean paths, GET does not
	if err == nil && p.End != pattern.Exact {
		err = fmt.Errorf("a prefix cannot end in a catch-all, {$} or an empty segment")
	}
	return p, err
}

// Use adds middleware to a Mux or Group. It wraps the http.Handler routes that
// are registered afterwards, including those of Groups created from it. The
// first middleware is the outermost; the middleware of enclosing Groups and of
// the Mux is further out. On a Mux, it also wraps the 404, 405, OPTIONS and
// redirect responses; on a Group, those below its prefix.
//
// Each middleware function is called once for each route, when the route is
// registered, and once for the responses above. State created in the call
// belongs to one route. Create state that routes share, such as a rate
// limiter's counters, outside of the function.
//
// Use panics if a route was already registered in the scope, and registering a
// fast route in a scope with Use middleware panics, so that no route bypasses
// the middleware unnoticed. The middleware runs after routing, so it can't
// change which route serves the request. For middleware that rewrites the path,
// such as [http.StripPrefix], use Pre or Mount.
func (s *scope) Use(mw ...func(http.Handler) http.Handler) { s.addMiddleware("Use", mw, nil) }

// UseFast is like Use but adds middleware for fast routes.
func (s *scope) UseFast(mw ...FastMiddleware) { s.addMiddleware("UseFast", nil, mw) }

// addMiddleware gives s a new stack, with the middleware that a method was given.
func (s *scope) addMiddleware(method string, use []func(http.Handler) http.Handler, fast []FastMiddleware) {
	s.requireNew()
	refuseNil(method, use)
	refuseNil(method, fast)
	registering.Lock()
	defer registering.Unlock()
	if s.hasRoutes {
		panic("muxmaster: " + method + " after a route was registered: the route would bypass the middleware; call " + method + " first")
	}
	old := cmp.Or(s.stack.Load(), &stack{})
	s.stack.Store(&stack{slices.Concat(old.use, use), slices.Concat(old.fast, fast)})
	s.mux.changeAnswers()
}

// refuseNil panics if one of the functions that a method was given is nil.
func refuseNil[F any](method string, mw []F) {
	for _, f := range mw {
		if reflect.ValueOf(f).IsNil() {
			panic("muxmaster: " + method + ": the middleware is nil")
		}
	}
}

// changeAnswers discards the snapshots of m and of the Muxes it is mounted on,
// so that their fallbacks get new middleware.
func (m *Mux) changeAnswers() {
	m.publish(nil)
	for _, mnt := range m.mounted {
		mnt.scope.mux.changeAnswers()
	}
}

// checkPrefix returns an error if prefix is invalid in m, or in a Mux that m is
// mounted on. The caller must hold registering.
func (m *Mux) checkPrefix(prefix string) error {
	if _, err := parsePrefix(prefix); err != nil {
		return fmt.Errorf("muxmaster: prefix %q: %w", prefix, err)
	}
	for _, mnt := range m.mounted {
		if err := mnt.scope.mux.checkPrefix(mnt.prefix + prefix); err != nil {
			return err
		}
	}
	return nil
}

// addFallback makes s respond to unmatched requests below its prefix. The
// caller must hold registering.
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
	m.publish(nil)
	for _, mnt := range m.mounted {
		mnt.scope.mux.addFallback(mnt.expandScope(s))
	}
}
