package muxmaster

import (
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// A Mux is an HTTP router. It is an [http.Handler] that serves each request with
// the handler of the route that matches it. Make one with [New].
//
// Set the fields before the first request; later changes have no effect. Routes
// may be registered at any time and from any goroutine. They take effect for the
// requests that start afterwards.
//
// A Mux is a [Router], as a [Group] is.
type Mux struct {
	scope

	// PoolRequestBundle recycles the storage of path values of http.Handler
	// routes, so that a request allocates nothing. In exchange, a handler must
	// not read path values from its request after it has returned: such a read
	// returns "", and the race detector reports it if it runs while the handler
	// returns. A Clone of the request keeps its values; what WithContext
	// returns may show values of another request later.
	//
	// A route of a Mux that is mounted on another one is pooled only if both
	// say so, and the route of an http.TimeoutHandler never is.
	PoolRequestBundle bool

	// PoolFastParams recycles the Params of fast routes. In exchange, a
	// FastHandler must not use them after it has returned.
	PoolFastParams bool

	// RedirectTrailingSlash redirects /x/ to /x or back if only the other one
	// has a route for the method. It applies to routes of the verb methods.
	// Routes of Handle and the like follow net/http: /x is redirected to /x/ if
	// /x/ has a route, and never the other way. New sets it.
	RedirectTrailingSlash bool

	// NotFound and MethodNotAllowed answer the requests that no route matches,
	// or none for the method. The Allow header is set before MethodNotAllowed
	// runs. If nil, a mounted Mux uses those of the Mux around it; otherwise
	// the answers are those of net/http, or of the problem.Handler in the
	// request's context.
	NotFound         http.Handler
	MethodNotAllowed http.Handler

	// ErrorHandler answers the requests for which a HandlerFuncE returned an
	// error. If nil, a mounted Mux uses that of the Mux around it; see
	// [HandlerFuncE] for the default.
	ErrorHandler func(http.ResponseWriter, *http.Request, error)

	snapshot atomic.Pointer[snapshot] // nil: to be built for the next request
	frozen   atomic.Pointer[settings] // the fields, once they were read
	building sync.Mutex               // held while a snapshot is made
	owner    *values.Owner
	table
}

// table is what is registered with a Mux. The lock registering guards it.
type table struct {
	routes     trie.Builder[endpoint]
	names      map[string]*values.Names // to share them between routes
	sites      []uintptr                // where each route was registered, by seq
	unwrapped  map[uint32]http.Handler  // handlers without their middleware, by seq; only if that differs
	scopes     []*scope                 // those that answer unmatched requests; the Mux's own first
	pre        []func(http.Handler) http.Handler
	entry      http.Handler // pre around the routing; nil without any
	preChanged bool         // pre has changed since
	mounts     []*mount     // what is mounted on this Mux
	mounted    []*mount     // where this Mux is mounted
	regions    int          // how many regions its mounts have, see trie.Fallback
}

// registering guards the tables of all Muxes: a registration on a mounted Mux
// changes several.
var registering sync.Mutex

// An endpoint is where a route leads.
type endpoint struct {
	handler http.Handler  // inside its middleware; a fastHandler for a fast route
	names   *values.Names // nil without parameters
	scope   *scope        // where it was registered
	seq     uint32        // order of registration
	mode    mode
}

// mode says how an endpoint gets its values.
type mode uint8

const (
	hasNames  mode = 1 << iota // the route has parameters
	fastRoute                  // the handler is a fastHandler
	unpooled                   // whatever the Mux says
)

// New returns a Mux without routes that redirects trailing slashes.
func New() *Mux {
	m := &Mux{RedirectTrailingSlash: true, owner: values.NewOwner()}
	m.scope.mux, m.scope.settings = m, m
	m.scopes = []*scope{&m.scope}
	return m
}

// FastPathValues reports whether path values are delivered without allocation:
// the layout of http.Request is that of a Go release that muxmaster knows. If
// not, or with the build tag muxmaster_safe, everything works the same through
// r.SetPathValue, but routes with parameters take some 20 times as long.
func FastPathValues() bool { return values.Direct }

// warnSlow logs once that path values are slow although nobody asked for it.
var warnSlow = sync.OnceFunc(func() {
	if !values.Direct && !values.Safe {
		slog.Warn("muxmaster: this Go release lays out http.Request in an unknown way; path values are delivered by SetPathValue, which is slower. " +
			"Update muxmaster, or build with the tag muxmaster_safe to silence this.")
	}
})

// settings are the fields of a Mux as the first request found them.
type settings struct {
	poolValues, poolParams bool
	redirectSlash          bool
	notFound, notAllowed   http.Handler
	onError                func(http.ResponseWriter, *http.Request, error)
}

// readSettings returns the fields of m; frozen ones if a request has been served.
func (m *Mux) readSettings() *settings {
	if f := m.frozen.Load(); f != nil {
		return f
	}
	return &settings{m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash, m.NotFound, m.MethodNotAllowed, m.ErrorHandler}
}

// freezeSettings fixes the settings of m and of the Muxes mounted on it. It
// reports whether this is the first time.
func (m *Mux) freezeSettings() bool {
	for _, mnt := range m.mounts {
		mnt.sub.freezeSettings()
	}
	return m.frozen.CompareAndSwap(nil, m.readSettings())
}

// A snapshot is what requests are served from. It is immutable; a registration
// leads to a new one.
type snapshot struct {
	mux       *Mux
	base      trie.Tree[endpoint] // routes without a host, a copy of table.Base
	entry     http.Handler        // Pre middleware around the routing; nil without any
	table     *trie.Table[endpoint]
	unmatched *values.Names // marks requests that this snapshot has found no route for

	pooled     uint8 // bit i: endpoints of mode i are pooled
	ringSlots  int   // room for values in a Ring; 0 if they fit on the stack
	alwaysSlow bool  // hosts, or values that are not delivered directly
	slow       bool  // alwaysSlow, or there is an entry
}

// stackValues is how many values fit on the stack.
const stackValues = 8

// current returns what requests are served from now.
func (m *Mux) current() *snapshot {
	if s := m.snapshot.Load(); s != nil {
		return s
	}
	return m.build()
}

// build makes the snapshot for the routes that are registered now.
func (m *Mux) build() *snapshot {
	m.scope.requireNew()
	m.building.Lock()
	defer m.building.Unlock()
	warnSlow()
	for {
		if s := m.snapshot.Load(); s != nil {
			return s
		}
		m.makeChains()
		if s := m.freeze(); s != nil {
			return s
		}
	}
}

// makeChains makes the handlers that consist of middleware. It holds no lock
// while it calls middleware, since that may register routes.
func (m *Mux) makeChains() {
	registering.Lock()
	m.freezeSettings()
	scopes := m.staleScopes()
	pre, changed := m.pre, m.preChanged
	m.preChanged = false
	registering.Unlock()
	for _, s := range scopes {
		s.makeFallback()
	}
	if changed {
		m.entry = wrapAll("Pre", pre, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.current().serve(w, r) }))
	}
}

