//go:build !muxmaster_safe

package values

import "unsafe"

// This file keeps the values of several owners in one request. It has one layer
// for each owner. The owner that set its values last is the innermost; its layer
// comes first:
//
//	owner 2 {id}=7, owner 1 {tenant}=a {id}=1  =>  id=7 tenant=a id=1
//
// r.PathValue returns the first value with a name. So inner values hide outer
// ones of the same name, which show again when the inner layer is removed.

// A layer is what one owner set.
type layer struct {
	loc string // of the owner's Names
	n   int    // number of values
}

// nestedLoc is the loc of Names with layers. No owner has it, so that TrySet
// leaves such requests to Set.
var nestedLoc = unsafe.String(new(byte), 1)

// nested reports whether p is part of Names with layers.
func (p *stdPattern) nested() bool { return unsafe.StringData(p.loc) == unsafe.StringData(nestedLoc) }

// layersOf returns the layers of p, if it is nested.
func (p *stdPattern) layersOf() []layer {
	if !p.nested() {
		return nil
	}
	return (*nesting)(unsafe.Pointer(p)).layers // p is its first field
}

// A nesting is the Names of requests with the pattern outer that get the values
// of another owner, or lose those that they have of it. It is the same for all
// such requests. Each Names keeps the last one, because most routers are called
// by one route of another.
type nesting struct {
	Names
	layers []layer
	outer  *stdPattern
	from   []int // where each value comes from: an index into the new values, or ^index into those of the request
}

// newNesting returns the nesting of n in outer. If n is nil, it removes the layer
// of the owner with that loc.
func newNesting(outer *stdPattern, loc string, n *Names) *nesting {
	x := &nesting{outer: outer}
	x.str, x.loc = namesMark, nestedLoc
	if n != nil {
		x.add(&n.stdPattern, layer{n.loc, len(n.segments)}, func(i int) int { return i })
	}
	if layers := outer.layersOf(); layers != nil {
		from := 0
		for _, l := range layers {
			if unsafe.StringData(l.loc) != unsafe.StringData(loc) {
				x.add(&stdPattern{segments: outer.segments[from : from+l.n]}, l, func(i int) int { return ^(from + i) })
			}
			from += l.n
		}
	} else {
		x.add(outer, layer{loc: outer.loc}, func(i int) int { return ^i })
	}
	return x
}

// add adds a layer with the names of p. from returns where the i-th of p's values
// comes from.
func (x *nesting) add(p *stdPattern, l layer, from func(i int) int) {
	before, i := len(x.segments), 0
	for _, seg := range p.segments {
		if !seg.wild || seg.s == "" {
			continue
		}
		x.segments = append(x.segments, stdSegment{s: seg.s, wild: true})
		x.from = append(x.from, from(i))
		i++
	}
	l.n = len(x.segments) - before
	x.layers = append(x.layers, l)
}

// nest sets n's values as the innermost of q, which has values of another owner.
func (q *stdRequest) nest(n *Names, vals []string) {
	x := n.nesting.Load()
	if x == nil || x.outer != q.pat {
		x = newNesting(q.pat, n.loc, n)
		n.nesting.Store(x)
	}
	q.set(x, vals)
}

// drop removes the layer of an owner from q, which is nested.
func (q *stdRequest) drop(o *Owner) {
	loc := unsafe.String(&o.mark, 1)
	for _, l := range q.pat.layersOf() {
		if unsafe.StringData(l.loc) == &o.mark {
			q.set(newNesting(q.pat, loc, nil), nil)
			return
		}
	}
}

// set sets q's values as x says. It copies all of them, because those of pooled
// routes are in a Ring.
func (q *stdRequest) set(x *nesting, vals []string) {
	var all []string
	if len(q.URL.Path)|len(q.RequestURI) >= Long || len(x.from) > MaxChunk {
		all = make([]string, len(x.from))
	} else {
		all = Carve(len(x.from))
	}
	for i, k := range x.from {
		switch {
		case k >= 0:
			all[i] = vals[k]
		case ^k < len(q.matches): // http.ServeMux can set too few, see Go issue 81222
			all[i] = q.matches[^k]
		}
	}
	q.pat, q.matches = &x.stdPattern, all
}
