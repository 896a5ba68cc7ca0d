package trie

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file turns branches into nodes.

// Freeze returns a Table of all routes. It creates nodes only for the branches
// that were thawed since the last call, and a new table of static paths only if
// one was added. So its cost depends mostly on the number of routes added since
// the last call.
func (b *Builder[P]) Freeze() *Table[P] {
	t := &Table[P]{custom: b.custom, MaxValues: b.maxValues}
	for key, tb := range b.trees {
		if tb.root != nil || tb.static != nil {
			tb.freeze()
		}
		switch {
		case key == "":
			t.Base = tb.tree
		case tb.host == nil:
			if t.hosts == nil {
				t.hosts = map[string]*Tree[P]{}
			}
			t.hosts[key] = tb.tree
		default:
			t.wildHosts = append(t.wildHosts, wildHost[P]{tb.host, tb.tree})
		}
	}
	if t.Base == nil {
		t.Base = new(Tree[P])
	}
	slices.SortFunc(t.wildHosts, compareWildHosts)
	return t
}

// Update calls f with the payload of each route. Earlier Tables keep the
// payloads that they have.
func (b *Builder[P]) Update(f func(payload *P)) {
	b.Freeze()
	for _, tb := range b.trees {
		tree := *tb.tree
		tree.routes = slices.Clone(tree.routes)
		for i := range tree.routes {
			f(&tree.routes[i].Payload)
		}
		tb.tree = &tree
	}
}

// A freezer creates one tree.
type freezer[P any] struct {
	Tree[P]
	nodes  []node[P] // never reallocated, because edges point to its elements
	sparse bool      // see treeBuilder
}

func (tb *treeBuilder[P]) freeze() {
	first := tb.tree.routes == nil && tb.tree.root == nil
	f := freezer[P]{Tree: *tb.tree, sparse: tb.sparse}
	if tb.wasteful() {
		tb.thawAll()
		tb.stale, tb.staleSpecials = 0, 0
		f = freezer[P]{sparse: tb.sparse}
		first = true
	}
	nodes, routes := tb.root.count(tb.sparse)
	for _, pl := range tb.static {
		routes += pl.added()
	}
	f.nodes = make([]node[P], 0, nodes)
	if first {
		f.routes = make([]Route[P], 0, routes)
	}
	var refs []routeRef
	if tb.static != nil {
		for _, s := range tb.tree.static.slots {
			if s.ref == 0 {
				continue
			}
			if _, changed := tb.static[tb.tree.routes[s.ref-1].Path()]; !changed {
				refs = append(refs, s.ref)
			}
		}
		for _, path := range tb.paths {
			if ref := f.place(tb.static[path]); ref != 0 {
				refs = append(refs, ref)
			}
		}
	}
	if tb.root != nil {
		f.root = f.branch(tb.root).next
	}
	if first {
		f.routes = slices.Clip(f.routes)
		f.specials = slices.Clip(slices.Clone(f.specials))
		f.long = slices.Clip(slices.Clone(f.long))
	}
	if tb.static != nil {
		f.static = newStatic(f.routes, refs)
	}
	tree := f.Tree
	tb.tree, tb.root, tb.static, tb.paths, tb.sparse = &tree, nil, nil, nil, false
}

// wasteful reports whether much of the tree's memory is no longer in use. The
// specials of a node are all replaced when a route is added below one of them.
func (tb *treeBuilder[P]) wasteful() bool {
	routes, specials := len(tb.tree.routes), len(tb.tree.specials)
	return tb.stale > routes/2+64 || tb.staleSpecials > routes+specials/2+64
}

// thawAll thaws all branches, so that the next tree contains no stale routes.
func (tb *treeBuilder[P]) thawAll() {
	for _, s := range tb.tree.static.slots {
		if s.ref != 0 {
			tb.staticPlace(tb.tree.routes[s.ref-1].Path()).change(0)
		}
	}
	if tb.root == nil {
		tb.root = &branch[P]{frozen: &target[P]{next: tb.tree.root}}
	}
	var all func(br *branch[P])
	all = func(br *branch[P]) {
		if br == nil {
			return
		}
		tb.thaw(br)
		br.end.change(0)
		br.slash.change(0)
		br.rest.change(0)
		for _, c := range br.literals.list {
			all(c.branch)
		}
		for _, sp := range br.specials {
			all(sp.branch)
		}
		all(br.param)
	}
	all(tb.root)
}

