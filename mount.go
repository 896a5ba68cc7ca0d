package muxmaster

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// A mount is a Mux mounted in a scope of another Mux.
type mount struct {
	mux    *Mux // the other Mux
	level  *level
	prefix string                            // includes the prefix of the level
	sub    *Mux                              // the mounted Mux
	pre    []func(http.Handler) http.Handler // of sub; it gets no more when it is mounted

	// routes holds the routes of sub as the other Mux has them. Guarded by the
	// lock of the tree.
	routes map[*route]*route
	// wrapping guards the handlers of these routes.
	wrapping sync.Mutex
}

// A tree is a set of Muxes connected by mounts. One lock guards what is
// declared on all of them, because registering a route on a mounted Mux changes
// several.
type tree struct {
	mu      sync.Mutex
	members []*Mux
	number  uint32 // of two trees, the one with the lower number is locked first
	version int    // counts changes of what is declared
}

// lock locks the tree of m and returns it. Only this method and lockBoth lock a
// tree.
func (m *Mux) lock() *tree {
	for {
		t := m.tree.Load()
		t.mu.Lock()
		if m.tree.Load() == t { // else it was joined to another tree
			return t
		}
		t.mu.Unlock()
	}
}

// lockBoth joins the trees of two Muxes, and locks the result.
func lockBoth(a, b *Mux) *tree {
	for {
		s, t := a.tree.Load(), b.tree.Load()
		if s == t {
			if locked := a.lock(); b.tree.Load() == locked {
				return locked
			} else {
				locked.mu.Unlock()
			}
			continue
		}
		if s.number > t.number {
			s, t = t, s
		}
		s.mu.Lock()
		t.mu.Lock()
		for _, m := range t.members {
			m.tree.Store(s)
		}
		joined := len(t.members) > 0 && len(s.members) > 0
		s.members, t.members = append(s.members, t.members...), nil
		t.mu.Unlock()
		if joined {
			return s
		}
		s.mu.Unlock()
	}
}

// Mount registers h for prefix and everything below it, for every method.
// Routes with a more specific pattern take precedence. h serves the prefix
// itself without a redirect, and it sees the unchanged path; use
// [http.StripPrefix] to remove the prefix.
//
// If h is a *Mux, its routes become routes of this Mux under the prefix,
// including those registered later. They are as fast as other routes, and their
// handlers also see the path values of the prefix. The mounted Mux also
// responds to all other requests at or below the prefix, inside its middleware,
// with its 404, 405, OPTIONS and redirect responses; a catch-all route of this
// Mux never gets them. Path values are pooled only if both Muxes enable it.
//
// Mount panics if prefix is not a valid path, h is nil or a *Group, or a route
// conflicts.
func (s *scope) Mount(prefix string, h http.Handler) {
	s.requireNew()
	if isNil(h) {
		panic(fmt.Sprintf("muxmaster: Mount %q: the handler is nil", prefix))
	}
	if prefix == "" || prefix[0] != '/' {
		panic(fmt.Sprintf("muxmaster: Mount %q: the prefix must begin with /", prefix))
	}
	full := s.join(prefix)
	switch h := h.(type) {
	case *Group:
		h.requireNew()
		panic(fmt.Sprintf("muxmaster: Mount %q: a Group cannot be mounted, because its routes belong to its Mux; mount a Mux made by New", prefix))
	case *Mux:
		must(s.mount(full, h))
	default:
		s.handleAll(h, 0, full, full+"/")
	}
}

// handleAll registers h for all of the patterns, or panics. It ignores patterns
// without a path, because the root has no form without a slash. Only Mount and
// ServeSPA may call it, because it records the location of their caller.
func (s *scope) handleAll(h http.Handler, flags trie.Flags, texts ...string) {
	var list []parsed
	for _, text := range texts {
		if !strings.Contains(text, "/") {
			continue
		}
		p, err := parse(text, flags)
		must(err)
		list = append(list, parsed{p, route{pattern: text, flags: flags}})
	}
	must(s.register(h, site(1), list...))
}

// mount adds the routes of sub to the scope's Mux.
func (s *scope) mount(prefix string, sub *Mux) error {
	sub.requireNew()
	m := s.mux.live()
	sub = sub.live()
	t := lockBoth(m, sub)
	defer t.mu.Unlock()
	mnt := &mount{mux: m, level: s.level, prefix: prefix, sub: sub, pre: sub.pre, routes: map[*route]*route{}}
	if sub.contains(m.origin()) || sub.contains(m) {
		return fmt.Errorf("muxmaster: Mount %q: a Mux cannot be mounted within itself", prefix)
	}
	for _, l := range sub.everyLevel("", nil) {
		if err := m.checkPrefix(prefix + l); err != nil {
			return err
		}
	}
	var routes []*route
	for _, r := range sub.everyRoute() {
		x, err := mnt.expand(r)
		if err != nil {
			return err
		}
		routes = append(routes, x)
	}
	if err := m.admit(routes); err != nil {
		return err
	}
	m.mounts = append(m.mounts, mnt)
	if m.draftOf == nil { // else Update does it when it succeeds
		sub.mounted = append(sub.mounted, mnt)
	}
	m.invalidate()
	return nil
}

