package trie

import (
	"math/bits"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file turns branches into nodes.

// Build returns a Table of all routes.
func (b *Builder[P]) Build() *Table[P] {
	t := &Table[P]{Base: new(Tree[P]), custom: b.custom, MaxValues: b.maxValues}
	for key, h := range b.hosts {
		tree := b.freeze(h)
		switch {
		case key == "":
			t.Base = tree
		case h.labels == nil:
			if t.hosts == nil {
				t.hosts = map[string]*Tree[P]{}
			}
			t.hosts[key] = tree
		default:
			t.wildHosts = append(t.wildHosts, wildHost[P]{h.labels, tree})
		}
	}
	slices.SortFunc(t.wildHosts, compareWildHosts)
	return t
}

// A freezer creates one tree.
type freezer[P any] struct {
	Tree[P]
	entries  []entry[P]
	trieOnly bool       // there is no static table
	refs     []routeRef // of the static table
}

// freeze returns the tree of a host. Paths that don't suit the hash of the
// static table are all in the trie.
func (b *Builder[P]) freeze(h *hostBranch[P]) *Tree[P] {
	for trieOnly := b.trieOnly; ; trieOnly = true {
		f := freezer[P]{entries: b.entries, trieOnly: trieOnly, Tree: Tree[P]{routes: make([]Route[P], 0, h.routes)}}
		f.root = f.node(&h.root)
		ok := true
		if f.static, ok = newStatic(f.routes, f.refs); ok {
			tree := f.Tree
			tree.specials, tree.long = slices.Clip(slices.Clone(f.specials)), slices.Clip(slices.Clone(f.long))
			return &tree
		}
	}
}

// place adds the routes of a place to the tree. static says that they are also
// in the static table.
func (f *freezer[P]) place(pl place) (ref routeRef, static bool) {
	if pl.first == 0 {
		return 0, false
	}
	ref = routeRef(len(f.routes) + 1)
	for i := pl.first; i != 0; i = f.entries[i-1].next {
		f.routes = append(f.routes, f.entries[i-1].Route)
	}
	f.routes[len(f.routes)-1].Flags |= lastOfRun
	if static = !pl.odd && !f.trieOnly; static {
		f.refs = append(f.refs, ref)
	}
	return ref, static
}

// branch freezes br. The result is empty if all routes are only in the static
// table.
func (f *freezer[P]) branch(br *branch[P]) (to target[P]) {
	if ref, static := f.place(br.end); !static {
		to.end = ref
	}
	to.next = f.node(br)
	return to
}

// node returns the node for what follows a slash after br, or nil. Routes whose
// path ends with the slash are always in the trie, because redirects to them are
// found there.
func (f *freezer[P]) node(br *branch[P]) *node[P] {
	nd := node[P]{fallback: br.fallback}
	nd.slash, _ = f.place(br.slash)
	nd.rest, _ = f.place(br.rest)
	edges := make([]edge[P], 0, len(br.literals))
	for _, c := range br.literals {
		if to := f.branch(c); to != (target[P]{}) {
			edges = append(edges, f.edge(c.seg[0].Text, to))
		}
	}
	f.setEdges(&nd, edges)
	switch others := br.others; {
	case len(others) == 1 && others[0].seg.Kind() == pattern.Plain:
		nd.param = f.branch(others[0])
		nd.flags |= hasParam
	case len(others) > 0:
		slices.SortStableFunc(others, compareBranches)
		nd.specials = f.special(others)
	}
	if nd.flags&hasParam == 0 && nd.specials == 0 && nd.rest == 0 && nd.fallback == nil {
		if len(edges) == 0 && nd.slash == 0 {
			return nil
		}
		nd.flags |= onlyEdges
	}
	made := nd // on the heap
	return &made
}

// special adds the specials of a node, and returns its index in Tree.specials,
// plus 1.
func (f *freezer[P]) special(branches []*branch[P]) uint32 {
	first := len(f.specials)
	for _, br := range branches {
		f.specials = append(f.specials, special[P]{matcher: newMatcher(br.seg), multi: br.seg.Kind() == pattern.Multi})
	}
	f.specials[len(f.specials)-1].last = true
	for i, br := range branches {
		to := f.branch(br)
		f.specials[first+i].to = to
	}
	return uint32(first) + 1
}

// edge returns the edge for a literal segment.
func (f *freezer[P]) edge(text string, to target[P]) edge[P] {
	_, w0, w1 := nextSegment(text, 0)
	to.n = uint32(len(text))
	if len(text) > 16 {
		to.n = longEdge | uint32(len(f.long))
		f.long = append(f.long, text)
	}
	return edge[P]{w0, w1, to}
}

// setEdges sets the hash table of nd. It uses linear probing; at most three
// quarters of the slots are in use, unless there are one or two edges.
func (f *freezer[P]) setEdges(nd *node[P], edges []edge[P]) {
	if len(edges) == 0 {
		return
	}
	nd.edges = make([]edge[P], 1<<bits.Len(uint(len(edges)+len(edges)/3-1)))
	nd.seed = f.bestSeed(edges, len(nd.edges))
	for _, e := range edges {
		if e.n&longEdge != 0 {
			nd.flags |= longEdges
		}
		i := f.hash(&e, nd.seed)
		for ; nd.slot(i).n != 0; i++ {
			nd.slot(i).n |= moreEdges
		}
		*nd.slot(i) = e
	}
}

// bestSeed returns the seed for a table of edges, of those that it tries, for
// which most edges have a slot of their own. It tries none if there are many,
// because that would take time and gain little.
func (f *freezer[P]) bestSeed(edges []edge[P], size int) (best uint8) {
	const maxSize = 256
	least := len(edges)
	for seed := uint8(0); seed < 64 && least > 0 && size <= maxSize; seed++ {
		var taken [maxSize]bool
		collisions := 0
		for i := range edges {
			slot := &taken[f.hash(&edges[i], seed)&uint32(size-1)]
			if *slot {
				collisions++
			}
			*slot = true
		}
		if collisions < least {
			best, least = seed, collisions
		}
	}
	return best
}

// hash returns the hash of an edge.
func (f *freezer[P]) hash(e *edge[P], seed uint8) uint32 {
	long := ""
	if e.n&longEdge != 0 {
		long = f.long[e.n&^(longEdge|moreEdges)]
	}
	return hashEdge(e.w0, e.w1, long, seed)
}
