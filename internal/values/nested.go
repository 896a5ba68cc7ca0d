//go:build !muxmaster_safe

package values

import (
	"net/http"
	"slices"
	"unsafe"
)

// This file keeps the values of several owners in one request. The owner that set
// its values last is the innermost; its values come first:
//
//	owner 2 {id}=7, owner 1 {tenant}=a {id}=1  =>  id=7 tenant=a id=1
//
// r.PathValue returns the first value with a name. So inner values hide outer
// ones of the same name, which show again when the inner ones are removed.

// A nesting is the Names of requests that have the values of inner and, behind
// them, those of outer. It is the same for all such requests.
type nesting struct {
	Names
	inner *Names
	outer *stdPattern // of other owners, or of net/http
}

// nestedLoc is the loc of all nestings. No owner has it, so that TrySet leaves
// such requests to Set.
var nestedLoc = unsafe.String(new(byte), 1)

// nested returns the nesting that p is part of, or nil.
func (p *stdPattern) nested() *nesting {
	if !Same(p.loc, nestedLoc) {
		return nil
	}
	return (*nesting)(unsafe.Pointer(p)) // its first field
}

// inside returns the nesting of n in outer. n keeps the last one, because most
// routers are called by one route of another.
func (n *Names) inside(outer *stdPattern) *nesting {
	if x := n.nesting.Load(); x != nil && x.outer == outer {
		return x
	}
	x := &nesting{inner: n, outer: outer}
	x.str, x.loc, x.segments = namesMark, nestedLoc, segments(append(n.list(), outer.list()...))
	n.nesting.Store(x)
	return x
}

// without returns p and its values without those of the owner with that loc: nil
// if there are no others.
func (p *stdPattern) without(loc string, vals []string) (*stdPattern, []string) {
	if Same(p.loc, loc) {
		return nil, nil
	}
	x := p.nested()
	if x == nil {
		return p, vals
	}
	n := len(x.inner.segments)
	if Same(x.inner.loc, loc) {
		return x.outer, vals[n:]
	}
	switch outer, rest := x.outer.without(loc, vals[n:]); outer {
	case x.outer:
		return p, vals
	case nil:
		return &x.inner.stdPattern, vals[:n]
	default:
		return &x.inner.inside(outer).stdPattern, slices.Concat(vals[:n], rest)
	}
}

// nest sets n's values as the innermost of r, which has values of another owner.
// It copies all of them, because those of pooled routes are in a Ring.
func (n *Names) nest(r *http.Request, vals []string) {
	q := layOut(r)
	outer, rest := q.pat.without(n.loc, q.matches)
	x := n.inside(outer)
	all := Carve(r, len(x.segments))
	copy(all, vals)
	copy(all[len(vals):], rest) // http.ServeMux can set too few, see Go issue 81222
	q.pat, q.matches = &x.stdPattern, all
}
