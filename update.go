package muxmaster

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes a Mux that serves requests, all at once. Update passes
// another Mux, a draft, which begins with what is declared on the first one. What
// the draft records is then staged on the first Mux, compiled, and applied.

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
	caller := goroutine()
	if m.draft != nil || m.updater.Load() == caller {
		return errors.New("muxmaster: Update inside another Update; change the Mux that the outer one passes")
	}
	m.updating.Lock()
	defer m.updating.Unlock()
	m.updater.Store(caller)
	defer m.updater.Store("")
	d := m.newDraft()
	defer d.end()
	if err := fn(d.self); err != nil {
		return err
	}
	return d.commit()
}

// goroutine returns the name of the current goroutine. Without it, an Update
// inside another one would wait for itself.
func goroutine() string {
	var b [32]byte
	name, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), " [")
	return name
}

// newDraft returns a draft for an Update of m.
func (m *Mux) newDraft() *draft {
	defer m.lock().mu.Unlock()
	m.recall()
	d := &draft{mux: m, base: m.declared, added: map[*route]bool{}}
	d.self = &Mux{owner: m.owner, draft: d, declared: d.base}
	d.self.scope = scope{d.self, m.level}
	d.self.setFields(m.readFields())
	d.self.self, d.self.fields = d.self, nil
	d.self.routes, d.self.levels = m.routes.clone(), slices.Clip(m.levels)
	return d
}

// end ends the Update.
func (d *draft) end() {
	defer d.mux.lock().mu.Unlock()
	for _, l := range d.self.levels {
		if l.mux != nil && !d.done.Load() {
			l.mux.mounted = slices.DeleteFunc(l.mux.mounted, func(mnt *mount) bool { return mnt.on == d.self })
		}
	}
	d.self.declared, d.base = declared{self: d.self, routes: newRouteSet()}, declared{}
	d.added, d.removed = nil, nil
	d.self.invalidate()
}

// commit compiles what the Mux and those that it is mounted on will have, and
// then replaces what they have.
func (d *draft) commit() error {
	t := d.mux.lock()
	st, err := d.stage()
	version := st.version() + d.self.version
	var compilers []*compiler
	for _, s := range st {
		if err == nil && (s.self == d.mux || s.self.serving() != nil) {
			compilers = append(compilers, newCompiler(s.self, st, true))
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
	defer d.mux.lock().mu.Unlock()
	late := st.version()+d.self.version != version
	if late { // something was declared meanwhile; on d.self, by a Mux that is mounted on it
		if st, err = d.stage(); err != nil {
			return err
		}
	}
	st.apply()
	d.mux.setFields(d.self.readFields())
	d.done.Store(true)
	for i, c := range compilers {
		if !late {
			c.version = c.mux.version
			c.publish(programs[i])
		}
	}
	return nil
}

// version returns a number that grows when the Muxes of the stage are changed.
func (st stage) version() (n int) {
	for _, s := range st {
		n += s.self.version
	}
	return n
}

// stage returns the stage for what d changes. The caller holds the lock.
func (d *draft) stage() (st stage, err error) {
	now := d.self.declared
	s := st.of(d.mux)
	for _, s := range st {
		s.levels = slices.Clip(s.levels) // other stages append to the same slice
	}
	gone := map[*route]bool{}
	for _, key := range d.removed {
		if r, ok := s.routes.shapes.Find(key); ok {
			gone[r] = true
		}
	}
	st.remove(d.mux, gone)
	for _, l := range now.levels[len(d.base.levels):] {
		if err := st.addLevel(d.mux, l); err != nil {
			return nil, err
		}
	}
	if err := st.addRoutes(d.mux, slices.SortedFunc(maps.Keys(d.added), byOrder)); err != nil {
		return nil, err
	}
	if now.stamp != d.base.stamp {
		if s.first != nil {
			return nil, fmt.Errorf("muxmaster: Update: Use, while the route %q was registered: it would bypass the middleware", s.first.pattern)
		}
		s.middleware = now.middleware
	}
	if now.preStamp != d.base.preStamp {
		s.pre, s.preStamp = slices.Concat(s.pre, now.pre[len(d.base.pre):]), now.preStamp
	}
	fields := d.self.readFields()
	s.fields = &fields
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
	return m.change(func(st *stage) error {
		d := st.of(m)
		r := d.routes.listed(pattern)
		if r == nil {
			return fmt.Errorf("muxmaster: Remove %q: %s", pattern, insteadOf(pattern, d.list()))
		}
		st.remove(m, map[*route]bool{r: true})
		return nil
	})
}

// listed returns the route that Routes lists by a text, or nil.
func (s *routeSet) listed(text string) *route {
	for _, end := range []string{"", "/{$}"} {
		for _, flags := range []trie.Flags{0, trie.Verb} {
			p, err := parse(text+end, flags)
			if err != nil || len(p.Methods) > 1 {
				continue
			}
			method := strings.Join(p.Methods, "")
			if r, ok := s.shapes.Find(trie.ShapeKey(p, method)); ok && r.listed() == text {
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
		if shape := r.parsed.Shape(); shape == p.Shape() || err == nil && shape == verb.Shape() {
			similar = append(similar, fmt.Sprintf("%q", r.listed()))
		}
	}
	if len(similar) == 0 {
		return "there is no such route"
	}
	return "there is no such route, but " + strings.Join(similar, ", ")
}
