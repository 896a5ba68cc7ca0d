package muxmaster

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes a Mux that serves requests, all at once. Update works on a
// draft: another Mux with what is declared on the first one. The draft's routes
// take the place of the first one's when they have been compiled.

// Update changes the routes of a Mux that serves requests, all at once or not at
// all. It calls fn with a Mux that has the routes and fields of m. fn registers,
// mounts and removes routes on it, and sets its fields. If fn returns nil, the
// routes are compiled in the calling goroutine, and serve the requests that
// start afterwards. If fn returns an error or panics, or routes conflict, nothing
// has changed, and Update returns the error or passes on the panic.
//
// Requests never wait for Update. Updates of the same Mux run one after the
// other, and Update inside fn is an error. What fn does to m itself, or to
// Groups made from m before, does not belong to the Update and takes effect at
// once.
//
// The Mux that fn gets, and its Groups, stand for m once Update has returned nil.
func (m *Mux) Update(fn func(m *Mux) error) error {
	if fn == nil {
		return errors.New("muxmaster: Update: the function is nil")
	}
	m = m.live()
	if m.draftOf != nil || !m.startUpdate() {
		return errors.New("muxmaster: Update inside another Update; change the Mux that the outer one passes")
	}
	defer m.endUpdate()
	d := m.draft()
	defer d.end()
	if err := fn(d); err != nil {
		return err
	}
	return d.commit()
}

// startUpdate waits until no other Update of m runs. It returns false if the
// current goroutine is in one.
func (m *Mux) startUpdate() bool {
	caller := goroutine()
	if m.updater.Load() == caller {
		return false
	}
	m.updating.Lock()
	m.updater.Store(caller)
	return true
}

func (m *Mux) endUpdate() {
	m.updater.Store("")
	m.updating.Unlock()
}

// goroutine returns the name of the current goroutine in stack traces.
func goroutine() string {
	var b [32]byte
	name, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), " [")
	return name
}

// origin returns the Mux that m is a draft of, or m itself.
func (m *Mux) origin() *Mux { return cmp.Or(m.draftOf, m) }

// draft returns a new draft of m.
func (m *Mux) draft() *Mux {
	defer m.lock().mu.Unlock()
	m.recall()
	m.all()
	m.drafting = true
	base := m.declared
	d := &Mux{owner: m.owner, draftOf: m, base: &base, declared: base}
	d.scope = scope{d, m.level}
	d.setFields(m.readFields())
	d.self = d
	d.routes, d.levels, d.claims, d.fields = slices.Clip(d.routes), slices.Clip(d.levels), nil, nil
	return d
}

// end ends the Update that made d.
func (d *Mux) end() {
	defer d.lock().mu.Unlock()
	d.draftOf.drafting = false
	for _, l := range d.levels {
		if l.mux != nil && !d.done.Load() {
			l.mux.mounted = slices.DeleteFunc(l.mux.mounted, func(mnt *mount) bool { return mnt.on == d })
		}
	}
	d.declared, d.base = declared{self: d}, nil
	d.program.Store(nil)
	d.fast.Store(nil)
}

// commit compiles what the Mux of d and those that it is mounted on will have,
// and then replaces what they have.
func (d *Mux) commit() error {
	m := d.draftOf
	t := m.lock()
	st, err := d.changes()
	version := d.version
	var compilers []*compiler
	versions := map[*Mux]int{} // of all Muxes of the stage: not all are compiled
	for _, s := range st {
		versions[s.self] = s.self.version
		if err == nil && (s.self == m || s.self.program.Load() != nil) {
			compilers = append(compilers, newCompiler(s.self, st.has, true))
		}
	}
	t.mu.Unlock()
	if err != nil {
		return err
	}
	programs := make([]*program, len(compilers))
	for i, c := range compilers {
		if programs[i], err = c.compile(); err != nil {
			return err
		}
	}
	defer m.lock().mu.Unlock()
	late := d.version != version || slices.ContainsFunc(st, func(s *staged) bool { return s.self.version != versions[s.self] })
	if late { // something was declared meanwhile; for d, on a Mux that was mounted on it
		if st, err = d.changes(); err != nil {
			return err
		}
	}
	st.apply()
	m.setFields(d.readFields())
	m.drafting = false
	d.done.Store(true)
	for i, c := range compilers {
		if !late {
			c.version = c.mux.version
			c.publish(programs[i])
		}
	}
	return nil
}

