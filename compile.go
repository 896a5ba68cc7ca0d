package muxmaster

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/outcome"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file compiles what is declared on a Mux, and the prefix where it serves, into
// a program. Compiling calls no code of users.

// current returns the program that serves requests, and compiles it if necessary.
func (v *view) current() *program {
	if p := v.program.Load(); p != nil && p.version == v.mux.version.Load() && v.idle.Load() == 0 {
		return p
	}
	return v.renewed()
}

// renewed is current if v was idle or its program isn't current.
func (v *view) renewed() *program {
	warnSlow()
	v.idle.Store(0)
	if p := v.program.Load(); p != nil && p.version == v.mux.version.Load() {
		return p // without waiting for an Update
	}
	v.mux.mu.Lock()
	defer v.mux.mu.Unlock()
	return v.mux.publish(v)
}

// publish compiles v unless it is current, and returns its program. The caller holds
// the lock of m.
func (m *Mux) publish(v *view) *program {
	p := v.program.Load()
	if p != nil && p.version == m.version.Load() {
		return p
	}
	m.fields = m.settings()
	p = v.compile(m.fields, m.version.Load())
	m.compiled()
	v.serve(p)
	if v != &m.root {
		others := slices.DeleteFunc(slices.Clone(*m.views.Load()), func(w *view) bool { return w == v || w.ended() })
		m.views.Store(new(append(others[max(0, len(others)-maxViews+1):], v)))
	}
	return p
}

// serve makes p what serves requests. The caller holds the lock.
func (v *view) serve(p *program) {
	v.program.Store(p)
	v.peeked.Store(nil)
	if v == &v.mux.root {
		v.mux.serving.Store(p)
	}
}

// compiled discards what only registering needs.
func (d *declared) compiled() {
	d.index = nil
	for _, r := range d.routes {
		r.parsed.Store(nil)
	}
	maps.DeleteFunc(d.empty, func(_ string, l *level) bool { return l.used })
}

// changed makes the next request compile again. The caller holds the lock.
func (m *Mux) changed() {
	m.version.Add(1)
	m.serving.Store(nil)
}

// settings returns the values of the fields for requests. Before the first one, they
// can still be set.
func (m *Mux) settings() *fields {
	if m.fields != nil {
		return m.fields
	}
	return &fields{pool{m.PoolRequestBundle, m.PoolFastParams}, m.RedirectTrailingSlash, m.RedirectCase, inherited{orElse(m.NotFound, nil), orElse(m.MethodNotAllowed, nil)}}
}

// A compiler makes a program.
type compiler struct {
	*program
	builder trie.Builder[endpoint]
	names   map[string]*values.Names // by names and whether they are in a Ring
	old     map[*route]*point
	direct  []*route // mount a Mux without a handler around it
}

// compile returns the program of what is declared, with the fields f, for a version.
// The caller holds the lock.
func (v *view) compile(f *fields, version uint64) *program {
	d := &v.mux.target().declared
	p := &program{view: v, version: version, owner: v.owner, fields: f, pre: d.pre, zones: map[*level]*zone{}}
	p.pool = pool{v.pool.values && f.pool.values, v.pool.params && f.pool.params}
	c := &compiler{program: p, names: map[string]*values.Names{}}
	if old := cmp.Or(v.peeked.Load(), v.program.Load()); old != nil {
		c.old = old.points
	}
	p.Decider = outcome.Decider[endpoint]{Table: &p.table, Slash: f.redirectSlash, Mounted: mountsMux}
	if f.redirectCase {
		p.Folded = new(trie.Folded)
	}
	c.builder.Grow(len(d.routes))
	levels := map[*level]bool{} // around the routes, and those without routes
	for _, r := range d.routes {
		c.add(r)
		for l := r.level; l.parent != nil && !levels[l]; l = l.parent {
			levels[l] = true
		}
	}
	for _, l := range d.empty {
		if !l.used {
			levels[l] = true
		}
	}
	maps.DeleteFunc(levels, func(l *level, _ bool) bool { return l.inline })
	answering := slices.SortedFunc(maps.Keys(levels), func(a, b *level) int { return cmp.Compare(a.order, b.order) })
	inner := map[*level]*level{} // the first Route inside that has the same prefix, which responds instead
	for _, l := range answering {
		for o := l.parent; l.owns && o != nil && o.prefix == l.prefix && o.host == l.host; o = o.parent {
			inner[o] = cmp.Or(inner[o], l)
		}
	}
	p.root = c.zone(v.mux.level)
	if v.outer != nil {
		c.builder.AddFallback(v.prefix, endpoint{zone: p.root}, false)
	}
	for _, l := range answering {
		for inner[l] != nil {
			l = inner[l]
		}
		c.builder.AddFallback(v.prefixed(l.host, l.prefix), endpoint{zone: c.zone(l)}, l.owns)
	}
	p.table = *c.builder.Build()
	if p.Folded != nil {
		p.Folded.Build()
	}
	c.addShortcuts(d, answering)
	p.long, p.inPlace = values.Long, modes&^direct
	if p.pool.values || p.pool.params {
		p.buffer, p.inPlace = values.Ring, hasNames
	} else if p.table.MaxValues > values.MaxChunk {
		p.long = 0
	}
	if len(p.pre) > 0 || p.alwaysSlow() {
		p.slow = 1
	}
	return p
}

