package muxmaster

import (
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/outcome"
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
	// request, unless it is one that this module's middleware made. So may a
	// goroutine that reads a value while the handler returns, if it is suspended
	// inside PathValue for at least 20 ms.
	//
	// A handler that returns before it has finished, such as an
	// http.TimeoutHandler, breaks this rule. Use middleware.Timeout, or put the
	// TimeoutHandler around the Mux.
	//
	// Routes of a mounted Mux are pooled only if all Muxes that it is mounted on set
	// this field, too.
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

	// NotFound serves requests whose path matches no route. MethodNotAllowed
	// serves requests whose path has routes for other methods only; the Allow
	// header is already set. If nil, a mounted Mux uses the field of the Mux
	// that it is mounted on. The default responses are those of net/http, or of
	// the [problem.Format] in the request's context.
	NotFound         http.Handler
	MethodNotAllowed http.Handler

	serving atomic.Pointer[program] // that of root; nil if something was declared since
	root    view                    // serves at ""
	version atomic.Uint64           // counts the changes of what is declared
	entry   atomic.Pointer[wrapping]
	copyOf  *Mux        // the Mux of the Update that passes this one; nil for others
	base    uint64      // the version of copyOf that was copied
	done    atomic.Bool // the Update has succeeded: copyOf has what is declared here

	mu *sync.Mutex // guards what follows, and Groups; the copies of Updates share both
	declared
	views atomic.Pointer[[]*view] // those below mounts that served requests lately; the slice doesn't change
}

// fields holds the values of a Mux's fields.
type fields struct {
	pool                        pool
	redirectSlash, redirectCase bool
	inherited
}

// New returns an empty Mux with RedirectTrailingSlash set.
func New() *Mux {
	m := &Mux{RedirectTrailingSlash: true, mu: new(sync.Mutex)}
	m.scope = scope{m, new(level)}
	m.views.Store(new([]*view))
	m.root.mux, m.root.point = m, &point{prefix: &noPrefix, owner: new(values.Owner), pool: pool{true, true}}
	return m
}

// target returns the Mux that s registers on: its own, or if an Update passed that
// and succeeded, the Mux of the Update. It panics if the Mux was not created by New,
// or was copied.
func (m *scope) target() *Mux {
	if m.mux == nil {
		panic("muxmaster: the Mux was not made by New; write mux := muxmaster.New(), and for a Group mux.Group(prefix)")
	}
	if m.parent == nil && m != &m.mux.scope {
		panic("muxmaster: the Mux was copied; use the *Mux that muxmaster.New returned")
	}
	if m.mux.done.Load() {
		return m.mux.copyOf
	}
	return m.mux
}

// lock locks the target of s and returns it.
func (m *scope) lock() *Mux {
	for {
		t := m.target()
		t.mu.Lock()
		if m.target() == t {
			return t
		}
		t.mu.Unlock() // an Update has ended meanwhile
	}
}

func must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

// A Group registers routes on its Mux with a common prefix and common
// middleware. The prefix and middleware of the enclosing Group or Mux come
// first. Group and [Mux] both implement [Router]. Create one with the methods
// Group, Route, Host, With, Name or Annotate.
//
// In a Group with the prefix /articles, GET("/", h), Method("GET", "/", h) and
// Handle("GET /{$}", h) serve both /articles and /articles/, without a
// redirect. They are one route, whose pattern is GET /articles. GET("", h) and
// Handle("GET ", h) serve only /articles, and take precedence there.
//
// If no route matches a request, the Group with the longest matching prefix
// responds, inside its middleware; among those with equal prefixes, one for the
// request's host, or else the one created first. So unauthenticated clients cannot
// probe routes behind a login, and a Group's CORS middleware sees preflight
// requests. Groups that add no prefix and no host, such as those returned by With,
// never respond. Groups don't affect matching: all routes of the Mux are tried
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
	mux *Mux
	*level
}

// A level is the data of a scope.
type level struct {
	parent     *level                   // the enclosing one; nil for that of a Mux
	group      *Group                   // whose fields apply to unmatched requests; nil if there is none
	host       string                   // in front of every path; "" if there is none
	prefix     string                   // the same, behind the host; has no trailing slash
	order      uint32                   // number among all levels and routes
	label      *label                   // nil if there is none
	middleware chain                    // of a Group; that of a Mux is in declared
	used       bool                     // of a Group: a route was registered on it, or inside it
	owns       bool                     // made by Route: routes outside of the prefix never serve paths below it
	inline     bool                     // made by With, Name or Annotate
	answer     atomic.Pointer[wrapping] // responds to unmatched requests
}

