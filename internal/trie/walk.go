package trie

import "strings"

// This file finds the route of any path: it tries every alternative that fits,
// in order of precedence, and learns on the way what an answer without a route
// needs.

// A Search looks for one path. It may be used again and again.
type Search[P any] struct {
	Values
	Method Method

	path    string // what is split and compared
	decoded string // what values are taken from if that is another; see SetPath
	connect bool   // the path was not cleaned

	allowed methodSet // of the places that match the path
	slash   *Route[P] // the first route that would match the path with a slash added
	owned   bool      // a fallback owns the path: no further alternatives

	fallback       *Fallback[P] // the deepest one around the path
	fallbackValues []string     // values of its prefix
	region         int          // the region that the path is in, see Fallback
	probe          bool         // look for the fallback alone
}

// reset forgets what the last search found.
func (s *Search[P]) reset() {
	s.N, s.allowed, s.slash, s.owned = 0, methodSet{}, nil, false
	s.fallback, s.fallbackValues, s.region = nil, s.fallbackValues[:0], 0
}

// Clear drops everything that s refers to.
func (s *Search[P]) Clear() {
	s.reset()
	s.path, s.decoded = "", ""
	clear(s.Vals)
	clear(s.fallbackValues[:cap(s.fallbackValues)])
}

// Fit makes room for the values of every route of t.
func (s *Search[P]) Fit(t *Table[P]) {
	if len(s.Vals) < t.MaxValues {
		s.Vals = make([]string, t.MaxValues)
	}
}

// Slash returns the first route found that would match the path with a slash
// added at its end.
func (s *Search[P]) Slash() *Route[P] { return s.slash }

// Fallback returns the deepest fallback whose prefix the path has, and the
// values of its prefix, valid until s is used again; nil for none.
func (s *Search[P]) Fallback() (f *Fallback[P], values []string) {
	return s.fallback, s.fallbackValues
}

// Redirects reports whether net/http's rule leads away from rt, the route found:
// /x is redirected to /x/ where rt is nil or only a catch-all further up, and a
// route of Handle would match /x/ as a whole.
func (s *Search[P]) Redirects(rt *Route[P]) bool {
	return s.slash != nil && s.slash.Flags&Verb == 0 && (rt == nil || rt.Flags&CatchAll != 0)
}

// push adds the value path[start:end].
func (s *Search[P]) push(start, end int) {
	s.Vals[s.N] = s.source()[start:end]
	s.N++
}

// source returns the text that values are taken from.
func (s *Search[P]) source() string {
	if s.decoded != "" {
		return s.decoded
	}
	return s.path
}

// enter notes the fallback of a prefix that the path has.
func (s *Search[P]) enterPrefix(f *Fallback[P]) {
	if f == nil || !f.Owns && (f.Region != s.region || s.fallback != nil && s.fallback.depth >= f.depth) {
		return
	}
	s.region = f.Region
	s.fallback = f
	s.fallbackValues = append(s.fallbackValues[:0], s.Vals[:s.N]...)
}

// leave ends the search behind a prefix that found no route. It returns nil.
func (s *Search[P]) leavePrefix(f *Fallback[P]) *Route[P] {
	s.owned = s.owned || f != nil && f.Owns
	return nil
}

// find finds the route for the path that s is set to.
func (t *Tree[P]) find(s *Search[P]) *Route[P] {
	if s.decoded == "" { // no route without parameters has an escaped slash
		if ref := t.findStatic(s.path); ref != 0 {
			if rt := t.routeAt(s, ref); rt != nil {
				return rt
			}
		}
	}
	if t.root == nil {
		return nil
	}
	return t.walk(s, t.root, 1)
}

// routeAt picks the route at a place that matches the path. Without one for the
// method, it notes which methods the place has.
func (t *Tree[P]) routeAt(s *Search[P], ref routeRef) *Route[P] {
	if ref == 0 {
		return nil
	}
	if rt := t.pick(ref, s.Method); rt != nil && !s.probe {
		return rt
	}
	for i := range t.run(ref) {
		s.allowed.add(t.routes[int(ref)-1+i].Method)
	}
	return nil
}

// walk finds the route for s.path[pos:], which follows nd's slash. It is a loop
// where there is one alternative, and calls itself where there are more. It
// visits each node at most once, so its cost is linear in the nodes that fit.
func (t *Tree[P]) walk(s *Search[P], nd *node[P], pos int) *Route[P] {
	path := s.path
	for {
		if nd.fallback != nil {
			s.enterPrefix(nd.fallback)
		}
		if pos >= len(path) {
			if rt := t.routeAt(s, nd.slash); rt != nil {
				return rt
			}
			return t.catchAll(s, nd, pos)
		}

		end, w0, w1 := nextSegment(path, pos)
		if len(nd.edges) != 0 {
			e := &nd.edges[hashWords(w0, w1, nd.flags)&uint32(len(nd.edges)-1)]
			to := &e.target
			if e.w0 != w0 || e.w1 != w1 || e.n != uint32(end-pos) {
				to = nil
				if nd.flags&(probing|longEdges) != 0 {
					to = t.edge(nd, w0, w1, path[pos:end])
				}
			}
			if to != nil {
				if end < len(path) && to.next != nil && nd.flags&onlyEdges != 0 {
					nd, pos = to.next, end+1
					continue
				}
				if rt := t.follow(s, to, end); rt != nil || s.owned {
					return rt
				}
			}
		}

		// No parameter takes a segment that path cleaning removes.
		clean := path[pos] != '/' && (path[pos] != '.' || !dots(path[pos:end]))
		if !clean && !s.connect {
			return s.leavePrefix(nd.fallback)
		}
		if nd.specials != 0 {
			if rt := t.special(s, nd, pos, end); rt != nil || s.owned {
				return rt
			}
		}
		if nd.flags&hasParam != 0 && clean {
			n := s.N
			s.push(pos, end)
			if end < len(path) && nd.param.next != nil && nd.rest == 0 && nd.fallback == nil {
				nd, pos = nd.param.next, end+1
				continue
			}
			if rt := t.follow(s, &nd.param, end); rt != nil || s.owned {
				return rt
			}
			s.N = n
		}
		return t.catchAll(s, nd, pos)
	}
}

