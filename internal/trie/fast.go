package trie

import "math/bits"

// This file finds the routes for most requests. It is an optimization: walk.go
// finds the same routes, but is slower.

// MatchFast returns the route for path and a standard method, and appends its
// values to v. At each node it follows the first alternative that matches,
// without backtracking. If it returns nil, the caller must use [Table.Find],
// which may find a route.
func (t *Tree[P]) MatchFast(path string, v *Values, m Method) *Route[P] {
	return t.fast(t.root, path, v, m)
}

// fast matches rest, which begins with the slash before nd. Its main loop
// contains no calls, so that its variables stay in registers.
func (t *Tree[P]) fast(nd *node[P], rest string, v *Values, m Method) *Route[P] {
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
				e = &edges[hashWords(w0, w1, nd.seed)&uint32(len(edges)-1)]
			}
			if e.w0 == w0 && e.w1 == w1 && e.n == uint32(end-1) {
				to = &e.target
				goto step // past the parameter
			}
			for i := hashWords(w0, w1, nd.seed); e.n&moreEdges != 0; {
				if e.w0 == w0 && e.w1 == w1 && e.n == uint32(end-1)|moreEdges {
					to = &e.target
					goto step
				}
				i++
				e = &edges[i&uint32(len(edges)-1)]
				if e.w0 == w0 && e.w1 == w1 && e.n == uint32(end-1) {
					to = &e.target
					goto step
				}
			}
			if nd.flags&longEdges != 0 && end > 17 {
				return nil
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
				if rt := &t.routes[at]; rt.Method == m {
					return rt
				}
			}
			return t.Pick(to.end, m)
		}
		nd = to.next
		if nd == nil {
			return nil
		}
		if len(rest)-end <= 1 {
			return t.Pick(nd.slash, m)
		}
		rest = rest[end:]
	}
}

// fastSpecial continues fast behind the first special of nd that matches the
// segment rest[1:end]. It gives up at a catch-all inside the path, and where v
// has no room.
func (t *Tree[P]) fastSpecial(nd *node[P], rest string, end int, v *Values, m Method) *Route[P] {
	n, seg := v.N, rest[1:end]
	for i := nd.specials - 1; !t.specials[i].multi; i++ {
		sp := &t.specials[i]
		switch {
		case len(v.Vals)-n < sp.Params:
			return nil
		case !sp.Match(seg, seg, v):
			v.N = n
		case end == len(rest):
			return t.Pick(sp.to.end, m)
		case sp.to.next == nil:
			return nil
		case end+1 == len(rest):
			return t.Pick(sp.to.next.slash, m)
		default:
			return t.fast(sp.to.next, rest[end:], v, m)
		}
		if sp.last {
			break
		}
	}
	return nil
}

// fastRest returns the route of nd's catch-all, whose value begins with the
// slash of rest or behind it.
func (t *Tree[P]) fastRest(nd *node[P], rest string, v *Values, m Method) *Route[P] {
	rt := t.Pick(nd.rest, m)
	if rt == nil || unclean(rest) {
		return nil
	}
	if rt.Flags&restNamed == 0 {
		return rt
	}
	if rt.Flags&restSlash == 0 {
		rest = rest[1:]
	}
	if !v.Add(rest) {
		return nil
	}
	return rt
}

// Pick returns the route for a method in the run at ref: the route with that
// method, else for HEAD the one with GET, else the one for any method.
func (t *Tree[P]) Pick(ref routeRef, m Method) (best *Route[P]) {
	for i := uint(ref) - 1; i < uint(len(t.routes)); i++ {
		rt := &t.routes[i]
		if rt.Method == m {
			return rt
		}
		if rt.Method.serves(m) {
			best = rt // that for any method comes before that with GET
		}
		if rt.Flags&lastOfRun != 0 {
			break
		}
	}
	return best
}

// run returns the routes at ref, which is not 0.
func (t *Tree[P]) run(ref routeRef) []Route[P] {
	end := ref
	for t.routes[end-1].Flags&lastOfRun == 0 {
		end++
	}
	return t.routes[ref-1 : end]
}
