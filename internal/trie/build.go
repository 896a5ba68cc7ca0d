package trie

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Builder collects routes. It is not safe for concurrent use.
//
// Freeze turns the collected routes into nodes of a Table. Adding a route later
// turns back (thaws) only the nodes along its path, and the next Table shares
// all other nodes with the previous one. So adding a route to a large table is
// cheap.
type Builder[P any] struct {
	trees     map[string]*treeBuilder[P] // by pattern.HostShape
	custom    map[string]Method          // copied before each change, because Tables share it
	maxValues int
	committed int          // maxValues at the last Commit
	changed   []changed[P] // since the last Commit
	undo      []func()     // what else to do to undo them
}

// changed is a place as it was before a change.
type changed[P any] struct {
	place  *place[P]
	before place[P]
	tree   *treeBuilder[P]
	stale  int // tree.stale
}

// A treeBuilder builds the tree of one host.
type treeBuilder[P any] struct {
	host   []pattern.HostLabel  // nil for an exact host
	tree   *Tree[P]             // result of the last freeze
	root   *branch[P]           // nil if the trie has not changed since
	static map[string]*place[P] // places of the static paths that may have changed since
	paths  []string             // the keys of static, in order of registration
	stale  int                  // number of routes in tree that are no longer in use
	// staleSpecials is the number of specials in tree that are no longer in use.
	staleSpecials int
	sparse        bool // some branches may be empty
	// escaped holds the static paths that some pattern writes with escapes.
	escaped map[string]bool
}

// A place holds the routes of one path, one for each method.
type place[P any] struct {
	routes []Route[P]
	ref    routeRef // the same routes in the frozen tree; 0 if they have changed since
}

// change prepares the place for a change. It makes room for n more routes.
func (pl *place[P]) change(n int) {
	routes := make([]Route[P], len(pl.routes), len(pl.routes)+n)
	copy(routes, pl.routes)
	*pl = place[P]{routes: routes}
}

// A Conflict is the error for a pattern that matches the same requests as an
// existing route.
type Conflict[P any] struct{ With *Route[P] }

func (c *Conflict[P]) Error() string {
	return fmt.Sprintf("conflicts with pattern %q: they match the same requests", c.With.Pattern)
}

