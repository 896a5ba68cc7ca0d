package muxmaster

import (
	"net/http"
	"strings"
)

// This file finds the route of a path. It knows nothing of requests and handlers;
// compile.go makes the trees that it reads.
//
// A tree is two tables over the same routes. Routes without parameters stand in
// a hash table of whole paths (static.go). The others form a trie of segments:
//
//	GET /repos/{owner}/{repo}/issues      (root) ─ repos ─ {} ─ {} ─ issues
//	GET /repos/{owner}/{repo}/issues/{n}                           └ {}
//
// One eight-byte load finds the slash that ends a segment, and is, with the bytes
// behind the slash cut off, at once the key under which the segment's node stands
// in its parent. So a step costs about the same whatever the segments hold, and
// segments of up to 16 bytes are compared without looking at any string.
//
// All methods share one trie; where a path may end stands a run of routes, one for
// each method.

// A tree holds the routes of one host, or those without a host. It is immutable.
type tree struct {
	routes   []route // those that end at one place stand in a row, see lastHere
	root     *node   // nil if the trie has no routes
	specials []special
	long     []string // literal segments longer than an edge's keys
	static   static
	methods  uint16 // classes of all routes
	most     int    // values that a route has
}

// A route is one method at one path.
type route struct {
	pattern string       // as registered, a verb method's with the method
	handler http.Handler // inside its middleware; a fastHandler for a fast route
	names   *names       // of its values; nil if it has none
	scope   *scope       // where it was registered
	pc      uintptr      // who registered it
	seq     uint32       // order of registration
	path    uint16       // where the path begins in pattern
	method  method
	flags   routeFlags
}

type routeFlags uint8

const (
	lastHere  routeFlags = 1 << iota // the next route ends at another place
	fastRoute                        // handler is a fastHandler
	verbRoute                        // from a verb method: its slash is its own
	catchAll                         // matches a rest
	restNamed                        // the rest is a value
	restSlash                        // and the value starts with its slash
	hasNames                         // it has values, and is no fastRoute
)

// A leaf is the index of the first of the routes that end at one place, plus 1;
// 0 is none.
type leaf uint32

// A way is where a segment leads.
type way struct {
	next *node  // what comes behind a slash; nil for nothing
	leaf leaf   // where the path ends
	n    uint32 // see edge
}

// A node is what comes behind the slash of a segment, or the one that the path
// begins with.
type node struct {
	kids     []edge // a hash table of the literal segments; a power of two
	param    way    // any other segment, see hasParam
	specials uint32 // first special plus 1
	slash    leaf   // the path ends here
	all      leaf   // any rest of the path
	classes  uint16 // methods of all routes here and further on
	flags    nodeFlags
}

// nodeFlags are the flags of a node and, above them, the seed of its table's hash.
type nodeFlags uint16

const (
	hasParam nodeFlags = 1 << iota
	probing            // an edge may stand behind its place in the table
	longKids           // an edge is longer than its words
	onlyKids           // there is nothing but edges
	seedUnit           // the lowest bit of the seed
)

// An edge leads along a literal segment. Its words are the segment's first 16
// bytes; of a longer segment the first and the last 8. Its n is the length; of a
// longer segment longEdge and its place in long; 0 if there is no edge.
type edge struct {
	w0, w1 uint64
	way
}

const longEdge = 1 << 31

// A search looks for one path in one tree.
type search struct {
	path   string // the path to split and to compare
	text   string // the path to take values from, if that is another; see setPath
	method method
	class  uint16
	raw    bool   // CONNECT: a path that was not cleaned
	slash  *route // the first route met that would match the path with a slash behind it

	values
}

// values are those of the parameters on the way.
type values struct {
	vals []string // has room
	n    int      // how many there are
}

// add adds a value, and reports false if there is no room.
func (v *values) add(value string) bool {
	if uint(v.n) >= uint(len(v.vals)) {
		return false
	}
	v.vals[v.n] = value
	v.n++
	return true
}

