package muxmaster

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/outcome"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/printable"
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

	levels []*level // that of the route, and those of the mounts around it
}

// A Scope is a Mux or Group that a route was registered on, or the Mux that this
// one is mounted on.
type Scope struct {
	Kind       string // mux, group, route, host, with, or mount for a mounted Mux
	Host       string `json:",omitempty"` // that of Host; "" for every host
	Prefix     string // the prefix of all paths in the scope
	Middleware int    // the number of the route's middleware that the scope adds
}

// Value returns the value that Annotate has given the route for key, or nil. If
// several scopes around the route have the key, the innermost one applies.
func (r Route) Value(key any) any {
	for k, value := range r.Annotations() {
		if k == key {
			return value
		}
	}
	return nil
}

// Annotations returns an iterator over the keys and values that Annotate has
// given the route. The innermost scope comes first.
func (r Route) Annotations() iter.Seq2[any, any] {
	return func(yield func(key, value any) bool) {
		for _, l := range r.levels {
			for ; l != nil; l = l.parent {
				if l.label != nil && l.label.key != nil && !yield(l.label.key, l.label.value) {
					return
				}
			}
		}
	}
}

// String returns the method, the host and path, the handler, and the file and
// line of the registration as one line of text.
func (r Route) String() string {
	return fmt.Sprintf("%-7s %s  %s  %s:%d", cmp.Or(r.Method, "*"), printable.Replace(r.Host+r.Pattern), r.Handler, r.File, r.Line)
}

// Routes returns an iterator over the routes of m, including those of mounted
// Muxes, ordered by host, path and method. It yields a route with several
// methods once for each method, and a mounted handler that isn't a Mux as one route,
// whose Below is set. It yields the routes that exist when Routes is called. The route
// for / in a Group or mounted Mux, which also serves the prefix without a slash, is
// listed once.
func (m *Mux) Routes() iter.Seq[Route] {
	var sorted []*Route // a Route is large to move
	root := &m.target().root
	for _, r := range root.list() {
		d := r.describe(root)
		sorted = append(sorted, &d)
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

// A listed is a route of the Mux of a view.
type listed struct {
	*route
	in *view
}

// list returns the routes of v's Mux, and those of the Muxes mounted there.
func (v *view) list() (all []listed) {
	mux := v.mux.lock()
	routes := slices.Clone(mux.routes)
	mux.mu.Unlock()
	for _, r := range routes {
		if sub := r.mux(); sub != nil && v.depth < maxDepth {
			all = append(all, v.inside(r, sub).list()...)
		} else {
			all = append(all, listed{r, v})
		}
	}
	return all
}

// inside returns a view of the Mux that r mounts, for inspection.
func (v *view) inside(r *route, sub *Mux) *view { return &view{point: v.newPoint(r, v.pool), mux: sub} }

// describe returns the description of a route for the Mux of from.
func (x listed) describe(from *view) Route {
	p, text, _ := x.in.below(x.route)
	i := strings.IndexByte(text, '/')
	_, fast := x.original.(fastHandler)
	d := Route{
		Method:  x.method(),
		Host:    text[strings.LastIndexAny(text[:i], " \t")+1 : i],
		Pattern: text[i:],
		Name:    x.level.routeName(),
		Handler: wrapped.Name(x.original),
		Fast:    fast,
		Below:   p.End == pattern.All,
	}
	d.File, d.Line = location(x.site)
	var around chain
	for v, l := x.in, x.level; ; v, l = v.outer, v.mount.level {
		d.levels = append(d.levels, l)
		var wrappers chain
		if v != from {
			wrappers = v.mount.wrappers()
		}
		mux := v.mux.lock()
		around = slices.Concat(wrappers, mux.pre, mux.chain(l), around)
		for in := l; in != nil; in = in.parent {
			s := Scope{in.kind(), cmp.Or(in.host, v.prefix.Host), v.prefix.Path + in.prefix, len(in.middleware)}
			if in.parent == nil {
				s.Middleware = len(wrappers) + len(mux.pre) + len(mux.declared.middleware)
				if v != from {
					s.Kind = "mount"
				}
			}
			d.Scopes = append(d.Scopes, s)
		}
		mux.mu.Unlock()
		if v == from {
			break
		}
	}
	slices.Reverse(d.Scopes)
	for _, s := range around {
		d.Middleware = append(d.Middleware, wrapped.Name(s.fn))
	}
	return d
}

// compareRoutes orders routes by host, path and method.
func compareRoutes(a, b *Route) int {
	return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Pattern, b.Pattern), trie.CompareMethods(a.Method, b.Method))
}

