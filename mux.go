package muxmaster

import (
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

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

	// NotFound serves requests whose path matches no route. MethodNotAllowed
	// serves requests whose path has routes for other methods only; the Allow
	// header is already set. If nil, a mounted Mux uses the field of the Mux
	// that it is mounted on. The default responses are those of net/http, or of
	// the [problem.Format] in the request's context.
	NotFound         http.Handler
	MethodNotAllowed http.Handler

	program atomic.Pointer[program] // nil if the next request must compile one
	fast    atomic.Pointer[program] // the same, but nil if no request may use the fast path of ServeHTTP
	peeked  atomic.Pointer[peeked]  // what peek compiled last
	owner   *values.Owner

	tree     atomic.Pointer[tree]
	declared             // guarded by the lock of the tree
	claims   *claims     // of routes, including those of mounted Muxes; nil if unknown
	frozen   *fields     // the fields above when they were read; nil if they weren't
	compiled *program    // holds the declared routes if routes is nil
	mounted  []*mount    // the places where this Mux is mounted
	drafts   int         // number of Updates that have begun and not ended
	taken    [3]int      // of a draft: how many routes, levels and mounts of its Mux it has
	draftOf  *Mux        // the Mux that an Update changes; nil if this isn't the Mux that it passes
	done     atomic.Bool // the Update that made this Mux has succeeded
	updating sync.Mutex  // held during an Update

	building sync.Mutex // held while compiling for a request
	chaining sync.Mutex // guards the fields below
	answers  responder
	entry    http.Handler // the router wrapped in Pre middleware; nil if there is none
	entryFor uint32       // preStamp of the functions that the entry has
}

// declared is what is registered on a Mux.
type declared struct {
	routes    []*route        // without those of mounted Muxes
	answering []*level        // levels that respond to unmatched requests, besides the Mux's own
	mounts    []*mount        // the Muxes mounted on this one
	removed   map[*route]bool // routes of these that were removed here
	pre       []func(http.Handler) http.Handler
	preStamp  uint32 // changes with pre
}

// fields holds the values of a Mux's fields.
type fields struct {
	poolValues, poolParams, redirectSlash bool
	notFound, notAllowed                  http.Handler
}

// readFields returns the fields of m as they were first read. keep says that
// this is the first time. The caller holds the lock.
func (m *Mux) readFields(keep bool) *fields {
	if m.frozen != nil {
		return m.frozen
	}
	f := &fields{m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash, m.NotFound, m.MethodNotAllowed}
	if keep {
		m.frozen = f
	}
	return f
}

// New returns an empty Mux with RedirectTrailingSlash set.
func New() *Mux {
	m := &Mux{RedirectTrailingSlash: true, owner: values.NewOwner()}
	m.scope = scope{m, new(level)}
	m.tree.Store(&tree{members: []*Mux{m}, number: registrations.Add(1)})
	return m
}

// FastPathValues reports whether muxmaster sets path values directly in the
// http.Request. It does so if it knows the layout of http.Request in this Go
// release. If not, or with the build tag muxmaster_safe, it uses
// r.SetPathValue, which is slower and allocates. A request within several
// routers then lists only the path values of the innermost one.
func FastPathValues() bool { return values.Direct }

// warnSlow logs a warning, once, if path values are slow and the build tag
// muxmaster_safe did not ask for it.
var warnSlow = sync.OnceFunc(func() {
	if !values.Direct && !values.Safe {
		slog.Warn("muxmaster: this Go release lays out http.Request in an unknown way; path values are delivered by SetPathValue, which is slower. " +
			"Update muxmaster, or build with the tag muxmaster_safe to silence this.")
	}
})

// Pre adds middleware that runs for every request before routing. The first
// middleware is the outermost, and Pre middleware is outside all other
// middleware. It may change the path or the method of the request. If it passes
// on a copy of the request, middleware outside of it doesn't see the path
// values and the pattern.
//
// If the Mux is mounted on another Mux, its Pre middleware runs after routing,
// for the requests at or below the mount's prefix that this Mux responds to.
// Pre panics if the Mux is already mounted.
func (m *Mux) Pre(mw ...func(http.Handler) http.Handler) {
	m.requireNew()
	refuseNil("Pre", mw)
	m = m.live()
	t := m.lock()
	defer t.mu.Unlock()
	if len(m.origin().mounted) > 0 {
		panic("muxmaster: Pre on a Mux that is mounted: its routes would bypass the middleware; call Pre before Mount")
	}
	m.pre = append(m.pre[:len(m.pre):len(m.pre)], mw...)
	m.preStamp = registrations.Add(1)
	m.invalidate()
}

// current returns the program, and compiles it if necessary.
func (m *Mux) current() *program {
	if p := m.program.Load(); p != nil {
		return p
	}
	m.requireNew()
	m = m.live()
	m.building.Lock()
	defer m.building.Unlock()
	warnSlow()
	if p := m.program.Load(); p != nil {
		return p
	}
	c := m.collected(true)
	p, err := c.compile()
	must(err)
	t := m.lock()
	defer t.mu.Unlock()
	p.useZones()
	if t.version == c.version { // else a route was registered; it is for the next request
		m.publish(p)
	}
	return p
}

// useZones gives the responders the zones of p, which is about to serve.
func (p *program) useZones() {
	for f, z := range p.responders {
		f.zone.Store(z)
	}
}

// collected returns a compiler with what is declared on m.
func (m *Mux) collected(serving bool) *compiler {
	t := m.lock()
	defer t.mu.Unlock()
	return newCompiler(m, nil, serving)
}

// peek returns a program for inspection. It doesn't serve requests, so that the
// fields of m can still be set. It is compiled again only if something changed,
// or each call for one request would compile all routes.
func (m *Mux) peek() *program {
	if p := m.program.Load(); p != nil {
		return p
	}
	m.requireNew()
	m = m.live()
	t := m.lock()
	slashes := t.slashes()
	if last := m.peeked.Load(); last != nil && last.tree == t && last.version == t.version && slices.Equal(last.slashes, slashes) {
		t.mu.Unlock()
		return last.program
	}
	c := newCompiler(m, nil, false)
	t.mu.Unlock()
	p, err := c.compile()
	must(err)
	m.peeked.Store(&peeked{p, t, c.version, slashes})
	return p
}

// A peeked is a program that doesn't serve requests, and what it was compiled
// from.
type peeked struct {
	program *program
	tree    *tree
	version int
	slashes []bool
}

// slashes returns RedirectTrailingSlash of the tree's members, the only field
// that inspection depends on. The caller holds the lock.
func (t *tree) slashes() (list []bool) {
	for _, m := range t.members {
		list = append(list, m.readFields(false).redirectSlash)
	}
	return list
}

// publish makes p serve requests. The caller holds the lock.
//
// If no other Mux is involved, the routes that were declared are discarded,
// because p has all that recall needs.
func (m *Mux) publish(p *program) {
	p.useZones()
	m.program.Store(p)
	m.peeked.Store(nil)
	if !p.alwaysSlow && p.entry == nil {
		m.fast.Store(p)
	}
	if t := m.tree.Load(); len(t.members) == 1 && m.drafts == 0 {
		m.routes, m.removed, m.claims, m.compiled = nil, nil, nil, p
	}
}

// invalidate makes the next request compile again, on m and on the Muxes that it
// is mounted on. The caller holds the lock.
func (m *Mux) invalidate() {
	m.recall()
	m.tree.Load().version++
	m.fast.Store(nil)
	m.program.Store(nil)
	for _, mnt := range m.mounted {
		mnt.mux.live().invalidate()
	}
}
