package muxmaster

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Group registers routes on its Mux with a common prefix and common
// middleware. The prefix and middleware of the enclosing Group or Mux come
// first. Group and [Mux] both implement [Router]. Create one with the methods
// Group, Route, With, Name or Annotate.
//
// In a Group with the prefix /articles, GET("/", h), Method("GET", "/", h) and
// Handle("GET /{$}", h) serve both /articles and /articles/, without a
// redirect. They are one route, whose pattern is GET /articles. GET("", h) and
// Handle("GET ", h) serve only /articles, and take precedence there.
//
// If no route matches a request, the Group with the longest matching prefix
// responds, inside its middleware. So unauthenticated clients cannot probe
// routes behind a login, and a Group's CORS middleware sees preflight requests.
// If several Groups have the same prefix, the one created first responds.
// Groups that add no prefix, such as those returned by With, never respond.
// Neither do Groups below the prefix of a mounted Mux, because that Mux
// responds. Groups don't affect matching: all routes of the Mux are tried
// first. Route creates a Group that does affect it.
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
func (s *scope) Group(prefix string) *Group { return s.group(prefix, false) }

// Route calls fn with a new Group that owns its prefix: requests at or below the
// prefix are served by routes of the Group, or by routes of the Mux with a more
// specific pattern. All others get the Group's 404, 405, OPTIONS or redirect
// response, inside its middleware, even if a catch-all elsewhere matches. A Mux
// mounted on the prefix would do the same. Route panics if prefix is invalid or
// fn is nil.
func (s *scope) Route(prefix string, fn func(*Group)) {
	if fn == nil {
		panic(fmt.Sprintf("muxmaster: Route %q: the function is nil", prefix))
	}
	fn(s.group(prefix, true))
}

func (s *scope) group(prefix string, owns bool) *Group {
	s.requireNew()
	g := s.inside(&level{prefix: s.join(prefix), owns: owns})
	if g.prefix == s.prefix {
		g.inline = true
		return g
	}
	m := s.mux.live()
	t := m.lock()
	defer t.mu.Unlock()
	must(m.checkPrefix(g.prefix))
	g.level.group = g
	m.answering = append(m.answering, g.level)
	m.invalidate()
	return g
}

// inside returns a Group whose level is enclosed by s.
func (s *scope) inside(l *level) *Group {
	l.parent = s.level
	return &Group{scope: scope{s.mux, l}}
}

// With returns a Group with the same prefix and additional middleware. The
// middleware applies to the routes registered on the returned Group, and not to
// responses to unmatched requests.
func (s *scope) With(mw ...func(http.Handler) http.Handler) *Group {
	s.requireNew()
	refuseNil("With", mw)
	return s.inside(&level{prefix: s.prefix, inline: true, use: slices.Clone(mw)})
}

// Name returns a Group whose routes have a name:
//
//	mux.Name("user.show").GET("/users/:id", showUser)
//	path, err := mux.URL("user.show", "id", "42") // /users/42
//
// A name belongs to one route; registering another one with it panics. The
// methods of a list are one route. A Mux also knows the names of the Muxes
// mounted on it.
func (s *scope) Name(name string) *Group {
	s.requireNew()
	if name == "" {
		panic("muxmaster: Name: the name is empty")
	}
	return s.inside(&level{prefix: s.prefix, inline: true, name: name})
}

// Annotate returns a Group whose routes, and those of the Groups inside it,
// carry a value. [Route.Value] returns it, for example in middleware that gets
// the Route from [Mux.Lookup]. As with [context.WithValue], key must be
// comparable, and should have a type of its own.
func (s *scope) Annotate(key, value any) *Group {
	s.requireNew()
	if key == nil || !reflect.TypeOf(key).Comparable() {
		panic("muxmaster: Annotate: the key must be comparable, and not nil")
	}
	return s.inside(&level{prefix: s.prefix, inline: true, key: key, value: value})
}

