package muxmaster

import "math/bits"

// This file finds the routes of most requests in a tree, faster than walk in
// tree.go. Without it, all would be found all the same.

// quick is walkFor for most requests: it takes the first way that fits at each
// node and gives up, with nil, if that leads nowhere. rest is what is left of the
// path behind node at, with the slash before it. It adds the values to the n in
// vals, and returns their number.
//
// It calls nothing on its way, so that what it needs stays in registers.
func (t *tree) quick(at link, rest string, vals []string, n int, m method) (*route, int) {
	if len(rest) < 2 || rest[0] != '/' {
		return nil, 0
	}
	var last uint64 // eight bytes of rest
	if len(rest) >= 8 {
		last = load8(rest[len(rest)-8:])
	} else {
		_, last = ends(rest)
	}
	if int(at) >= len(t.nodes) {
		return nil, 0 // there are none
	}
	nd := &t.nodes[at]
	for {
		// The segment is rest[1:end], its words w0 and w1.
		var w0, w1 uint64
		if len(rest) > 8 {
			w0 = load8(rest[1:])
		} else {
			w0 = last >> (uint(72-8*len(rest)) & 63)
		}
		end := len(rest)
		if z := slashes(w0); z != 0 {
			end = bits.TrailingZeros64(z)>>3 + 1
			w0 &= before(z)
		} else if end > 9 {
			if end > 16 {
				w1 = load8(rest[9:])
			} else {
				w1 = last >> (uint(136-8*end) & 63)
			}
			if z := slashes(w1); z != 0 {
				end = bits.TrailingZeros64(z)>>3 + 9
				w1 &= before(z)
			} else if end > 17 {
				for end = 17; end < len(rest) && rest[end] != '/'; end++ {
				}
				w1 = load8(rest[end-8:])
			}
		}

		var to link
		if nd.table&noKids == 0 {
			at := nd.kids
			if mask := nd.table & tableMask; mask != 0 {
				at += hashWords(w0, w1, nd.seed) & mask
			}
			e := &t.edges[at]
			if e.w0 == w0 && e.w1 == w1 && e.n == uint32(end-1) {
				to = e.to
			} else if nd.table&(probing|longKids) != 0 {
				return t.quickOdd(nd, rest, end, vals, n, m)
			}
		}
		if to == 0 {
			if w0&^('.'<<8|'.') == 0 || uint(n) >= uint(len(vals)) {
				return nil, 0
			}
			to = nd.param
			if to == 0 {
				if nd.specials == 0 {
					return t.quickRest(nd, rest, vals, n, m)
				}
				return t.quickSpecial(nd, rest, end, vals, n, m)
			}
			vals[n] = rest[1:end]
			n++
		}
		if end == len(rest) {
			at := uint(to &^ isLeaf)
			if to&isLeaf == 0 {
				at = uint(t.nodes[to].leaf) - 1
			}
			if at < uint(len(t.routes)) {
				if rt := &t.routes[at]; rt.method == m {
					return rt, n
				}
			}
			return t.at(leaf(at+1), m), n
		}
		if to&isLeaf != 0 || len(rest)-end <= 1 {
			return t.quickSlash(to, m), n
		}
		nd, rest = &t.nodes[to], rest[end:]
	}
}

// quickSlash ends quick where all that is left may be a slash.
func (t *tree) quickSlash(to link, m method) *route {
	if to&isLeaf != 0 {
		return nil
	}
	return t.at(t.nodes[to].slash, m)
}

// quickOdd is quick where the segment rest[1:end] is looked for among literals that
// an edge's words don't tell apart.
func (t *tree) quickOdd(nd *node, rest string, end int, vals []string, n int, m method) (*route, int) {
	seg := rest[1:end]
	_, w0, w1 := nextSegment(seg, 0)
	if to := t.kid(nd, w0, w1, seg); to != 0 {
		return t.quickOn(to, rest, end, vals, n, m)
	}
	if nd.param == 0 {
		return t.quickSpecial(nd, rest, end, vals, n, m)
	}
	if seg == "" || dots(seg) || n >= len(vals) {
		return nil, 0
	}
	vals[n] = seg
	return t.quickOn(nd.param, rest, end, vals, n+1, m)
}

// quickSpecial is quick where there is neither a literal nor a plain parameter for
// the segment rest[1:end]. It takes the first of the others that fits, unless that
// may have more values than one.
func (t *tree) quickSpecial(nd *node, rest string, end int, vals []string, n int, m method) (*route, int) {
	if nd.specials == 0 {
		return t.quickRest(nd, rest, vals, n, m)
	}
	seg := rest[1:end]
	for i := nd.specials - 1; int(i) < len(t.specials); i++ {
		sp := &t.specials[i]
		if sp.literal != nil || sp.between != nil || n >= len(vals) {
			break
		}
		if value, ok := sp.cut(seg); ok && !dots(value) {
			vals[n] = value
			return t.quickOn(sp.to, rest, end, vals, n+1, m)
		}
		if sp.last {
			break
		}
	}
	return nil, 0
}

// quickOn goes on with quick behind a segment that ends at end and leads to to.
func (t *tree) quickOn(to link, rest string, end int, vals []string, n int, m method) (*route, int) {
	switch {
	case end < len(rest) && to&isLeaf == 0:
		return t.quick(to, rest[end:], vals, n, m)
	case end < len(rest):
		return nil, 0
	case to&isLeaf != 0:
		return t.at(leaf(to&^isLeaf)+1, m), n
	}
	return t.at(t.nodes[to].leaf, m), n
}

// quickRest is quick at a catch-all.
func (t *tree) quickRest(nd *node, rest string, vals []string, n int, m method) (*route, int) {
	rt := t.at(nd.all, m)
	if rt == nil || n >= len(vals) || suspect(rest[1:]) && unclean(rest, 1) {
		return nil, 0
	}
	if rt.flags&restNamed == 0 {
		return rt, n
	}
	if rt.flags&restSlash == 0 {
		rest = rest[1:]
	}
	vals[n] = rest
	return rt, n + 1
}
