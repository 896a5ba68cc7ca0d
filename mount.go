package muxmaster

import (
	"cmp"
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
	on       *Mux                              // the other Mux
	level    *level                            // of the mounted Mux, on the other one
	levels   map[*level]*level                 // those of the mounted Mux, as the other one has them
	pre      []func(http.Handler) http.Handler // of the mounted Mux; it gets no more
	wrapping sync.Mutex                        // guards the handlers of the routes
}

// A tree is a set of Muxes connected by mounts. One lock guards what is
// declared on all of them, because registering a route on a mounted Mux changes
// several.
type tree struct {
	mu      sync.Mutex
	members []*Mux // nil if it was joined to another tree
	number  uint32 // of two trees, the one with the lower number is locked first
}

// lock locks the tree of m and returns it.
func (m *Mux) lock() *tree { return lockBoth(m, m) }

// lockBoth joins the trees of two Muxes, and locks the result.
func lockBoth(a, b *Mux) *tree {
	for {
		s, t := a.origin().tree.Load(), b.origin().tree.Load()
		if s.number > t.number {
			s, t = t, s
		}
		s.mu.Lock()
		if s != t {
			t.mu.Lock()
			if s.members != nil {
				for _, m := range t.members {
					m.tree.Store(s)
				}
				s.members, t.members = append(s.members, t.members...), nil
			}
			t.mu.Unlock()
		}
		if a.origin().tree.Load() == s && b.origin().tree.Load() == s {
			return s
		}
		s.mu.Unlock() // one of them was joined to another tree
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
func (m *scope) Mount(prefix string, h http.Handler) {
	if isNil(h) {
		panic(fmt.Sprintf("muxmaster: Mount %q: the handler is nil", prefix))
	}
	if prefix == "" || prefix[0] != '/' {
		panic(fmt.Sprintf("muxmaster: Mount %q: the prefix must begin with /", prefix))
	}
	full := m.join(prefix)
	switch h := h.(type) {
	case *Group:
		h.live()
		panic(fmt.Sprintf("muxmaster: Mount %q: a Group cannot be mounted, because its routes belong to its Mux; mount a Mux made by New", prefix))
	case *Mux:
		must(m.mount(full, h))
	default:
		m.handleAll(h, 0, full, full+"/")
	}
}

// handleAll registers h for all of the patterns, or panics. It ignores patterns
// without a path, because the root has no form without a slash. Only Mount and
// ServeSPA may call it, because it records the location of their caller.
func (m *scope) handleAll(h http.Handler, flags trie.Flags, texts ...string) {
	var list []route
	for _, text := range texts {
		if !strings.Contains(text, "/") {
			continue
		}
		p, err := parse(text, flags)
		must(err)
		list = append(list, route{pattern: text, flags: flags, parsed: p})
	}
	must(m.register(h, site(1), list...))
}

// mount adds the levels and routes of sub to the Mux of s.
func (m *scope) mount(prefix string, sub *Mux) error {
	mux, sub := m.live(), sub.live()
	lockBoth(mux, sub).mu.Unlock() // from now on they have one tree
	return mux.change(func(st *stage) error {
		if sub == mux || sub == mux.origin() || slices.ContainsFunc(sub.levels, func(l *level) bool { return l.mux == mux.origin() }) {
			return fmt.Errorf("muxmaster: Mount %q: a Mux cannot be mounted within itself", prefix)
		}
		mnt := &mount{on: mux, pre: sub.pre, level: &level{parent: m.level, mux: sub, prefix: prefix, owns: true}}
		mnt.levels = map[*level]*level{sub.level: mnt.level}
		err := st.addLevel(mux, mnt.level)
		for _, l := range sub.levels {
			if err == nil {
				err = st.addLevel(mux, mnt.lift(l))
			}
		}
		if err != nil {
			return err
		}
		routes, err := mnt.expand(st.has(sub).list())
		if err == nil {
			err = st.addRoutes(mux, routes)
		}
		if err == nil {
			sub.mounted = append(sub.mounted, mnt)
		}
		return err
	})
}

// lift returns a level of the mounted Mux as the other Mux has it.
func (mnt *mount) lift(l *level) *level {
	if x := mnt.levels[l]; x != nil {
		return x
	}
	x := new(level)
	*x = *l
	x.parent, x.prefix, x.of = mnt.lift(l.parent), mnt.level.prefix+l.prefix, cmp.Or(l.of, l)
	mnt.levels[l] = x
	return x
}

// expand returns routes of the mounted Mux as the other Mux has them.
func (mnt *mount) expand(routes []*route) (list []*route, err error) {
	for _, r := range routes {
		x := *r
		x.level, x.handler, x.inner, x.mount, x.parsed = mnt.lift(r.level), nil, r, mnt, nil
		i := strings.IndexByte(r.pattern, '/')
		head, path := r.pattern[:i], r.pattern[i:]
		x.pattern = head + mnt.level.prefix + path
		if mnt.level.prefix != "" && r.root == notBare {
			must(r.parse()) // it was parsed before
			switch p := r.parsed; {
			case len(p.Segs) > 0:
			case p.End == pattern.Slash: // the root of the mounted Mux is the prefix
				x.pattern, x.root = head+mnt.level.prefix, bareSlash
			case p.Rest == "":
				x.root = bareAll
			}
		}
		if err = x.parse(); err != nil {
			return nil, err
		}
		x.plain = r.plain || len(mnt.pre) > 0 // Pre middleware calls ServeHTTP
		_, fast := x.original.(fastHandler)
		if err = mnt.on.live().chain(mnt.level.parent).check(fast && !x.plain, x.pattern); err != nil {
			return nil, err
		}
		list = append(list, &x)
	}
	return list, nil
}

// wrapped returns the handler of r in the middleware of its Mux, and the zone of
// that Mux. z is the zone of r. For a mounted route, the first call puts the
// middleware around the mount around the handler.
func (r *route) wrapped(z *zone) (h http.Handler, root *zone, err error) {
	if r.inner == nil {
		for z.level.mux == nil {
			z = z.outer
		}
		return r.handler, z, nil
	}
	if h, z, err = r.inner.wrapped(z); err != nil {
		return nil, nil, err
	}
	pre, c := z.pre, chain(nil)
	for ok := true; ok; ok = z.level.mux == nil {
		z = z.outer
		c = append(c, z.middleware)
	}
	r.mount.wrapping.Lock()
	defer r.mount.wrapping.Unlock()
	if r.handler == nil {
		if len(pre) > 0 {
			if h, err = wrapAll(pre, h, false); err != nil {
				return nil, nil, fmt.Errorf("muxmaster: pattern %q: %w", r.pattern, err)
			}
		}
		if h, err = c.wrap(h, r.pattern); err != nil {
			return nil, nil, err
		}
		r.handler = h
	}
	return r.handler, z, nil
}
