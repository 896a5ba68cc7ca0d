package trie

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file builds Tables. It sorts the items by shape, so that those with the
// same host, and then with the same segments, are adjacent. Each node is made of
// a part of the list:
//
//	/users         ─┐
//	/users/        ─┤ the target of "users" and its node
//	/users/{}      ─┤─┐
//	/users/{}/keys ─┘─┘ in it, the target of the parameter and its node
//	/version

// A ref stands for an item in the sorted list.
type ref struct {
	shape  string
	index  uint32 // in Builder.items
	method Method // unknown for a fallback
}

// sort sorts the refs: those of one shape by method and precedence, fallbacks
// after routes.
func (b *Builder[P]) sort() {
	slices.SortFunc(b.refs, func(x, y ref) int {
		if c := strings.Compare(x.shape, y.shape); c != 0 {
			return c
		}
		const precedence = Implied | impliedAll
		return cmp.Or(cmp.Compare(x.method, y.method), cmp.Compare(b.items[x.index].Flags&precedence, b.items[y.index].Flags&precedence), cmp.Compare(x.index, y.index))
	})
}

// cut cuts list, all of whose shapes have the same first bytes, after those that
// have the same segment from there on, which ends at end.
func cut(list []ref, from int) (same, others []ref, end int) {
	shape := list[0].shape
	end = len(shape)
	if n := strings.IndexByte(shape[from:], 0); n >= 0 {
		end = from + n
	}
	n := 1
	for ; n < len(list); n++ {
		if s := list[n].shape; len(s) < end || s[from:end] != shape[from:end] || len(s) > end && s[end] != 0 {
			break
		}
	}
	return list[:n], list[n:], end
}

// Build returns a Table of all routes.
func (b *Builder[P]) Build() *Table[P] {
	t := &Table[P]{custom: b.custom, MaxValues: b.maxValues}
	b.sort()
	for list := b.refs; len(list) > 0; {
		var same []ref
		var end int
		same, list, end = cut(list, 0)
		tree := b.freeze(same, end)
		switch p := b.items[same[0].index].p; {
		case p.Host == "":
			t.Base = *tree
		case p.HostLabels == nil:
			if t.hosts == nil {
				t.hosts = map[string]*Tree[P]{}
			}
			t.hosts[p.Host] = tree
		default:
			t.wildHosts = append(t.wildHosts, wildHost[P]{p.HostLabels, tree})
		}
	}
	slices.SortFunc(t.wildHosts, compareWildHosts)
	return t
}

// A freezer creates one tree.
type freezer[P any] struct {
	Tree[P]
	items    []item[P]
	trieOnly bool       // there is no static table
	refs     []routeRef // of the static table
	edges    []edge[P]  // of the nodes that are being made
}

// freeze returns the tree of a host, whose shapes have their paths from at on.
// Paths that don't suit the hash of the static table are all in the trie.
func (b *Builder[P]) freeze(list []ref, at int) *Tree[P] {
	for trieOnly := b.trieOnly; ; trieOnly = true {
		f := freezer[P]{items: b.items, trieOnly: trieOnly, edges: make([]edge[P], 0, len(list)), Tree: Tree[P]{routes: make([]Route[P], 0, len(list))}}
		f.root = f.target(list, 0, at).next
		ok := true
		if f.static, ok = newStatic(f.routes, f.refs); ok {
			tree := f.Tree
			tree.specials, tree.long = slices.Clip(slices.Clone(f.specials)), slices.Clip(slices.Clone(f.long))
			if len(f.routes) < cap(f.routes) {
				tree.routes = slices.Clip(slices.Clone(f.routes))
			}
			return &tree
		}
	}
}

// place adds the routes of one path to the tree, one for each method: an implied
// route gives way to any other. static says that they are also in the static
// table. It compares request paths with the text of patterns, so it cannot have
// paths with parameters, and those whose text differs, as in /%61 or /x/{$}. Nor
// does it have mounts, whose requests get values from the caller.
func (f *freezer[P]) place(list []ref) (at routeRef, static bool) {
	if len(list) == 0 {
		return 0, false
	}
	at, static = routeRef(len(f.routes)+1), !f.trieOnly
	for i, r := range list {
		if i > 0 && r.method == list[i-1].method {
			continue
		}
		it := &f.items[r.index]
		f.routes = append(f.routes, it.Route)
		static = static && it.Flags&Owns == 0 && it.p.Static() && it.p.Path == it.Path()
	}
	f.routes[len(f.routes)-1].Flags |= lastOfRun
	if static {
		f.refs = append(f.refs, at)
	}
	return at, static
}

