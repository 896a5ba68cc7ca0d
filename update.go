package muxmaster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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
// other. Calling Update on the Mux that fn gets is an error, and on m itself
// within fn is a deadlock. What fn does to m itself, or to Groups made from m
// before, does not belong to the Update and takes effect at once.
//
// The Mux that fn gets, and its Groups, stand for m once Update has returned nil.
func (m *Mux) Update(fn func(m *Mux) error) error {
	m.requireNew()
	if fn == nil {
		return errors.New("muxmaster: Update: the function is nil")
	}
	if m.live().draftOf != nil {
		return errors.New("muxmaster: Update inside another Update; change the Mux that the outer one passes")
	}
	m = m.live()
	m.updating.Lock()
	defer m.updating.Unlock()
	d := m.draft()
	defer m.endDraft(d)
	if err := fn(d); err != nil {
		return err
	}
	return d.commit()
}

// live returns the Mux that m stands for: itself, or after a successful Update
// the Mux that m was a draft of.
func (m *Mux) live() *Mux {
	if m.done.Load() {
		return m.draftOf
	}
	return m
}

// origin returns the Mux that m is a draft of, or m itself.
func (m *Mux) origin() *Mux { return cmp.Or(m.draftOf, m) }

// draft returns a new draft of m.
func (m *Mux) draft() *Mux {
	t := m.lock()
	defer t.mu.Unlock()
	m.recall()
	m.drafts++
	d := &Mux{owner: m.owner, draftOf: m}
	d.copyFields(m)
	l := *m.level
	l.copyOf = cmp.Or(l.copyOf, m.level)
	d.scope = scope{d, &l}
	d.declared = declared{slices.Clip(m.routes), slices.Clip(m.answering), slices.Clip(m.mounts), maps.Clone(m.removed), m.pre, m.preStamp}
	d.taken = [3]int{len(m.routes), len(m.answering), len(m.mounts)}
	d.tree.Store(t)
	t.members = append(t.members, d)
	return d
}

func (m *Mux) copyFields(from *Mux) {
	m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash = from.PoolRequestBundle, from.PoolFastParams, from.RedirectTrailingSlash
	m.NotFound, m.MethodNotAllowed = from.NotFound, from.MethodNotAllowed
}

// endDraft ends the Update that made d.
func (m *Mux) endDraft(d *Mux) {
	t := m.lock()
	defer t.mu.Unlock()
	m.drafts--
	t.members = slices.DeleteFunc(t.members, func(o *Mux) bool { return o == d })
}

// commit compiles the draft d, and puts what is declared on it in the place of
// what is declared on its Mux.
func (d *Mux) commit() error {
	m := d.draftOf
	t := m.lock()
	compilers, err := d.compilers()
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
	t = m.lock()
	defer t.mu.Unlock()
	late := t.version != compilers[0].version // something was declared meanwhile
	if late {
		if _, err := d.compilers(); err != nil {
			return err
		}
	}
	for _, mnt := range d.mounts {
		if mnt.mux == d {
			mnt.sub.mounted = append(mnt.sub.mounted, mnt)
		}
	}
	d.compact()
	m.declared, m.claims = d.declared, d.claims
	if l := m.level; l.first == nil { // else there is no other middleware, and compiling may read it
		l.use, l.fast, l.stamp, l.first = d.level.use, d.level.fast, d.level.stamp, d.level.first
	}
	m.copyFields(d)
	m.frozen = d.frozen
	for _, c := range compilers {
		for _, r := range c.routes {
			r.markLevels()
		}
	}
	m.invalidate()
	for i, p := range programs {
		if mux := compilers[i].mux; !late {
			mux.publish(p)
		}
	}
	d.done.Store(true)
	d.declared, d.claims = declared{}, nil
	d.program.Store(nil)
	d.fast.Store(nil)
	return nil
}

// compilers adds to the draft d what its Mux got since the draft was made, checks
// it against the Muxes around, and returns a compiler for each Mux that must have
// a new program. The caller holds the lock.
func (d *Mux) compilers() (list []*compiler, err error) {
	m := d.draftOf
	if late := m.routes[d.taken[0]:]; len(late) > 0 {
		if err := d.admit(late); err != nil {
			return nil, err
		}
		d.routes = append(d.routes, late...)
	}
	d.answering = append(d.answering, m.answering[d.taken[1]:]...)
	if late := m.mounts[d.taken[2]:]; len(late) > 0 {
		d.mounts, d.claims = append(d.mounts, late...), nil
		if err := newClaims(nil).checkEach(d.everyRoute()); err != nil {
			return nil, err
		}
	}
	d.taken = [3]int{len(m.routes), len(m.answering), len(m.mounts)}
	list = []*compiler{newCompiler(m, d, true)}
	err = m.eachAround(d.everyRoute(), func(outer *Mux) error {
		c := newCompiler(outer, d, true)
		routes := make([]*route, len(c.routes))
		for i, r := range c.routes {
			routes[i] = r.route
		}
		outer.claims = nil
		if outer.program.Load() != nil {
			list = append(list, c)
		}
		return newClaims(nil).checkEach(routes)
	})
	return list, err
}

// eachAround expands routes, which m is about to have, in the Muxes that m is
// mounted on, and calls f with each of these.
func (m *Mux) eachAround(routes []*route, f func(outer *Mux) error) error {
	for _, mnt := range m.mounted {
		outer := make([]*route, len(routes))
		for i, r := range routes {
			x, err := mnt.expand(r)
			if err != nil {
				return err
			}
			mnt.routes[r], outer[i] = x, x
		}
		if err := f(mnt.mux.live()); err != nil {
			return err
		}
		if err := mnt.mux.live().eachAround(outer, f); err != nil {
			return err
		}
	}
	return nil
}

// checkEach returns an error if some of the routes conflict.
func (c *claims) checkEach(routes []*route) error {
	for _, r := range routes {
		if err := c.check([]*route{r}); err != nil {
			return err
		}
		c.add([]*route{r})
	}
	return nil
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
	m.requireNew()
	m = m.live()
	if m.draftOf == nil {
		if !m.updating.TryLock() {
			return fmt.Errorf("muxmaster: Remove %q: an Update is running; remove the route from the Mux that it passes", pattern)
		}
		defer m.updating.Unlock()
	}
	t := m.lock()
	defer t.mu.Unlock()
	if m.claims == nil {
		m.claims = newClaims(m.everyRoute())
	}
	r := m.claims.listed(pattern)
	if r == nil {
		return fmt.Errorf("muxmaster: Remove %q: %s", pattern, insteadOf(pattern, m.everyRoute()))
	}
	if m.removed == nil {
		m.removed = map[*route]bool{}
	}
	m.removed[r] = true
	m.unclaim(r)
	m.invalidate()
	return nil
}

// unclaim removes a route from the claims of m and of the Muxes around. The
// caller holds the lock.
func (m *Mux) unclaim(r *route) {
	if c := m.claims; c != nil {
		c.shapes.Remove(r.key)
		if name := r.level.routeName(); c.names[name] == r {
			delete(c.names, name)
		}
	}
	for _, mnt := range m.mounted {
		if x := mnt.routes[r]; x != nil {
			mnt.mux.live().unclaim(x)
		}
	}
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

// compact drops the removed routes of m. The caller holds the lock.
func (m *Mux) compact() {
	if len(m.removed) > 0 {
		m.routes = slices.DeleteFunc(slices.Clone(m.routes), func(r *route) bool {
			gone := m.removed[r]
			delete(m.removed, r)
			return gone
		})
	}
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
