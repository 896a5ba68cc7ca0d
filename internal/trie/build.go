package trie

import (
	"cmp"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Builder collects routes and builds Tables of them. It is not safe for
// concurrent use. Tables don't share memory with the Builder.
type Builder[P any] struct {
	trees     map[string]*treeBuilder[P] // by pattern.HostShape
	custom    map[string]Method
	maxValues int
	trieOnly  bool // there is no static table
}

// A treeBuilder collects the routes of one host.
type treeBuilder[P any] struct {
	host   []pattern.HostLabel // nil for an exact host
	root   branch[P]
	static map[string]*place[P] // places of the paths without parameters
	paths  []string             // the keys of static, in the order of registration
}

// A place holds the routes of one path, one for each method.
type place[P any] struct {
	routes []Route[P]
	ref    routeRef // set while building, if the place is in the static table
	inTrie bool     // the place belongs to a branch
	// odd means that the text of a pattern differs from the path, as in /%61 or
	// /x/{$}. The static table compares request paths with the text, so the place
	// is not in it.
	odd bool
}

// Add adds a route for p, which conflicts with no other route; see [Shapes].
// method is one of p's methods, or "" for every method. shown becomes the
// Pattern of the route. It begins with the same methods and host as p.Text.
func (b *Builder[P]) Add(p *pattern.Pattern, method, shown string, payload P, flags Flags) {
	head := len(p.Text) - len(p.Path)
	rt := Route[P]{Pattern: shown, Payload: payload, path: uint16(head), Flags: flags, Method: b.method(method)}
	if p.End == pattern.All {
		rt.Flags |= CatchAll
		if p.Rest != "" {
			rt.Flags |= restNamed
		}
		if p.RestSlash {
			rt.Flags |= restSlash
		}
	}
	b.maxValues = max(b.maxValues, len(p.Names()))
	if t := b.tree(p); b.trieOnly {
		t.triePlace(p).add(rt)
	} else {
		t.place(p, rt.Path()).add(rt)
	}
}

// add adds a route to a place. An implied route gives way to any other.
func (pl *place[P]) add(rt Route[P]) {
	i := slices.IndexFunc(pl.routes, func(q Route[P]) bool { return q.Method == rt.Method })
	switch {
	case i < 0:
		pl.routes = append(pl.routes, rt)
	case rank(rt.Flags) < rank(pl.routes[i].Flags):
		pl.routes[i] = rt
	}
}

// place returns the place for routes with the pattern p, whose text is path. A
// path without parameters has a place in the static table, in the trie or, if it
// ends in a slash, in both. Redirects to a path with a slash are found in the
// trie.
func (t *treeBuilder[P]) place(p *pattern.Pattern, text string) *place[P] {
	path, static := p.Static()
	if !static {
		return t.triePlace(p)
	}
	odd := path != text
	pl := t.static[path]
	switch {
	case pl == nil && (odd || p.End == pattern.Slash):
		pl = t.triePlace(p)
	case pl == nil:
		pl = new(place[P])
	case odd && !pl.inTrie:
		moved := t.triePlace(p)
		moved.routes, pl = pl.routes, moved
	}
	pl.odd = pl.odd || odd
	if t.static == nil {
		t.static = map[string]*place[P]{}
	}
	if t.static[path] == nil {
		t.paths = append(t.paths, path)
	}
	t.static[path] = pl
	return pl
}

// rank orders routes for the same path and method by precedence.
func rank(f Flags) int {
	switch {
	case f&Implied == 0:
		return 0
	case f&impliedAll == 0:
		return 1
	}
	return 2
}

// ImpliedBy returns the flags for a route that serves a bare prefix because p,
// a pattern below the prefix, is registered.
func ImpliedBy(p *pattern.Pattern) Flags {
	if p.End == pattern.All {
		return Implied | impliedAll
	}
	return Implied
}

// AddFallback adds a fallback for the prefix p and everything below it. p is a
// path without a trailing slash, or "". If there are several fallbacks for the
// same prefix, the first one that owns it applies, or else the first one with
// the highest region.
func (b *Builder[P]) AddFallback(p *pattern.Pattern, payload P, owns bool, region int) {
	br := b.tree(p).branchOf(p)
	if f := br.fallback; f != nil && (f.Owns || !owns && f.Region >= region) {
		return
	}
	b.maxValues = max(b.maxValues, len(p.Names()))
	br.fallback = &Fallback[P]{Payload: payload, Owns: owns, Region: region, depth: len(p.Segs)}
}

// method returns the number of a method. Custom methods get numbers in the order
// in which they are added.
func (b *Builder[P]) method(name string) Method {
	if name == "" {
		return Any
	}
	m := standardMethod(name)
	if m != unknown {
		return m
	}
	m, ok := b.custom[name]
	if !ok {
		if b.custom == nil {
			b.custom = map[string]Method{}
		}
		m = firstCustom + Method(len(b.custom))
		b.custom[name] = m
	}
	return m
}

// tree returns the treeBuilder for p's host.
func (b *Builder[P]) tree(p *pattern.Pattern) *treeBuilder[P] {
	key := p.HostShape()
	t := b.trees[key]
	if t == nil {
		t = &treeBuilder[P]{host: p.HostLabels}
		if b.trees == nil {
			b.trees = map[string]*treeBuilder[P]{}
		}
		b.trees[key] = t
	}
	return t
}

// triePlace returns the place in the trie for the routes of p.
func (t *treeBuilder[P]) triePlace(p *pattern.Pattern) *place[P] {
	br := t.branchOf(p)
	pl := &br.rest
	switch p.End {
	case pattern.Exact:
		pl = &br.end
	case pattern.Slash:
		pl = &br.slash
	}
	pl.inTrie = true
	return pl
}

// branchOf returns the branch after the segments of p.
func (t *treeBuilder[P]) branchOf(p *pattern.Pattern) *branch[P] {
	br := &t.root
	for _, seg := range p.Segs {
		br = br.child(seg)
	}
	return br
}

// Build returns a Table of all routes.
func (b *Builder[P]) Build() *Table[P] {
	t := &Table[P]{Base: new(Tree[P]), custom: b.custom, MaxValues: b.maxValues}
	for key, tb := range b.trees {
		tree := tb.build()
		switch {
		case key == "":
			t.Base = tree
		case tb.host == nil:
			if t.hosts == nil {
				t.hosts = map[string]*Tree[P]{}
			}
			t.hosts[key] = tree
		default:
			t.wildHosts = append(t.wildHosts, wildHost[P]{tb.host, tree})
		}
	}
	slices.SortFunc(t.wildHosts, compareWildHosts)
	return t
}

// build returns the tree. First come the routes of the static table, then those
// of the trie, so that both indexes refer to a path that is in both.
func (t *treeBuilder[P]) build() *Tree[P] {
	nodes, routes := t.root.count()
	for _, pl := range t.static {
		if !pl.inTrie {
			routes += len(pl.routes)
		}
	}
	f := freezer[P]{nodes: make([]node[P], 0, nodes), Tree: Tree[P]{routes: make([]Route[P], 0, routes)}}
	var refs []routeRef
	for _, path := range t.paths {
		pl := t.static[path]
		if pl.ref = 0; !pl.odd {
			pl.ref = f.place(pl)
			refs = append(refs, pl.ref)
		}
	}
	f.root = f.branch(&t.root).next
	f.specials, f.long = slices.Clip(slices.Clone(f.specials)), slices.Clip(slices.Clone(f.long))
	f.static = newStatic(f.routes, refs)
	tree := f.Tree
	return &tree
}

// place adds the routes of a place to the tree, unless it has them already.
func (f *freezer[P]) place(pl *place[P]) routeRef {
	if pl.ref != 0 || len(pl.routes) == 0 {
		return pl.ref
	}
	first := len(f.routes)
	f.routes = append(f.routes, pl.routes...)
	run := f.routes[first:]
	if len(run) > 1 {
		slices.SortStableFunc(run, func(a, b Route[P]) int { return cmp.Compare(a.Method, b.Method) })
	}
	run[len(run)-1].Flags |= lastOfRun
	setMethodMasks(run)
	return routeRef(first + 1)
}
