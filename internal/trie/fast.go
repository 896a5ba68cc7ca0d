package trie

import (
	"math/bits"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// This file finds the routes for most requests. It is an optimization: walk.go
// finds the same routes, but is slower.

// MatchFast returns the route for path and a standard method, and appends its
// values to v. At each node it follows the first alternative that matches,
// without backtracking. If it returns nil, the caller must use [Table.Find],
// which may find a route.
//
// Its main loop contains no calls, so that its variables stay in registers.
func (t *Tree[P]) MatchFast(path string, v *Values, m Method) *Route[P] {
	return t.matchFast(t.root, path, v, m)
}

// matchFast matches rest, which begins with the slash before nd.
func (t *Tree[P]) matchFast(nd *node[P], rest string, v *Values, m Method) *Route[P] {
	if len(rest) < 2 || rest[0] != '/' || nd == nil {
		return nil
	}
	var last uint64 // the last eight bytes of rest
	if len(rest) >= 8 {
		last = load8(rest[len(rest)-8:])
	} else {
		_, last = ends(rest)
	}
	for {
		// The segment is rest[1:end], its words are w0 and w1.
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
		if edges := nd.edges; len(edges) != 0 {
			e := &edges[0]
			if len(edges) > 1 {
				e = &edges[hashWords(w0, w1, nd.flags)&uint32(len(edges)-1)]
			}
			if e.w0 == w0 && e.w1 == w1 && e.n == uint32(end-1) {
				to = &e.target
				goto step // past the parameter
			}
			if nd.flags&(probing|longEdges) != 0 {
				return t.fastProbe(nd, rest, end, v, m)
			}
		}
		if end < 2 || w0&^('.'<<8|'.') == 0 {
			return nil
		}
		if nd.flags&hasParam == 0 {
			if nd.specials == 0 {
				return t.fastRest(nd, rest, v, m)
			}
			return t.fastSpecial(nd, rest, end, v, m)
		}
		if uint(v.N) >= uint(len(v.Vals)) {
			return nil
		}
		v.Vals[v.N] = rest[1:end]
		v.N++
	step:
		if end == len(rest) {
			if at := uint(to.end) - 1; at < uint(len(t.routes)) {
				if rt := &t.routes[at]; rt.methodMask>>(m&15)&1 != 0 {
					return rt
				}
			}
			return t.pick(to.end, m)
		}
		nd = to.next
		if nd == nil || len(rest)-end <= 1 {
			return t.fastSlash(nd, m)
		}
		rest = rest[end:]
	}
}

// fastSlash returns the route for a path whose rest is a slash.
func (t *Tree[P]) fastSlash(nd *node[P], m Method) *Route[P] {
	if nd == nil {
		return nil
	}
	return t.pick(nd.slash, m)
}

// fastProbe continues matchFast at a node whose edges need probing or a
// comparison of the whole segment. The segment is rest[1:end].
func (t *Tree[P]) fastProbe(nd *node[P], rest string, end int, v *Values, m Method) *Route[P] {
	seg := rest[1:end]
	_, w0, w1 := nextSegment(seg, 0)
	if to := t.edge(nd, w0, w1, seg); to != nil {
		return t.fastNext(to, rest, end, v, m)
	}
	if nd.flags&hasParam == 0 {
		return t.fastSpecial(nd, rest, end, v, m)
	}
	if seg == "" || wirepath.IsDots(seg) || !v.add(seg) {
		return nil
	}
	return t.fastNext(&nd.param, rest, end, v, m)
}

// fastSpecial continues matchFast at a node without a matching edge and without
// a plain parameter. The segment is rest[1:end]. It follows the first special
// that matches, and gives up at a catch-all inside a path and at a special with
// several parameters. Without specials, it tries the catch-all.
func (t *Tree[P]) fastSpecial(nd *node[P], rest string, end int, v *Values, m Method) *Route[P] {
	if nd.specials == 0 {
		return t.fastRest(nd, rest, v, m)
	}
	seg := rest[1:end]
	for i := nd.specials - 1; int(i) < len(t.specials); i++ {
		sp := &t.specials[i]
		if sp.literal != nil || sp.between != nil || sp.multi {
			break
		}
		if value, ok := sp.cut(seg, seg); ok && !wirepath.IsDots(value) {
			if !v.add(value) {
				break
			}
			return t.fastNext(&sp.to, rest, end, v, m)
		}
		if sp.last {
			break
		}
	}
	return nil
}

// fastNext continues matchFast after the segment rest[1:end].
func (t *Tree[P]) fastNext(to *target[P], rest string, end int, v *Values, m Method) *Route[P] {
	if end == len(rest) {
		return t.pick(to.end, m)
	}
	return t.matchFast(to.next, rest[end:], v, m)
}

// fastRest returns the route of nd's catch-all.
func (t *Tree[P]) fastRest(nd *node[P], rest string, v *Values, m Method) *Route[P] {
	at := uint(nd.rest) - 1
	if at >= uint(len(t.routes)) || unclean(rest) {
		return nil
	}
	rt := &t.routes[at]
	if rt.methodMask>>(m&15)&1 == 0 {
		if rt = t.pick(nd.rest, m); rt == nil {
			return nil
		}
	}
	if rt.Flags&restNamed == 0 {
		return rt
	}
	if rt.Flags&restSlash == 0 {
		rest = rest[1:]
	}
	if !v.add(rest) {
		return nil
	}
	return rt
}

// pick returns the route for a method in the run at ref: the route with that
// method, else for HEAD the one with GET, else the one for any method.
func (t *Tree[P]) pick(ref routeRef, m Method) *Route[P] {
	standard := min(m, other) // a route for any method serves other
	var anyMethod *Route[P]
	for i := uint(ref) - 1; i < uint(len(t.routes)); i++ {
		rt := &t.routes[i]
		if rt.Method == m {
			return rt
		}
		if rt.methodMask>>standard&1 != 0 {
			if m < firstCustom {
				return rt
			}
			anyMethod = rt // a route for the custom method may follow
		}
		if rt.Flags&lastOfRun != 0 {
			break
		}
	}
	return anyMethod
}

// run returns the routes at ref.
func (t *Tree[P]) run(ref routeRef) []Route[P] {
	if ref == 0 {
		return nil
	}
	end := ref
	for t.routes[end-1].Flags&lastOfRun == 0 {
		end++
	}
	return t.routes[ref-1 : end]
}
