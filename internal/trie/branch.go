package trie

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A branch is a target that a Builder is still adding to.
type branch[P any] struct {
	literals children[P]
	specials []*specialBranch[P]
	byShape  map[string]*specialBranch[P] // nil if there are few specials
	param    *branch[P]
	end      place[P] // routes whose path ends here without a slash,
	slash    place[P] // with a slash,
	rest     place[P] // or with a catch-all
	fallback *Fallback[P]
}

// children are the branches for literal segments.
type children[P any] struct {
	list  []child[P]
	index map[string]*branch[P] // nil if the list is short
}

type child[P any] struct {
	text string
	*branch[P]
}

// find returns the branch for text, or nil.
func (cs *children[P]) find(text string) *branch[P] {
	if cs.index != nil {
		return cs.index[text]
	}
	for _, c := range cs.list {
		if c.text == text {
			return c.branch
		}
	}
	return nil
}

// add adds the branch for text, which must have none.
func (cs *children[P]) add(text string, br *branch[P]) {
	cs.list = append(cs.list, child[P]{text, br})
	switch {
	case cs.index != nil:
		cs.index[text] = br
	case len(cs.list) > 8:
		cs.index = make(map[string]*branch[P], 2*len(cs.list))
		for _, c := range cs.list {
			cs.index[c.text] = c.branch
		}
	}
}

// A specialBranch is a special that a Builder is still adding to.
type specialBranch[P any] struct {
	seg   pattern.Segment
	shape string // seg.Shape; segments of the same shape share a branch
	bare  string // shape without its constraints
	*branch[P]
}

// child returns the branch for seg, and creates it if necessary.
func (br *branch[P]) child(seg pattern.Segment) *branch[P] {
	switch text := seg[0].Text; {
	case seg.Kind() == pattern.Literal && fitsEdge(text):
		next := br.literals.find(text)
		if next == nil {
			next = new(branch[P])
			br.literals.add(text, next)
		}
		return next
	case seg.Kind() == pattern.Plain:
		if br.param == nil {
			br.param = new(branch[P])
		}
		return br.param
	}
	shape := seg.Shape()
	if sp := br.special(shape); sp != nil {
		return sp.branch
	}
	return br.addSpecial(seg, shape)
}

// special returns the special of that shape, or nil.
func (br *branch[P]) special(shape string) *specialBranch[P] {
	if br.byShape != nil {
		return br.byShape[shape]
	}
	for _, sp := range br.specials {
		if sp.shape == shape {
			return sp
		}
	}
	return nil
}

// addSpecial adds a special for seg and returns its branch.
func (br *branch[P]) addSpecial(seg pattern.Segment, shape string) *branch[P] {
	sp := &specialBranch[P]{seg, shape, bareShape(seg), new(branch[P])}
	br.specials = append(br.specials, sp)
	switch {
	case br.byShape != nil:
		br.byShape[shape] = sp
	case len(br.specials) > 8:
		br.byShape = make(map[string]*specialBranch[P], 2*len(br.specials))
		for _, sp := range br.specials {
			br.byShape[sp.shape] = sp
		}
	}
	return sp.branch
}

// fitsEdge reports whether an edge can hold the literal text. Other literals
// are specials: those that contain a slash or wirepath.Slash, because
// specials are compared with the decoded path, and those that occur only in
// paths that were not cleaned.
func fitsEdge(text string) bool {
	return text != "" && !wirepath.IsDots(text) && strings.IndexByte(text, '/') < 0 && strings.IndexByte(text, wirepath.Slash) < 0
}

// compareSpecials orders segments by precedence: literals, then those with more
// literal text, then those with more constraints, then a plain parameter, then a
// catch-all. It returns 0 for segments that differ only in their constraints,
// which stay in the order of registration.
func compareSpecials[P any](a, b *specialBranch[P]) int {
	kind := func(sp *specialBranch[P]) pattern.Kind {
		if k := sp.seg.Kind(); k != pattern.Constrained {
			return k
		}
		return pattern.Mixed
	}
	return cmp.Or(
		cmp.Compare(kind(a), kind(b)),
		cmp.Compare(textLen(b.seg), textLen(a.seg)),
		cmp.Compare(exprs(b.seg), exprs(a.seg)),
		cmp.Compare(a.bare, b.bare),
	)
}

// textLen returns the number of bytes of literal text in a segment.
func textLen(seg pattern.Segment) (n int) {
	for _, part := range seg {
		n += len(part.Text)
	}
	return n
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

// bareShape returns the segment's shape without its constraints.
func bareShape(seg pattern.Segment) string {
	seg = slices.Clone(seg)
	for i := range seg {
		seg[i].Expr = ""
	}
	return seg.Shape()
}