// staleScopes returns the scopes whose fallback is to be made.
func (m *Mux) staleScopes() (stale []*scope) {
	for _, s := range m.scopes {
		if !s.fresh() {
			stale = append(stale, s)
		}
	}
	return stale
}

// freeze publishes a snapshot. It returns nil if chains are missing.
func (m *Mux) freeze() *snapshot {
	registering.Lock()
	defer registering.Unlock()
	if m.preChanged || len(m.staleScopes()) > 0 {
		return nil
	}
	if m.names != nil { // nothing was published yet
		for _, rt := range m.routes.Freeze().All() {
			rt.Payload.mode |= rt.Payload.scope.poolMode(rt.Payload.mode)
		}
		m.names = nil
	}
	s := m.newSnapshot()
	m.snapshot.Store(s)
	return s
}

// newSnapshot returns a snapshot of what is registered. The caller holds
// registering.
func (m *Mux) newSnapshot() *snapshot {
	f := m.readSettings()
	table := m.routes.Freeze()
	s := &snapshot{
		mux:        m,
		base:       *table.Base,
		entry:      m.entry,
		table:      table,
		alwaysSlow: table.AlwaysSlow() || !values.Direct,
	}
	s.slow = s.alwaysSlow || s.entry != nil
	s.unmatched = values.NewNames(m.owner, nil, false).WithTag(s)
	if f.poolValues {
		s.pooled |= 1 << hasNames
	}
	if f.poolParams {
		s.pooled |= 1 << (hasNames | fastRoute)
	}
	if s.pooled != 0 || table.MaxValues > stackValues {
		s.ringSlots = table.MaxValues
	}
	return s
}

// peek returns what would serve requests, to look at. Unlike a request it leaves
// the fields of m open.
func (m *Mux) peek() *snapshot {
	m.requireNew()
	if s := m.snapshot.Load(); s != nil {
		return s
	}
	registering.Lock()
	defer registering.Unlock()
	return m.newSnapshot()
}