// alwaysSlow reports whether all requests need serveGeneric.
func (p *program) alwaysSlow() bool { return p.table.HasHosts() || !values.Direct }

// below returns a pattern in the view, and its text: that of the route. bare says that
// the pattern ends in a slash, and that the route serves the path without it as well, if
// there is no route for that path alone: the root of a Group, or a mount. Their text is
// the prefix.
func (v *view) below(r *route) (p *pattern.Pattern, text string, bare bool) {
	p, text = r.parse(), r.pattern
	bare = r.flags&groupRoot != 0 || r.flags&trie.Owns != 0 && len(p.Segs) > 0
	q := p.Below(v.prefix)
	if q == p {
		return p, text, bare
	}
	head := q.Text[:len(q.Text)-len(q.Path)]
	text = head + v.prefix.Path + r.pattern[strings.IndexByte(r.pattern, '/'):]
	if len(p.Segs) == 0 && p.Rest == "" && v.prefix.Path != "" { // the root of the Mux is the prefix
		bare = true
		if p.End == pattern.Slash || r.flags&trie.Owns != 0 {
			text = head + v.prefix.Path
		}
	}
	return q, text, bare
}

// add adds a route to the builder.
func (c *compiler) add(r *route) {
	p, text, bare := c.view.below(r)
	e := endpoint{handler: r.handler, route: r}
	flags, pooled := r.flags, c.pool.values
	f, fast := r.handler.(fastHandler)
	if fast {
		pooled = c.pool.params
	}
	if !pooled {
		flags |= unpooled
	}
	var mark, bareMark any // of a mount
	if flags&trie.Owns != 0 {
		pt := c.point(r)
		mark, bareMark, p = pt, (*barePoint)(pt), p.NameRest(restName)
		if m, ok := r.handler.(*Mux); ok {
			e.handler, flags = pt.at(m.target()), flags|direct
			c.direct = append(c.direct, r)
		}
	}
	e.names = c.namesOf(p, pooled, mark)
	if fast {
		shown := slices.DeleteFunc(slices.Clone(p.Names()), func(name string) bool { return name[:1] == values.Hidden })
		e.handler = &fastRoute{f, e.names, shown, pooled}
	}
	c.addPattern(p, text, e, flags)
	if bare {
		q := p.Bare()
		e.names = c.namesOf(q, pooled, bareMark)
		c.addPattern(q, text, e, flags|trie.ImpliedBy(p))
	}
}

// addShortcuts adds the shortcuts to mounted Muxes below which no other route and no
// Route is. Middleware may have returned the Mux, instead of the one that Mount was
// given.
func (c *compiler) addShortcuts(d *declared, answering []*level) {
	if len(c.direct) > maxShortcuts {
		return
	}
	for _, mount := range c.direct {
		prefix := c.points[mount].prefix
		other := func(r *route) bool {
			p, _, _ := c.view.below(r)
			return r != mount && mayServeBelow(p, prefix)
		}
		owner := func(l *level) bool { return l.owns && mayServeBelow(c.view.prefixed(l.host, l.prefix), prefix) }
		if prefix.Host == "" && prefix.Static() && !slices.ContainsFunc(d.routes, other) && !slices.ContainsFunc(answering, owner) {
			c.shortcuts = append(c.shortcuts, shortcut{prefix.Path + "/", c.points[mount].at(mount.handler.(*Mux).target())})
		}
	}
}