// follow goes on after a segment that ends at end.
func (t *Tree[P]) follow(s *Search[P], to *target[P], end int) *Route[P] {
	if end == len(s.path) {
		return t.end(s, to)
	}
	if to.next == nil {
		return nil
	}
	n := s.N
	rt := t.walk(s, to.next, end+1)
	if rt == nil {
		s.N = n
	}
	return rt
}

// end returns the route of a path that ends at to.
func (t *Tree[P]) end(s *Search[P], to *target[P]) *Route[P] {
	if rt := t.routeAt(s, to.end); rt != nil {
		return rt
	}
	nd := to.next
	if nd == nil {
		return nil
	}
	t.noteSlash(s, nd.slash)
	t.noteSlash(s, nd.rest)
	s.enterPrefix(nd.fallback)
	return s.leavePrefix(nd.fallback)
}

// noteSlash notes the route that would match the path with a slash added. The
// methods of net/http's patterns count as allowed then, as they do there.
func (t *Tree[P]) noteSlash(s *Search[P], ref routeRef) {
	if ref == 0 {
		return
	}
	if s.slash == nil {
		s.slash = t.pick(ref, s.Method)
	}
	for _, rt := range t.run(ref) {
		if rt.Flags&Verb == 0 && rt.Method != Any && rt.Method != s.Method {
			s.allowed.add(rt.Method)
		}
	}
}

// catchAll returns nd's catch-all, whose value begins at pos.
func (t *Tree[P]) catchAll(s *Search[P], nd *node[P], pos int) *Route[P] {
	if rt := t.matchCatchAll(s, nd.rest, pos); rt != nil {
		return rt
	}
	return s.leavePrefix(nd.fallback)
}

func (t *Tree[P]) matchCatchAll(s *Search[P], ref routeRef, pos int) *Route[P] {
	if ref == 0 {
		return nil
	}
	anonymous, named := true, true // whether such catch-alls match
	if rest := s.path[pos-1:]; Suspect(rest) && Unclean(rest) {
		anonymous = s.connect
		named = s.connect && !DotInside(rest)
	}
	if s.decoded != "" && DotInside(s.decoded[pos:]) {
		named = false
	}
	matches := func(rt *Route[P]) bool { return named || anonymous && rt.Flags&restNamed == 0 }
	rt := t.pick(ref, s.Method)
	if rt != nil && !matches(rt) {
		rt = nil
		for _, m := range s.Method.servedBy() {
			for i := range t.run(ref) {
				if q := &t.routes[int(ref)-1+i]; rt == nil && q.Method == m && matches(q) {
					rt = q
				}
			}
		}
	}
	if rt == nil || s.probe {
		for _, q := range t.run(ref) {
			if matches(&q) {
				s.allowed.add(q.Method)
			}
		}
		return nil
	}
	if rt.Flags&restNamed != 0 {
		if rt.Flags&restSlash != 0 {
			pos--
		}
		s.push(pos, len(s.path))
	}
	return rt
}

// special tries nd's segments of text and parameters, and its constrained ones.
func (t *Tree[P]) special(s *Search[P], nd *node[P], pos, end int) *Route[P] {
	n := s.N
	for i := nd.specials - 1; ; i++ {
		sp := &t.specials[i]
		if sp.match(s.source()[pos:end], &s.Values) {
			if rt := t.follow(s, &sp.to, end); rt != nil || s.owned {
				return rt
			}
		}
		s.N = n
		if sp.last {
			return nil
		}
	}
}

// edge returns where the literal segment seg leads from nd, nil for nowhere.
func (t *Tree[P]) edge(nd *node[P], w0, w1 uint64, seg string) *target[P] {
	i := hashWords(w0, w1, nd.flags)
	for range nd.edges {
		e := &nd.edges[i&uint32(len(nd.edges)-1)]
		if e.n == 0 {
			break
		}
		if e.w0 == w0 && e.w1 == w1 && t.sameText(e, seg) {
			return &e.target
		}
		if nd.flags&probing == 0 {
			break
		}
		i++
	}
	return nil
}

// sameText tells segments of the same words apart: by their length or, if they
// are long, byte by byte.
func (t *Tree[P]) sameText(e *edge[P], seg string) bool {
	if e.n&longEdge != 0 {
		return t.long[e.n&^longEdge] == seg
	}
	return e.n == uint32(len(seg))
}

// DotInside reports whether rest has a . or .. segment. It matters where an
// escaped slash may have hidden one: a handler that takes the value for the name
// of a file would climb out of a folder.
func DotInside(rest string) bool {
	for seg := range strings.SplitSeq(rest, "/") {
		if dots(seg) {
			return true
		}
	}
	return false
}
