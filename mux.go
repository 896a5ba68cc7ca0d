package muxmaster

import (
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// A Mux is an HTTP router. It is an [http.Handler] that calls the handler of
// the route that matches the request. Create one with [New].
//
// Set the fields before the first request; later changes have no effect. Routes
// can be registered at any time and from any goroutine. A new route takes
// effect for requests that start after the registration.
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
	// Routes of a mounted Mux are pooled only if both Muxes set this field.
	// Routes whose handler is an http.TimeoutHandler are never pooled.
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

	// NotFound serves requests whose path matches no route. MethodNotAllowed
	// serves requests whose path has routes for other methods only; the Allow
	// header is already set. If nil, a mounted Mux uses the field of the Mux
	// that it is mounted on. The default responses are those of net/http, or of
	// the [problem.Format] in the request's context.
	NotFound         http.Handler
	MethodNotAllowed http.Handler

	snapshot atomic.Pointer[snapshot] // nil if the next request must build one
	fast     atomic.Pointer[snapshot] // the same, but nil if no request may use the fast path of ServeHTTP
	frozen   atomic.Pointer[settings] // the fields above as first read; nil until then
	building sync.Mutex               // held while building a snapshot
	owner    *values.Owner
	table
}

// A table holds everything registered with a Mux. It is guarded by registering.
type table struct {
	routes    trie.Builder[endpoint]
	names     map[string]*values.Names // shared by routes with the same parameters
	sites     []uintptr                // where each route was registered, by seq
	unwrapped map[uint32]http.Handler  // handlers without their middleware, by seq; only if that differs
	scopes    []*scope                 // the scopes that serve unmatched requests; the Mux's own first
	pre       []func(http.Handler) http.Handler
	entry     http.Handler // the router wrapped in pre; nil if there is no Pre middleware
	entryPre  int          // how many of pre the entry has
	mounts    []*mount     // the Muxes mounted on this one
	mounted   []*mount     // the places where this Mux is mounted
	slots     int          // the largest number of slots that the values of a route need
	regions   int          // number of regions of its mounts, see trie.Fallback
}

// registering guards the tables of all Muxes. There is one lock for all because
// registering a route on a mounted Mux changes several tables.
var registering sync.Mutex

// An endpoint is the payload of a route in the trie.
type endpoint struct {
	handler http.Handler  // wrapped in its middleware; a fastHandler for a fast route
	names   *values.Names // parameter names; nil if there are none
	scope   *scope        // where the route was registered
	seq     uint32        // number of the registration
	mode    mode
}

// A mode says how an endpoint receives path values.
type mode uint8

const (
	hasNames  mode = 1 << iota // the route has parameters
	fastRoute                  // the handler is a fastHandler
	unpooled                   // the storage for values is never reused
)

// pooled reports whether the endpoint has values, in storage that is reused.
func (e *endpoint) pooled() bool { return e.mode&(hasNames|unpooled) == hasNames }

// slots returns the number of slots for n values.
func (e *endpoint) slots(n int) int {
	if e.mode&fastRoute != 0 {
		return 2 * n // and their names
	}
	return n
}

// New returns an empty Mux with RedirectTrailingSlash set.
func New() *Mux {
	m := &Mux{RedirectTrailingSlash: true, owner: values.NewOwner()}
	m.scope.mux, m.scope.settings = m, m
	m.scopes = []*scope{&m.scope}
	return m
}

// FastPathValues reports whether muxmaster sets path values directly in the
// http.Request. It does so if it knows the layout of http.Request in this Go
// release. If not, or with the build tag muxmaster_safe, it uses
// r.SetPathValue. The behavior is the same, but routes with parameters take
// about 20 times as long.
func FastPathValues() bool { return values.Direct }

// warnSlow logs a warning, once, if path values are slow and the build tag
// muxmaster_safe did not ask for it.
var warnSlow = sync.OnceFunc(func() {
	if !values.Direct && !values.Safe {
		slog.Warn("muxmaster: this Go release lays out http.Request in an unknown way; path values are delivered by SetPathValue, which is slower. " +
			"Update muxmaster, or build with the tag muxmaster_safe to silence this.")
	}
})

// settings holds the values of a Mux's fields at the first request.
type settings struct {
	poolValues, poolParams bool
	redirectSlash          bool
	notFound, notAllowed   http.Handler
}

