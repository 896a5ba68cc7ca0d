package muxmaster

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
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
func (m *Group) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.live().ServeHTTP(w, r)
}

// Group returns a Group with the given prefix, a path that may have parameters.
// It panics if prefix is not a valid path or ends in a catch-all.
func (m *scope) Group(prefix string) *Group { return m.group(prefix, false) }

// Route calls fn with a new Group that owns its prefix: requests at or below the
// prefix are served by routes of the Group, or by routes of the Mux with a more
// specific pattern. All others get the Group's 404, 405, OPTIONS or redirect
// response, inside its middleware, even if a catch-all elsewhere matches. A Mux
// mounted on the prefix would do the same. Route panics if prefix is invalid or
// fn is nil.
func (m *scope) Route(prefix string, fn func(*Group)) {
	if fn == nil {
		panic(fmt.Sprintf("muxmaster: Route %q: the function is nil", prefix))
	}
	fn(m.group(prefix, true))
}

func (m *scope) group(prefix string, owns bool) *Group {
	mux := m.live()
	full := m.join(prefix)
	if full == m.prefix {
		return m.with(level{})
	}
	g := &Group{scope: scope{m.mux, &level{parent: m.level, prefix: full, owns: owns}}}
	g.level.group = g
	must(mux.change(func(st *stage) error { return st.addLevel(mux, g.level) }))
	return g
}

// with returns a Group with the prefix of s.
func (m *scope) with(l level) *Group {
	m.live()
	l.parent, l.prefix, l.inline = m.level, m.prefix, true
	return &Group{scope: scope{m.mux, &l}}
}

// With returns a Group with the same prefix and additional middleware. The
// middleware applies to the routes registered on the returned Group, and not to
// responses to unmatched requests.
func (m *scope) With(mw ...func(http.Handler) http.Handler) *Group {
	refuseNil("With", mw)
	return m.with(level{middleware: middleware{use: slices.Clone(mw)}})
}

// Name returns a Group whose routes have a name:
//
//	mux.Name("user.show").GET("/users/:id", showUser)
//	path, err := mux.URL("user.show", "id", "42") // /users/42
//
// A name belongs to one route; registering another one with it panics. The
// methods of a list are one route. A Mux also knows the names of the Muxes
// mounted on it.
func (m *scope) Name(name string) *Group {
	if name == "" {
		panic("muxmaster: Name: the name is empty")
	}
	return m.with(level{name: name})
}

// Annotate returns a Group whose routes, and those of the Groups inside it,
// carry a value. [Route.Value] returns it, for example in middleware that gets
// the Route from [Mux.Lookup]. As with [context.WithValue], key must be
// comparable, and should have a type of its own.
func (m *scope) Annotate(key, value any) *Group {
	if key == nil || !reflect.TypeOf(key).Comparable() {
		panic("muxmaster: Annotate: the key must be comparable, and not nil")
	}
	return m.with(level{key: key, value: value})
}

// join returns the prefix of s followed by prefix, without a trailing slash.
func (m *scope) join(prefix string) string {
	m.live()
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return m.prefix
	}
	_, err := parsePrefix(prefix)
	if err == nil {
		_, err = parsePrefix(m.prefix + prefix)
	}
	if err != nil {
		panic(fmt.Sprintf("muxmaster: prefix %q: %v", m.prefix+prefix, err))
	}
	return m.prefix + prefix
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
func (m *scope) Use(mw ...func(http.Handler) http.Handler) {
	refuseNil("Use", mw)
	m.addMiddleware("Use", func(own *middleware) { own.use = slices.Concat(own.use, mw) })
}

// UseFast is like Use but adds middleware for fast routes. Registering a route
// of an http.Handler in its scope panics.
func (m *scope) UseFast(mw ...FastMiddleware) {
	refuseNil("UseFast", mw)
	m.addMiddleware("UseFast", func(own *middleware) { own.fast = slices.Concat(own.fast, mw) })
}

