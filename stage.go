package muxmaster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes what is declared on a Mux, and on those that it is mounted
// on: everything is checked first, and takes effect together.

// A stage is a change of what is declared, on a Mux and on those that it is
// mounted on. Everything is checked first, and then takes effect together.
type stage []*staged

// A staged is what a Mux will have.
type staged struct {
	*declared
	new  []*route        // will be added to the routes of declared
	gone map[*route]bool // will be removed from them
}

// change calls f with an empty stage and, unless f returns an error, applies the
// stage. It holds the lock of the tree.
func (m *Mux) change(f func(st *stage) error) error {
	defer m.lock().mu.Unlock()
	var st stage
	if err := f(&st); err != nil {
		return err
	}
	st.apply()
	return nil
}

// has returns what m will have.
func (st *stage) has(m *Mux) *staged {
	for _, d := range *st {
		if d.self == m {
			return d
		}
	}
	m.recall()
	return &staged{declared: &m.declared}
}

// of adds m and the Muxes that it is mounted on to the stage, and returns what m
// will have.
func (st *stage) of(m *Mux) *staged {
	d := st.has(m)
	if !slices.Contains(*st, d) {
		own := m.declared
		d.declared, d.gone = &own, map[*route]bool{}
		*st = append(*st, d)
		for _, mnt := range m.mounted {
			st.of(mnt.on.live())
		}
	}
	return d
}

// addRoutes adds routes to m, and to the Muxes that m is mounted on.
func (st *stage) addRoutes(m *Mux, routes []*route) error {
	d := st.of(m)
	if len(d.new) > 0 { // a Mux is mounted twice on m
		earlier := newRouteSet()
		earlier.add(d.new)
		if err := earlier.check(routes, nil); err != nil {
			return err
		}
	}
	if err := d.routes.check(routes, d.gone); err != nil {
		return err
	}
	d.new = append(d.new, routes...)
	for _, mnt := range m.mounted {
		outer, err := mnt.expand(routes)
		if err == nil {
			err = st.addRoutes(mnt.on.live(), outer)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addLevel adds a level to m, and to the Muxes that m is mounted on.
func (st *stage) addLevel(m *Mux, l *level) error {
	p, err := parsePrefix(l.prefix)
	if err == nil && l.owns && p.Multi() >= 0 { // which of several values would own the path?
		err = errors.New("the prefix of Route, or of a mounted Mux, cannot have a catch-all; use Group")
	}
	if err != nil {
		return fmt.Errorf("muxmaster: prefix %q: %w", l.prefix, err)
	}
	d := st.of(m)
	d.levels = append(d.levels, l)
	for _, mnt := range m.mounted {
		if err := st.addLevel(mnt.on.live(), mnt.lift(l)); err != nil {
			return err
		}
	}
	return nil
}

// remove removes routes from m, and from the Muxes that m is mounted on.
func (st *stage) remove(m *Mux, gone map[*route]bool) {
	maps.Copy(st.of(m).gone, gone)
	for _, mnt := range m.mounted {
		outer := map[*route]bool{}
		for x := range st.of(mnt.on.live()).routes.shapes.All() {
			if x.mount == mnt && gone[x.inner] {
				outer[x] = true
			}
		}
		st.remove(mnt.on.live(), outer)
	}
}

// apply applies the stage. The caller holds the lock.
func (st *stage) apply() {
	for _, d := range *st {
		for _, r := range d.new {
			for l := r.level; l != nil; l = l.parent {
				first := &l.first
				if l.parent == nil {
					first = &d.first
				}
				if *first == nil {
					*first = &registration{r.pattern, r.site}
				}
			}
		}
		d.routes.remove(d.gone)
		d.routes.add(d.new)
		if u := d.self.draft; u != nil {
			u.record(d)
		}
		d.self.declared = *d.declared
		d.self.invalidate()
	}
}

// record records what a stage changes.
func (d *draft) record(s *staged) {
	for r := range s.gone {
		if !d.added[r] {
			d.removed = append(d.removed, r.key)
		}
		delete(d.added, r)
	}
	for _, r := range s.new {
		d.added[r] = true
	}
}

// list returns the routes that d will have, in the order of their registration.
func (d *staged) list() []*route {
	list := slices.Clone(d.new)
	for r := range d.routes.shapes.All() {
		if !d.gone[r] {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, byOrder)
	return list
}

// invalidate makes the next request compile again. The caller holds the lock.
func (m *Mux) invalidate() {
	m.version++
	m.program.Store(nil)
}

// origin returns the Mux of the Update that passes m, or else m.
func (m *Mux) origin() *Mux {
	if m.draft != nil {
		return m.draft.mux
	}
	return m
}

// instead returns m if an Update passes m instead of other, or else other.
func (m *Mux) instead(other *Mux) *Mux {
	if other == m.origin() {
		return m
	}
	return other
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

// recall restores the declared routes of m, if publish has discarded them. The
// caller holds the lock.
func (m *Mux) recall() {
	p := m.compiled
	if p == nil {
		return
	}
	m.compiled = nil
	m.routes = newRouteSet()
	for _, rt := range p.table.All() {
		if rt.Flags&trie.Implied == 0 {
			r := p.placed(rt).route
			must(r.parse()) // it was parsed before
			m.routes.add([]*route{r})
		}
	}
}

// A placed is a route and its zone.
type placed struct {
	*route
	zone *zone
}

// placed returns the route that was compiled into rt.
func (p *program) placed(rt *trie.Route[endpoint]) placed {
	e := &rt.Payload
	z := p.zones[e.zone]
	r := &route{pattern: rt.Pattern, method: p.table.MethodName(rt.Method), level: z.level, site: e.site, order: e.order, flags: rt.Flags & trie.Verb, handler: e.handler}
	if rt.Flags&trie.Root != 0 {
		r.root = bareSlash
	}
	if f, ok := e.handler.(*fastRoute); ok {
		r.handler = f.handler
	}
	if r.original = p.originals[e.order]; r.original == nil {
		r.original = r.handler
	}
	return placed{r, z}
}
