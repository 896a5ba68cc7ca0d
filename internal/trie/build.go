package trie

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A Builder collects routes and builds Tables of them. It is not safe for
// concurrent use.
//
// It keeps the routes in a tree of branches, one for each segment. freeze.go
// turns them into the nodes of a Table.
type Builder[P any] struct {
	hosts     map[string]*hostBranch[P] // by pattern.HostShape
	branches  map[step[P]]*branch[P]
	entries   []entry[P]
	custom    map[string]Method
	maxValues int
	trieOnly  bool // there is no static table
}

// A hostBranch holds the routes of one host.
type hostBranch[P any] struct {
	labels []pattern.HostLabel // nil for an exact host
	root   branch[P]
	routes int // their number
}

// A branch holds what follows a segment.
type branch[P any] struct {
	seg      pattern.Segment
	literals []*branch[P] // for the literal segments that an edge can hold
	others   []*branch[P]
	end      place // routes whose path ends here without a slash,
	slash    place // with a slash,
	rest     place // or with a catch-all
	fallback *Fallback[P]
}

// A step leads from a branch to the one for a segment. Segments of the same
// shape share a branch.
type step[P any] struct {
	from  *branch[P]
	shape string
}

// A place holds the routes of one path, one for each method.
type place struct {
	first uint32 // index of the first in Builder.entries, plus 1; 0 if there are none
	// odd means that the path has parameters, or that the text of a pattern
	// differs from the path, as in /%61 or /x/{$}. The static table compares
	// request paths with the text, so the place is not in it.
	odd bool
}

// An entry is a route in the list of its place, which is sorted by method.
type entry[P any] struct {
	Route[P]
	next uint32 // like place.first
}

// Add adds a route for p, which conflicts with no other route; see
// [Shapes]. method is one of p's methods, or "" for every method. shown
// becomes the Pattern of the route. It begins with the same methods and host as
// p.Text.
func (b *Builder[P]) Add(p *pattern.Pattern, method, shown string, payload P, flags Flags) {
	head := len(p.Text) - len(p.Path)
	rt := Route[P]{Pattern: shown, Payload: payload, path: uint16(head), Flags: flags, Method: b.method(method)}
	h := b.host(p)
	br := b.branch(h, p)
	pl := &br.rest
	switch p.End {
	case pattern.All:
		rt.Flags |= CatchAll
		if p.Rest != "" {
			rt.Flags |= restNamed
		}
		if p.RestSlash {
			rt.Flags |= restSlash
		}
	case pattern.Exact:
		pl = &br.end
	case pattern.Slash:
		pl = &br.slash
	}
	path, static := p.Static()
	pl.odd = pl.odd || !static || path != rt.Path()
	if b.insert(&pl.first, rt) {
		h.routes++
	}
}

// insert inserts a route into a list, unless it replaces another or gives way to
// it: an implied route gives way to any other for the same method.
func (b *Builder[P]) insert(at *uint32, rt Route[P]) (inserted bool) {
	for *at != 0 && b.entries[*at-1].Method <= rt.Method {
		e := &b.entries[*at-1]
		if e.Method == rt.Method {
			if rank(rt.Flags) < rank(e.Flags) {
				e.Route = rt
			}
			return false
		}
		at = &e.next
	}
	e := entry[P]{rt, *at}
	*at = uint32(len(b.entries) + 1) // before append moves the entry that at points into
	b.entries = append(b.entries, e)
	return true
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
	br := b.branch(b.host(p), p)
	if f := br.fallback; f != nil && (f.Owns || !owns && f.Region >= region) {
		return
	}
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

// host returns the branches of p's host. Tables then have room for p's values.
func (b *Builder[P]) host(p *pattern.Pattern) *hostBranch[P] {
	b.maxValues = max(b.maxValues, len(p.Names()))
	key := p.HostShape()
	h := b.hosts[key]
	if h == nil {
		if b.hosts == nil {
			b.hosts, b.branches = map[string]*hostBranch[P]{}, map[step[P]]*branch[P]{}
		}
		h = &hostBranch[P]{labels: p.HostLabels}
		b.hosts[key] = h
	}
	return h
}

// branch returns the branch after the segments of p.
func (b *Builder[P]) branch(h *hostBranch[P], p *pattern.Pattern) *branch[P] {
	br := &h.root
	for _, seg := range p.Segs {
		to := step[P]{br, seg.Shape()}
		next := b.branches[to]
		if next == nil {
			next = &branch[P]{seg: seg}
			b.branches[to] = next
			if seg.Kind() == pattern.Literal && fitsEdge(seg[0].Text) {
				br.literals = append(br.literals, next)
			} else {
				br.others = append(br.others, next)
			}
		}
		br = next
	}
	return br
}

// fitsEdge reports whether an edge can hold the literal text. Other literals
// are specials: those that contain a slash or wirepath.Slash, because
// specials are compared with the decoded path, and those that occur only in
// paths that were not cleaned.
func fitsEdge(text string) bool {
	return text != "" && !wirepath.IsDots(text) && strings.IndexByte(text, '/') < 0 && strings.IndexByte(text, wirepath.Slash) < 0
}

// compareBranches orders branches by the precedence of their segments: literals,
// then those with more literal text, then those with more constraints, then a
// plain parameter, then a catch-all. It returns 0 for segments that differ only
// in their constraints, which stay in the order of registration.
func compareBranches[P any](a, b *branch[P]) int {
	kind := func(seg pattern.Segment) pattern.Kind {
		if k := seg.Kind(); k != pattern.Constrained {
			return k
		}
		return pattern.Mixed
	}
	text, exprs := sizes(a.seg)
	text2, exprs2 := sizes(b.seg)
	c := cmp.Or(cmp.Compare(kind(a.seg), kind(b.seg)), cmp.Compare(text2, text), cmp.Compare(exprs2, exprs))
	if c == 0 {
		c = strings.Compare(bareShape(a.seg), bareShape(b.seg))
	}
	return c
}

// sizes returns the number of bytes of literal text and of constraints in a
// segment.
func sizes(seg pattern.Segment) (text, exprs int) {
	for _, part := range seg {
		text += len(part.Text)
		if part.Expr != "" {
			exprs++
		}
	}
	return text, exprs
}

// bareShape returns the segment's shape without its constraints.
func bareShape(seg pattern.Segment) string {
	seg = slices.Clone(seg)
	for i := range seg {
		seg[i].Expr = ""
	}
	return seg.Shape()
}
