// Package trie finds the route for a host, path and method. It does not know
// requests or handlers: each route has a payload of type P, which the package
// stores and never reads.
//
// A [Builder] collects routes and builds a [Table], which is immutable. A Table
// has one tree for each host and one for the routes without a host. A tree
// consists of two indexes:
//
//   - Routes without parameters are in a hash table of whole paths (static.go).
//
//   - The others are in a trie of segments (fast.go, walk.go):
//
//     GET /repos/{owner}/{repo}/issues      (root) ─ repos ─ {} ─ {} ─ issues
//     GET /repos/{owner}/{repo}/issues/{n}                           └ {}
//
// Loading eight bytes at once finds the slash that ends a segment. The same
// bytes, masked after the segment's end, are the hash key of the child node. So
// the cost of a step hardly depends on the segment, and segments of up to 16
// bytes are compared without reading a string.
//
// All methods share the trie. The routes for the same path and different
// methods are adjacent in Tree.routes (a run); the path is matched first, then
// the method.
package trie

import "github.com/seed-1954dcaa/muxmaster/internal/pattern"

// A Route is a pattern with one method.
type Route[P any] struct {
	Pattern string // as registered
	Payload P
	path    uint16 // index of the path in Pattern
	Flags   Flags
	Method  Method
}

// Path returns the path part of the pattern.
func (rt *Route[P]) Path() string { return rt.Pattern[rt.path:] }

// Flags describe a route. The upper eight bits are the caller's; the package
// stores them and never reads them.
type Flags uint16

const (
	Verb       Flags = 1 << iota // registered with a verb method: a trailing slash matches only itself
	CatchAll                     // ends in a catch-all
	Implied                      // for a bare prefix; any other route for the same path replaces it
	lastOfRun                    // the last route of its run
	restNamed                    // the catch-all has a name, so it has a value
	restSlash                    // the value of the catch-all starts with a slash
	impliedAll                   // Implied by a route that ends in a catch-all, not by one that ends in a slash
	Owns                         // a mount: routes outside of its prefix are not tried below it; it is in no static table
)

// A Fallback serves the unmatched requests below a prefix.
type Fallback[P any] struct {
	Payload P
	// Owns means that routes outside of the prefix are not tried for paths
	// below it.
	Owns  bool
	depth int // number of segments of the prefix
}

// A Table finds routes. It is immutable.
type Table[P any] struct {
	Base      Tree[P]             // routes without a host
	hosts     map[string]*Tree[P] // routes with an exact host, by host; may be nil
	wildHosts []wildHost[P]       // routes whose host has parameters, in order of precedence
	custom    map[string]Method   // custom methods
	MaxValues int                 // the largest number of values of a route
}

// A Tree holds the routes of one host. It is immutable.
type Tree[P any] struct {
	static   static
	routes   []Route[P]   // consists of runs, see lastOfRun
	root     *node[P]     // nil if the trie is empty
	specials []special[P] // the specials of each node are adjacent
	long     []string     // literal segments longer than 16 bytes
}

// A routeRef is the index of the first route of a run, plus 1. 0 means none.
type routeRef uint32

// A target is what follows a segment.
type target[P any] struct {
	next *node[P] // alternatives for the path after the segment and a slash; nil if there are none
	end  routeRef // routes whose path ends with the segment
	n    uint32   // of an edge
}

// A node holds the alternatives for what follows a slash.
type node[P any] struct {
	edges    []edge[P]    // a hash table of literal segments; its size is a power of two
	param    target[P]    // any other segment, if flags has hasParam
	fallback *Fallback[P] // nil if there is none
	specials uint32       // index of the node's first special in Tree.specials, plus 1; 0 if there are none
	slash    routeRef     // routes whose path ends with the slash
	rest     routeRef     // routes that end in a catch-all
	flags    nodeFlags
	seed     uint8 // of the hash of edges
}

type nodeFlags uint8

const (
	hasParam  nodeFlags = 1 << iota
	longEdges           // an edge is longer than 16 bytes
	onlyEdges           // the node has no parameter, special, catch-all or fallback
)

// An edge is a literal segment and what follows it. For a segment of up to 16
// bytes, w0 and w1 hold all of it and n is its length. For a longer one, they
// hold the first and the last eight bytes, and n is longEdge plus its index in
// Tree.long. If n is 0, the slot in the table is empty.
type edge[P any] struct {
	w0, w1 uint64
	target[P]
}

const (
	longEdge  = 1 << 31 // in n
	moreEdges = 1 << 30 // in n: an edge with the hash of this slot, or of one before it, is in a slot behind it
)

// A special is a segment that is neither a plain parameter nor a literal that
// fits into an edge, and what follows it. An edge can't hold a%2Fb, because of its
// slash. A catch-all inside a path is a special too. Its Matcher isn't used.
type special[P any] struct {
	pattern.Matcher
	to    target[P]
	multi bool // a catch-all; see Tree.multi
	last  bool // this is the node's last special
}

// Values collects path values.
type Values = pattern.Values
