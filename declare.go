package muxmaster

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file declares routes: it parses a pattern, wraps the handler in the
// middleware of its Mux, checks it against the routes of the Mux and of those
// that it is mounted on, and appends it to their lists. compile.go turns the
// lists into what serves requests.

// A middleware is what Use and UseFast have added to a level.
type middleware struct {
	use   []func(http.Handler) http.Handler
	fast  []FastMiddleware
	stamp uint32 // changes with them
}

// A registration is the pattern of a route, and where it was registered.
type registration struct {
	pattern string
	site    uintptr
}

// A scope is a place to register routes. Mux and Group embed one, so that they
// share the registration methods.
type scope struct {
	mux *Mux // the Mux that gets the routes
	*level
}

// A level is the data of a scope. Each Mux has one, and each Group. A mounted Mux
// and its Groups have another one in each Mux that they are mounted on.
type level struct {
	parent     *level // the enclosing one of the same Mux; nil for the Mux's own
	mux        *Mux   // whose own level it is, or the Mux that is mounted; nil for a Group
	of         *level // for a Group of a mounted Mux: its level there
	group      *Group // whose fields apply to unmatched requests; nil if there is none
	prefix     string // prepended to every path of the Mux; has no trailing slash
	name       string // of the routes
	key        any    // of the annotation; nil if there is none
	value      any
	middleware               // of a Group; that of a Mux is in declared
	first      *registration // on the level of a Group or inside it; nil if there is none
	owns       bool          // routes outside of the prefix never serve paths below it
	inline     bool          // made by With, Name or Annotate
}

// routeName returns the name of the routes of l, or "".
func (l *level) routeName() string {
	for l.name == "" && l.inline {
		l = l.parent
	}
	return l.name
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

	parsed *pattern.Pattern // see parse; nil if it was discarded
	key    string           // for claims

	// For the route of a mounted Mux: the route there, and where it is mounted.
	// handler is then nil until the route is compiled.
	inner *route
	mount *mount
	plain bool // Pre middleware calls its handler, even if it is a fastHandler
}

// declared is what is registered on a Mux. Guarded by the lock of the tree.
type declared struct {
	self       *Mux
	middleware               // of the Mux's own level
	first      *registration // nil if there is none
	routes     *routeSet     // including those of mounted Muxes; nil if the program has them, see recall
	levels     []*level      // those that respond to unmatched requests, likewise, but the Mux's own
	fields     *fields       // of the Mux when a program that serves was compiled first; nil before
	pre        []func(http.Handler) http.Handler
	preStamp   uint32 // changes with pre
}

// read returns the fields of the Mux as they were first read. keep says that this
// is the first time.
func (d *declared) read(keep bool) *fields {
	if d.fields != nil {
		return d.fields
	}
	f := d.self.readFields()
	if keep {
		d.fields = f
	}
	return f
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

// live returns the Mux of s, or if an Update passed that and succeeded, the Mux
// of the Update. It panics if the Mux was not created by New, or was copied.
func (m *scope) live() *Mux {
	if m.mux == nil {
		panic("muxmaster: the Mux was not made by New; write mux := muxmaster.New(), and for a Group mux.Group(prefix)")
	}
	if m.parent == nil && m != &m.mux.scope {
		panic("muxmaster: the Mux was copied; use the *Mux that muxmaster.New returned")
	}
	if u := m.mux.draft; u != nil && u.done.Load() {
		return u.mux
	}
	return m.mux
}

// add registers a handler for the pattern head+prefix+path. If root is set and s
// has a prefix, path is the root of a Group.
func (m *scope) add(head, path string, h http.Handler, flags trie.Flags, root bool) error {
	p, err := parse(head+path, flags) // path alone must be valid too
	if path != "" && err != nil {
		return err
	}
	text := head + m.prefix + path
	rt := route{pattern: text, flags: flags}
	if m.prefix != "" {
		if root {
			rt.pattern, rt.root = head+m.prefix, bareSlash
		}
		if p, err = parse(text, flags); err != nil {
			return err
		}
	}
	rt.parsed = p
	return m.register(h, site(2), rt)
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
// error. Each has its pattern, parsed, flags and root. It calls middleware without
// holding a lock, because middleware may register or list routes.
func (m *scope) register(h http.Handler, site uintptr, list ...route) error {
	text := list[0].pattern
	if isNil(h) {
		return fmt.Errorf("muxmaster: pattern %q: the handler is nil", text)
	}
	mux := m.live()
	t := mux.lock()
	chain := mux.chain(m.level)
	t.mu.Unlock()
	handler, err := chain.wrap(h, text)
	if err != nil {
		return err
	}
	var routes []*route
	order := registrations.Add(1)
	for _, rt := range list {
		rt.level, rt.site, rt.order, rt.handler, rt.original = m.level, site, order, handler, h
		methods := rt.parsed.Methods
		if methods == nil {
			methods = anyMethod
		}
		for _, rt.method = range methods {
			r := rt
			r.key = trie.ShapeKey(r.parsed, r.method)
			routes = append(routes, &r)
		}
	}
	return mux.change(func(st *stage) error {
		if mux.chain(m.level).count() != chain.count() {
			return fmt.Errorf("muxmaster: pattern %q: middleware was added to its scope while it was registered", text)
		}
		return st.addRoutes(mux, routes)
	})
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
		r.parsed, r.key = p, trie.ShapeKey(p, r.method)
	}
	return err
}

// byOrder compares routes by the order of their registration.
func byOrder(a, b *route) int {
	return cmp.Or(int(int32(a.order-b.order)), strings.Compare(a.key, b.key))
}

// A routeSet is a set of routes that don't conflict.
type routeSet struct {
	shapes trie.Shapes[*route]
	names  map[string]*route
}

func newRouteSet() *routeSet { return &routeSet{names: map[string]*route{}} }

func (s *routeSet) clone() *routeSet { return &routeSet{s.shapes.Clone(), maps.Clone(s.names)} }

func (s *routeSet) add(routes []*route) {
	for _, r := range routes {
		s.shapes.Add(r.key, r.method, r)
		if name := r.level.routeName(); name != "" {
			s.names[name] = r
		}
	}
}

func (s *routeSet) remove(gone map[*route]bool) {
	for r := range gone {
		s.shapes.Remove(r.key)
		if name := r.level.routeName(); s.names[name] == r {
			delete(s.names, name)
		}
	}
}

// check returns an error if one of the routes conflicts with a route of the set
// that isn't gone.
func (s *routeSet) check(routes []*route, gone map[*route]bool) error {
	var few [4]string
	methods := few[:0]
	for _, r := range routes {
		if q, ok := s.shapes.Find(r.key); ok && !gone[q] {
			return fmt.Errorf("muxmaster: %s conflicts with %s: they match the same requests", r.registered(), q.registered())
		}
		name := r.level.routeName()
		if q := s.names[name]; name != "" && q != nil && !gone[q] && q.order != r.order {
			return fmt.Errorf("muxmaster: %s has the name %q of %s", r.registered(), name, q.registered())
		}
		methods = append(methods, r.method)
	}
	if err := s.shapes.Room(methods); err != nil {
		return fmt.Errorf("muxmaster: pattern %q: %w", routes[0].pattern, err)
	}
	return nil
}

// registered says what was registered where.
func (r *route) registered() string {
	file, line := location(r.site)
	return fmt.Sprintf("pattern %q (registered at %s:%d)", r.pattern, file, line)
}
