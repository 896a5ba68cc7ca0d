package muxmaster

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file makes trees from registrations. A branch is where a segment leads, while
// that grows.

type branch struct {
	literals map[string]*branch
	specials []*specialBranch
	param    *branch
	leaf     []route
	slash    []route
	all      []route
}

type specialBranch struct {
	seg   pattern.Segment
	shape string // two segments of one shape share a branch
	*branch
}

// compiler makes one tree.
type compiler struct {
	tree
	mux    *Mux
	root   branch
	whole  map[string][]route // routes without parameters, by their path
	paths  []string           // the keys of whole, in order of registration
	names  map[string]*names
	leaves []leaf // of whole
	nodes  []node // has room for all of them
}

func newCompiler(m *Mux) *compiler {
	return &compiler{mux: m, whole: map[string][]route{}, names: map[string]*names{}}
}

// add takes in a registration whose methods have the given numbers.
func (c *compiler) add(reg *registration, methods []method) {
	p := reg.pattern
	rt := route{
		pattern: p.Text,
		handler: reg.handler,
		scope:   reg.scope,
		pc:      reg.pc,
		seq:     reg.seq,
		path:    uint16(len(p.Text) - len(p.Path)),
		flags:   reg.flags,
	}
	list := p.Names()
	if len(list) > 0 {
		rt.names = c.namesOf(list, rt.flags&fastRoute != 0)
		c.most = max(c.most, len(list))
		if rt.flags&fastRoute == 0 {
			rt.flags |= hasNames
		}
	}
	if p.End == pattern.All {
		rt.flags |= catchAll
		if p.Rest != "" {
			rt.flags |= restNamed
		}
		if p.RestSlash {
			rt.flags |= restSlash
		}
	}
	var rts []route
	for _, m := range methods {
		rt.method = m
		rts = append(rts, rt)
		c.methods |= m.class()
	}

	path, static := p.Static()
	if static && path == p.Path {
		if c.whole[path] == nil {
			c.paths = append(c.paths, path)
		}
		c.whole[path] = append(c.whole[path], rts...)
		if p.End != pattern.Slash {
			return
		}
		// It stands in the trie too, for the sake of redirects to it.
	}
	b := &c.root
	for _, seg := range p.Segs {
		b = b.child(seg)
	}
	switch p.End {
	case pattern.Exact:
		b.leaf = append(b.leaf, rts...)
	case pattern.Slash:
		b.slash = append(b.slash, rts...)
	case pattern.All:
		b.all = append(b.all, rts...)
	}
}

func (c *compiler) namesOf(list []string, fast bool) *names {
	key := strings.Join(list, "/")
	if fast {
		key += "/"
	}
	n := c.names[key]
	if n == nil {
		n = newNames(c.mux, list, fast)
		c.names[key] = n
	}
	return n
}

func (b *branch) child(seg pattern.Segment) *branch {
	switch text := seg[0].Text; {
	case seg.Kind() == pattern.Literal && plainText(text):
		if b.literals == nil {
			b.literals = map[string]*branch{}
		}
		if b.literals[text] == nil {
			b.literals[text] = new(branch)
		}
		return b.literals[text]
	case seg.Kind() == pattern.Plain:
		if b.param == nil {
			b.param = new(branch)
		}
		return b.param
	}
	shape := seg.Shape()
	for _, sp := range b.specials {
		if sp.shape == shape {
			return sp.branch
		}
	}
	sp := &specialBranch{seg, shape, new(branch)}
	b.specials = append(b.specials, sp)
	return sp.branch
}

// plainText reports whether an edge can lead along the text: one with a slash, or
// with what stands for one in a path, is compared with the decoded path instead,
// and one that is cleaned away is only met where paths are not cleaned.
func plainText(text string) bool {
	return text != "" && !dots(text) && strings.IndexByte(text, '/') < 0 && strings.IndexByte(text, slashInside) < 0
}

// compareSpecials puts the segment first that is tried first: a literal, that with
// more literal text, a constrained one. What then still differs only in the
// expressions stays in the order of registration.
func compareSpecials(a, b *specialBranch) int {
	return cmp.Or(
		cmp.Compare(min(a.seg.Kind(), pattern.Mixed), min(b.seg.Kind(), pattern.Mixed)),
		cmp.Compare(textLen(b.seg), textLen(a.seg)),
		cmp.Compare(exprs(b.seg), exprs(a.seg)),
		cmp.Compare(bareShape(a.seg), bareShape(b.seg)),
	)
}

// exprs counts the constrained parameters of a segment.
func exprs(seg pattern.Segment) (n int) {
	for _, part := range seg {
		if part.Expr != "" {
			n++
		}
	}
	return n
}

// bareShape is the segment's shape without its expressions.
func bareShape(seg pattern.Segment) string {
	seg = slices.Clone(seg)
	for i := range seg {
		seg[i].Expr = ""
	}
	return seg.Shape()
}

// finish returns the tree. Its slices have no spare capacity.
func (c *compiler) finish() *tree {
	for _, path := range c.paths {
		c.leaves = append(c.leaves, c.addRoutes(c.whole[path]))
	}
	c.nodes = make([]node, 0, c.root.nodes())
	to, _ := c.addBranch(&c.root)
	t := c.tree
	t.root = to.next
	t.routes = slices.Clip(slices.Clone(t.routes))
	t.specials = slices.Clip(slices.Clone(t.specials))
	t.long = slices.Clip(slices.Clone(t.long))
	t.static.build(&t, c.leaves)
	return &t
}

// ends reports whether nothing comes behind a slash.
func (b *branch) ends() bool {
	return b.literals == nil && b.specials == nil && b.param == nil && b.slash == nil && b.all == nil
}

