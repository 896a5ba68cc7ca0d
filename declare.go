package muxmaster

import (
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
)

// This file declares routes: it parses a pattern, wraps the handler in the
// middleware of its Mux, checks it against all routes of the Mux and of those
// that it is mounted on, and appends it to a list. compile.go turns the lists
// into what serves requests.

// A scope is a place to register routes. Mux and Group embed one, so that they
// share the registration methods.
type scope struct {
	mux *Mux // the Mux that gets the routes
	*level
}

// A level is the data of a scope. Guarded by the lock of the Mux's tree.
type level struct {
	parent *level // the enclosing one of the same Mux; nil for the Mux's own
	group  *Group // whose fields apply to unmatched requests; nil if there is none
	prefix string // prepended to every path of the Mux; has no trailing slash
	name   string // of the routes
	key    any    // of the annotation; nil if there is none
	value  any
	use    []func(http.Handler) http.Handler
	fast   []FastMiddleware
	stamp  uint32 // changes with use and fast
	first  *route // registered on the level or inside it; nil if there is none
	copyOf *level // for the level of a draft, that of its Mux
	owns   bool   // routes outside of the prefix never serve paths below it
	inline bool   // made by With, Name or Annotate
}

// A route is a declared pattern with one method. It doesn't change, except that
// compiling wraps the handler of a mounted one.
type route struct {
	pattern  string // as in r.Pattern
	method   string // "" for every method
	level    *level // where it was registered
	site     uintptr
	order    uint32       // number of the registration; the methods of a list share one
	flags    trie.Flags   // Verb, or 0
	root     bare         // also serves a path without its trailing slash
	handler  http.Handler // wrapped in the middleware of its Mux; a fastHandler, if it is one
	original http.Handler // without middleware
	changed  bool         // there is middleware of its Mux

	parsed *pattern.Pattern // see parse; nil if it was discarded
	key    string           // for claims

	// For the route of a mounted Mux: the route there, and where it is mounted.
	// handler is then nil until the route is compiled.
	inner *route
	mount *mount
}

// A bare says that a route also serves a path without a trailing slash, if there
// is no route for that path alone.
type bare uint8

const (
	notBare   bare = iota
	bareSlash      // pattern is the bare prefix of a Group or mount: it serves /x/ too
	bareAll        // pattern ends in the slash of a subtree: it serves the path before it too
)

// registrations numbers the registrations of all Muxes. Two constraints at the
// same place are tried in this order.
var registrations atomic.Uint32

// requireNew panics if the Mux of s was not created by New, or was copied.
func (s *scope) requireNew() {
	if s.mux == nil {
		panic("muxmaster: the Mux was not made by New; write mux := muxmaster.New(), and for a Group mux.Group(prefix)")
	}
	if s.parent == nil && s != &s.mux.scope {
		panic("muxmaster: the Mux was copied; use the *Mux that muxmaster.New returned")
	}
}

// add registers a handler for the pattern head+prefix+path. If root is set and s
// has a prefix, path is the root of a Group.
func (s *scope) add(head, path string, h http.Handler, flags trie.Flags, root bool) error {
	p, err := parse(head+path, flags) // path alone must be valid too
	if path != "" && err != nil {
		return err
	}
	text := head + s.prefix + path
	rt := route{pattern: text, flags: flags}
	if s.prefix != "" {
		if root {
			rt.pattern, rt.root = head+s.prefix, bareSlash
		}
		if p, err = parse(text, flags); err != nil {
			return err
		}
	}
	return s.register(h, site(2), parsed{p, rt})
}

// A parsed is a route that is about to be registered. The fields that all routes
// of a call share are not set.
type parsed struct {
	pattern *pattern.Pattern
	route   route
}

// parse parses a pattern, by the rules of the verb methods if flags has
// trie.Verb.
func parse(text string, flags trie.Flags) (p *pattern.Pattern, err error) {
	if flags&trie.Verb == 0 {
		p, err = pattern.Parse(text)
	} else {
		p, err = pattern.ParsePath(text)
	}
	if err != nil {
		return nil, fmt.Errorf("muxmaster: pattern %q: %w", text, err)
	}
	return p, nil
}

func must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

// site returns the program counter of the call of a registration method. skip
// is the number of calls between that method and the caller of site.
func site(skip int) uintptr {
	var pcs [1]uintptr
	runtime.Callers(skip+3, pcs[:])
	return pcs[0]
}

func location(pc uintptr) (file string, line int) {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame.File, frame.Line
}

