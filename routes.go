package muxmaster

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
)

// A Route describes a registered route.
type Route struct {
	Method     string   // "" for every method
	Host       string   // "" for every host
	Pattern    string   // the path part of the pattern
	Name       string   // see Router.Name; "" if it has none
	Handler    string   // name of the handler's function or type
	File       string   // file of the registration
	Line       int      // line in File
	Fast       bool     // the handler is a FastHandler
	Below      bool     // it also serves everything below its path
	Middleware []string // names of its middleware, outermost first
	Scopes     []Scope  // what it was registered on, outermost first

	zone *zone
}

// A Scope is a Mux or Group that a route was registered on, or the Mux that this
// one is mounted on.
type Scope struct {
	Kind       string // mux, group, route, with, or mount for a mounted Mux
	Prefix     string // the prefix of all paths in the scope
	Middleware int    // the number of the route's middleware that the scope adds
}

// Value returns the value that Annotate has given the route for key, or nil. If
// several scopes around the route have the key, the innermost one applies.
func (r Route) Value(key any) any {
	for z := r.zone; z != nil; z = z.outer {
		if z.label != nil && z.label.key == key {
			return z.label.value
		}
	}
	return nil
}

// Annotations returns an iterator over the keys and values that Annotate has
// given the route. The innermost scope comes first.
func (r Route) Annotations() iter.Seq2[any, any] {
	return func(yield func(key, value any) bool) {
		for z := r.zone; z != nil; z = z.outer {
			if l := z.label; l != nil && l.key != nil && !yield(l.key, l.value) {
				return
			}
		}
	}
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
	p := m.peek()
	var sorted []*Route // a Route is large to move
	for _, rt := range p.list() {
		r := p.describe(rt)
		sorted = append(sorted, &r)
	}
	slices.SortStableFunc(sorted, compareRoutes)
	return func(yield func(Route) bool) {
		for _, r := range sorted {
			if !yield(*r) {
				return
			}
		}
	}
}

// compareRoutes orders routes by host, path and method.
func compareRoutes(a, b *Route) int {
	if c := strings.Compare(a.Host, b.Host); c != 0 {
		return c
	}
	if c := strings.Compare(a.Pattern, b.Pattern); c != 0 {
		return c
	}
	return trie.CompareMethods(a.Method, b.Method)
}

// describe returns the description of a route.
func (p *program) describe(rt *trie.Route[endpoint]) Route {
	r := p.placed(rt)
	i := strings.IndexByte(r.pattern, '/')
	_, fast := r.original.(fastHandler)
	d := Route{
		Method:  r.method,
		Host:    r.pattern[strings.LastIndexAny(r.pattern[:i], " \t")+1 : i],
		Pattern: r.pattern[i:],
		Name:    r.level.routeName(),
		Handler: wrapped.Name(r.original),
		Fast:    fast,
		Below:   rt.Flags&trie.CatchAll != 0,
		zone:    r.zone,
	}
	d.File, d.Line = location(r.site)
	for z := r.zone; z != nil; z = z.outer {
		for _, s := range slices.Backward(z.adds) {
			d.Middleware = append(d.Middleware, wrapped.Name(s.fn))
		}
		d.Scopes = append(d.Scopes, Scope{z.kind(), z.prefix, len(z.adds)})
	}
	slices.Reverse(d.Middleware)
	slices.Reverse(d.Scopes)
	return d
}

func (z *zone) kind() string {
	switch {
	case z.outer == nil:
		return "mux"
	case z.mux != nil:
		return "mount"
	case z.inline:
		return "with"
	case z.owns:
		return "route"
	}
	return "group"
}

// Lookup returns the route that serves r. In a handler and in middleware of Use,
// that is the route that was found for r, even if the path of r was changed since,
// or the route was removed or replaced. In Pre middleware it is the route that would
// serve r as it is. With the build tag muxmaster_safe, two routes with the same
// r.Pattern, such as one and its replacement, or those of GET("/x/", h) and
// Handle("GET /x/", h) if the path was changed, can't be told apart.
//
// In the handlers and middleware of a mounted Mux, both this Mux and the one that
// it is mounted on know the route.
func (m *Mux) Lookup(r *http.Request) (route Route, ok bool) {
	p, rt := m.lookup(r)
	if rt == nil {
		return Route{}, false
	}
	described := p.described.Load()
	if described == nil {
		p.described.CompareAndSwap(nil, new(sync.Map))
		described = p.described.Load()
	}
	d, ok := described.Load(rt)
	if !ok {
		d, _ = described.LoadOrStore(rt, p.describe(rt))
	}
	return d.(Route), true
}

