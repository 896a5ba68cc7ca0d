package muxmaster

import "math/bits"

// This file finds the routes of most requests in a tree, faster than walk in
// tree.go. Without it, all would be found all the same.

// quick is walkFor for most requests: it takes the first way that fits at each
// node and gives up, with nil, if that leads nowhere. rest is what is left of the
// path, with the slash before nd. The values go to v.
//
// It calls nothing on its way, so that what it needs stays in registers.
func (t *tree) quick(nd *node, rest string, v *values, m method) *route {
	if len(rest) < 2 || rest[0] != '/' || nd == nil {
		return nil
	}
	var last uint64 // eight bytes of rest
	if len(rest) >= 8 {
		last = load8(rest[len(rest)-8:])
	} else {
		_, last = ends(rest)
	}
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

		to := &nd.param
		if kids := nd.kids; len(kids) != 0 {
			e := &kids[0]
			if len(kids) > 1 {
				e = &kids[hashWords(w0, w1, nd.flags)&uint32(len(kids)-1)]
			}
			if e.w0 == w0 && e.w1 == w1 && e.n == uint32(end-1) {
				to = &e.way
				goto step // past the parameter
			}
			if nd.flags&(probing|longKids) != 0 {
				return t.quickOdd(nd, rest, end, v, m)
			}
		}
		if end < 2 || w0&^('.'<<8|'.') == 0 || uint(v.n) >= uint(len(v.vals)) {
			return nil
		}
		if nd.flags&hasParam == 0 {
			if nd.specials == 0 {
				return t.quickRest(nd, rest, v, m)
			}
			return t.quickSpecial(nd, rest, end, v, m)
		}
		v.vals[v.n] = rest[1:end]
		v.n++
	step:
		if end == len(rest) {
			if at := uint(to.leaf) - 1; at < uint(len(t.routes)) {
				if rt := &t.routes[at]; rt.method == m {
					return rt
				}
			}
			return t.at(to.leaf, m)
		}
		nd = to.next
		if nd == nil || len(rest)-end <= 1 {
			return t.quickSlash(nd, m)
		}
		rest = rest[end:]
	}
}

// quickSlash ends quick where all that is left may be a slash.
func (t *tree) quickSlash(nd *node, m method) *route {
	if nd == nil {
		return nil
	}
	return t.at(nd.slash, m)
}

// quickOdd is quick where the segment rest[1:end] is looked for among literals that
// an edge's words don't tell apart.
func (t *tree) quickOdd(nd *node, rest string, end int, v *values, m method) *route {
	seg := rest[1:end]
	_, w0, w1 := nextSegment(seg, 0)
	if to := t.kid(nd, w0, w1, seg); to != nil {
		return t.quickOn(to, rest, end, v, m)
	}
	if nd.flags&hasParam == 0 {
		return t.quickSpecial(nd, rest, end, v, m)
	}
	if seg == "" || dots(seg) || !v.add(seg) {
		return nil
	}
	return t.quickOn(&nd.param, rest, end, v, m)
}

// quickSpecial is quick where there is neither a literal nor a plain parameter for
// the segment rest[1:end]. It takes the first of the others that fits, unless that
// may have more values than one; or the catch-all.
func (t *tree) quickSpecial(nd *node, rest string, end int, v *values, m method) *route {
	if nd.specials == 0 {
		return t.quickRest(nd, rest, v, m)
	}
	seg := rest[1:end]
	for i := nd.specials - 1; int(i) < len(t.specials); i++ {
		sp := &t.specials[i]
		if sp.literal != nil || sp.between != nil {
			break
		}
		if value, ok := sp.cut(seg); ok && !dots(value) {
			if !v.add(value) {
				break
			}
			return t.quickOn(&sp.to, rest, end, v, m)
		}
		if sp.last {
			break
		}
	}
	return nil
}

// quickOn goes on with quick behind a segment that ends at end and leads to to.
func (t *tree) quickOn(to *way, rest string, end int, v *values, m method) *route {
	if end == len(rest) {
		return t.at(to.leaf, m)
	}
	return t.quick(to.next, rest[end:], v, m)
}

// quickRest is quick at a catch-all.
func (t *tree) quickRest(nd *node, rest string, v *values, m method) *route {
	at := uint(nd.all) - 1
	if at >= uint(len(t.routes)) || suspect(rest) && unclean(rest) {
		return nil
	}
	rt := &t.routes[at]
	if rt.method != m {
		if rt = t.at(nd.all, m); rt == nil {
			return nil
		}
	}
	if rt.flags&restNamed == 0 {
		return rt
	}
	if rt.flags&restSlash == 0 {
		rest = rest[1:]
	}
	if !v.add(rest) {
		return nil
	}
	return rt
}
