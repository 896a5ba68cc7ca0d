//go:build !muxmaster_safe

package values

import (
	"iter"
	"unsafe"
)

// This file keeps the values of several owners in one request. It has one layer
// for each owner. The owner that set its values last is the innermost; its layer
// comes first:
//
//	owner 2 {id}=7, owner 1 {tenant}=a {id}=1  =>  id=7 tenant=a id=1
//
// r.PathValue returns the first value with a name. So inner values hide outer
// ones of the same name, which show again when the inner layer is removed.

// A layer is what one owner set. loc is that of its Names.
type layer struct {
	stdPattern // segments are names only
	tag        any
}

// nestedLoc is the loc of Names with layers. No owner has it, so that TrySet
// leaves such requests to Set.
var nestedLoc = unsafe.String(new(byte), 1)

// nested reports whether p is part of Names with layers.
func (p *stdPattern) nested() bool { return unsafe.StringData(p.loc) == unsafe.StringData(nestedLoc) }

// layers returns the layers of q and their values, the innermost first.
func (q *stdRequest) layers() iter.Seq2[layer, []string] {
	return func(yield func(layer, []string) bool) {
		if q.pat == nil {
			return
		}
		n := q.pat.names()
		if n == nil || n.layers == nil {
			l := layer{stdPattern: stdPattern{loc: q.pat.loc}}
			if n != nil {
				l.tag = n.tag
			}
			yield(l, l.add(q.pat, q.matches))
			return
		}
		rest := q.matches
		for _, l := range n.layers {
			k := len(l.segments)
			if !yield(l, rest[:k]) {
				return
			}
			rest = rest[k:]
		}
	}
}

// add adds the names of p to l and returns their values.
func (l *layer) add(p *stdPattern, vals []string) (named []string) {
	i := 0
	for _, seg := range p.segments {
		if !seg.wild || seg.s == "" {
			continue
		}
		if seg.s != keyName {
			l.segments = append(l.segments, stdSegment{s: seg.s, wild: true})
			named = append(named, vals[i])
		}
		i++
	}
	return named
}

// nest sets n's values as the innermost of q.
func (q *stdRequest) nest(n *Names, vals []string) {
	l := layer{stdPattern{loc: n.loc}, n.tag}
	q.rebuild(n.loc, &l, l.add(&n.stdPattern, vals))
}

// drop removes the layer of an owner from q.
func (q *stdRequest) drop(o *Owner) { q.rebuild(unsafe.String(&o.mark, 1), nil, nil) }

// rebuild replaces the layer with the given loc by l with the values vals,
// innermost, or removes it if l is nil. It copies all values, because those of
// pooled routes are in a Ring.
func (q *stdRequest) rebuild(loc string, l *layer, vals []string) {
	both := &Names{stdPattern: stdPattern{str: namesMark, loc: nestedLoc}}
	var all []string
	add := func(l layer, vals []string) {
		both.layers = append(both.layers, l)
		both.segments = append(both.segments, l.segments...)
		all = append(all, vals...)
	}
	if l != nil {
		add(*l, vals)
	}
	for l, vals := range q.layers() {
		if unsafe.StringData(l.loc) != unsafe.StringData(loc) {
			add(l, vals)
		}
	}
	if both.layers == nil {
		q.pat, q.matches = nil, nil
		return
	}
	q.pat, q.matches = &both.stdPattern, all
}
