package muxmaster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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
