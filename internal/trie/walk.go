package trie

import "github.com/seed-1954dcaa/muxmaster/internal/wirepath"

// This file finds the route for any path. It tries all matching alternatives in
// order of precedence, with backtracking. On the way it collects what the
// response to an unmatched request needs: allowed methods, redirects and the
// fallback.

// A Search is the state of finding a route for a path and method. It is
// reusable: set Method, call Fit, SetPath and then Table.Find.
type Search[P any] struct {
	Method Method

	n    int        // number of values found
	few  [40]string // room for the values of most Tables
	many []string   // room for more; nil if few suffices

	path    string // the path to match; escaped slashes are replaced, see SetPath
	split   bool   // path has replaced slashes
	decoded string // the decoded path, which values are taken from
	text    string // what literal text beside parameters is compared with: decoded, or in lower case if the Table is that of a Folded
	connect bool   // a CONNECT request, whose path is not cleaned

	// Clean says that cleaning the path would not change it: it begins with a
	// slash and has no empty, . or .. segment. CONNECT paths count as clean.
	Clean bool

	allowed methodSet // methods of the routes that match the path
	Slash   *Route[P] // the first route found that matches the path with a slash appended, or nil
	// handleSlash says that one of those routes is not of a verb method.
	handleSlash bool
	owned       bool // the path has an owner, so no other alternatives are tried

	fallback  *Fallback[P] // the fallback with the longest matching prefix
	fallbackN int          // number of values of its prefix, which are in the second half of vals

	dots  int  // index of the last . or .. segment of decoded, or -1, see fitsRest; 0 is unknown
	probe bool // find only the fallback, and no route
}

// reset clears the results of the last search.
func (s *Search[P]) reset() {
	s.n, s.allowed, s.Slash, s.handleSlash, s.owned = 0, methodSet{}, nil, false, false
	s.fallback, s.fallbackN, s.dots = nil, 0, 0
}

// Fit makes room for the values of a route and of a fallback of t.
func (s *Search[P]) Fit(t *Table[P]) {
	if len(s.vals()) < 2*t.MaxValues {
		s.many = make([]string, 2*t.MaxValues)
	}
}

// vals returns the room for values.
func (s *Search[P]) vals() []string {
	if s.many != nil {
		return s.many
	}
	return s.few[:]
}

// Values returns the values of the route that was found. They are valid until s
// is used again.
func (s *Search[P]) Values() []string { return s.vals()[:s.n] }

// Fallback returns the fallback with the longest prefix of the path, or nil,
// and the values of its prefix. The values are valid until s is used again.
func (s *Search[P]) Fallback() (f *Fallback[P], values []string) {
	room := s.vals()
	return s.fallback, room[len(room)/2:][:s.fallbackN]
}

// Redirects reports whether the request must be redirected instead of served by
// rt, the route found. As in net/http, /x is redirected to /x/ if a route of
// Handle matches /x/ and rt is nil or a catch-all.
func (s *Search[P]) Redirects(rt *Route[P]) bool {
	if rt == nil {
		return s.handleSlash
	}
	return s.Slash != nil && s.Slash.Flags&Verb == 0 && rt.Flags&CatchAll != 0
}

// push adds the value path[start:end].
func (s *Search[P]) push(start, end int) {
	s.vals()[s.n] = s.decoded[start:end]
	s.n++
}

// enterPrefix records f if it applies to the path. The path has f's prefix.
func (s *Search[P]) enterPrefix(f *Fallback[P]) {
	if f == nil || s.fallback != nil && s.fallback.depth >= f.depth {
		return
	}
	s.fallback = f
	room := s.vals()
	s.fallbackN = copy(room[len(room)/2:], room[:s.n])
}

// leavePrefix ends the search below a prefix where no route was found. If f
// owns the prefix, it ends the whole search. It returns nil, for the caller to
// return.
func (s *Search[P]) leavePrefix(f *Fallback[P]) *Route[P] {
	s.owned = s.owned || f != nil && f.Owns
	return nil
}

