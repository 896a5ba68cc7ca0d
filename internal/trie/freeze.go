package trie

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file turns branches into nodes.

// A freezer creates one tree.
type freezer[P any] struct {
	Tree[P]
	nodes []node[P] // never reallocated, because edges point to its elements
}

// isEnd reports whether nothing follows a slash.
func (br *branch[P]) isEnd() bool {
	return len(br.slash.routes)+len(br.rest.routes)+len(br.literals.list)+len(br.specials) == 0 && br.fallback == nil && br.param == nil
}

// count returns the numbers of nodes and routes that freezing br creates.
func (br *branch[P]) count() (nodes, routes int) {
	if br == nil {
		return 0, 0
	}
	routes = len(br.end.routes)
	if br.isEnd() {
		return 0, routes
	}
	add := func(br *branch[P]) {
		n, r := br.count()
		nodes, routes = nodes+n, routes+r
	}
	nodes = 1
	routes += len(br.slash.routes) + len(br.rest.routes)
	add(br.param)
	for _, c := range br.literals.list {
		add(c.branch)
	}
	for _, sp := range br.specials {
		add(sp.branch)
	}
	return nodes, routes
}

// branch freezes br.
func (f *freezer[P]) branch(br *branch[P]) target[P] {
	to := target[P]{end: f.place(&br.end)}
	if !br.isEnd() {
		to.next = f.node(br)
	}
	return to
}

// node creates the node for what follows a slash after br.
func (f *freezer[P]) node(br *branch[P]) *node[P] {
	f.nodes = append(f.nodes, node[P]{})
	nd := &f.nodes[len(f.nodes)-1]
	nd.slash, nd.rest, nd.fallback = f.place(&br.slash), f.place(&br.rest), br.fallback

	slices.SortFunc(br.literals.list, func(a, b child[P]) int { return strings.Compare(a.text, b.text) })
	edges, keys := make([]edge[P], len(br.literals.list)), make([]uint64, len(br.literals.list))
	for i, c := range br.literals.list {
		edges[i], keys[i] = f.edge(c.text, c.branch)
	}
	nd.setEdges(edges, keys)

	specials, param := slices.Clip(br.specials), br.param
	if len(specials) > 0 && param != nil { // the plain parameter becomes a special
		specials = append(specials, &specialBranch[P]{seg: pattern.Segment{{Name: "any"}}, branch: param})
		param = nil
	}
	slices.SortStableFunc(specials, compareSpecials)
	if len(specials) > 0 {
		first := len(f.specials)
		nd.specials = uint32(first) + 1
		for _, sp := range specials {
			f.specials = append(f.specials, special[P]{matcher: newMatcher(sp.seg), multi: sp.seg.Kind() == pattern.Multi})
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

// edge creates the edge for text, and returns its key.
func (f *freezer[P]) edge(text string, br *branch[P]) (e edge[P], key uint64) {
	_, w0, w1 := nextSegment(text, 0)
	e = edge[P]{w0, w1, f.branch(br)}
	e.n = uint32(len(text))
	if len(text) > 16 {
		e.n = longEdge | uint32(len(f.long))
		f.long = append(f.long, text)
	}
	return e, edgeKey(w0, w1, text)
}

// setEdges sets the table of edges of nd. The keys are those of the edges.
func (nd *node[P]) setEdges(edges []edge[P], keys []uint64) {
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
	table, seed, perfect := hashEdges(edges, keys)
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
func hashEdges[P any](edges []edge[P], keys []uint64) (table []edge[P], seed nodeFlags, perfect bool) {
	size := uint32(1) << bits.Len(uint(len(edges)-1))
	if len(edges) <= maxPerfect {
		for ; size <= uint32(4*len(edges)); size *= 2 {
			if seed, ok := perfectSeed(keys, size); ok {
				return hashInto(edges, keys, size, seed), seed, true
			}
		}
	}
	for size < uint32(len(edges)+len(edges)/2) {
		size *= 2
	}
	return hashInto(edges, keys, size, 0), 0, false
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
func hashInto[P any](edges []edge[P], keys []uint64, size uint32, seed nodeFlags) []edge[P] {
	table := make([]edge[P], size)
	for k, e := range edges {
		i := hashKey(keys[k], seed)
		for table[i&(size-1)].n != 0 {
			i++
		}
		table[i&(size-1)] = e
	}
	return table
}
