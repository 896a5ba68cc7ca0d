package muxmaster

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes a Mux that serves requests, all at once. Update passes
// another Mux, a draft, which begins with what is declared on the first one. What
// differs at the end is then staged on the first Mux, compiled, and applied.

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
// The Mux that fn gets, and its Groups, stand for m once Update has returned nil.
func (m *Mux) Update(fn func(m *Mux) error) error {
	if fn == nil {
		return errors.New("muxmaster: Update: the function is nil")
	}
	m = m.live()
	caller := goroutine()
	if by := m.updater.Load(); m.draft != nil || by != nil && *by == caller {
		return errors.New("muxmaster: Update inside another Update; change the Mux that the outer one passes")
	}
	m.updating.Lock()
	defer m.updating.Unlock()
	m.updater.Store(&caller)
	defer m.updater.Store(nil)
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
	defer m.lock().Unlock()
	base := stage(nil).has(m)
	d := &draft{mux: m, base: base.clone()}
	d.self = &Mux{draft: d, declared: *base.clone()}
	d.self.scope, d.self.fields = scope{d.self, m.level}, nil
	d.self.setFields(m.readFields())
	return d
}

// end ends the Update.
func (d *draft) end() {
	defer d.mux.lock().Unlock()
	for _, l := range d.self.levels {
		if l.mux != nil && !d.done.Load() {
			l.mux.mounted = slices.DeleteFunc(slices.Clone(l.mux.mounted), func(mnt *mount) bool { return mnt.on == d.self })
			l.mux.invalidate()
		}
	}
	d.self.declared, d.base = declared{routes: new(routeSet)}, nil
	d.self.invalidate()
}

// commit compiles what the Mux and those that it is mounted on will have, and
// then replaces what they have.
func (d *draft) commit() error {
	t := d.mux.lock()
	st, err := d.stage()
	version := d.version(st)
	var compilers []*compiler
	for m := range st {
		if err == nil && (m == d.mux || m.program.Load() != nil) {
			compilers = append(compilers, newCompiler(m, st, true))
		}
	}
	t.Unlock()
	if err != nil {
		return err
	}
	programs := make([]*program, len(compilers))
	for i, c := range compilers {
		if programs[i], err = c.compile(); err != nil {
			return err
		}
	}
	defer d.mux.lock().Unlock()
	late := d.version(st) != version
	if late { // something was declared meanwhile
		if st, err = d.stage(); err != nil {
			return err
		}
	}
	st.apply()
	for m := range st {
		if m.draft == nil {
			m.prune()
		}
	}
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

// version returns a number that grows when a Mux of the stage is changed, or one
// that is mounted on the draft.
func (d *draft) version(st stage) uint32 {
	n := d.self.version
	for m := range st {
		n += m.version
	}
	return n
}

// stage returns the stage for what the Update has changed. The caller holds the
// lock.
func (d *draft) stage() (stage, error) {
	st, now := stage{}, &d.self.declared
	s := st.edit(d.mux)
	switch {
	case !slices.Equal(s.middleware, d.base.middleware):
		return nil, errors.New("muxmaster: Update: Use was called on the Mux itself meanwhile: the routes of the Update would bypass the middleware")
	case !slices.Equal(now.middleware, d.base.middleware) && s.used:
		return nil, fmt.Errorf("muxmaster: Update: Use, while %s: it would bypass the middleware", s.routes.first(d.mux.level))
	}
	s.middleware = now.middleware
	s.pre = slices.Concat(s.pre, now.pre[len(d.base.pre):])
	var added []*route
	for _, r := range now.routes.list() {
		if d.base.routes.find(r.key) != r {
			added = append(added, r)
		}
	}
	for _, r := range d.base.routes.list() {
		there := s.routes.find(r.key)
		if now.routes.find(r.key) == r || there == nil {
			continue
		}
		if err := st.remove(d.mux, there); err != nil {
			return nil, err
		}
	}
	s.fields = d.self.readFields()
	return st, st.add(d.mux, now.levels[len(d.base.levels):], added)
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
	m = m.live()
	return m.change(func() error {
		routes := stage(nil).has(m).routes
		r := routes.listed(pattern)
		if r == nil {
			return fmt.Errorf("muxmaster: Remove %q: %s", pattern, insteadOf(pattern, routes.list()))
		}
		return stage(nil).remove(m, r)
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
			if r := s.find(trie.ShapeKey(p, method)); r != nil && r.listed() == text {
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
	shapes := []string{p.Shape()}
	for _, other := range []string{text, strings.TrimSuffix(text, "/") + "/{$}"} { // of a verb method, and of a Group's root
		if p, err := parse(other, trie.Verb); err == nil {
			shapes = append(shapes, p.Shape())
		}
	}
	var similar []string
	for _, r := range all {
		if slices.Contains(shapes, r.parsed.Shape()) {
			similar = append(similar, fmt.Sprintf("%q", r.listed()))
		}
	}
	if len(similar) == 0 {
		return "there is no such route"
	}
	return "there is no such route, but " + strings.Join(similar, ", ")
}
