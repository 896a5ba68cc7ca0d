package trie

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A Builder collects routes and builds Tables of them. It is not safe for
// concurrent use. freeze.go has the way from the list to a Table.
type Builder[P any] struct {
	items     []item[P]
	refs      []ref // to the items
	custom    map[string]Method
	maxValues int
	trieOnly  bool // there is no static table
}

// An item is a route or a fallback.
type item[P any] struct {
	Route[P]
	fallback *Fallback[P] // nil for a route
	p        *pattern.Pattern
}

// Grow makes room for n more routes.
func (b *Builder[P]) Grow(n int) {
	b.items = slices.Grow(b.items, n)
	b.refs = slices.Grow(b.refs, n)
}

// Add adds a route for p and a method, or "" for every method. Only an implied route
// can have the method and shape of another one. shown becomes the Pattern of the
// route. It begins with the same methods and host as p.Text.
func (b *Builder[P]) Add(p *pattern.Pattern, method, shown string, payload P, flags Flags) {
	if p.End == pattern.All {
		flags |= CatchAll
		if p.Rest != "" {
			flags |= restNamed
		}
		if p.RestSlash {
			flags |= restSlash
		}
	}
	head := len(p.Text) - len(p.Path)
	rt := Route[P]{Pattern: shown, Payload: payload, path: uint16(head), Flags: flags, Method: b.method(method)}
	b.add(item[P]{Route: rt, p: p})
}

// add adds an item. Tables then have room for the values of its pattern.
func (b *Builder[P]) add(it item[P]) {
	b.maxValues = max(b.maxValues, len(it.p.Names()))
	b.refs = append(b.refs, ref{shape: it.p.Shape(), method: it.Method, index: uint32(len(b.items))})
	b.items = append(b.items, it)
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
// same prefix, the first one that owns it applies, or else the first one.
func (b *Builder[P]) AddFallback(p *pattern.Pattern, payload P, owns bool) {
	fb := &Fallback[P]{Payload: payload, Owns: owns, depth: len(p.Segs)}
	b.add(item[P]{Route: Route[P]{Method: unknown}, fallback: fb, p: p}) // after the routes
}

// method returns the number of a method. Custom methods get numbers in the order
// in which they are added.
func (b *Builder[P]) method(name string) Method {
	m := standardMethod(name)
	if m == unknown {
		m = b.custom[name]
	}
	if m == Any && name != "" {
		if b.custom == nil {
			b.custom = map[string]Method{}
		}
		m = firstCustom + Method(len(b.custom))
		b.custom[name] = m
	}
	return m
}

// fitsEdge reports whether an edge can hold the literal text. Other literals
// are specials: those that contain a slash or wirepath.Slash, because
// specials are compared with the decoded path, and those that occur only in
// paths that were not cleaned.
func fitsEdge(text string) bool {
	return !wirepath.Removed(text) && strings.IndexByte(text, '/') < 0 && strings.IndexByte(text, wirepath.Slash) < 0
}

// compareChoices orders segments of a node by precedence: literals, then those
// with more literal text, then those with more constraints, then a plain
// parameter, then a catch-all. Segments that differ only in their constraints
// stay in the order of registration.
func compareChoices(a, b choice) int {
	text, exprs := sizes(a.seg)
	text2, exprs2 := sizes(b.seg)
	c := cmp.Or(cmp.Compare(a.seg.Kind(), b.seg.Kind()), cmp.Compare(text2, text), cmp.Compare(exprs2, exprs))
	if c == 0 {
		c = cmp.Or(strings.Compare(a.seg.BareShape(), b.seg.BareShape()), cmp.Compare(a.first(), b.first()))
	}
	return c
}

// sizes returns the number of bytes of literal text and of constraints in a
// segment.
func sizes(seg pattern.Segment) (text, exprs int) {
	for _, part := range seg {
		if !part.Param {
			text += len(part.Text)
		}
		if part.Expr != "" {
			exprs++
		}
	}
	return text, exprs
}