// contains reports whether m is other or other is mounted on it, directly or
// indirectly.
func (m *Mux) contains(other *Mux) bool {
	return m == other || slices.ContainsFunc(m.mounts, func(mnt *mount) bool { return mnt.sub.contains(other) })
}

// everyLevel appends to list the prefixes of the levels that respond to
// unmatched requests, including those of mounted Muxes.
func (m *Mux) everyLevel(prefix string, list []string) []string {
	list = append(list, prefix)
	for _, l := range m.answering {
		list = append(list, prefix+l.prefix)
	}
	for _, mnt := range m.mounts {
		list = mnt.sub.everyLevel(prefix+mnt.prefix, list)
	}
	return list
}

// everyRoute returns the routes of m, including those of mounted Muxes, in the
// order of their registration.
func (m *Mux) everyRoute() []*route {
	m.recall()
	all := slices.Clip(m.routes)
	if len(m.removed) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(r *route) bool { return m.removed[r] })
	}
	for _, mnt := range m.mounts {
		for _, r := range mnt.sub.everyRoute() {
			if x := mnt.routes[r]; !m.removed[x] {
				all = append(all, x)
			}
		}
	}
	if len(m.mounts) > 0 {
		slices.SortStableFunc(all, byOrder)
	}
	return all
}

// expand returns a route of mnt.sub as the Mux that it is mounted on has it.
func (mnt *mount) expand(r *route) (*route, error) {
	if x := mnt.routes[r]; x != nil {
		return x, nil
	}
	x := &route{method: r.method, level: r.level, site: r.site, order: r.order, flags: r.flags, root: r.root, original: r.original, changed: r.changed, inner: r, mount: mnt}
	i := strings.IndexByte(r.pattern, '/')
	head, path := r.pattern[:i], r.pattern[i:]
	x.pattern = head + mnt.prefix + path
	if mnt.prefix != "" && r.root == notBare {
		must(r.parse()) // it was parsed before
		switch p := r.parsed; {
		case len(p.Segs) > 0:
		case p.End == pattern.Slash: // the root of sub is the prefix
			x.pattern, x.root = head+mnt.prefix, bareSlash
		case p.Rest == "":
			x.root = bareAll
		}
	}
	if err := x.parse(); err != nil {
		return nil, err
	}
	return x, x.checkMiddleware()
}

// around calls visit with each level around the route, the innermost first, and
// with the mounted Mux whose own level it is, if it is one.
func (r *route) around(visit func(l *level, sub *Mux)) {
	from, to := r.level, (*Mux)(nil)
	if r.inner != nil {
		r.inner.around(func(l *level, sub *Mux) {
			if to = sub; sub == nil && l.parent == nil {
				to = r.mount.sub
			}
			visit(l, to)
		})
		from = r.mount.level
	}
	for l := from; l != nil; l = l.parent {
		visit(l, nil)
	}
}

// checkMiddleware returns an error if middleware of the Muxes around a mounted
// route cannot wrap its handler.
func (r *route) checkMiddleware() error {
	h := r.original
	_, fast := h.(fastHandler)
	var err error
	r.around(func(l *level, sub *Mux) {
		c := chain{count: 1}
		if len(l.use) > 0 && fast {
			c.use = append(c.use, l.use)
		}
		if len(l.fast) > 0 && !fast {
			c.fast = append(c.fast, l.fast)
		}
		if err == nil && len(c.use)+len(c.fast) > 0 {
			_, err = wrapIn(c, h, r.pattern)
		}
		if sub != nil && len(sub.pre) > 0 {
			fast, h = false, http.NotFoundHandler() // Pre middleware calls its ServeHTTP
		}
	})
	return err
}

// wrapped returns the handler of r in all its middleware. For a mounted route,
// the first call puts the middleware of the Muxes around the mount around it.
func (r *route) wrapped() (http.Handler, error) {
	if r.inner == nil {
		return r.handler, nil
	}
	r.mount.wrapping.Lock()
	defer r.mount.wrapping.Unlock()
	if r.handler != nil {
		return r.handler, nil
	}
	h, err := r.inner.wrapped()
	if err != nil {
		return nil, err
	}
	if pre := r.mount.pre; len(pre) > 0 {
		if h, err = wrapAll("Pre", pre, h); err != nil {
			return nil, err
		}
	}
	if h, err = wrapIn(r.mount.level.chain(), h, r.pattern); err == nil {
		r.handler = h
	}
	return h, err
}