// lookup returns the route that serves r, and its program: that of m, or of a Mux
// that m is mounted on.
func (m *Mux) lookup(r *http.Request) (*program, *trie.Route[endpoint]) {
	p := m.peek()
	for _, mnt := range p.mounted {
		q, rt := mnt.on.lookup(r)
		if rt != nil && rt.Pattern == r.Pattern && q.zones[rt.Payload.zone].within(mnt) || rt == nil && q.responds(r, mnt) {
			return q, rt
		}
	}
	search := new(trie.Search[endpoint])
	rt, found := p.find(search, r)
	if !found {
		rt = nil
	}
	if r.Pattern == "" || serves(rt, r) {
		return p, rt
	}
	rt = p.table.Registered(r.Pattern, search.Method, rt, values.Same)
	if list := m.live().replaced.Load(); list != nil && !serves(rt, r) { // it was removed or replaced since
		for _, w := range *list {
			if q := w.Value(); q != nil {
				if old := q.table.Registered(r.Pattern, q.table.MethodOf(r.Method), nil, values.Same); serves(old, r) {
					return q, old
				}
			}
		}
	}
	return p, rt
}

// serves reports whether r has the pattern of rt, which may be nil.
func serves(rt *trie.Route[endpoint], r *http.Request) bool {
	return rt != nil && rt.Pattern == r.Pattern && values.Same(rt.Pattern, r.Pattern)
}

// responds reports whether r is an unmatched request that the mounted Mux responds
// to.
func (p *program) responds(r *http.Request, mnt *mount) bool {
	if r.Pattern != "" || r.PathValue(outcomeName) == "" {
		return false
	}
	search := new(trie.Search[endpoint])
	rt, _ := p.find(search, r)
	return p.zones[p.decide(search, r, rt).Fallback.zone].within(mnt)
}

// within reports whether z is a zone of the mounted Mux.
func (z *zone) within(mnt *mount) bool {
	for ; z != nil; z = z.outer {
		if z.level == mnt.level || z.level.of == mnt.level {
			return true
		}
	}
	return false
}

// peek returns a program for inspection. Before the first request, that is not the
// one that will serve it, because the fields of m can still be set.
func (m *Mux) peek() *program {
	if p := m.program.Load(); p != nil {
		return p
	}
	m = m.live()
	if p := m.peeked.Load(); p != nil && m.unchanged(p) {
		return p
	}
	c := m.collect(false)
	must(c.compile())
	c.program.version = c.version
	m.peeked.Store(c.program)
	return c.program
}

// unchanged reports whether p has the routes that m has now, and redirects as the
// fields of the Muxes say now.
func (m *Mux) unchanged(p *program) bool {
	defer m.lock().Unlock()
	m.draft.refresh()
	return p.version == m.version && !slices.ContainsFunc(p.zones, func(z *zone) bool {
		if z.mux == nil {
			return false
		}
		f := m.draft.view(z.mux).read(z.mux, false)
		return z.redirectSlash != f.redirectSlash || z.redirectCase != f.redirectCase
	})
}

// Handler returns the handler that would serve r and the pattern of its route,
// as [http.ServeMux.Handler] does. If r would be redirected, pattern is that of
// the route at the redirect target. If no route matches, pattern is "" and h
// writes the 404, 405 or OPTIONS response. Handler does not modify r, so
// calling h with r does not set path values.
func (m *Mux) Handler(r *http.Request) (h http.Handler, pattern string) {
	p := m.peek()
	search := new(trie.Search[endpoint])
	rt, found := p.find(search, r)
	if found {
		h = rt.Payload.handler
		if lazy, ok := h.(lazyHandler); ok {
			var err error
			h, err = lazy.wrapped()
			must(err)
		}
		return h, rt.Pattern
	}
	h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.current().serveGeneric(w, r) })
	return h, p.decide(search, r, rt).Pattern
}

// URL returns the escaped path of the route with the given name, as BuildPath
// does for its pattern. See [Router.Name].
func (m *Mux) URL(name string, pairs ...string) (string, error) {
	m = m.live()
	text := ""
	if p := m.program.Load(); p != nil {
		text = p.urls[name]
	} else { // without compiling, because a middleware function may call URL
		t := m.lock()
		if list := m.draft.view(m.origin()).routes.names[name]; len(list) > 0 {
			text = slices.MinFunc(list, byOrder).pattern
		}
		t.Unlock()
	}
	if text == "" {
		return "", fmt.Errorf("muxmaster: URL: no route has the name %q", name)
	}
	path, err := pattern.BuildPath(text, pairs)
	if err != nil {
		return "", fmt.Errorf("muxmaster: URL %q: %w", name, err)
	}
	return path, nil
}

// BuildPath returns the escaped path of a pattern with the given parameter
// values. pairs alternates names and values:
//
//	BuildPath("/users/:id/posts/:post", "id", "42", "post", "a b") // /users/42/posts/a%20b
//
// The pattern matches the path, with the same values. Methods and a host in the
// pattern are ignored.
//
// BuildPath returns an error if a parameter has no value, a name is given twice
// or is not a parameter of the pattern, a value is empty, "." or "..", or a
// constraint does not match a value. It also returns an error if a segment has
// several parameters and matching the path would yield other values. The value
// of a catch-all may contain slashes, but no empty, "." or ".." segment. The
// leading slash in the value of a *name catch-all is optional.
func BuildPath(text string, pairs ...string) (string, error) {
	path, err := pattern.BuildPath(text, pairs)
	if err != nil {
		return "", fmt.Errorf("muxmaster: BuildPath %q: %w", text, err)
	}
	return path, nil
}