// empty reports whether the branch has no routes and fallbacks. Empty branches
// remain only after Undo.
func (br *branch[P]) empty(sparse bool) bool {
	return br == nil || sparse && br.frozen == nil && len(br.end.routes) == 0 && br.isEnd(sparse)
}

// isEnd reports whether nothing follows a slash.
func (br *branch[P]) isEnd(sparse bool) bool {
	if len(br.slash.routes)+len(br.rest.routes) > 0 || br.fallback != nil || !br.param.empty(sparse) {
		return false
	}
	if !sparse {
		return len(br.literals.list)+len(br.specials) == 0
	}
	for _, c := range br.literals.list {
		if !c.empty(sparse) {
			return false
		}
	}
	for _, sp := range br.specials {
		if !sp.empty(sparse) {
			return false
		}
	}
	return true
}

// count returns upper bounds for the numbers of nodes and routes that freezing br
// creates.
func (br *branch[P]) count(sparse bool) (nodes, routes int) {
	if br == nil || br.frozen != nil {
		return 0, 0
	}
	routes = br.end.added()
	if br.isEnd(sparse) {
		return 0, routes
	}
	add := func(br *branch[P]) {
		n, r := br.count(sparse)
		nodes, routes = nodes+n, routes+r
	}
	nodes = 1
	routes += br.slash.added() + br.rest.added()
	add(br.param)
	for _, c := range br.literals.list {
		add(c.branch)
	}
	for _, sp := range br.specials {
		add(sp.branch)
	}
	return nodes, routes
}

// added returns the number of routes that freezing the place creates.
func (pl *place[P]) added() int {
	if pl.ref != 0 {
		return 0
	}
	return len(pl.routes)
}

// place adds the routes of a place to the tree, unless they are unchanged.
func (f *freezer[P]) place(pl *place[P]) routeRef {
	if pl.ref != 0 || len(pl.routes) == 0 {
		return pl.ref
	}
	run := pl.routes
	slices.SortStableFunc(run, func(a, b Route[P]) int { return cmp.Compare(a.Method, b.Method) })
	for i := range run {
		run[i].Flags &^= lastOfRun
	}
	run[len(run)-1].Flags |= lastOfRun
	setMethodMasks(run)
	f.routes = append(f.routes, run...)
	return routeRef(len(f.routes) - len(run) + 1)
}

// branch freezes br.
func (f *freezer[P]) branch(br *branch[P]) target[P] {
	if br.frozen != nil {
		return *br.frozen
	}
	to := target[P]{end: f.place(&br.end)}
	if !br.isEnd(f.sparse) {
		to.next = f.node(br)
	}
	return to
}

// node creates the node for what follows a slash after br.
func (f *freezer[P]) node(br *branch[P]) *node[P] {
	f.nodes = append(f.nodes, node[P]{})
	nd := &f.nodes[len(f.nodes)-1]
	nd.slash, nd.rest, nd.fallback = f.place(&br.slash), f.place(&br.rest), br.fallback

	list := slices.DeleteFunc(br.literals.list, func(c child[P]) bool { return c.empty(f.sparse) })
	slices.SortFunc(list, func(a, b child[P]) int { return strings.Compare(a.text, b.text) })
	edges := make([]edge[P], len(list))
	for i, c := range list {
		edges[i] = f.edge(c.text, c.branch)
	}
	nd.setEdges(edges)

	specials := slices.DeleteFunc(br.specials, func(sp *specialBranch[P]) bool { return sp.empty(f.sparse) })
	slices.SortStableFunc(specials, compareSpecials)
	param := br.param
	if param.empty(f.sparse) {
		param = nil
	}
	if len(specials) > 0 && param != nil {
		// The plain parameter becomes the last special.
		specials = append(specials, &specialBranch[P]{seg: pattern.Segment{{Name: "any"}}, branch: param})
		param = nil
	}
	if len(specials) > 0 {
		first := len(f.specials)
		nd.specials = uint32(first) + 1
		for _, sp := range specials {
			if sp.matcher == nil {
				m := newMatcher(sp.seg)
				sp.matcher = &m
			}
			f.specials = append(f.specials, special[P]{matcher: *sp.matcher, seg: sp.seg})
		}
		f.specials[len(f.specials)-1].last = true
		for i, sp := range specials {
			to := f.branch(sp.branch)
			f.specials[first+i].to = to
		}
	}
	if param != nil {
		nd.param = f.branch(param)
		nd.flags |= hasParam
	}
	if nd.flags&hasParam == 0 && nd.specials == 0 && nd.rest == 0 && nd.fallback == nil {
		nd.flags |= onlyEdges
	}
	return nd
}