// A label is what Name or Annotate gives the routes of a level.
type label struct {
	name       string // "" if there is none
	key, value any    // of the annotation; nil if there is none
}

// declared is what is registered on a Mux. Guarded by Mux.mu.
type declared struct {
	pre        chain
	middleware chain             // of the Mux's own level
	routes     []*route          // in the order of their registration
	index      *index            // of routes; nil after compiling, see indexed
	empty      map[string]*level // of Groups, by host, prefix and owns, on which no route was registered
	fields     *fields           // of the Mux when it was compiled to serve requests; nil before
	used       bool              // a route was registered
}

// A step is a middleware function that Use, UseRoute, UseFast, With or Pre was
// given. Its address says when it was given.
type step struct{ fn any }

// A chain is the middleware around something, the outermost first. It doesn't
// change.
type chain []*step

// A route is a declared pattern with one method. It doesn't change.
type route struct {
	pattern  string // as in r.Pattern
	level    *level // where it was registered
	site     uintptr
	handler  http.Handler                    // wrapped in the middleware of its Mux
	original http.Handler                    // without middleware
	parsed   atomic.Pointer[pattern.Pattern] // nil after compiling, see parse
	order    uint32                          // number of the registration; the methods of a list share one
	nth      uint16                          // of its method in the list of the pattern
	flags    trie.Flags                      // Verb, Owns and groupRoot
}

// A view is a Mux at a point: what serves the requests below a mount, or at "".
type view struct {
	*point
	mux     *Mux
	idle    atomic.Int32            // number of Updates since it has served a request
	program atomic.Pointer[program] // compiled last
	peeked  atomic.Pointer[program] // compiled last for inspection only
}

// A pool says which values are pooled.
type pool struct{ values, params bool }

// inherited holds the handlers of the Mux around a mount.
type inherited struct{ notFound, notAllowed http.Handler }

// A point is where a view mounts a handler, or the "" of a Mux. Requests below a mount
// carry its point as a mark, see values.Mark, whatever wraps the handler, so that a Mux
// that gets such a request can serve it at its prefix. Programs of a view share it.
type point struct {
	outer     *view            // that mounts; nil at ""
	mount     *route           // nil at ""
	prefix    *pattern.Pattern // in front of all patterns
	depth     int              // number of mounts around
	owner     *values.Owner    // of the path values; the same for all points around
	pool      pool             // of the Muxes around
	inherited atomic.Pointer[inherited]
	views     atomic.Pointer[[]*view] // of the Muxes that got such requests; mostly one
}

// A barePoint is a point that marks requests for its prefix alone, which have no rest.
type barePoint point

// noPrefix is the prefix of a point at "".
var noPrefix pattern.Pattern

// A program serves requests. It is immutable.
type program struct {
	view    *view
	version uint64
	owner   *values.Owner // of the view
	fields  *fields
	pool    pool
	pre     chain
	table   trie.Table[endpoint]
	root    *zone // responds to unmatched requests below no fallback
	zones   map[*level]*zone
	slow    uint8 // not 0 if ServeHTTP must not use its fast path

	shortcuts []shortcut

	// For serveParams.
	buffer  values.Kind
	inPlace trie.Flags // of the routes that keep their values in the Buffer, see modes
	long    uint32     // length of the path or target from which on serveLong is used

	points map[*route]*point

	// For Lookup.
	described sync.Map // from *trie.Route of the table to []*description
	once      sync.Once
	texts     map[string][]*trie.Route[endpoint] // by Pattern; made once

	outcome.Decider[endpoint] // for unmatched requests
}

// A shortcut leads to the only Mux that serves paths below a static prefix.
type shortcut struct {
	prefix string // with a slash at its end
	view   *view
}

// An endpoint is the payload of a route in the trie, or of a fallback.
type endpoint struct {
	handler http.Handler
	names   *values.Names // nil if there are no parameters
	route   *route        // nil for a fallback
	zone    *zone         // nil for a route
}

// These flags say how a route receives path values.
const (
	hasNames  trie.Flags = 1 << (iota + 8) // it has parameters
	unpooled                               // the storage for values is never reused
	direct                                 // its handler is the *view of a mounted Mux without middleware around it
	groupRoot                              // it is the root of a Group; the pattern is the Group's prefix
	modes     = hasNames | unpooled | direct
)

// A zone is a level of a program that responds to unmatched requests.
type zone struct {
	*level
	program   *program
	chain     chain                        // the middleware around the response
	names     atomic.Pointer[values.Names] // see marked
	inherited                              // without those of the Muxes around
}

// A wrapping is a handler in a chain of middleware.
type wrapping struct {
	chain chain
	mu    sync.Mutex // held while the middleware is called
	made  atomic.Pointer[http.Handler]
}
