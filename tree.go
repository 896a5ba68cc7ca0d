package muxmaster

import (
	"math/bits"
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
// The trie is a flat array of nodes that name each other by number. All methods
// share one trie; what may end at a node is a run of routes, one for each method.

// A tree holds the routes of one host, or those without a host. It is immutable.
type tree struct {
	routes   []route // those that end at one place stand in a row, see lastHere
	nodes    []node  // nodes[0] is the root; empty if the trie has no routes
	edges    []edge
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

// A link names a node: its index, or, where a node would only hold the routes
// that end there, isLeaf and the index of the first of these routes. 0 is none, for nothing
// leads to the root.
type link uint32

const isLeaf link = 1 << 31

// A leaf is the index of the first of the routes that end at one place, plus 1;
// 0 is none.
type leaf uint32

// A node is a place in the trie that segments lead to.
type node struct {
	kids     uint32 // first edge of a hash table, see seed
	table    uint32 // its size, a power of two, less 1; and the flags below
	param    link   // where any other segment leads
	specials uint32 // first special plus 1
	leaf     leaf   // the path ends here
	slash    leaf   // the path ends here with a slash
	all      leaf   // the path goes on with a slash
	classes  uint16 // methods of all routes below
	seed     uint16 // of the table's hash
}

// Flags of node.table.
const (
	noKids    = 1 << 31 // there is no table
	probing   = 1 << 30 // an edge may stand behind its place
	onlyKids  = 1 << 29 // no other way leads on
	longKids  = 1 << 28 // an edge is longer than its words
	tableMask = 1<<28 - 1
)

// An edge leads along a literal segment. Its words are the segment's first 16
// bytes; of a longer segment the first and the last 8.
type edge struct {
	w0, w1 uint64
	n      uint32 // length; of a longer segment longEdge and its place in long
	to     link
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

	vals []string // the values; room for those of any route
	n    int      // how many there are
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
	if t.nodes == nil {
		return nil
	}
	s.n, s.method, s.class = 0, m, m.class()
	return t.walk(s, 0, 1)
}

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
	w0, w1 := load(seg, 0), uint64(0)
	if len(seg) > 16 {
		w1 = load8(seg[len(seg)-8:])
	} else if len(seg) > 8 {
		w1 = loadTail(seg, 8)
	}
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
		if sp.literal != nil || sp.between != nil || sp.re != nil || n >= len(vals) {
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
	if rt == nil || unclean(rest, 1) {
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

// walk finds the route for s.path[pos:], which begins behind a slash, below node
// n. It is a loop where one way leads on, and calls itself where there are more,
// each node once: the cost is linear in the nodes that fit.
func (t *tree) walk(s *search, n link, pos int) *route {
	path := s.path
	for {
		nd := &t.nodes[n]
		if nd.classes&s.class == 0 {
			return nil
		}
		if pos >= len(path) {
			return t.slashEnd(s, nd, pos)
		}

		// The segment is path[pos:end], its words w0 and w1.
		var end int
		var w0, w1 uint64
		if pos+8 <= len(path) {
			w0 = load8(path[pos:])
		} else {
			w0 = loadTail(path, pos)
		}
		if z := slashes(w0); z != 0 {
			k := bits.TrailingZeros64(z) &^ 7
			end = pos + k>>3
			w0 &= 1<<k - 1
		} else if pos+8 >= len(path) {
			end = len(path)
		} else {
			w1 = load(path, pos+8)
			if z := slashes(w1); z != 0 {
				k := bits.TrailingZeros64(z) &^ 7
				end = pos + 8 + k>>3
				w1 &= 1<<k - 1
			} else if pos+16 >= len(path) {
				end = len(path)
			} else {
				if i := strings.IndexByte(path[pos+16:], '/'); i >= 0 {
					end = pos + 16 + i
				} else {
					end = len(path)
				}
				if end > pos+16 {
					w1 = load(path, end-8)
				}
			}
		}

		if nd.table&noKids == 0 {
			e := &t.edges[nd.kids+hashWords(w0, w1, nd.seed)&(nd.table&tableMask)]
			to := e.to
			if e.w0 != w0 || e.w1 != w1 || e.n != uint32(end-pos) {
				to = 0
				if nd.table&probing != 0 || e.n&longEdge != 0 {
					to = t.kid(nd, w0, w1, path[pos:end])
				}
			}
			if to != 0 {
				if end < len(path) && to&isLeaf == 0 && nd.table&onlyKids != 0 {
					n, pos = to, end+1
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
		if to := nd.param; to != 0 {
			set := s.n
			s.push(pos, end)
			if end < len(path) {
				if to&isLeaf == 0 && nd.all == 0 {
					n, pos = to, end+1
					continue
				}
			} else if to&isLeaf != 0 {
				if rt := &t.routes[to&^isLeaf]; rt.method == s.method {
					return rt
				}
			}
			if rt := t.follow(s, to, end); rt != nil {
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
	if nd.param != 0 && end > pos {
		s.push(pos, end)
		if rt := t.follow(s, nd.param, end); rt != nil {
			return rt
		}
		s.n = set
	}
	return t.rest(s, nd, pos)
}

// follow goes on behind a segment that ends at end.
func (t *tree) follow(s *search, to link, end int) *route {
	if end == len(s.path) {
		if to&isLeaf != 0 {
			rt := &t.routes[to&^isLeaf]
			if rt.method == s.method {
				return rt
			}
		}
		return t.end(s, to)
	}
	if to&isLeaf != 0 {
		return nil
	}
	set := s.n
	rt := t.walk(s, to, end+1)
	if rt == nil {
		s.n = set
	}
	return rt
}

// end returns the route of a path that ends at to.
func (t *tree) end(s *search, to link) *route {
	if to&isLeaf != 0 {
		return t.at(leaf(to&^isLeaf)+1, s.method)
	}
	nd := &t.nodes[to]
	if nd.leaf != 0 {
		if rt := t.at(nd.leaf, s.method); rt != nil {
			return rt
		}
	}
	if s.slash == nil {
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
	if rt == nil || !s.raw && unclean(s.path, pos) {
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
			if rt := t.follow(s, sp.to, end); rt != nil {
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
func (t *tree) kid(nd *node, w0, w1 uint64, seg string) link {
	last := nd.table & tableMask
	i := hashWords(w0, w1, nd.seed)
	for range last + 1 {
		e := &t.edges[nd.kids+i&last]
		if e.to == 0 || e.w0 == w0 && e.w1 == w1 && t.same(e, seg) {
			return e.to
		}
		i++
	}
	return 0
}

// same tells segments of the same words apart: by their length, or byte by byte.
func (t *tree) same(e *edge, seg string) bool {
	if e.n&longEdge != 0 {
		return t.long[e.n&^longEdge] == seg
	}
	return e.n == uint32(len(seg))
}

func hashWords(w0, w1 uint64, seed uint16) uint32 { return hashKey(w0+w1*mixer, seed) }

func hashKey(key uint64, seed uint16) uint32 {
	return uint32((key ^ key>>32) * (mixer + uint64(seed)<<1) >> 32)
}

const mixer = 0x9E3779B97F4A7C15

// load returns the eight bytes of s from i on, zeros behind its end.
func load(s string, i int) uint64 {
	if i+8 <= len(s) {
		return load8(s[i:])
	}
	return loadTail(s, i)
}

// ends returns the first and the last eight bytes of path; if it is shorter, both
// are all of it, the last one behind zeros.
func ends(path string) (first, last uint64) {
	if len(path) >= 8 {
		return load8(path), load8(path[len(path)-8:])
	}
	first = loadTail(path, 0)
	return first, first << (64 - 8*uint(len(path)))
}

// loadTail is load where fewer than eight bytes are left.
func loadTail(s string, i int) uint64 {
	if len(s) >= 8 {
		return load8(s[len(s)-8:]) >> (8 * uint(i+8-len(s)) & 63)
	}
	var w uint64
	for k := len(s) - 1; k >= i; k-- {
		w = w<<8 | uint64(s[k])
	}
	return w
}

func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// slashes returns a word whose lowest set bit is the high bit of the first slash
// in w, and 0 if there is none.
func slashes(w uint64) uint64 {
	w ^= ones * '/'
	return (w - ones) &^ w & highs
}

// before returns the bits of the bytes before that of z's lowest bit.
func before(z uint64) uint64 { return z&-z>>7 - 1 }

// dots reports whether the segment is . or .. .
func dots(seg string) bool { return seg == "." || seg == ".." }

// unclean reports whether path has an empty, . or .. segment from pos on, which
// is behind a slash. An empty last segment is a trailing slash.
func unclean(path string, pos int) bool {
	if !suspect(path[pos:]) {
		return false
	}
	for pos < len(path) {
		end := strings.IndexByte(path[pos:], '/')
		if end < 0 {
			return dots(path[pos:])
		}
		if end == 0 || dots(path[pos:pos+end]) {
			return true
		}
		pos += end + 1
	}
	return false
}

// suspect reports whether rest has a segment that begins with a dot or is empty.
// It sees some others too, but none that is harmful.
func suspect(rest string) bool {
	begins := uint64(0x80) // the high bit of each byte that a segment begins with
	for ; len(rest) >= 8; rest = rest[8:] {
		w := load8(rest)
		z := slashes(w)
		if (begins|z<<8)&slashes(w|ones) != 0 { // a dot differs from a slash in the lowest bit
			return true
		}
		begins = z >> 56
	}
	w := loadTail(rest, 0)
	return (begins|slashes(w)<<8)&slashes(w|ones) != 0
}