// edge creates the edge for text.
func (f *freezer[P]) edge(text string, br *branch[P]) edge[P] {
	_, w0, w1 := nextSegment(text, 0)
	frozen := br.frozen
	e := edge[P]{w0, w1, f.branch(br)}
	switch {
	case len(text) <= 16:
		e.n = uint32(len(text))
	case frozen != nil && frozen.n&longEdge != 0 && int(frozen.n&^longEdge) < len(f.long) && f.long[frozen.n&^longEdge] == text:
		e.n = frozen.n
	default:
		e.n = longEdge | uint32(len(f.long))
		f.long = append(f.long, text)
	}
	return e
}

// setEdges sets the table of edges of nd.
func (nd *node[P]) setEdges(edges []edge[P]) {
	if len(edges) == 0 {
		return
	}
	for i := range edges {
		if edges[i].n&longEdge != 0 {
			nd.flags |= longEdges
		}
	}
	if len(edges) == 1 {
		nd.edges = edges
		return
	}
	table, seed, perfect := hashEdges(edges)
	nd.edges = table
	nd.flags |= seed
	if !perfect {
		nd.flags |= probing
	}
}

// maxPerfect is the maximum number of edges in a table without collisions. For
// more edges it would take too long to find a seed, or too much memory.
const maxPerfect = 64

// hashEdges returns a hash table of edges. For up to maxPerfect edges, it tries
// seeds and sizes to find one without collisions.
func hashEdges[P any](edges []edge[P]) (table []edge[P], seed nodeFlags, perfect bool) {
	size := uint32(1) << bits.Len(uint(len(edges)-1))
	if len(edges) <= maxPerfect {
		var keys [maxPerfect]uint64
		for i := range edges {
			keys[i] = foldWords(edges[i].w0, edges[i].w1)
		}
		for ; size <= uint32(4*len(edges)); size *= 2 {
			if seed, ok := perfectSeed(keys[:len(edges)], size); ok {
				return hashInto(edges, size, seed), seed, true
			}
		}
	}
	for size < uint32(len(edges)+len(edges)/2) {
		size *= 2
	}
	return hashInto(edges, size, 0), 0, false
}

// perfectSeed returns a seed for which no two keys collide in a table of the
// given size.
func perfectSeed(keys []uint64, size uint32) (seed nodeFlags, ok bool) {
	chance := float64(seeds) // expected number of such seeds
	for i := range keys {
		chance *= 1 - float64(i)/float64(size)
	}
	if chance < 0.5 {
		return 0, false
	}
next:
	for i := range seeds {
		seed := nodeFlags(i) * seedUnit
		var taken [4 * maxPerfect / 64]uint64
		for _, key := range keys {
			at := hashKey(key, seed) & (size - 1)
			if taken[at>>6]>>(at&63)&1 != 0 {
				continue next
			}
			taken[at>>6] |= 1 << (at & 63)
		}
		return seed, true
	}
	return 0, false
}

const seeds = 1 << 16 / uint32(seedUnit)

// hashInto returns a table of the given size, with linear probing for
// collisions.
func hashInto[P any](edges []edge[P], size uint32, seed nodeFlags) []edge[P] {
	table := make([]edge[P], size)
	for _, e := range edges {
		i := hashWords(e.w0, e.w1, seed)
		for table[i&(size-1)].n != 0 {
			i++
		}
		table[i&(size-1)] = e
	}
	return table
}