func (l *level) kind() string {
	switch {
	case l.parent == nil:
		return "mux"
	case l.inline:
		return "with"
	case l.owns:
		return "route"
	case l.prefix == l.parent.prefix:
		return "host"
	}
	return "group"
}

// peek returns the program that serves requests, or one for inspection: before the
// first request, the fields of m can still be set.
func (v *view) peek() *program {
	m := v.mux
	if p := v.program.Load(); p != nil && p.version == m.version.Load() {
		return p
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.settings()
	if p := v.peeked.Load(); p != nil && p.version == m.version.Load() && p.fields.redirectSlash == f.redirectSlash && p.fields.redirectCase == f.redirectCase {
		return p
	}
	p := v.compile(f, m.version.Load())
	v.peeked.Store(p)
	return p
}

// A match is the route that serves a request, or the response if there is none.
type match struct {
	*trie.Route[endpoint] // nil if there is none
	program               *program
	values                []string
	decision              outcome.Decision[endpoint]
}

// match returns the match for r in v, or in the Mux that is mounted there.
func (v *view) match(r *http.Request) match {
	p := v.peek()
	search := new(trie.Search[endpoint])
	rt, found := p.find(search, r)
	if !found {
		d := p.Decide(search, r, rt)
		if d.Mount == nil {
			return match{program: p, decision: d}
		}
		rt = d.Mount
	}
	mount := rt.Payload.route
	if sub := mount.mux(); sub != nil && v.depth < maxDepth {
		return p.points[mount].at(sub).match(r)
	}
	return match{Route: rt, program: p, values: search.Values()}
}

// through reports whether one of the mounts between v and the route has a pattern.
func (m match) through(text string, v *view) bool {
	for in := m.program.view; in != v; in = in.outer {
		if _, mount, _ := in.outer.below(in.mount); mount == text {
			return true
		}
	}
	return false
}

// named returns the match for r by r.Pattern.
func (v *view) named(r *http.Request) (m match) {
	p := v.peek()
	p.once.Do(func() { p.texts = p.table.ByPattern() })
	method := p.table.MethodOf(r.Method)
	for _, rt := range p.texts[r.Pattern] {
		if rt.Payload.route.mux() == nil && (m.Route == nil || rt.Method == method) {
			m = match{Route: rt, program: p}
		}
	}
	for mount, pt := range p.points {
		if sub := mount.mux(); m.Route == nil && sub != nil && v.depth < maxDepth {
			m = pt.at(sub).named(r)
		}
	}
	return m
}

// around returns the view of m that is v or around it, or nil.
func (v *view) around(m *Mux) *view {
	for v != nil && v.mux != m {
		v = v.outer
	}
	return v
}

// A description is the Route of a route, for the Mux of a view around it.
type description struct {
	Route
	from    *view
	version uint64 // of that Mux
}

// Lookup returns the route that serves r, among the current routes: in a handler and in
// middleware of Use, that with the pattern r.Pattern; in Pre middleware, the one that
// would serve r as it is. It is for logs and metrics. For middleware that protects
// routes, use [Router.UseRoute], which knows its route.
//
// In the handlers and middleware of a mounted Mux, both this Mux and the one that
// it is mounted on know the route.
func (m *Mux) Lookup(r *http.Request) (route Route, ok bool) {
	m = m.target()
	var list []*view
	finds := []func(*view, *http.Request) match{(*view).match, (*view).named}
	mark := values.Mark(r)
	if bare, ok := mark.(*barePoint); ok {
		mark = (*point)(bare)
	}
	switch mark := mark.(type) {
	case *point:
		v := mark.outer.around(m)
		if v == nil {
			v = m.at(r)
		} else if _, mount, _ := mark.outer.below(mark.mount); r.Pattern == mount && mark.mount.mux() != nil { // it hasn't routed r yet, and its root may have this pattern
			finds = finds[:1]
		}
		list = append(list, v)
	case *zone:
		if v := mark.program.view.around(m); v != nil {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		for _, v := range *m.views.Load() {
			if r.Pattern != "" && v.program.Load().version == m.version.Load() { // r may have come from there
				list = append(list, v)
			}
		}
		if r.Pattern == "" || len(list) == 0 || m.serving.Load() != nil {
			list = slices.Insert(list, 0, &m.root)
		}
	}
	for _, find := range finds {
		for _, v := range list {
			x := find(v, r)
			if x.Route == nil || r.Pattern != "" && x.Pattern != r.Pattern && !x.through(r.Pattern, v) {
				continue
			}
			version := v.mux.version.Load()
			known, _ := x.program.described.Load(x.Route)
			list, _ := known.([]*description)
			i := slices.IndexFunc(list, func(d *description) bool { return d.from == v && d.version == version })
			if i < 0 {
				i, list = 0, slices.DeleteFunc(slices.Clone(list), func(d *description) bool { return d.from == v })
				list = slices.Insert(list, 0, &description{listed{x.Payload.route, x.program.view}.describe(v), v, version})
				x.program.described.Store(x.Route, list)
			}
			return list[i].Route, true
		}
		if r.Pattern == "" {
			break
		}
	}
	return Route{}, false
}

// Handler returns the handler that would serve r and the pattern of its route,
// as [http.ServeMux.Handler] does. If r would be redirected, pattern is that of
// the route at the redirect target. If no route matches, pattern is "" and h
// writes the 404, 405 or OPTIONS response. Handler does not modify r, so
// calling h with r does not set path values.
func (m *Mux) Handler(r *http.Request) (h http.Handler, pattern string) {
	m = m.target()
	v := m.at(r)
	x := v.match(r)
	if x.Route != nil && x.program.view == v {
		return x.Payload.handler, x.Pattern
	}
	h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.at(r).current().serveGeneric(w, r) })
	if x.Route != nil {
		return h, x.Pattern
	}
	return h, x.decision.Pattern
}

// URL returns the escaped path of the route with the given name, as BuildPath
// does for its pattern. See [Router.Name]. A name of a mounted Mux counts if m has no
// route with the name; if the Mux is mounted several times, the first mount does.
// Values for the parameters of a host may be given, too.
func (m *Mux) URL(name string, pairs ...string) (string, error) {
	text := m.target().root.patternOf(name)
	if text == "" {
		return "", fmt.Errorf("muxmaster: URL: no route has the name %q", name)
	}
	path, err := pattern.BuildPath(text, pairs)
	if err != nil {
		return "", fmt.Errorf("muxmaster: URL %q: %w", name, err)
	}
	return path, nil
}

// patternOf returns the pattern of the first route with a name, or "".
func (v *view) patternOf(name string) (text string) {
	mux := v.mux.lock()
	list := mux.indexed().names[name]
	mux.mu.Unlock()
	if len(list) > 0 {
		_, text, _ = v.below(list[0])
		return text
	}
	for _, r := range mux.mounts() {
		if v.depth < maxDepth && text == "" {
			text = v.inside(r, r.mux()).patternOf(name)
		}
	}
	return text
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