// addMiddleware calls add with the middleware of s.
func (m *scope) addMiddleware(method string, add func(own *middleware)) {
	mux := m.live()
	must(mux.change(func(st *stage) error {
		own, r := &m.level.middleware, m.level.first
		if d := st.of(mux); m.parent == nil {
			own, r = &d.middleware, d.first
		}
		if r != nil {
			file, line := location(r.site)
			return fmt.Errorf("muxmaster: %s after the route %q was registered (at %s:%d): the route would bypass the middleware; "+
				"call %s first, or With for the routes that follow", method, r.pattern, file, line, method)
		}
		add(own)
		own.stamp = registrations.Add(1)
		return nil
	}))
}

// refuseNil panics if one of the functions that a method was given is nil.
func refuseNil[F any](method string, mw []F) {
	for _, f := range mw {
		if reflect.ValueOf(f).IsNil() {
			panic("muxmaster: " + method + ": the middleware is nil")
		}
	}
}

// A chain is the middleware around the routes of a level, the innermost first.
type chain []middleware

// chain returns the middleware of a level and of those around it. The caller
// holds the lock.
func (m *Mux) chain(l *level) (c chain) {
	for ; l != nil; l = l.parent {
		own := l.middleware
		if l.parent == nil {
			own = m.middleware
		}
		if len(own.use)+len(own.fast) > 0 {
			c = append(c, own)
		}
	}
	return c
}

func (c chain) count() (n int) {
	for _, mw := range c {
		n += len(mw.use) + len(mw.fast)
	}
	return n
}

// check returns an error if the middleware cannot wrap a handler.
func (c chain) check(fast bool, text string) error {
	for _, mw := range c {
		if fast && len(mw.use) > 0 {
			return fmt.Errorf("muxmaster: pattern %q: a fast route would bypass the middleware %s of Use; "+
				"register it with Handle, or the middleware with Pre or, as FastMiddleware, UseFast", text, wrapped.Name(mw.use[0]))
		}
		if !fast && len(mw.fast) > 0 {
			return fmt.Errorf("muxmaster: pattern %q: the route would bypass the middleware %s of UseFast; "+
				"register it with HandleFast or a verb method such as GETFast, or the middleware with Use", text, wrapped.Name(mw.fast[0]))
		}
	}
	return nil
}

// wrap returns the handler of a route in the middleware.
func (c chain) wrap(h http.Handler, text string) (http.Handler, error) {
	f, fast := h.(fastHandler)
	err := c.check(fast, text)
	if err != nil {
		return nil, err
	}
	for _, mw := range c {
		if fast {
			f, err = wrapFast(mw.fast, f)
		} else {
			h, err = wrapAll(mw.use, h, true)
		}
		if err != nil {
			return nil, fmt.Errorf("muxmaster: pattern %q: %w", text, err)
		}
	}
	if fast {
		return f, nil
	}
	return h, nil
}

// wrapAll wraps h in middleware, the first one outermost. routed says that it
// runs after routing.
func wrapAll(mws []func(http.Handler) http.Handler, h http.Handler, routed bool) (http.Handler, error) {
	for _, mw := range slices.Backward(mws) {
		if h = mw(h); isNil(h) {
			return nil, fmt.Errorf("the middleware %s returned nil", wrapped.Name(mw))
		}
		if _, early := h.(interface{ RunsBeforeRouting() }); early && routed {
			return nil, fmt.Errorf("the middleware %s has no effect in Use, because it changes the path before routing; use Pre", wrapped.Name(mw))
		}
	}
	return h, nil
}

func wrapFast(mws []FastMiddleware, f fastHandler) (fastHandler, error) {
	for _, mw := range slices.Backward(mws) {
		if f = fastHandler(mw(FastHandler(f))); f == nil {
			return nil, fmt.Errorf("the fast middleware %s returned nil", wrapped.Name(mw))
		}
	}
	return f, nil
}
