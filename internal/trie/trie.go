// Package trie finds the route of a path. It knows patterns, paths and methods;
// it knows nothing of requests or handlers. What a route leads to is a payload
// of type P, which the package stores and never looks into.
//
// A [Builder] collects routes and freezes them into a [Table], which is
// immutable. A Table has one tree for each host and one for the routes without
// a host. A tree is two structures over the same routes:
//
//   - Routes without parameters are in a hash table of whole paths (static.go).
//
//   - The others form a trie of segments (fast.go, walk.go):
//
//     GET /repos/{owner}/{repo}/issues      (root) ─ repos ─ {} ─ {} ─ issues
//     GET /repos/{owner}/{repo}/issues/{n}                           └ {}
//
// One eight-byte load finds the slash that ends a segment. The same eight bytes,
// cut off at the slash, are the key of the child node. So a step costs about the
// same for every segment, and a segment of up to 16 bytes is compared without
// reading a string.
//
// All methods share the trie. Where a path may end there is a run of routes, one
// for each method; the path decides first, then the method.
package trie

// A Route is one method at one path.
type Route[P any] struct {
	Pattern    string // as registered
	Payload    P
	path       uint16 // where the path begins in Pattern
	methodMask uint16 // the standard methods that it serves, as bits
	Method     Method
	Flags      Flags
}

// Path returns the path part of the pattern.
func (rt *Route[P]) Path() string { return rt.Pattern[rt.path:] }

// Head returns the part of the pattern before the path: methods and host.
func (rt *Route[P]) Head() string { return rt.Pattern[:rt.path] }

// Accepts reports whether the route serves a standard method.
func (rt *Route[P]) Accepts(m Method) bool { return rt.methodMask>>m&1 != 0 }

// Flags describe a route.
type Flags uint8

const (
	Verb       Flags = 1 << iota // of a verb method: a trailing slash is only itself
	CatchAll                     // matches any rest of the path
	Implied                      // gives way to a route that was registered for the same path
	lastOfRun                    // the next route is of another place
	restNamed                    // the rest is a value
	restSlash                    // the value starts with its slash
	impliedAll                   // Implied by a route for everything below, not by one for the slash alone
)

// Registered are the flags that come with a registration; Add finds the others.
const Registered = Verb | Implied | impliedAll

// A Fallback answers the requests below a prefix that no route serves.
type Fallback[P any] struct {
	Payload P
	// Owns says that routes outside of the prefix don't serve such requests
	// either, whatever their patterns match. The fallback then begins a region:
	// below its prefix only fallbacks of the same Region count, and those that
	// own their prefix themselves. Region 0 is outside of all others.
	Owns   bool
	Region int
	depth  int // segments of the prefix
}

// A Table finds routes. It is immutable.
type Table[P any] struct {
	Base      *Tree[P]            // routes without a host
	hosts     map[string]*Tree[P] // nil without any
	wildHosts []wildHost[P]       // in order of precedence
	custom    map[string]Method
	MaxValues int // of any route
}

// A Tree holds the routes of one host. It is immutable, but its slices may share
// storage with those of later trees.
type Tree[P any] struct {
	static   static
	routes   []Route[P] // the routes of one place are adjacent, see lastOfRun
	root     *node[P]   // nil if the trie is empty
	specials []special[P]
	long     []string // literal segments that don't fit into an edge's words
}

// A routeRef is the index of the first route of a place, plus 1. 0 means none.
type routeRef uint32

// A target is where a segment leads.
type target[P any] struct {
	next *node[P] // if the path goes on with a slash; nil for nothing
	end  routeRef // if the path ends here
	n    uint32   // see edge
}

// A node holds the alternatives for the next segment.
type node[P any] struct {
	edges    []edge[P]    // a hash table of the literal segments; its size is a power of two
	param    target[P]    // any other segment, see hasParam
	fallback *Fallback[P] // nil for none
	specials uint32       // index of the first special, plus 1
	slash    routeRef     // the path ends with the slash
	rest     routeRef     // catch-all
	flags    nodeFlags
}

// nodeFlags are the flags of a node and, in the upper bits, its table's hash seed.
type nodeFlags uint16

const (
	hasParam  nodeFlags = 1 << iota
	probing             // an edge may stand behind its place in the table
	longEdges           // an edge is longer than its words
	onlyEdges           // there is nothing else in this node
	seedUnit            // the lowest bit of the seed
)

// An edge leads along a literal segment. Its words are the first 16 bytes of the
// segment; of a longer one, the first and the last 8. Its n is the length of the
// segment; longEdge plus its index in Tree.long if it is longer than 16; 0 if
// the place in the table is empty.
type edge[P any] struct {
	w0, w1 uint64
	target[P]
}

const longEdge = 1 << 31

// Values are the path values found on the way.
type Values struct {
	Vals []string // has room
	N    int      // how many there are
}

// add adds a value. It reports false if there is no room.
func (v *Values) add(value string) bool {
	if uint(v.N) >= uint(len(v.Vals)) {
		return false
	}
	v.Vals[v.N] = value
	v.N++
	return true
}