// push takes the next value from the path.
func (s *search) push(start, end int) {
	text := s.path
	if s.text != "" {
		text = s.text
	}
	s.vals[s.n] = text[start:end]
	s.n++
}

// find returns the route for s.path and the method: the exact method's before
// GET's for HEAD, before that for every method.
func (t *tree) find(s *search, m method) *route {
	here, _ := t.static.findAny(t, s.path)
	if here != 0 {
		if rt := t.at(here, m); rt != nil {
			return rt
		}
	}
	if rt := t.walkFor(s, m); rt != nil {
		return rt
	}
	return t.findOther(s, m, here)
}

// findOther finds the route for another method that serves m too. here is where
// the routes of exactly this path begin.
func (t *tree) findOther(s *search, m method, here leaf) (rt *route) {
	if m == methodHEAD {
		if here != 0 {
			rt = t.at(here, methodGET)
		}
		if rt == nil {
			rt = t.walkFor(s, methodGET)
		}
	}
	if rt == nil && t.methods&anyClass != 0 {
		if here != 0 {
			rt = t.at(here, methodAny)
		}
		if rt == nil {
			rt = t.walkFor(s, methodAny)
		}
	}
	return rt
}

// walkFor walks the trie for s.path and one method.
func (t *tree) walkFor(s *search, m method) *route {
	if t.root == nil {
		return nil
	}
	s.n, s.method, s.class = 0, m, m.class()
	return t.walk(s, t.root, 1)
}

// at returns the route for m among those that begin at l.
func (t *tree) at(l leaf, m method) *route {
	for i := uint(l) - 1; i < uint(len(t.routes)); i++ {
		rt := &t.routes[i]
		if rt.method == m || m == methodEach {
			return rt
		}
		if rt.flags&lastHere != 0 {
			break
		}
	}
	return nil
}

// walk finds the route for s.path[pos:], which is behind nd's slash. It is a loop
// where one way leads on, and calls itself where there are more, each node once:
// the cost is linear in the nodes that fit.
func (t *tree) walk(s *search, nd *node, pos int) *route {
	path := s.path
	for {
		if nd.classes&s.class == 0 {
			return nil
		}
		if pos >= len(path) {
			return t.slashEnd(s, nd, pos)
		}

		end, w0, w1 := nextSegment(path, pos)
		if len(nd.kids) != 0 {
			e := &nd.kids[hashWords(w0, w1, nd.flags)&uint32(len(nd.kids)-1)]
			to := &e.way
			if e.w0 != w0 || e.w1 != w1 || e.n != uint32(end-pos) {
				to = nil
				if nd.flags&probing != 0 || e.n&longEdge != 0 {
					to = t.kid(nd, w0, w1, path[pos:end])
				}
			}
			if to != nil {
				if end < len(path) && to.next != nil && nd.flags&onlyKids != 0 {
					nd, pos = to.next, end+1
					continue
				}
				if rt := t.follow(s, to, end); rt != nil {
					return rt
				}
			}
		}

		// A segment that path cleaning would have removed is nobody's value.
		if path[pos] == '/' || path[pos] == '.' && dots(path[pos:end]) {
			return t.uncleanSegment(s, nd, pos, end)
		}

		if nd.specials != 0 {
			if rt := t.special(s, nd, pos, end); rt != nil {
				return rt
			}
		}
		if nd.flags&hasParam != 0 {
			set := s.n
			s.push(pos, end)
			if end < len(path) && nd.param.next != nil && nd.all == 0 {
				nd, pos = nd.param.next, end+1
				continue
			}
			if rt := t.follow(s, &nd.param, end); rt != nil {
				return rt
			}
			s.n = set
		}
		return t.rest(s, nd, pos)
	}
}