// Add adds routes for p, one for each of its methods. It returns a [*Conflict],
// or an error if there are too many custom methods. After an error, the caller
// must call Undo.
func (b *Builder[P]) Add(p *pattern.Pattern, payload P, flags Flags) error {
	rt := Route[P]{Pattern: p.Text, Payload: payload, path: uint16(len(p.Text) - len(p.Path)), Flags: flags}
	if p.End == pattern.All {
		rt.Flags |= CatchAll
		if p.Rest != "" {
			rt.Flags |= restNamed
		}
		if p.RestSlash {
			rt.Flags |= restSlash
		}
	}
	var few [4]Method
	methods, err := b.methods(few[:0], p)
	if err != nil {
		return err
	}
	places := b.places(p)
	b.maxValues = max(b.maxValues, len(p.Names()))
	for _, pl := range places {
		if pl == nil {
			break
		}
		b.change(b.tree(p), pl)
		for _, m := range methods {
			rt.Method = m
			if err := pl.add(rt); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a route to a place. If the place has a route for the same method,
// the result is a Conflict, unless one of the two is implied.
func (pl *place[P]) add(rt Route[P]) error {
	i := slices.IndexFunc(pl.routes, func(q Route[P]) bool { return q.Method == rt.Method })
	switch {
	case i < 0:
		pl.routes = append(pl.routes, rt)
	case rt.Flags&Implied == 0 && pl.routes[i].Flags&Implied == 0:
		return &Conflict[P]{&pl.routes[i]}
	case rank(rt.Flags) < rank(pl.routes[i].Flags):
		pl.routes[i] = rt
	}
	return nil
}

// places returns the places for the routes of p: in the static table, in the
// trie or, for a path that ends in a slash, in both. Redirects to a path with a
// slash are found in the trie.
func (b *Builder[P]) places(p *pattern.Pattern) [2]*place[P] {
	t := b.tree(p)
	path, static := p.Static()
	if !static {
		return [2]*place[P]{t.triePlace(p)}
	}
	if path == p.Path && !t.escaped[path] {
		if p.End == pattern.Slash {
			return [2]*place[P]{t.staticPlace(path), t.triePlace(p)}
		}
		return [2]*place[P]{t.staticPlace(path)}
	}
	// The static table compares request paths with the text of patterns. A path
	// that some pattern spells differently, such as /%61 or /x/{$}, is only in
	// the trie.
	inTrie := t.triePlace(p)
	if !t.escaped[path] {
		if t.escaped == nil {
			t.escaped = map[string]bool{}
		}
		t.escaped[path] = true
		b.undo = append(b.undo, func() { delete(t.escaped, path) })
		inTable := t.staticPlace(path)
		b.change(t, inTable)
		if p.End != pattern.Slash {
			b.change(t, inTrie)
			inTrie.routes = append(inTrie.routes, inTable.routes...)
		}
		inTable.routes = nil
	}
	return [2]*place[P]{inTrie}
}

// change prepares a place of t for a change.
func (b *Builder[P]) change(t *treeBuilder[P], pl *place[P]) {
	b.changed = append(b.changed, changed[P]{pl, *pl, t, t.stale})
	if pl.ref != 0 {
		t.stale += len(pl.routes)
	}
	pl.change(1)
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

// Undo removes the routes added since the last Commit.
func (b *Builder[P]) Undo() {
	for _, c := range slices.Backward(b.changed) {
		*c.place, c.tree.stale = c.before, c.stale
	}
	for _, undo := range slices.Backward(b.undo) {
		undo()
	}
	b.maxValues = b.committed
	b.Commit()
	for _, t := range b.trees {
		t.sparse = true
	}
}

// Commit makes the added routes permanent.
func (b *Builder[P]) Commit() {
	b.committed = b.maxValues
	clear(b.changed)
	clear(b.undo)
	b.changed, b.undo = b.changed[:0], b.undo[:0]
}

// methods appends the methods of p to list. It assigns numbers to new custom
// methods.
func (b *Builder[P]) methods(list []Method, p *pattern.Pattern) ([]Method, error) {
	if p.Methods == nil {
		return append(list, Any), nil
	}
	for _, name := range p.Methods {
		m := standardMethod(name)
		if m == unknown {
			var err error
			if m, err = b.customMethod(name); err != nil {
				return nil, err
			}
		}
		list = append(list, m)
	}
	return list, nil
}

// customMethod returns the number of a custom method, a new one if necessary.
func (b *Builder[P]) customMethod(name string) (Method, error) {
	if m, ok := b.custom[name]; ok {
		return m, nil
	}
	if len(b.custom) == MaxCustom {
		return 0, fmt.Errorf("too many custom methods (limit %d)", MaxCustom)
	}
	before := b.custom
	b.undo = append(b.undo, func() { b.custom = before })
	b.custom = maps.Clone(before)
	if b.custom == nil {
		b.custom = map[string]Method{}
	}
	m := firstCustom + Method(len(before))
	b.custom[name] = m
	return m, nil
}

// tree returns the tree builder for p's host.
func (b *Builder[P]) tree(p *pattern.Pattern) *treeBuilder[P] {
	key := p.HostShape()
	t := b.trees[key]
	if t == nil {
		t = &treeBuilder[P]{host: p.HostLabels, tree: new(Tree[P])}
		if b.trees == nil {
			b.trees = map[string]*treeBuilder[P]{}
		}
		b.trees[key] = t
		b.undo = append(b.undo, func() { delete(b.trees, key) })
	}
	return t
}

// staticPlace returns the place in the static table for a path.
func (t *treeBuilder[P]) staticPlace(path string) *place[P] {
	pl := t.static[path]
	if pl == nil {
		pl = t.frozen(t.tree.findStatic(path))
		if t.static == nil {
			t.static = map[string]*place[P]{}
		}
		t.static[path] = pl
		t.paths = append(t.paths, path)
	}
	return pl
}

// frozen returns a place with the frozen routes at ref.
func (t *treeBuilder[P]) frozen(ref routeRef) *place[P] { return &place[P]{t.tree.run(ref), ref} }

// triePlace returns the place in the trie for the routes of p.
func (t *treeBuilder[P]) triePlace(p *pattern.Pattern) *place[P] {
	br := t.branchOf(p)
	switch p.End {
	case pattern.Exact:
		return &br.end
	case pattern.Slash:
		return &br.slash
	}
	return &br.rest
}

// branchOf returns the branch after the segments of p. It thaws all branches
// along the path.
func (t *treeBuilder[P]) branchOf(p *pattern.Pattern) *branch[P] {
	if t.root == nil {
		t.root = &branch[P]{frozen: &target[P]{next: t.tree.root}}
	}
	br := t.root
	t.thaw(br)
	for _, seg := range p.Segs {
		br = br.child(seg, t.sparse)
		t.thaw(br)
	}
	return br
}

// thaw sets the fields of a frozen branch from its target. Its children stay
// frozen.
func (t *treeBuilder[P]) thaw(br *branch[P]) {
	frozen := br.frozen
	if frozen == nil {
		return
	}
	br.frozen = nil
	br.end = *t.frozen(frozen.end)
	nd := frozen.next
	if nd == nil {
		return
	}
	br.slash, br.rest, br.fallback = *t.frozen(nd.slash), *t.frozen(nd.rest), nd.fallback
	for i := range nd.edges {
		if e := &nd.edges[i]; e.n != 0 {
			br.literals.add(t.tree.literal(e), &branch[P]{frozen: &e.target})
		}
	}
	if nd.flags&hasParam != 0 {
		br.param = &branch[P]{frozen: &nd.param}
	}
	if nd.specials == 0 {
		return
	}
	for i := nd.specials - 1; ; i++ {
		sp := &t.tree.specials[i]
		t.staleSpecials++
		child := &branch[P]{frozen: &sp.to}
		if sp.seg.Kind() == pattern.Plain {
			br.param = child
		} else {
			br.addSpecial(sp.seg, sp.seg.Shape(), &sp.matcher, child)
		}
		if sp.last {
			return
		}
	}
}

// literal returns the text of an edge.
func (t *Tree[P]) literal(e *edge[P]) string {
	if e.n&longEdge != 0 {
		return t.long[e.n&^longEdge]
	}
	var b [16]byte
	for i := range 8 {
		b[i], b[8+i] = byte(e.w0>>(8*i)), byte(e.w1>>(8*i))
	}
	return string(b[:e.n])
}
