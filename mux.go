package muxmaster

import (
	"errors"
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

	program atomic.Pointer[program] // compiled last; nil if something was declared since
	owner   *values.Owner

	tree     atomic.Pointer[tree]
	declared          // guarded by the lock of the tree, as all down to mounted
	version  int      // counts changes of it
	compiled *program // holds the declared routes if routes is nil
	mounted  []*mount // the places where this Mux is mounted

	updating sync.Mutex   // held during an Update
	updater  atomic.Value // the name of the goroutine that holds it, or ""
	draft    *draft       // of the Update that passes this Mux; nil for others

	building   sync.Mutex // held while compiling for a request
	chaining   sync.Mutex // guards the fields below
	responders map[*level]*responder
	entry      http.Handler // the router wrapped in Pre middleware; nil if there is none
	entryFor   uint32       // preStamp of the functions that the entry has
}

// fields holds the values of a Mux's fields.
type fields struct {
	poolValues, poolParams bool
	redirects              redirects
	notFound, notAllowed   http.Handler
}

// redirects says which redirects a Mux sends.
type redirects struct{ slash, letters bool }

func (m *Mux) readFields() *fields {
	return &fields{m.PoolRequestBundle, m.PoolFastParams, redirects{m.RedirectTrailingSlash, m.RedirectCase}, m.NotFound, m.MethodNotAllowed}
}

func (m *Mux) setFields(f *fields) {
	m.PoolRequestBundle, m.PoolFastParams = f.poolValues, f.poolParams
	m.RedirectTrailingSlash, m.RedirectCase = f.redirects.slash, f.redirects.letters
	m.NotFound, m.MethodNotAllowed = f.notFound, f.notAllowed
}

// New returns an empty Mux with RedirectTrailingSlash set.
func New() *Mux {
	m := &Mux{RedirectTrailingSlash: true, owner: values.NewOwner()}
	m.scope, m.self, m.routes = scope{m, &level{mux: m}}, m, newRouteSet()
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
	refuseNil("Pre", mw)
	m = m.live()
	must(m.change(func(st *stage) error {
		if len(m.origin().mounted) > 0 {
			return errors.New("muxmaster: Pre on a Mux that is mounted: its routes would bypass the middleware; call Pre before Mount")
		}
		d := st.of(m)
		d.pre, d.preStamp = slices.Concat(d.pre, mw), registrations.Add(1)
		return nil
	}))
}

// serving returns the program that serves requests, or nil.
func (m *Mux) serving() *program {
	if p := m.program.Load(); p != nil && p.serving {
		return p
	}
	return nil
}

// current returns the program that serves requests, and compiles it if
// necessary.
func (m *Mux) current() *program {
	if p := m.serving(); p != nil {
		return p
	}
	m = m.live()
	m.building.Lock()
	defer m.building.Unlock()
	warnSlow()
	if p := m.serving(); p != nil {
		return p
	}
	return m.compile(true)
}

// peek returns a program for inspection. It need not serve requests, so that the
// fields of m can still be set.
func (m *Mux) peek() *program {
	p := m.program.Load()
	if p != nil && p.serving {
		return p
	}
	m = m.live()
	if p != nil && m.unchanged(p) {
		return p
	}
	return m.compile(false)
}

// unchanged reports whether p redirects as the fields of the Muxes say now.
func (m *Mux) unchanged(p *program) bool {
	defer m.lock().mu.Unlock()
	return !slices.ContainsFunc(p.muxes, func(z *zone) bool {
		return z.redirects != m.instead(z.level.mux).read(false).redirects
	})
}

// compile compiles a program. serving says that it is to serve requests.
func (m *Mux) compile(serving bool) *program {
	c := m.collect(serving)
	p, err := c.compile()
	must(err)
	defer m.lock().mu.Unlock()
	c.publish(p)
	return p
}

// collect collects what is declared on m.
func (m *Mux) collect(serving bool) *compiler {
	defer m.lock().mu.Unlock()
	return newCompiler(m, nil, serving)
}

// origin returns the Mux of the Update that passes m, or else m.
func (m *Mux) origin() *Mux {
	if m.draft != nil {
		return m.draft.mux
	}
	return m
}

// instead returns m if an Update passes m instead of other, or else other.
func (m *Mux) instead(other *Mux) *Mux {
	if other == m.origin() {
		return m
	}
	return other
}

// publish makes p the program of its Mux, unless something was declared since c
// collected it. The caller holds the lock.
//
// If no other Mux is involved, the routes that were declared are discarded,
// because p has all that recall needs.
func (c *compiler) publish(p *program) {
	m := c.mux
	if !p.serving && m.serving() != nil {
		return
	}
	for _, z := range c.answering {
		if p.serving && z.answers != nil {
			z.answers.zone.Store(z)
		}
	}
	if m.version != c.version {
		return
	}
	m.program.Store(p)
	if p.serving && m.draft == nil && len(m.tree.Load().members) == 1 {
		m.routes, m.compiled = nil, p
	}
}

// invalidate makes the next request compile again. The caller holds the lock.
func (m *Mux) invalidate() {
	m.version++
	m.program.Store(nil)
}