// maxShortcuts bounds the prefixes that each request is compared with.
const maxShortcuts = 8

// mayServeBelow reports whether p may be for paths below the static prefix, even if
// everything there is mounted.
func mayServeBelow(p, prefix *pattern.Pattern) bool {
	for i, s := range p.Segs {
		switch {
		case i == len(prefix.Segs) || len(s) > 1 || s[0].Param || s[0].Fold:
			return true
		case s[0].Text != prefix.Segs[i][0].Text:
			return false
		}
	}
	return len(p.Segs) == len(prefix.Segs) && p.End != pattern.Exact // else the prefix comes first
}

func (c *compiler) addPattern(p *pattern.Pattern, text string, e endpoint, flags trie.Flags) {
	if e.names != nil {
		flags |= hasNames
	}
	method := e.route.method()
	c.builder.Add(p, method, text, e, flags)
	if c.Folded != nil {
		c.Folded.Add(p, method)
	}
}

// point returns the point of a mount: that of the program before, if it has one.
func (c *compiler) point(r *route) *point {
	pt := c.old[r]
	if pt == nil || pt.pool != c.pool {
		pt = c.view.newPoint(r, c.pool)
	}
	x := handlers(c.fields, r.level)
	pt.inherited.Store(&x)
	if c.points == nil {
		c.points = map[*route]*point{}
	}
	c.points[r] = pt
	return pt
}

// newPoint returns the point of a mount in the view.
func (v *view) newPoint(r *route, pool pool) *point {
	pt := &point{outer: v, mount: r, prefix: r.parse().Bare().Below(v.prefix), depth: v.depth + 1, owner: v.owner, pool: pool}
	pt.views.Store(new([]*view))
	return pt
}

// prefixed returns a prefix of the Mux in the view.
func (v *view) prefixed(host, prefix string) *pattern.Pattern {
	p, err := parsePrefix(host, prefix)
	must(err) // it was parsed before
	return p.Below(v.prefix)
}

// namesOf returns the Names of the parameters of p, or nil if there are none. Routes
// with equal names share one, except those of mounts.
func (c *compiler) namesOf(p *pattern.Pattern, pooled bool, mark any) *values.Names {
	list := p.Names()
	if mark != nil {
		return values.NewMark(c.owner, list, pooled, mark)
	}
	if len(list) == 0 {
		return nil
	}
	key := strings.Join(list, "/")
	if pooled {
		key += "/"
	}
	n := c.names[key]
	if n == nil {
		n = values.NewNames(c.owner, list, pooled)
		c.names[key] = n
	}
	return n
}

// zone returns the zone of a level.
func (c *compiler) zone(l *level) *zone {
	if c.zones[l] == nil {
		c.zones[l] = &zone{level: l, program: c.program, chain: c.view.mux.target().chain(l), inherited: handlers(c.fields, l)}
	}
	return c.zones[l]
}

// whole returns the prefix of z in the view.
func (z *zone) whole() *pattern.Pattern { return z.program.view.prefixed(z.host, z.prefix) }

// marked returns the Names of z's prefix, with z as a mark.
func (z *zone) marked() *values.Names {
	n := z.names.Load()
	if n == nil {
		z.names.CompareAndSwap(nil, values.NewMark(z.program.owner, z.whole().Names(), false, z))
		n = z.names.Load()
	}
	return n
}

// handlers returns the NotFound and MethodNotAllowed of a level.
func handlers(f *fields, l *level) (x inherited) {
	for ; l != nil; l = l.parent {
		if l.group != nil {
			x = x.or(inherited{l.group.NotFound, l.group.MethodNotAllowed})
		}
	}
	return x.or(f.inherited)
}

func (x inherited) or(outer inherited) inherited {
	return inherited{orElse(x.notFound, outer.notFound), orElse(x.notAllowed, outer.notAllowed)}
}
