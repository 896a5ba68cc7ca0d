package muxmaster

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes what is declared on a Mux, and on those that it is mounted
// on: everything is checked first, and takes effect together.

// declared is what is registered on a Mux. Guarded by the lock of the tree.
type declared struct {
	self       *Mux
	middleware                 // of the Mux's own level
	first      *registration   // nil if there is none
	routes     []*route        // including those of mounted Muxes
	levels     []*level        // those that respond to unmatched requests, likewise, but the Mux's own
	removed    map[*route]bool // routes of these that were removed, see all
	claims     *claims         // of the routes; nil if unknown
	fields     *fields         // of the Mux when a program that serves was compiled first; nil before
	pre        []func(http.Handler) http.Handler
	preStamp   uint32 // changes with pre
}

// all returns the routes without those that were removed.
func (d *declared) all() []*route {
	if len(d.removed) > 0 {
		d.routes = slices.DeleteFunc(slices.Clone(d.routes), func(r *route) bool { return d.removed[r] })
		d.removed = nil
	}
	return d.routes
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

// claimed returns the claims of the routes.
func (d *declared) claimed() *claims {
	if d.claims == nil {
		d.claims = newClaims(d.all())
	}
	return d.claims
}

// A stage is a change of what is declared, on a Mux and on those that it is
// mounted on. It takes effect when everything has been checked.
type stage []*staged

// A staged is what a Mux will have.
type staged struct {
	declared
	new []*route // of the routes
}

// change calls f with an empty stage and, unless f returns an error, applies the
// stage. It holds the lock of the tree.
func (m *Mux) change(f func(st *stage) error) error {
	t := m.lock()
	defer t.mu.Unlock()
	var st stage
	if err := f(&st); err != nil {
		st.drop()
		return err
	}
	st.apply()
	return nil
}

// of returns what m will have.
func (st *stage) of(m *Mux) *staged {
	for _, d := range *st {
		if d.self == m {
			return d
		}
	}
	m.recall()
	d := &staged{declared: m.declared}
	m.claims = nil // they are d's
	*st = append(*st, d)
	for _, mnt := range m.mounted {
		st.of(mnt.on.live())
	}
	return d
}

// has returns what m has, or will have.
func (st *stage) has(m *Mux) *declared {
	for _, d := range *st {
		if d.self == m {
			return &d.declared
		}
	}
	return &m.declared
}

// addRoutes adds routes to m, and to the Muxes that m is mounted on.
func (st *stage) addRoutes(m *Mux, routes []*route) error {
	d := st.of(m)
	if err := d.claimed().check(routes); err != nil {
		return err
	}
	d.claims.add(routes)
	d.routes, d.new = append(d.routes, routes...), append(d.new, routes...)
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
	d := st.of(m)
	if d.removed == nil {
		d.removed = map[*route]bool{}
	}
	for r := range gone {
		d.removed[r] = true
		if d.claims != nil {
			d.claims.remove(r)
		}
	}
	for _, mnt := range m.mounted {
		outer := map[*route]bool{}
		for _, x := range st.of(mnt.on.live()).routes {
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
		d.self.declared = d.declared
		d.self.invalidate()
	}
}

// drop drops the stage.
func (st *stage) drop() {
	for _, d := range *st {
		if len(d.new) == 0 && len(d.removed) == 0 { // else the claims have changed
			d.self.claims = d.claims
		}
	}
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

func (c *claims) remove(r *route) {
	if q, _ := c.shapes.Find(r.key); q == r {
		c.shapes.Remove(r.key)
	}
	if name := r.level.routeName(); c.names[name] == r {
		delete(c.names, name)
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