// uncleanSegment goes on at an empty, . or .. segment: nowhere, but for CONNECT,
// whose paths are not cleaned. Even there no parameter is empty.
func (t *tree) uncleanSegment(s *search, nd *node, pos, end int) *route {
	if !s.raw {
		return nil
	}
	set := s.n
	if nd.specials != 0 {
		if rt := t.special(s, nd, pos, end); rt != nil {
			return rt
		}
	}
	if nd.flags&hasParam != 0 && end > pos {
		s.push(pos, end)
		if rt := t.follow(s, &nd.param, end); rt != nil {
			return rt
		}
		s.n = set
	}
	return t.rest(s, nd, pos)
}

// follow goes on behind a segment that ends at end.
func (t *tree) follow(s *search, to *way, end int) *route {
	if end == len(s.path) {
		return t.end(s, to)
	}
	if to.next == nil {
		return nil
	}
	set := s.n
	rt := t.walk(s, to.next, end+1)
	if rt == nil {
		s.n = set
	}
	return rt
}

// end returns the route of a path that ends at to.
func (t *tree) end(s *search, to *way) *route {
	if rt := t.at(to.leaf, s.method); rt != nil {
		return rt
	}
	if nd := to.next; nd != nil && s.slash == nil {
		if nd.slash != 0 {
			s.slash = t.at(nd.slash, s.method)
		}
		if nd.all != 0 && s.slash == nil {
			s.slash = t.at(nd.all, s.method)
		}
	}
	return nil
}

// slashEnd returns the route of a path that ends with a slash behind nd.
func (t *tree) slashEnd(s *search, nd *node, pos int) *route {
	if nd.slash != 0 {
		if rt := t.at(nd.slash, s.method); rt != nil {
			return rt
		}
	}
	return t.rest(s, nd, pos)
}

// rest returns nd's catch-all, whose value begins at pos.
func (t *tree) rest(s *search, nd *node, pos int) *route {
	if nd.all == 0 {
		return nil
	}
	rt := t.at(nd.all, s.method)
	if rt == nil || !s.raw && suspect(s.path[pos-1:]) && unclean(s.path[pos-1:]) {
		return nil
	}
	if rt.flags&restNamed != 0 {
		if s.text != "" && !s.raw && dotInside(s.text[pos:]) {
			return nil
		}
		if rt.flags&restSlash != 0 {
			pos--
		}
		s.push(pos, len(s.path))
	}
	return rt
}

// dotInside reports whether a rest has a . or .. between slashes. It is asked
// where a %2F may have hidden one: who took the rest for a file's name would climb
// out of a folder.
func dotInside(rest string) bool {
	for seg := range strings.SplitSeq(rest, "/") {
		if dots(seg) {
			return true
		}
	}
	return false
}

// special tries nd's segments of text and parameters, and its constrained ones.
func (t *tree) special(s *search, nd *node, pos, end int) *route {
	set := s.n
	for i := nd.specials - 1; ; i++ {
		sp := &t.specials[i]
		if sp.match(s, pos, end) {
			if rt := t.follow(s, &sp.to, end); rt != nil {
				return rt
			}
		}
		s.n = set
		if sp.last {
			return nil
		}
	}
}

// kid returns where the literal segment seg leads from a node whose edges may
// stand behind their places, or are longer than their words.
func (t *tree) kid(nd *node, w0, w1 uint64, seg string) *way {
	i := hashWords(w0, w1, nd.flags)
	for range nd.kids {
		e := &nd.kids[i&uint32(len(nd.kids)-1)]
		if e.n == 0 {
			break
		}
		if e.w0 == w0 && e.w1 == w1 && t.same(e, seg) {
			return &e.way
		}
		i++
	}
	return nil
}

// same tells segments of the same words apart: by their length, or byte by byte.
func (t *tree) same(e *edge, seg string) bool {
	if e.n&longEdge != 0 {
		return t.long[e.n&^longEdge] == seg
	}
	return e.n == uint32(len(seg))
}