// join returns the prefix of s followed by prefix, without a trailing slash.
func (s *scope) join(prefix string) string {
	s.requireNew()
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

// checkPrefix returns an error if prefix is invalid in m, or in a Mux that m is
// mounted on. The caller holds the lock.
func (m *Mux) checkPrefix(prefix string) error {
	if _, err := parsePrefix(prefix); err != nil {
		return fmt.Errorf("muxmaster: prefix %q: %w", prefix, err)
	}
	for _, mnt := range m.mounted {
		if err := mnt.mux.live().checkPrefix(mnt.prefix + prefix); err != nil {
			return err
		}
	}
	return nil
}

// Use adds middleware to a Mux or Group. It wraps the http.Handler routes that
// are registered afterwards, including those of Groups created from it. The
// first middleware is the outermost; the middleware of enclosing Groups and of
// the Mux is further out. On a Mux, it also wraps the 404, 405, OPTIONS and
// redirect responses; on a Group, those below its prefix.
//
// Each middleware function is called once for each route, and once for the
// responses above. State created in the call belongs to one route. Create state
// that routes share, such as a rate limiter's counters, outside of the
// function.
//
// Use panics if a route was already registered in the scope, and registering a
// fast route in a scope with Use middleware panics, so that no route bypasses
// the middleware unnoticed. The middleware runs after routing, so it can't
// change which route serves the request. For middleware that rewrites the path,
// such as [http.StripPrefix], use Pre or Mount. Use panics if the handler that
// a middleware function returns has a method RunsBeforeRouting(), as those of
// middleware.CleanPath and middleware.StripSlashes do.
func (s *scope) Use(mw ...func(http.Handler) http.Handler) {
	s.requireNew()
	refuseNil("Use", mw)
	s.addMiddleware("Use", func(l *level) { l.use = slices.Concat(l.use, mw) })
}

// UseFast is like Use but adds middleware for fast routes. Registering a route
// of an http.Handler in its scope panics.
func (s *scope) UseFast(mw ...FastMiddleware) {
	s.requireNew()
	refuseNil("UseFast", mw)
	s.addMiddleware("UseFast", func(l *level) { l.fast = slices.Concat(l.fast, mw) })
}

// addMiddleware calls add with the level of s.
func (s *scope) addMiddleware(method string, add func(l *level)) {
	m := s.mux.live()
	t := m.lock()
	defer t.mu.Unlock()
	if r := s.first; r != nil {
		file, line := location(r.site)
		panic(fmt.Sprintf("muxmaster: %s after the route %q was registered (at %s:%d): the route would bypass the middleware; "+
			"call %s first, or With for the routes that follow", method, r.pattern, file, line, method))
	}
	add(s.level)
	s.level.stamp = registrations.Add(1)
	m.invalidate()
}

// refuseNil panics if one of the functions that a method was given is nil.
func refuseNil[F any](method string, mw []F) {
	for _, f := range mw {
		if reflect.ValueOf(f).IsNil() {
			panic("muxmaster: " + method + ": the middleware is nil")
		}
	}
}

// A chain is the middleware of a level and of those around it in its Mux. It
// doesn't change when a level gets more.
type chain struct {
	use   [][]func(http.Handler) http.Handler // the innermost level first
	fast  [][]FastMiddleware
	count int // of all functions
}

// chain returns the middleware around the routes of l. The caller holds the
// lock.
func (l *level) chain() (c chain) {
	for ; l != nil; l = l.parent {
		if len(l.use) > 0 {
			c.use = append(c.use, l.use)
		}
		if len(l.fast) > 0 {
			c.fast = append(c.fast, l.fast)
		}
		c.count += len(l.use) + len(l.fast)
	}
	return c
}

// wrapIn wraps the handler of a route in middleware.
func wrapIn(c chain, h http.Handler, text string) (http.Handler, error) {
	f, fast := h.(fastHandler)
	if fast && len(c.use) > 0 {
		return nil, fmt.Errorf("muxmaster: pattern %q: a fast route would bypass the middleware %s of Use; "+
			"register it with Handle, or the middleware with Pre or, as FastMiddleware, UseFast", text, funcName(c.use[0][0]))
	}
	if !fast && len(c.fast) > 0 {
		return nil, fmt.Errorf("muxmaster: pattern %q: the route would bypass the middleware %s of UseFast; "+
			"register it with HandleFast or a verb method such as GETFast, or the middleware with Use", text, funcName(c.fast[0][0]))
	}
	for _, mws := range c.fast {
		for _, mw := range slices.Backward(mws) {
			if f = fastHandler(mw(FastHandler(f))); f == nil {
				return nil, fmt.Errorf("muxmaster: pattern %q: the fast middleware %s returned nil", text, funcName(mw))
			}
		}
	}
	if fast {
		return f, nil
	}
	for _, mws := range c.use {
		for _, mw := range slices.Backward(mws) {
			if h = mw(h); isNil(h) {
				return nil, fmt.Errorf("muxmaster: pattern %q: the middleware %s returned nil", text, funcName(mw))
			}
			if _, early := h.(interface{ RunsBeforeRouting() }); early {
				return nil, fmt.Errorf("muxmaster: pattern %q: the middleware %s has no effect in Use, because it changes the path before routing; use Pre", text, funcName(mw))
			}
		}
	}
	return h, nil
}
