package muxmaster

import (
	"net/http"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/seed-1954dcaa/muxmaster/internal/joined"
	"github.com/seed-1954dcaa/muxmaster/internal/latch"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// A Mux is an HTTP router. It is an [http.Handler] that calls the handler of
// the route that matches the request. Create one with [New].
//
// The fields are read when the routes are compiled: for the first request, and
// by [Mux.Update]. Set them before the first request or in Update. Routes can be
// registered at any time and from any goroutine. A new route takes effect for
// requests that start after the registration.
//
// Mux and [Group] both implement [Router].
type Mux struct {
	scope

	// PoolRequestBundle recycles the storage for path values of http.Handler
	// routes, so that requests don't allocate. Handlers must then not read path
	// values from the request after they return. Such a read returns "", and
	// the race detector reports it if it runs while the handler returns. A copy
	// made by Request.Clone keeps its values; a copy made by
	// Request.WithContext does not, and may later return values of another
	// request, unless it is one that this module's middleware made.
	//
	// A handler that returns before it has finished, such as an
	// http.TimeoutHandler, breaks this rule. Use middleware.Timeout, or put the
	// TimeoutHandler around the Mux.
	//
	// Routes of a mounted Mux are pooled only if both Muxes set this field.
	PoolRequestBundle bool

	// PoolFastParams recycles the Params slices of fast routes. A FastHandler
	// must then not use its Params after it returns.
	PoolFastParams bool

	// RedirectTrailingSlash redirects /x/ to /x, or /x to /x/, if only the
	// redirect target has a route for the method. It applies to routes of the
	// verb methods. Routes of Handle, HandleFunc, TryHandle and HandleFast
	// follow net/http: /x is redirected to /x/ if /x/ has a route, and /x/ is
	// never redirected. New sets it to true.
	RedirectTrailingSlash bool

	// RedirectCase redirects a request that no route serves, and that one would
	// serve if letters of the literal text in its pattern had another case:
	// /Users/Bob to /users/Bob for /users/:name. Values keep their case, and
	// constraints see them as sent. Only ASCII letters have a case. It works
	// together with RedirectTrailingSlash, applies to all routes, and comes
	// before a 405 of the path as sent.
	RedirectCase bool

	owner values.Owner // of the path values; here, it takes no memory

	// NotFound serves requests whose path matches no route. MethodNotAllowed
	// serves requests whose path has routes for other methods only; the Allow
	// header is already set. If nil, a mounted Mux uses the field of the Mux
	// that it is mounted on. The default responses are those of net/http, or of
	// the [problem.Format] in the request's context.
	NotFound         http.Handler
	MethodNotAllowed http.Handler

	program  atomic.Pointer[program]                 // compiled last; nil if something was declared since
	peeked   atomic.Pointer[program]                 // compiled by peek last
	replaced atomic.Pointer[[]weak.Pointer[program]] // those before, while they serve requests

	tree     joined.Lock // of this Mux and those that it is joined to by mounts
	declared             // guarded by tree

	updating latch.Latch // held during an Update
	draft    *draft      // of the Update that passes this Mux; nil for others

	building latch.Latch // held while compiling for a request
	entry    *responder  // the router in Pre middleware; guarded by tree
}

// fields holds the values of a Mux's fields, or those that apply to a level.
type fields struct {
	poolValues, poolParams      bool
	redirectSlash, redirectCase bool
	notFound, notAllowed        http.Handler
}

// New returns an empty Mux with RedirectTrailingSlash set.
func New() *Mux {
	m := &Mux{RedirectTrailingSlash: true}
	m.scope, m.routes = scope{m, &level{mux: m}}, new(routeSet)
	return m
}

// live returns the Mux of s, or if an Update passed that and succeeded, the Mux
// of the Update. It panics if the Mux was not created by New, or was copied.
func (m *scope) live() *Mux {
	if m.mux == nil {
		panic("muxmaster: the Mux was not made by New; write mux := muxmaster.New(), and for a Group mux.Group(prefix)")
	}
	if m.parent == nil && m != &m.mux.scope {
		panic("muxmaster: the Mux was copied; use the *Mux that muxmaster.New returned")
	}
	if u := m.mux.draft; u != nil && u.done.Load() {
		return u.mux
	}
	return m.mux
}

// origin returns the Mux of the Update that passes m, or else m.
func (m *Mux) origin() *Mux {
	if m.draft != nil {
		return m.draft.mux
	}
	return m
}

// lock locks the tree of m and returns what to unlock.
func (m *Mux) lock() *sync.Mutex { return m.origin().tree.Lock() }

func must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

// A Group registers routes on its Mux with a common prefix and common
// middleware. The prefix and middleware of the enclosing Group or Mux come
// first. Group and [Mux] both implement [Router]. Create one with the methods
// Group, Route, With, Name or Annotate.
//
// In a Group with the prefix /articles, GET("/", h), Method("GET", "/", h) and
// Handle("GET /{$}", h) serve both /articles and /articles/, without a
// redirect. They are one route, whose pattern is GET /articles. GET("", h) and
// Handle("GET ", h) serve only /articles, and take precedence there.
//
// If no route matches a request, the Group with the longest matching prefix
// responds, inside its middleware. So unauthenticated clients cannot probe
// routes behind a login, and a Group's CORS middleware sees preflight requests.
// If several Groups have the same prefix, the one created first responds.
// Groups that add no prefix, such as those returned by With, never respond.
// Neither do Groups below the prefix of a mounted Mux, because that Mux
// responds. Groups don't affect matching: all routes of the Mux are tried
// first. Route creates a Group that does affect it, and responds also for the
// prefix /.
type Group struct {
	scope

	// NotFound and MethodNotAllowed serve unmatched requests below the prefix,
	// as the fields of Mux do. If nil, the field of the enclosing Group or Mux
	// applies. Set them before the first request.
	NotFound         http.Handler
	MethodNotAllowed http.Handler
}

// A scope is a place to register routes. Mux and Group embed one, so that they
// share the registration methods.
type scope struct {
	mux *Mux // the Mux that gets the routes
	*level
}

// A level is the data of a scope. Each Mux has one, and each Group. A mounted Mux
// and its Groups have another one in each Mux that they are mounted on.
type level struct {
	parent     *level     // the enclosing one of the same Mux; nil for the Mux's own
	mux        *Mux       // whose own level it is, or the Mux that is mounted; nil for a Group
	of         *level     // for a Group of a mounted Mux: its level there
	group      *Group     // whose fields apply to unmatched requests; nil if there is none
	prefix     string     // prepended to every path of the Mux; has no trailing slash
	label      *label     // nil if there is none
	middleware chain      // of a Group; that of a Mux is in declared
	responder  *responder // of the latest program; nil if there is none
	used       bool       // of a Group: a route was registered on it, or inside it
	owns       bool       // routes outside of the prefix never serve paths below it
	inline     bool       // made by With, Name or Annotate
	pruned     bool       // of a Group: see prune
}

// A label is what Name or Annotate gives the routes of a level.
type label struct {
	name       string // "" if there is none
	key, value any    // of the annotation; nil if there is none
}

// declared is what is registered on a Mux. Guarded by Mux.tree.
type declared struct {
	middleware chain     // of the Mux's own level, with Pre first
	routes     *routeSet // including those of mounted Muxes
	compiled   *program  // has the routes if routes is nil, see restore
	levels     []*level  // those that respond to unmatched requests, likewise, but the Mux's own
	fields     *fields   // of the Mux when it was compiled to serve requests; nil before
	mounted    []*mount  // the places where this Mux is mounted
	version    uint32    // counts the changes
	used       bool      // a route was registered
}

// A step is a middleware function that Use, UseFast, With or Pre was given. Its
// address says when it was given.
type step struct {
	wrap func(http.Handler) http.Handler
	fn   any  // the function itself, for its name
	fast bool // it wraps fastHandlers, and nothing else
	pre  bool // it runs before routing
}

// A chain is the middleware around something, the outermost first. It doesn't
// change.
type chain []*step

// A route is a declared pattern with one method. It doesn't change.
type route struct {
	pattern  string // as in r.Pattern
	method   string // "" for every method
	level    *level // where it was registered
	site     uintptr
	order    uint32       // number of the registration; the methods of a list share one
	flags    trie.Flags   // Verb, or 0
	root     bare         // also serves a path without its trailing slash
	fast     bool         // handler is a fastHandler
	handler  http.Handler // wrapped in the middleware of its Mux; nil if mounted isn't
	original http.Handler // without middleware

	parsed *pattern.Pattern // see parse; nil if it was discarded
	key    trie.Key         // of parsed and method

	mounted *mountedRoute // nil if the route isn't that of a mounted Mux
}

// A mountedRoute is what the route of a mounted Mux has in addition.
type mountedRoute struct {
	inner *route // of the mounted Mux
	chain chain  // around the handler of inner

	wrapping latch.Latch
	handler  http.Handler // in chain; nil until it is compiled
}

// A bare says that a route also serves a path without a trailing slash, if there
// is no route for that path alone.
type bare uint8

const (
	notBare   bare = iota
	bareSlash      // pattern is the bare prefix of a Group or mount: it serves /x/ too
	bareAll        // pattern ends in the slash of a subtree: it serves the path before it too
)

// A routeSet is a set of routes that don't conflict.
type routeSet struct {
	byKey  map[trie.Key]*route
	added  []*route            // almost in the order of their registration; some may have been removed
	names  map[string][]*route // the methods of a list share a name
	custom map[string]int      // number of routes, by custom method
}

// A mount is a Mux mounted in a scope of another Mux.
type mount struct {
	on     *Mux              // the other Mux
	level  *level            // of the mounted Mux, on the other one
	levels map[*level]*level // those of the mounted Mux, as the other one has them
	pre    chain             // of the mounted Mux; it gets no more
}

// A draft is an Update that has not returned. It holds what some Muxes will have.
// A nil draft stands for what they have now: its changes take effect at once.
type draft struct {
	mux    *Mux // the Mux of the Update
	self   *Mux // the Mux that fn gets; it has nothing but its fields and programs
	muxes  map[*Mux]*declared
	log    []change // those that made muxes
	failed error    // of the first of them that failed when they were repeated
	done   atomic.Bool
}

// A change changes what m has, or will have. It checks everything before it
// changes anything.
type change func(m *Mux, d *draft) error

// A program serves requests. It is immutable.
type program struct {
	owner *values.Owner // of the path values
	table trie.Table[endpoint]
	root  *endpoint  // responds to unmatched requests below no fallback
	entry *responder // the router in Pre middleware; nil if there is none
	slow  uint8      // not 0 if ServeHTTP must not use its fast path

	// For serveParams.
	buffer  values.Kind
	inPlace trie.Flags // of the routes that keep their values in the Buffer, see modes
	long    uint32     // length of the path or target from which on serveLong is used

	folded    *trie.Folded // nil if no level redirects to another case
	zones     []*zone
	described atomic.Pointer[sync.Map] // from *trie.Route to Route; nil before the first Lookup
	*extras                            // in a block of their own, because most programs have none
}

// extras are the fields of a program that most don't need when they serve.
type extras struct {
	urls      map[string]string       // patterns of the routes with a name, by name
	originals map[uint32]http.Handler // handlers without middleware, by order; only if that differs
	mounted   []*mount                // where mux is mounted, for Lookup
	version   uint32                  // of what is declared on the Mux, in a program for inspection
}

// An endpoint is the payload of a route in the trie, or of a fallback.
type endpoint struct {
	handler http.Handler  // wrapped in all middleware; for a fallback without any, nil
	names   *values.Names // parameter names; nil if there are none
	site    uintptr
	order   uint32
	zone    uint32 // index in program.zones
}

// plain is the endpoint of the Mux itself if it has nothing but its zone.
var plain endpoint

// These flags say how a route receives path values.
const (
	hasNames trie.Flags = 1 << (iota + 8) // it has parameters
	unpooled                              // the storage for values is never reused
	modes    = hasNames | unpooled
)

// A zone is a level of a program, with what it had when the program was compiled.
type zone struct {
	*level
	*fields
	outer     *zone      // the zone around; nil for the Mux's own
	adds      chain      // the middleware of the level
	responder *responder // nil if there is no middleware
	index     uint32     // in program.zones
	region    uint32     // see trie.Fallback
}

// A responder responds to unmatched requests behind the middleware of a level, or
// routes requests behind Pre middleware. Programs share it while the middleware is
// the same, so that the middleware functions are called once.
type responder struct {
	handler http.Handler         // the responder in the middleware
	chain   chain                // the middleware
	pre     *Mux                 // routes requests; nil if the responder is that of a level
	zone    atomic.Pointer[zone] // of the level
}