// nodes counts the nodes that b leads to.
func (b *branch) nodes() int {
	if b == nil || b.ends() {
		return 0
	}
	n := 1 + b.param.nodes()
	for _, to := range b.literals {
		n += to.nodes()
	}
	for _, sp := range b.specials {
		n += sp.nodes()
	}
	return n
}

// addRoutes adds the routes that end at one place.
func (c *compiler) addRoutes(rts []route) leaf {
	if len(rts) == 0 {
		return 0
	}
	slices.SortStableFunc(rts, func(a, b route) int { return cmp.Compare(a.method, b.method) })
	rts[len(rts)-1].flags |= lastHere
	c.routes = append(c.routes, rts...)
	return leaf(len(c.routes) - len(rts) + 1)
}

// addBranch adds the way that b is, and returns the classes of its routes.
func (c *compiler) addBranch(b *branch) (to way, classes uint16) {
	to.leaf = c.addRoutes(b.leaf)
	for _, rt := range b.leaf {
		classes |= rt.method.class()
	}
	if !b.ends() {
		to.next = c.addNode(b)
		classes |= to.next.classes
	}
	return to, classes
}

// addNode adds what comes behind b's slash.
func (c *compiler) addNode(b *branch) *node {
	c.nodes = append(c.nodes, node{})
	nd := &c.nodes[len(c.nodes)-1]
	nd.slash, nd.all = c.addRoutes(b.slash), c.addRoutes(b.all)
	for _, rts := range [][]route{b.slash, b.all} {
		for _, rt := range rts {
			nd.classes |= rt.method.class()
		}
	}

	texts := make([]string, 0, len(b.literals))
	for text := range b.literals {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	edges := make([]edge, len(texts))
	for i, text := range texts {
		to, classes := c.addBranch(b.literals[text])
		nd.classes |= classes
		edges[i] = c.newEdge(text, to)
	}
	nd.addEdges(edges)

	slices.SortStableFunc(b.specials, compareSpecials)
	if len(b.specials) > 0 && b.param != nil {
		// Behind those, it is one of them.
		b.specials = append(b.specials, &specialBranch{seg: pattern.Segment{{Name: "any"}}, branch: b.param})
		b.param = nil
	}
	first := len(c.specials)
	for _, sp := range b.specials {
		c.specials = append(c.specials, newSpecial(sp.seg))
	}
	if len(b.specials) > 0 {
		nd.specials = uint32(first) + 1
		c.specials[len(c.specials)-1].last = true
	}
	for i, sp := range b.specials {
		to, classes := c.addBranch(sp.branch)
		nd.classes |= classes
		c.specials[first+i].to = to
	}

	if b.param != nil {
		to, classes := c.addBranch(b.param)
		nd.classes |= classes
		nd.param = to
		nd.flags |= hasParam
	}
	if nd.flags&hasParam == 0 && nd.specials == 0 && nd.all == 0 {
		nd.flags |= onlyKids
	}
	return nd
}

// addEdges gives nd a table of the edges.
func (nd *node) addEdges(edges []edge) {
	if len(edges) == 0 {
		return
	}
	for _, e := range edges {
		if e.n&longEdge != 0 {
			nd.flags |= longKids
		}
	}
	table, seed, perfect := hashEdges(edges)
	nd.kids = table
	nd.flags |= seed
	if !perfect {
		nd.flags |= probing
	}
}

// A node with more children than perfectKids does not get a table in which each
// edge stands at its place; it would take too long to find one, or too much room.
const perfectKids = 64

// hashEdges makes a hash table of edges: for a few of them a perfect one, by
// trying seeds and sizes.
func hashEdges(edges []edge) (table []edge, seed nodeFlags, perfect bool) {
	size := uint32(1) << bits.Len(uint(len(edges)-1))
	if len(edges) <= perfectKids {
		for ; size <= uint32(4*len(edges)); size *= 2 {
			if seed, ok := perfectSeed(edges, size); ok {
				return hashInto(edges, size, seed), seed, true
			}
		}
	}
	for size < uint32(len(edges)+len(edges)/2) {
		size *= 2
	}
	return hashInto(edges, size, 0), 0, false
}

// perfectSeed returns a seed for which each edge has a place of its own in a table
// of the size.
func perfectSeed(edges []edge, size uint32) (seed nodeFlags, ok bool) {
	chance := float64(seeds) // of one among all seeds
	for i := range edges {
		chance *= 1 - float64(i)/float64(size)
	}
	if chance < 0.5 {
		return 0, false
	}
next:
	for i := range seeds {
		seed := nodeFlags(i) * seedUnit
		var taken [4 * perfectKids]bool
		for _, e := range edges {
			at := &taken[hashWords(e.w0, e.w1, seed)&(size-1)]
			if *at {
				continue next
			}
			*at = true
		}
		return seed, true
	}
	return 0, false
}

const seeds = 1 << 16 / uint32(seedUnit)

// hashInto makes a table of the size, each edge at or behind its place.
func hashInto(edges []edge, size uint32, seed nodeFlags) []edge {
	table := make([]edge, size)
	for _, e := range edges {
		i := hashWords(e.w0, e.w1, seed)
		for table[i&(size-1)].n != 0 {
			i++
		}
		table[i&(size-1)] = e
	}
	return table
}

func (c *compiler) newEdge(text string, to way) edge {
	_, w0, w1 := nextSegment(text, 0)
	to.n = uint32(len(text))
	e := edge{w0, w1, to}
	if len(text) > 16 {
		e.n = longEdge | uint32(len(c.long))
		c.long = append(c.long, text)
	}
	return e
}
