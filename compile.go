package muxmaster

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file makes trees from registrations. A branch is a node while it grows:
// its children stand in maps, and it may still have no number.

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
	if !c.root.empty() {
		c.addNode(&c.root)
	}
	t := c.tree
	t.routes = slices.Clip(slices.Clone(t.routes))
	t.nodes = slices.Clip(slices.Clone(t.nodes))
	t.edges = slices.Clip(slices.Clone(t.edges))
	t.specials = slices.Clip(slices.Clone(t.specials))
	t.long = slices.Clip(slices.Clone(t.long))
	t.static.build(&t, c.leaves)
	return &t
}

func (b *branch) empty() bool {
	return b.literals == nil && b.specials == nil && b.param == nil && b.leaf == nil && b.slash == nil && b.all == nil
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

// addBranch adds what stands below a branch and returns the link to it.
func (c *compiler) addBranch(b *branch) (to link, classes uint16) {
	if b.literals == nil && b.specials == nil && b.param == nil && b.slash == nil && b.all == nil {
		for _, rt := range b.leaf {
			classes |= rt.method.class()
		}
		return isLeaf | link(c.addRoutes(b.leaf)-1), classes
	}
	return c.addNode(b)
}

func (c *compiler) addNode(b *branch) (to link, classes uint16) {
	i := len(c.nodes)
	c.nodes = append(c.nodes, node{})
	var nd node
	for _, rts := range [][]route{b.leaf, b.slash, b.all} {
		for _, rt := range rts {
			classes |= rt.method.class()
		}
	}
	nd.leaf, nd.slash, nd.all = c.addRoutes(b.leaf), c.addRoutes(b.slash), c.addRoutes(b.all)

	texts := make([]string, 0, len(b.literals))
	for text := range b.literals {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	links := make([]link, len(texts))
	for k, text := range texts {
		to, below := c.addBranch(b.literals[text])
		classes |= below
		links[k] = to
	}
	c.addEdges(&nd, texts, links)

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
	for k, sp := range b.specials {
		to, below := c.addBranch(sp.branch)
		classes |= below
		c.specials[first+k].to = to
	}

	if b.param != nil {
		to, below := c.addBranch(b.param)
		classes |= below
		nd.param = to
	}
	if nd.param|link(nd.specials)|link(nd.all) == 0 {
		nd.table |= onlyKids
	}
	nd.classes = classes
	c.nodes[i] = nd
	return link(i), classes
}

// addEdges adds a table of the edges along which texts lead to links.
func (c *compiler) addEdges(nd *node, texts []string, links []link) {
	if len(texts) == 0 {
		nd.table = noKids
		return
	}
	all := make([]edge, len(texts))
	for k, text := range texts {
		all[k] = c.newEdge(text, links[k])
		if all[k].n&longEdge != 0 {
			nd.table |= longKids
		}
	}
	nd.kids = uint32(len(c.edges))
	table, seed, perfect := hashEdges(all)
	c.edges = append(c.edges, table...)
	nd.table |= uint32(len(table) - 1)
	nd.seed = seed
	if !perfect {
		nd.table |= probing
	}
}

// A node with more children than perfectKids does not get a table in which each
// edge stands at its place; it would take too long to find one, or too much room.
const perfectKids = 64

// hashEdges makes a hash table of edges: for a few of them a perfect one, by
// trying seeds and sizes.
func hashEdges(edges []edge) (table []edge, seed uint16, perfect bool) {
	size := uint32(1) << bits.Len(uint(len(edges)-1))
	if len(edges) <= perfectKids {
		for ; size <= uint32(4*len(edges)); size *= 2 {
			for seed := range uint16(256) {
				if table, ok := hashInto(edges, size, seed, false); ok {
					return table, seed, true
				}
			}
		}
	}
	for size < uint32(len(edges)+len(edges)/2) {
		size *= 2
	}
	table, _ = hashInto(edges, size, 0, true)
	return table, 0, false
}

// hashInto makes a table of the size; ok is false if an edge does not stand at
// its place, and probe does not allow that.
func hashInto(edges []edge, size uint32, seed uint16, probe bool) (table []edge, ok bool) {
	table = make([]edge, size)
	for _, e := range edges {
		i := hashWords(e.w0, e.w1, seed)
		for table[i&(size-1)].to != 0 {
			if !probe {
				return nil, false
			}
			i++
		}
		table[i&(size-1)] = e
	}
	return table, true
}

func (c *compiler) newEdge(text string, to link) edge {
	_, w0, w1 := nextSegment(text, 0)
	e := edge{w0: w0, w1: w1, n: uint32(len(text)), to: to}
	if len(text) > 16 {
		e.n = longEdge | uint32(len(c.long))
		c.long = append(c.long, text)
	}
	return e
}