// find returns the route for the path and method of s.
func (t *Tree[P]) find(s *Search[P]) *Route[P] {
	if !s.split { // paths in the static table have no escaped slash
		if _, ref := t.findStatic(s.path); ref != 0 {
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

// routeAt returns the route in a run whose path matches. If none serves the
// method, it records the methods that are allowed.
func (t *Tree[P]) routeAt(s *Search[P], ref routeRef) *Route[P] {
	if ref == 0 {
		return nil
	}
	if rt := t.Pick(ref, s.Method); rt != nil && !s.probe {
		return rt
	}
	for i := range t.run(ref) {
		s.allowed.add(t.routes[int(ref)-1+i].Method)
	}
	return nil
}

// walk returns the route for s.path[pos:], the path after the slash of nd. It
// loops if a node has one alternative, and recurses if there are several. It
// visits each node at most once, so its cost is linear in the number of nodes
// that match.
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
			if to := t.edge(nd, w0, w1, path[pos:end]); to != nil {
				if end < len(path) && to.next != nil && nd.flags&onlyEdges != 0 {
					nd, pos = to.next, end+1
					continue
				}
				if rt := t.follow(s, to, end); rt != nil || s.owned {
					return rt
				}
			}
		}

		if nd.specials != 0 {
			if rt := t.special(s, nd, pos, end); rt != nil || s.owned {
				return rt
			}
		}
		if nd.flags&hasParam != 0 && (!s.connect || !wirepath.Removed(path[pos:end])) {
			n := s.n
			s.push(pos, end)
			if end < len(path) && nd.param.next != nil && nd.rest == 0 && nd.fallback == nil {
				nd, pos = nd.param.next, end+1
				continue
			}
			if rt := t.follow(s, &nd.param, end); rt != nil || s.owned {
				return rt
			}
			s.n = n
		}
		return t.catchAll(s, nd, pos)
	}
}

// follow continues the search after a segment that ends at end.
func (t *Tree[P]) follow(s *Search[P], to *target[P], end int) *Route[P] {
	if end == len(s.path) {
		return t.end(s, to)
	}
	if to.next == nil {
		return nil
	}
	n := s.n
	rt := t.walk(s, to.next, end+1)
	if rt == nil {
		s.n = n
	}
	return rt
}

// end returns the route if the path ends at to.
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

// noteSlash records the route that matches the path with a slash appended. As
// in net/http, the methods of routes of Handle then count as allowed.
func (t *Tree[P]) noteSlash(s *Search[P], ref routeRef) {
	if ref == 0 {
		return
	}
	if s.Slash == nil {
		s.Slash = t.Pick(ref, s.Method)
	}
	for _, rt := range t.run(ref) {
		if rt.Flags&Verb != 0 {
			continue
		}
		if rt.Method != Any && rt.Method != s.Method {
			s.allowed.add(rt.Method)
		}
		s.handleSlash = s.handleSlash || rt.Method.serves(s.Method)
	}
}

// catchAll returns the route of nd's catch-all, whose value begins at pos, and
// adds the value, if it has a name. It does not match if a . or .. segment would
// be in its value: path cleaning doesn't see those next to an escaped slash and
// those of CONNECT requests, but a handler that cleans the path itself, as a file
// server does, would then serve another path than the one that was matched.
func (t *Tree[P]) catchAll(s *Search[P], nd *node[P], pos int) *Route[P] {
	var rt *Route[P]
	if nd.rest != 0 && s.fitsRest(pos) {
		rt = t.routeAt(s, nd.rest)
	}
	if rt == nil {
		s.owned = s.owned || nd.rest != 0 && t.routes[nd.rest-1].Flags&Owns != 0
		return s.leavePrefix(nd.fallback)
	}
	if rt.Flags&restNamed != 0 {
		if rt.Flags&restSlash != 0 {
			pos--
		}
		s.push(pos, len(s.path))
	}
	return rt
}

// special tries the specials of nd for the segment s.path[pos:end].
func (t *Tree[P]) special(s *Search[P], nd *node[P], pos, end int) *Route[P] {
	n := s.n
	for i := nd.specials - 1; ; i++ {
		sp := &t.specials[i]
		if sp.multi {
			return t.multi(s, &sp.to, pos)
		}
		v := Values{Vals: s.vals(), N: s.n}
		if sp.Match(s.text[pos:end], s.decoded[pos:end], &v) {
			s.n = v.N
			if rt := t.follow(s, &sp.to, end); rt != nil || s.owned {
				return rt
			}
		}
		s.n = n
		if sp.last {
			return nil
		}
	}
}

// edge returns what follows the literal segment seg in nd, or nil.
func (t *Tree[P]) edge(nd *node[P], w0, w1 uint64, seg string) *target[P] {
	long := ""
	if len(seg) > 16 {
		if nd.flags&longEdges == 0 {
			return nil
		}
		long = seg
	}
	for i := hashEdge(w0, w1, long, nd.seed); ; i++ {
		e := nd.slot(i)
		if e.w0 == w0 && e.w1 == w1 && t.hasText(e, seg) {
			return &e.target
		}
		if e.n&moreEdges == 0 {
			return nil
		}
	}
}

// slot returns the slot for the hash i in the table of edges.
func (nd *node[P]) slot(i uint32) *edge[P] { return &nd.edges[i&uint32(len(nd.edges)-1)] }

// hasText reports whether seg is the text of e. Their words are equal, so it
// compares the lengths or, for long segments, all bytes.
func (t *Tree[P]) hasText(e *edge[P], seg string) bool {
	if n := e.n &^ moreEdges; n&longEdge == 0 {
		return n == uint32(len(seg))
	}
	return t.long[e.n&^(longEdge|moreEdges)] == seg
}