// register declares routes with the handler h, or none of them if there is an
// error. It calls middleware without holding a lock, because middleware may
// register or list routes.
func (s *scope) register(h http.Handler, site uintptr, list ...parsed) error {
	first := list[0].route.pattern
	if isNil(h) {
		return fmt.Errorf("muxmaster: pattern %q: the handler is nil", first)
	}
	t := s.mux.lock()
	chain := s.level.chain()
	t.mu.Unlock()
	handler, err := wrapIn(chain, h, first)
	if err != nil {
		return err
	}
	var routes []*route
	order := registrations.Add(1)
	for _, l := range list {
		rt := l.route
		rt.level, rt.site, rt.order, rt.handler, rt.original, rt.changed = s.level, site, order, handler, h, chain.count > 0
		methods := l.pattern.Methods
		if methods == nil {
			methods = anyMethod
		}
		for _, rt.method = range methods {
			r := rt
			r.setParsed(l.pattern)
			routes = append(routes, &r)
		}
	}
	m := s.mux.live()
	t = m.lock()
	defer t.mu.Unlock()
	if s.level.chain().count != chain.count {
		return fmt.Errorf("muxmaster: pattern %q: middleware was added to its scope while it was registered", first)
	}
	return m.declare(routes)
}

var anyMethod = []string{""}

// parse sets the parsed pattern of r, unless r has it.
func (r *route) parse() error {
	if r.parsed != nil {
		return nil
	}
	text := r.pattern
	if r.root == bareSlash {
		text += "/{$}"
	}
	p, err := parse(text, r.flags)
	if err == nil {
		r.setParsed(p)
	}
	return err
}

func (r *route) setParsed(p *pattern.Pattern) { r.parsed, r.key = p, trie.ShapeKey(p, r.method) }

// declare appends routes to m, or none of them if one conflicts. The caller
// holds the lock.
func (m *Mux) declare(routes []*route) error {
	if err := m.admit(routes); err != nil {
		return err
	}
	m.routes = append(m.routes, routes...)
	m.invalidate()
	return nil
}

// admit checks routes that m is about to get against all routes of m and of the
// Muxes that m is mounted on, and adds them to the claims of these. The caller
// holds the lock.
func (m *Mux) admit(routes []*route) error {
	var all []admission
	if err := m.check(routes, &all); err != nil {
		return err
	}
	for _, a := range all {
		a.mux.claims.add(a.routes)
		for _, r := range a.routes {
			if r.mount != nil {
				r.mount.routes[r.inner] = r
			}
			r.markLevels()
		}
	}
	return nil
}

// An admission is a list of routes as a Mux is about to get them.
type admission struct {
	mux    *Mux
	routes []*route
}

// check returns an error if the routes can't be added to m or to a Mux that m is
// mounted on. It adds an admission for each of these to all.
func (m *Mux) check(routes []*route, all *[]admission) error {
	if m.claims == nil {
		m.claims = newClaims(m.everyRoute())
	}
	if err := m.claims.check(routes); err != nil {
		return err
	}
	for _, a := range *all {
		if a.mux == m { // another mount of the same Mux
			if err := newClaims(a.routes).check(routes); err != nil {
				return err
			}
		}
	}
	*all = append(*all, admission{m, routes})
	for _, mnt := range m.mounted {
		outer := make([]*route, len(routes))
		for i, r := range routes {
			var err error
			if outer[i], err = mnt.expand(r); err != nil {
				return err
			}
		}
		if err := mnt.mux.live().check(outer, all); err != nil {
			return err
		}
	}
	return nil
}

// markLevels makes the levels around r know that they have a route.
func (r *route) markLevels() {
	r.around(func(l *level, _ *Mux) {
		if l.first == nil {
			l.first = r
		}
	})
}

// claims tells whether a route conflicts with those of a Mux.
type claims struct {
	shapes trie.Shapes[*route]
	names  map[string]*route
}

// newClaims returns the claims of routes that don't conflict.
func newClaims(routes []*route) *claims {
	c := &claims{names: map[string]*route{}}
	for _, r := range routes {
		must(r.parse()) // it was parsed before
	}
	c.add(routes)
	return c
}

func (c *claims) add(routes []*route) {
	for _, r := range routes {
		c.shapes.Add(r.key, r.method, r)
		if name := r.level.routeName(); name != "" {
			c.names[name] = r
		}
	}
}

// check returns an error if one of the routes conflicts with an earlier one.
func (c *claims) check(routes []*route) error {
	var few [4]string
	methods := few[:0]
	for _, r := range routes {
		if q, ok := c.shapes.Find(r.key); ok {
			file, line := location(r.site)
			other, otherLine := location(q.site)
			return fmt.Errorf("muxmaster: pattern %q (registered at %s:%d) conflicts with pattern %q (registered at %s:%d): "+
				"they match the same requests", r.pattern, file, line, q.pattern, other, otherLine)
		}
		name := r.level.routeName()
		if q := c.names[name]; name != "" && q != nil && q.order != r.order {
			file, line := location(r.site)
			other, otherLine := location(q.site)
			return fmt.Errorf("muxmaster: pattern %q (registered at %s:%d) has the name %q of pattern %q (registered at %s:%d)",
				r.pattern, file, line, name, q.pattern, other, otherLine)
		}
		methods = append(methods, r.method)
	}
	if err := c.shapes.Room(methods); err != nil {
		return fmt.Errorf("muxmaster: pattern %q: %w", routes[0].pattern, err)
	}
	return nil
}

// funcName returns the name of f if it is a function, and else of its type.
func funcName(f any) string { return wrapped.Name(f) }
