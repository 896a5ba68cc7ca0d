package muxmaster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes a Mux that serves requests, all at once. Update passes
// another Mux, whose changes go to a draft: copies of what the Muxes have. In the
// end, the draft is compiled and replaces what they have. If they were changed
// meanwhile, the changes of the draft are first repeated on new copies.

// Update changes the routes of a Mux that serves requests, all at once or not at
// all. It calls fn with a Mux that has the routes and fields of m. fn registers,
// mounts and removes routes on it, and sets its fields. If fn returns nil, the
// routes are compiled in the calling goroutine, and serve the requests that
// start afterwards. If fn returns an error or panics, or routes conflict, nothing
// has changed, and Update returns the error or passes on the panic. It also fails
// if Use was called on m itself meanwhile, because routes would bypass the
// middleware.
//
// Requests never wait for Update. Updates of the same Mux run one after the
// other, and Update inside fn is an error. What fn does to m itself, or to
// Groups made from m before, does not belong to the Update and takes effect at
// once.
//
// After Update has returned nil, the Mux that fn got and its Groups refer to m.
func (m *Mux) Update(fn func(m *Mux) error) error {
	if fn == nil {
		return errors.New("muxmaster: Update: the function is nil")
	}
	m = m.live()
	if m.draft != nil || !m.updating.Lock() {
		return errors.New("muxmaster: Update inside another Update; change the Mux that the outer one passes")
	}
	defer m.updating.Unlock()
	m.updating.Claim()
	self := &Mux{draft: &draft{mux: m, muxes: map[*Mux]*declared{}}}
	self.scope, self.draft.self = scope{self, m.level}, self
	self.setFields(m.readFields())
	defer self.draft.end()
	if err := fn(self); err != nil {
		return err
	}
	return self.draft.commit()
}

// end ends the Update.
func (d *draft) end() {
	defer d.mux.lock().Unlock()
	clear(d.muxes)
	d.log = nil
	d.self.invalidate()
}

// commit compiles what the Muxes will have, and then replaces what they have.
func (d *draft) commit() error {
	compilers, err := d.collect()
	if err != nil {
		return err
	}
	for _, c := range compilers {
		if err := c.compile(); err != nil {
			return err
		}
	}
	defer d.mux.lock().Unlock()
	late, err := d.refresh() // if something was declared meanwhile
	if err != nil {
		return err
	}
	for m, decl := range d.muxes {
		m.declared = *decl
		m.invalidate()
	}
	for m := range d.muxes {
		m.prune()
	}
	d.mux.setFields(d.self.readFields())
	d.done.Store(true)
	for _, c := range compilers {
		if !late {
			c.version = c.mux.version
			c.publish()
		}
	}
	return nil
}

// collect returns compilers for the Mux of the Update, and for all others that
// serve requests and will change.
func (d *draft) collect() (compilers []*compiler, err error) {
	defer d.mux.lock().Unlock()
	if _, err = d.refresh(); err != nil {
		return nil, err
	}
	for m := range d.muxes {
		if m == d.mux || m.program.Load() != nil {
			compilers = append(compilers, newCompiler(m, d, true))
		}
	}
	return compilers, nil
}

func (m *Mux) setFields(f *fields) {
	m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash, m.RedirectCase = f.poolValues, f.poolParams, f.redirectSlash, f.redirectCase
	m.NotFound, m.MethodNotAllowed = f.notFound, f.notAllowed
}

// prune marks the levels that have routes as used, and discards those of Groups
// whose routes were all removed, so that a program that replaces its Groups in
// each Update doesn't keep them. add adds them again. The caller holds the lock.
func (m *Mux) prune() {
	used := map[*level]bool{}
	for _, r := range m.routes.list() {
		for l := r.level; l != nil && !used[l]; l = l.parent {
			used[l] = true
			l.used = l.parent != nil
		}
	}
	m.levels = slices.DeleteFunc(slices.Clone(m.levels), func(l *level) bool {
		l.pruned = l.mux == nil && l.used && !used[l]
		for _, mnt := range m.mounted {
			if l.pruned {
				delete(mnt.levels, l)
			}
		}
		return l.pruned
	})
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
//
// When the last route of a Group is removed, it no longer responds to unmatched
// requests, and no longer owns its prefix if Route made it, until a route is
// registered on it again. Removing all routes of a mounted Mux from this Mux ends
// the mount in the same way.
func (m *Mux) Remove(pattern string) error {
	return m.change(func(m *Mux, d *draft) error {
		r, err := d.view(m).routes.find(pattern)
		if err != nil {
			return fmt.Errorf("muxmaster: Remove %q: %s", pattern, strings.TrimPrefix(err.Error(), "muxmaster: "))
		}
		d.remove(m, r)
		return nil
	})
}

// find returns the route that Routes lists by a text. If there is none, the error
// says which routes are similar.
func (s *routeSet) find(text string) (*route, error) {
	var shapes, similar []string
	for _, other := range []string{text, strings.TrimSuffix(text, "/") + "/{$}"} { // of a Group's root
		for _, flags := range []trie.Flags{0, trie.Verb} {
			p, err := parse(other, flags)
			if err != nil {
				continue
			}
			if len(p.Methods) > 1 {
				return nil, errors.New("each method of a list is a route; remove one at a time")
			}
			if r := s.byKey[trie.ShapeKey(p, strings.Join(p.Methods, ""))]; r != nil && r.text() == text {
				return r, nil
			}
			shapes = append(shapes, p.Shape())
		}
	}
	_, err := parse(text, 0)
	if _, verb := parse(text, trie.Verb); err != nil && verb != nil {
		return nil, err
	}
	for _, r := range s.list() {
		if slices.Contains(shapes, r.parsed.Shape()) {
			similar = append(similar, fmt.Sprintf("%q", r.text()))
		}
	}
	return nil, errors.New(strings.TrimSuffix("there is no such route; similar: "+strings.Join(similar, ", "), "; similar: "))
}

// text returns the text that Remove takes: the method, the host and the path.
func (r *route) text() string {
	i := strings.IndexByte(r.pattern, '/')
	host := r.pattern[strings.LastIndexAny(r.pattern[:i], " \t")+1:]
	if r.method == "" {
		return host
	}
	return r.method + " " + host
}