// target returns what follows the first depth segments, which are all that the
// shapes have before at. It is empty if all routes are only in the static table.
func (f *freezer[P]) target(list []ref, depth, at int) (to target[P]) {
	routes, n := 0, 0
	var fallback *Fallback[P]
	for ; n < len(list) && len(list[n].shape) == at; n++ {
		if fb := f.items[list[n].index].fallback; fb == nil {
			routes++
		} else if fallback == nil || !fallback.Owns && fb.Owns {
			fallback = fb
		}
	}
	if end, static := f.place(list[:routes]); !static {
		to.end = end
	}
	to.next = f.node(list[n:], depth, at, fallback)
	return to
}

// A choice is a segment that is not an edge, and the items that have it.
type choice struct {
	seg  pattern.Segment
	list []ref
	end  int // of the segment in their shapes
}

// first returns the index of the item that was added first.
func (c choice) first() uint32 {
	return slices.MinFunc(c.list, func(x, y ref) int { return cmp.Compare(x.index, y.index) }).index
}

// node returns the node for what follows a slash after the first depth segments,
// or nil. Routes whose path ends with the slash are always in the trie, because
// redirects to them are found there.
func (f *freezer[P]) node(list []ref, depth, at int, fallback *Fallback[P]) *node[P] {
	nd := node[P]{fallback: fallback}
	var few [1]choice
	others, first := few[:0], len(f.edges)
	for len(list) > 0 {
		var same []ref
		var end int
		same, list, end = cut(list, at+1)
		p := f.items[same[0].index].p
		switch {
		case depth == len(p.Segs) && p.End == pattern.Slash:
			nd.slash, _ = f.place(same)
		case depth == len(p.Segs):
			nd.rest, _ = f.place(same)
		case p.Segs[depth].Kind() == pattern.Literal && fitsEdge(p.Segs[depth][0].Text):
			f.literal(p.Segs[depth][0].Text, f.target(same, depth+1, end))
		default:
			others = append(others, choice{p.Segs[depth], same, end})
		}
	}
	edges := f.edges[first:]
	f.setEdges(&nd, edges)
	f.edges = f.edges[:first]
	switch {
	case len(others) == 1 && others[0].seg.Kind() == pattern.Plain:
		nd.param = f.target(others[0].list, depth+1, others[0].end)
		nd.flags |= hasParam
	case len(others) > 0:
		slices.SortFunc(others, compareChoices)
		nd.specials = f.special(others, depth)
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
func (f *freezer[P]) special(others []choice, depth int) uint32 {
	first := len(f.specials)
	for _, o := range others {
		f.specials = append(f.specials, special[P]{Matcher: pattern.NewMatcher(o.seg), multi: o.seg.Kind() == pattern.Multi})
	}
	f.specials[len(f.specials)-1].last = true
	for i, o := range others {
		to := f.target(o.list, depth+1, o.end)
		f.specials[first+i].to = to
	}
	return uint32(first) + 1
}

// literal adds the edge for a literal segment, unless nothing follows it.
func (f *freezer[P]) literal(text string, to target[P]) {
	if to == (target[P]{}) {
		return
	}
	_, w0, w1 := nextSegment(text, 0)
	to.n = uint32(len(text))
	if len(text) > 16 {
		to.n = longEdge | uint32(len(f.long))
		f.long = append(f.long, text)
	}
	f.edges = append(f.edges, edge[P]{w0, w1, to})
}

// setEdges sets the hash table of nd. It uses linear probing. If there are more than
// four edges, at most three quarters of the slots are in use.
func (f *freezer[P]) setEdges(nd *node[P], edges []edge[P]) {
	if len(edges) == 0 {
		return
	}
	size := len(edges)
	if size > 4 {
		size += size / 3
	}
	nd.edges = make([]edge[P], 1<<bits.Len(uint(size-1)))
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
