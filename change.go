package muxmaster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"weak"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes what is declared on a Mux, and on those that it is mounted
// on. Everything is checked first, and then takes effect together.

// change changes the Mux of s, or the draft if an Update passed it.
func (m *scope) change(f change) error {
	defer m.live().lock().Unlock()
	mux := m.live() // an Update may have ended meanwhile
	d := mux.draft
	err := f(mux.origin(), d)
	if d != nil && err == nil {
		d.log = append(d.log, f)
		mux.invalidate()
	}
	return err
}

// view returns what m has in d. The caller holds the lock.
func (d *draft) view(m *Mux) *declared {
	if d != nil && d.muxes[m] != nil {
		return d.muxes[m]
	}
	m.restore()
	return &m.declared
}

// edit is view for a caller that will change the result. What the Muxes around m
// serve may change, too.
func (d *draft) edit(m *Mux) *declared {
	decl := d.view(m)
	switch {
	case d == nil:
		m.invalidate()
	case d.muxes[m] != nil:
		return decl
	default:
		decl = decl.clone()
		d.muxes[m] = decl
	}
	for _, mnt := range decl.mounted {
		d.edit(mnt.on)
	}
	return decl
}

// refresh reads the fields of the draft, and repeats its changes if the Muxes were
// changed otherwise since. It reports whether they were. The caller holds the lock.
func (d *draft) refresh() (late bool, err error) {
	if d == nil {
		return false, nil
	}
	for m, decl := range d.muxes {
		late = late || m.version != decl.version
	}
	if late {
		clear(d.muxes)
		d.failed = nil
		for _, f := range d.log {
			d.failed = cmp.Or(d.failed, f(d.mux, d))
		}
		d.self.invalidate()
	}
	d.edit(d.mux).fields = d.self.readFields()
	return late, d.failed
}

// read returns the fields of m as they were first read. keep says that this is the
// first time.
func (d *declared) read(m *Mux, keep bool) *fields {
	f := d.fields
	if f == nil {
		f = m.readFields()
	}
	if keep {
		d.fields = f
	}
	return f
}

func (m *Mux) readFields() *fields {
	return &fields{m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash, m.RedirectCase, orElse(m.NotFound, nil), orElse(m.MethodNotAllowed, nil)}
}

// clone returns a copy that can be changed.
func (d *declared) clone() *declared {
	own := *d
	own.routes, own.levels = d.routes.clone(), slices.Clip(d.levels)
	return &own
}

// invalidate makes the next request compile again. The caller holds the lock.
func (m *Mux) invalidate() {
	m.version++
	if p := m.program.Load(); p != nil {
		m.remember(p)
	}
	m.program.Store(nil)
	m.peeked.Store(nil)
}

// remember keeps a program that is replaced until it has served its requests and
// is collected. Middleware that checks a login by the route that Lookup finds must
// not get the route that has taken its place, or none. The caller holds the lock.
func (m *Mux) remember(p *program) {
	list := []weak.Pointer[program]{weak.Make(p)}
	if before := m.replaced.Load(); before != nil {
		for _, q := range *before {
			if q.Value() != nil {
				list = append(list, q)
			}
		}
	}
	m.replaced.Store(&list)
}

// adds returns the middleware that a level adds.
func (d *draft) adds(l *level) chain {
	if l.mux == nil {
		return cmp.Or(l.of, l).middleware
	}
	return d.view(l.mux).middleware
}

// chain returns the middleware around the routes of a level, which runs after
// the routing of m.
func (d *draft) chain(m *Mux, l *level) chain {
	if l.parent == nil {
		_, own := d.view(m).middleware.split()
		return own
	}
	return slices.Concat(d.chain(m, l.parent), d.adds(l))
}

// chain returns the middleware around the routes of z, without the Pre of the Mux.
func (z *zone) chain() chain {
	if z.outer != nil {
		return slices.Concat(z.outer.chain(), z.adds)
	}
	_, own := z.adds.split()
	return own
}

// An addition is what is added to a Mux.
type addition struct {
	mux    *Mux
	levels []*level
	routes []*route
}

// add adds levels and routes to m, and to the Muxes that m is mounted on, or
// nothing if there is an error.
func (d *draft) add(m *Mux, levels []*level, routes []*route) error {
	var few [1]addition // on the stack
	list, err := d.spread(few[:0], addition{m, levels, routes})
	for i := 0; i < len(list) && err == nil; i++ {
		err = d.view(list[i].mux).check(list[i])
	}
	if err != nil {
		return err
	}
	for _, a := range list {
		decl := d.edit(a.mux)
		decl.levels = append(decl.levels, a.levels...)
		decl.routes.add(a.routes...)
		for _, r := range a.routes {
			decl.used = true
			for l := r.level; l.parent != nil; l = l.parent {
				l.used = l.used || d == nil || a.mux == d.mux // for others, prune sets it if the Update succeeds
				if l.pruned && !slices.Contains(decl.levels, l) {
					decl.levels = append(decl.levels, l)
				}
			}
		}
	}
	return nil
}

