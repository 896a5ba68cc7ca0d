package muxmaster

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// Group returns a Group with the given prefix, a path that may have parameters.
// It panics if prefix is not a valid path or ends in a catch-all.
func (m *scope) Group(prefix string) *Group { return m.group(prefix, false) }

// Route calls fn with a new Group that owns its prefix: requests at or below the
// prefix are served by routes of the Group, or by routes of the Mux with a more
// specific pattern. All others get the Group's 404, 405, OPTIONS or redirect
// response, inside its middleware, even if a catch-all elsewhere matches. A Mux
// mounted on the prefix would do the same. With the prefix /, it owns all that
// the enclosing Mux or Group has. Route panics if prefix is invalid or fn is nil.
func (m *scope) Route(prefix string, fn func(*Group)) {
	if fn == nil {
		panic(fmt.Sprintf("muxmaster: Route %q: the function is nil", prefix))
	}
	fn(m.group(prefix, true))
}

// With returns a Group with the same prefix and additional middleware. The
// middleware applies to the routes registered on the returned Group, and not to
// responses to unmatched requests.
func (m *scope) With(mw ...func(http.Handler) http.Handler) *Group {
	refuseNil("With", mw)
	return m.with(level{middleware: &middleware{use: slices.Clone(mw)}})
}

// Name returns a Group whose routes have a name:
//
//	mux.Name("user.show").GET("/users/:id", showUser)
//	path, err := mux.URL("user.show", "id", "42") // /users/42
//
// A name belongs to one route; registering another one with it panics. The
// methods of a list are one route. A Mux also knows the names of the Muxes
// mounted on it. So a Mux that has named routes can be mounted on it only once.
func (m *scope) Name(name string) *Group {
	if name == "" {
		panic("muxmaster: Name: the name is empty")
	}
	return m.with(level{label: &label{name: name}})
}

// Annotate returns a Group whose routes, and those of the Groups inside it,
// carry a value. [Route.Value] returns it, for example in middleware that gets
// the Route from [Mux.Lookup]. As with [context.WithValue], key must be
// comparable, and should have a type of its own.
func (m *scope) Annotate(key, value any) *Group {
	if key == nil || !reflect.TypeOf(key).Comparable() {
		panic("muxmaster: Annotate: the key must be comparable, and not nil")
	}
	return m.with(level{label: &label{key: key, value: value}})
}

func (m *scope) group(prefix string, owns bool) *Group {
	mux := m.live()
	full := m.join(prefix)
	if full == m.prefix && !owns {
		return m.with(level{})
	}
	g := &Group{scope: scope{m.mux, &level{parent: m.level, prefix: full, owns: owns}}}
	g.level.group = g
	must(mux.change(func() error { return stage(nil).add(mux, []*level{g.level}, nil) }))
	return g
}

// with returns a Group with the prefix of s.
func (m *scope) with(l level) *Group {
	m.live()
	l.parent, l.prefix, l.inline = m.level, m.prefix, true
	return &Group{scope: scope{m.mux, &l}}
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
	m.addMiddleware("Use", mw, nil)
}

// UseFast is like Use but adds middleware for fast routes. Registering a route
// of an http.Handler in its scope panics.
func (m *scope) UseFast(mw ...FastMiddleware) {
	refuseNil("UseFast", mw)
	m.addMiddleware("UseFast", nil, mw)
}

// Pre adds middleware that runs for every request before routing. The first
// middleware is the outermost, and Pre middleware is outside all other
// middleware. It may change the path or the method of the request. If it passes
// on a copy of the request, middleware outside of it doesn't see the path
// values and the pattern. r.Pattern is empty before routing, even if another
// router has set it.
//
// If the Mux is mounted on another Mux, its Pre middleware runs after routing,
// for the requests at or below the mount's prefix that this Mux responds to.
// Pre panics if the Mux is already mounted.
func (m *Mux) Pre(mw ...func(http.Handler) http.Handler) {
	refuseNil("Pre", mw)
	m = m.live()
	must(m.change(func() error {
		if len(m.origin().mounted) > 0 {
			return errors.New("muxmaster: Pre on a Mux that is mounted: its routes would bypass the middleware; call Pre before Mount")
		}
		stage(nil).edit(m).addPre(mw)
		return nil
	}))
}

func (d *declared) addPre(mw []func(http.Handler) http.Handler) {
	d.pre = d.pre.with(mw, nil)
	d.pre.pre = true
}

// addMiddleware adds middleware to that of s.
func (m *scope) addMiddleware(method string, use []func(http.Handler) http.Handler, fast []FastMiddleware) {
	mux := m.live()
	must(mux.change(func() error {
		d, own, used := stage(nil).edit(mux), &m.level.middleware, m.level.used
		if m.parent == nil {
			own, used = &d.middleware, d.used
		}
		if used {
			return fmt.Errorf("muxmaster: %s after %s: the route would bypass the middleware; "+
				"call %s first, or With for the routes that follow", method, d.routes.first(m.level), method)
		}
		*own = (*own).with(use, fast)
		return nil
	}))
}

// with returns a middleware with more functions. mw may be nil.
func (mw *middleware) with(use []func(http.Handler) http.Handler, fast []FastMiddleware) *middleware {
	if mw == nil {
		return &middleware{use: slices.Clone(use), fast: slices.Clone(fast)}
	}
	return &middleware{use: slices.Concat(mw.use, use), fast: slices.Concat(mw.fast, fast)}
}