// readSettings returns the current settings of m, or the frozen ones if m has
// served a request.
func (m *Mux) readSettings() *settings {
	if f := m.frozen.Load(); f != nil {
		return f
	}
	return &settings{m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash, m.NotFound, m.MethodNotAllowed}
}

// freezeSettings freezes the settings of m and of the Muxes mounted on it. It
// reports whether m's were not frozen before.
func (m *Mux) freezeSettings() bool {
	for _, mnt := range m.mounts {
		mnt.sub.freezeSettings()
	}
	return m.frozen.CompareAndSwap(nil, m.readSettings())
}

// A snapshot is an immutable copy of the routes and settings that serves
// requests. Each registration invalidates it, and the next request builds a new
// one.
type snapshot struct {
	mux       *Mux
	base      trie.Tree[endpoint] // routes without a host; a copy of *table.Base that saves a load
	entry     http.Handler        // the router wrapped in Pre middleware; nil if there is none
	table     *trie.Table[endpoint]
	unmatched *values.Names // tags requests that this snapshot found no route for

	// For serveParams.
	buffer  values.Kind
	slots   int  // slots that a request needs at most
	inPlace mode // routes of this mode, fast or not, keep their values in the Buffer
	long    int  // the path or request target from which on serveLong is used

	alwaysSlow bool // some routes have hosts, or values are not delivered directly
}

// stackValues is the number of values that serveLong collects on the stack.
const stackValues = 32

// current returns the snapshot, and builds it if necessary.
func (m *Mux) current() *snapshot {
	if s := m.snapshot.Load(); s != nil {
		return s
	}
	return m.build()
}

// build returns a snapshot of the registered routes.
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

// makeChains wraps the fallbacks and the router in their middleware. It calls
// middleware without holding a lock, because middleware may register routes.
func (m *Mux) makeChains() {
	registering.Lock()
	m.freezeSettings()
	scopes := m.staleScopes()
	pre, changed := m.pre, m.preChanged()
	registering.Unlock()
	for _, s := range scopes {
		s.makeFallback()
	}
	if changed {
		entry := wrapAll("Pre", pre, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.current().serve(w, r) }))
		registering.Lock()
		m.entry, m.entryPre = entry, len(pre)
		registering.Unlock()
	}
}

// preChanged reports whether the entry lacks some of the Pre middleware.
func (m *Mux) preChanged() bool { return m.entryPre != len(m.pre) }

// staleScopes returns the scopes whose fallback must be made again.
func (m *Mux) staleScopes() (stale []*scope) {
	for _, s := range m.scopes {
		if !s.fresh() {
			stale = append(stale, s)
		}
	}
	return stale
}

// freeze publishes a new snapshot. It returns nil if middleware was added since
// makeChains.
func (m *Mux) freeze() *snapshot {
	registering.Lock()
	defer registering.Unlock()
	if m.preChanged() || len(m.staleScopes()) > 0 {
		return nil
	}
	if m.names != nil { // this is the first snapshot
		inRing := map[*values.Names]*values.Names{}
		m.routes.Update(func(e *endpoint) {
			if e.mode |= e.scope.poolMode(e.mode); !e.pooled() {
				return
			}
			if inRing[e.names] == nil {
				inRing[e.names] = e.names.InRing()
			}
			e.names = inRing[e.names]
		})
		m.names = nil
	}
	s := m.newSnapshot()
	m.publish(s)
	return s
}

// publish makes s the snapshot that serves requests. If s is nil, the next
// request builds one. The caller must hold registering.
func (m *Mux) publish(s *snapshot) {
	m.fast.Store(nil)
	m.snapshot.Store(s)
	if s != nil && !s.alwaysSlow && s.entry == nil {
		m.fast.Store(s)
	}
}

// newSnapshot returns a snapshot of the registered routes. The caller must hold
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
	s.unmatched = values.NewNames(m.owner, nil, false).WithTag(s)
	s.slots, s.long, s.inPlace = m.slots, values.Long, hasNames|unpooled
	if f.poolValues || f.poolParams {
		s.buffer, s.inPlace = values.Ring, hasNames
	} else if s.slots > values.MaxChunk {
		s.long = 0
	}
	return s
}

// peek returns a snapshot for inspection. Unlike current, it does not freeze
// the settings of m.
func (m *Mux) peek() *snapshot {
	m.requireNew()
	if s := m.snapshot.Load(); s != nil {
		return s
	}
	registering.Lock()
	defer registering.Unlock()
	return m.newSnapshot()
}