// spread appends a to the list, and what it adds to the Muxes around.
func (d *draft) spread(list []addition, a addition) ([]addition, error) {
	same := func(b addition) bool { return b.mux == a.mux }
	if i := slices.IndexFunc(list, same); i < 0 {
		list = append(list, a)
	} else { // a Mux is mounted twice on this one
		list[i].levels, list[i].routes = slices.Concat(list[i].levels, a.levels), slices.Concat(list[i].routes, a.routes)
	}
	for _, mnt := range d.view(a.mux).mounted {
		outer, err := d.expand(mnt, a.levels, a.routes)
		if err == nil {
			list, err = d.spread(list, outer)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// check returns an error if a can't be added.
func (d *declared) check(a addition) error {
	for _, l := range a.levels {
		p, err := parsePrefix(l.prefix)
		if err == nil && l.owns && p.Multi() >= 0 { // which of several values would own the path?
			err = errors.New("the prefix of Route, or of a mounted Mux, cannot have a catch-all; use Group")
		}
		if err != nil {
			return fmt.Errorf("muxmaster: prefix %q: %w", l.prefix, err)
		}
	}
	return d.routes.check(a.routes)
}

// remove removes a route from m, and from the Muxes that m is mounted on.
func (d *draft) remove(m *Mux, r *route) {
	decl := d.edit(m)
	decl.routes.remove(r)
	for _, mnt := range decl.mounted {
		outer, err := d.expand(mnt, nil, []*route{r})
		must(err) // there was none when r was added
		if x := d.view(outer.mux).routes.byKey[outer.routes[0].key]; x != nil && x.mounted != nil && x.mounted.inner == r {
			d.remove(outer.mux, x)
		}
	}
}

// expand returns levels and routes of the mounted Mux as the other Mux has them.
func (d *draft) expand(mnt *mount, levels []*level, routes []*route) (a addition, err error) {
	a.mux = mnt.on
	for _, l := range levels {
		a.levels = append(a.levels, mnt.lift(l))
	}
	c := d.chain(a.mux, mnt.level.parent)
	around := slices.Concat(c, mnt.pre)
	for _, r := range routes {
		x := *r
		x.level, x.handler, x.mounted, x.parsed = mnt.lift(r.level), nil, &mountedRoute{inner: r, chain: around}, nil
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
			return a, err
		}
		x.fast = r.fast && len(mnt.pre) == 0 // Pre middleware calls ServeHTTP
		if err = c.check(x.fast, x.pattern); err != nil {
			return a, err
		}
		a.routes = append(a.routes, &x)
	}
	return a, nil
}

// lift returns a level of the mounted Mux as the other Mux has it.
func (mnt *mount) lift(l *level) *level {
	if x := mnt.levels[l]; x != nil {
		return x
	}
	x := new(level)
	*x = *l
	x.parent, x.prefix, x.of, x.responder = mnt.lift(l.parent), mnt.level.prefix+l.prefix, cmp.Or(l.of, l), nil
	mnt.levels[l] = x
	return x
}

// restore sets the declared routes of m again, if publish has discarded them. The
// caller holds the lock.
func (m *Mux) restore() {
	p := m.compiled
	if p == nil {
		return
	}
	m.compiled = nil
	m.routes = new(routeSet)
	for _, rt := range p.list() {
		r := p.placed(rt).route
		must(r.parse()) // it was parsed before
		m.routes.add(r)
	}
}

// list returns the routes of a program in the order of their registration, each
// once.
func (p *program) list() []*trie.Route[endpoint] {
	list := slices.DeleteFunc(p.table.All(), func(rt *trie.Route[endpoint]) bool { return rt.Flags&trie.Implied != 0 })
	slices.SortFunc(list, func(a, b *trie.Route[endpoint]) int {
		return cmp.Or(int(int32(a.Payload.order-b.Payload.order)), strings.Compare(p.table.MethodName(a.Method), p.table.MethodName(b.Method)), strings.Compare(a.Pattern, b.Pattern))
	})
	return list
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
	var f *fastRoute
	if f, r.fast = e.handler.(*fastRoute); r.fast {
		r.handler = f.handler
	}
	if r.original = p.originals[e.order]; r.original == nil {
		r.original = r.handler
	}
	return placed{r, z}
}