// changes returns what d changes on its Mux. The caller holds the lock.
func (d *Mux) changes() (st stage, err error) {
	m := d.draftOf
	s := st.of(m)
	gone := map[*route]bool{}
	for _, r := range d.base.routes {
		gone[r] = true
	}
	var added []*route
	for _, r := range d.all() {
		if !gone[r] {
			added = append(added, r)
		}
		delete(gone, r)
	}
	for _, s := range st {
		// Copy when the stage changes: remove must not change what the Muxes have,
		// and stages of other Updates append to the same slices.
		s.routes, s.levels = slices.Clip(s.all()), slices.Clip(s.levels)
	}
	st.remove(m, gone)
	for _, l := range d.levels[len(d.base.levels):] {
		if err := st.addLevel(m, l); err != nil {
			return nil, err
		}
	}
	if err := st.addRoutes(m, added); err != nil {
		return nil, err
	}
	if d.stamp != d.base.stamp {
		if d.base.first != m.first {
			return nil, fmt.Errorf("muxmaster: Update: Use, while the route %q was registered: it would bypass the middleware", m.first.pattern)
		}
		s.middleware = d.middleware
	}
	if d.preStamp != d.base.preStamp {
		s.pre, s.preStamp = slices.Concat(s.pre, d.pre[len(d.base.pre):]), d.preStamp
	}
	s.fields = d.readFields()
	return st, nil
}

// Remove removes a route. pattern is its text as Routes lists it, with the method
// in front:
//
//	mux.Remove("GET /users/:id")
//
// Each method of a list is a route of its own. A route of a mounted Mux is
// removed from this Mux only; pattern has its whole path. If there is no such
// route, the error says what there is instead. Removing and registering a
// pattern in one [Mux.Update] replaces its handler.
func (m *Mux) Remove(pattern string) error {
	m = m.live()
	if m.draftOf == nil {
		if !m.startUpdate() {
			return fmt.Errorf("muxmaster: Remove %q: an Update is running; remove the route from the Mux that it passes", pattern)
		}
		defer m.endUpdate()
	}
	return m.change(func(st *stage) error {
		r := st.of(m).claimed().listed(pattern)
		if r == nil {
			return fmt.Errorf("muxmaster: Remove %q: %s", pattern, insteadOf(pattern, m.all()))
		}
		st.remove(m, map[*route]bool{r: true})
		return nil
	})
}

// listed returns the route that Routes lists by a text, or nil.
func (c *claims) listed(text string) *route {
	for _, end := range []string{"", "/{$}"} {
		for _, flags := range []trie.Flags{0, trie.Verb} {
			p, err := parse(text+end, flags)
			if err != nil || len(p.Methods) > 1 {
				continue
			}
			method := strings.Join(p.Methods, "")
			if r, ok := c.shapes.Find(trie.ShapeKey(p, method)); ok && r.listed() == text {
				return r
			}
		}
	}
	return nil
}

// listed returns the text that Remove takes: the method, the host and the path.
func (r *route) listed() string {
	i := strings.IndexByte(r.pattern, '/')
	host := r.pattern[strings.LastIndexAny(r.pattern[:i], " \t")+1:]
	if r.method == "" {
		return host
	}
	return r.method + " " + host
}

// insteadOf says which routes are similar to one that doesn't exist.
func insteadOf(text string, all []*route) string {
	p, err := parse(text, 0)
	if err != nil {
		return strings.TrimPrefix(err.Error(), "muxmaster: ")
	}
	if len(p.Methods) > 1 {
		return "the methods of a list are routes of their own; remove one at a time"
	}
	verb, err := parse(text, trie.Verb)
	var similar []string
	for _, r := range all {
		must(r.parse()) // it was parsed before
		if shape := r.parsed.Shape(); shape == p.Shape() || err == nil && shape == verb.Shape() {
			similar = append(similar, fmt.Sprintf("%q", r.listed()))
		}
	}
	if len(similar) == 0 {
		return "there is no such route"
	}
	return "there is no such route, but " + strings.Join(similar, ", ")
}
