package muxmaster

import (
	"cmp"
	"log/slog"
	"net/http"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/outcome"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This file serves requests:
//
//	ServeHTTP       routes without parameters, also of Muxes below a static prefix
//	serveParams     routes with parameters: match, take the values, call the handler
//	serveLong       the same for long paths and many values
//	serveGeneric    everything else: hosts, escaped paths, paths that the fast match leaves to it
//	deliver         copies the values and calls the handler
//	serveUnmatched  requests that no route serves
//
// serveGeneric alone would serve every request correctly; the functions above it
// are faster for common requests.
//
// The response to an unmatched request is a redirect, 404, 405 or, for OPTIONS,
// 204. It comes from the Group or mounted Mux with the longest matching prefix,
// inside its middleware, so that login middleware hides which routes exist and
// CORS middleware sees preflight requests. It is decided first, and reaches the
// responder behind the middleware.

// ServeHTTP calls the handler of the route that matches r.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, u := m.serving.Load(), r.URL
	if p == nil || len(u.RawPath)|int(p.slow) != 0 || values.Foreign(r, p.owner) {
		m.serveSlow(w, r)
		return
	}
	method := trie.GET
	if r.Method != http.MethodGet {
		if method = p.table.MethodOf(r.Method); method.Custom() {
			p.serveGeneric(w, r)
			return
		}
	}
	q := p
	if len(p.shortcuts) > 0 {
		q = p.innermost(u.Path)
	}
	if q.table.Base.MayBeStatic(u.Path) {
		rt, all := q.table.Base.FindStatic(u.Path)
		if rt != nil && rt.Method != method {
			rt = q.table.Base.Pick(all, method)
		}
		if rt != nil {
			r.Pattern = rt.Pattern
			if values.Has(r) {
				values.Drop(r, p.owner)
			}
			// Most handlers are functions. Calling them directly saves a call.
			if f, ok := rt.Payload.handler.(http.HandlerFunc); ok {
				f(w, r)
			} else {
				rt.Payload.handler.ServeHTTP(w, r)
			}
			return
		}
	}
	q.serveParams(w, r, method, p)
}

// innermost returns the program of the Mux that serves path, if only shortcuts lead
// to it from p.
func (p *program) innermost(path string) *program {
	for i := 0; i < len(p.shortcuts); i++ {
		s := &p.shortcuts[i]
		if len(path) > len(s.prefix) && path[:len(s.prefix)] == s.prefix {
			q := s.view.current()
			if q.slow != 0 {
				break
			}
			p, i = q, -1
		}
	}
	return p
}

// serveSlow serves requests that cannot use the fast path of ServeHTTP.
func (m *Mux) serveSlow(w http.ResponseWriter, r *http.Request) {
	p := m.at(r).current()
	if len(p.pre) == 0 {
		p.serveInside(w, r)
		return
	}
	r.Pattern = "" // Lookup would take another router's pattern for one of this Mux
	m = m.target()
	wrapOnce(&m.entry, p.pre, http.HandlerFunc(m.serve), "Pre").ServeHTTP(w, r)
}

// serve serves a request after the Pre middleware.
func (m *Mux) serve(w http.ResponseWriter, r *http.Request) { m.at(r).current().serveInside(w, r) }

// serveInside is serve for a request that may come from a mount, whose middleware then
// sees the values of the prefix afterwards, also if those of p's routes are pooled.
func (p *program) serveInside(w http.ResponseWriter, r *http.Request) {
	if p.buffer != values.Ring || p.view.outer == nil {
		p.serve(w, r)
		return
	}
	before := values.Save(r)
	p.serve(w, r)
	before.Restore(r)
}

// serve serves a request without the Pre middleware.
func (p *program) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	method := p.table.MethodOf(r.Method)
	if p.alwaysSlow() || method.Custom() || r.URL.RawPath != "" {
		p.serveGeneric(w, r)
		return
	}
	if p.table.Base.MayBeStatic(path) {
		_, all := p.table.Base.FindStatic(path)
		if rt := p.table.Base.Pick(all, method); rt != nil {
			p.deliver(w, r, rt, nil)
			return
		}
	}
	p.serveParams(w, r, method, p)
}

// serveParams serves a request with the fast match, or by outer. It collects the
// values in a Buffer, where they stay while the handler uses them.
func (p *program) serveParams(w http.ResponseWriter, r *http.Request, method trie.Method, outer *program) {
	path := r.URL.Path
	if len(path)|len(r.RequestURI) >= int(p.long) {
		p.serveLong(w, r, path, method, outer)
		return
	}
	buf := values.Borrow(p.buffer)
	var found trie.Values
	found.Vals, found.N = buf.Slots(p.table.MaxValues)
	from := found.N
	rt := p.table.Base.MatchFast(path, &found, method)
	if rt == nil {
		buf.Return()
		outer.serveGeneric(w, r)
		return
	}
	e := &rt.Payload
	if rt.Flags&modes != p.inPlace {
		p.serveCopy(w, r, rt, found.Vals[from:found.N], buf)
		return
	}
	vals := found.Vals[from:found.N:found.N]
	buf.Take(found.N)
	pooled := rt.Flags&unpooled == 0 // then buf is a Ring
	if !pooled {
		buf.Return()
	}
	if !e.names.TrySet(r, rt.Pattern, vals) {
		e.names.Set(r, vals)
		r.Pattern = rt.Pattern
	}
	if f, ok := e.handler.(http.HandlerFunc); ok {
		f(w, r)
	} else {
		e.handler.ServeHTTP(w, r)
	}
	if pooled {
		e.names.TryClear(r)
		buf.Return()
	}
}

// serveCopy continues serveParams for a route whose values can't stay in buf,
// and for one without values.
func (p *program) serveCopy(w http.ResponseWriter, r *http.Request, rt *trie.Route[endpoint], vals []string, buf *values.Buffer) {
	if q := mounted(rt); q != nil {
		buf.Return() // for q
		q.serve(w, r)
	} else if len(vals) == 0 {
		buf.Return()
		p.deliver(w, r, rt, nil)
	} else {
		p.deliver(w, r, rt, vals)
		buf.Return()
	}
}

// mounted returns the program of the Mux that rt mounts, or nil if something is
// called before it.
func mounted(rt *trie.Route[endpoint]) *program {
	if rt.Flags&direct == 0 {
		return nil
	}
	if q := rt.Payload.handler.(*view).current(); len(q.pre) == 0 {
		return q
	}
	return nil
}

// serveLong is serveParams for long requests, or too many values for a Chunk.
func (p *program) serveLong(w http.ResponseWriter, r *http.Request, path string, method trie.Method, outer *program) {
	var buf [values.MaxChunk]string // serveGeneric serves routes with more
	found := trie.Values{Vals: buf[:]}
	if rt := p.table.Base.MatchFast(path, &found, method); rt != nil {
		p.deliver(w, r, rt, found.Vals[:found.N])
	} else {
		outer.serveGeneric(w, r)
	}
}

// serveGeneric serves any request.
func (p *program) serveGeneric(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI == "*" {
		// As http.ServeMux does. http.Server itself responds to OPTIONS *.
		if r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	search := new(trie.Search[endpoint]) // on the stack
	rt, ok := p.find(search, r)
	if !ok {
		p.serveUnmatched(w, r, search, rt)
		return
	}
	p.deliver(w, r, rt, search.Values())
}

// find returns the route for r, and reports whether it serves r. If not, rt is
// nil, or a route that is not called because of a redirect.
func (p *program) find(search *trie.Search[endpoint], r *http.Request) (rt *trie.Route[endpoint], ok bool) {
	search.Fit(&p.table)
	search.SetPath(r.URL.Path, r.URL.RawPath, r.Method == http.MethodConnect)
	search.Method = p.table.MethodOf(r.Method)
	rt = p.table.Find(search, r.Host)
	return rt, rt != nil && !search.Redirects(rt)
}

// deliver stores a copy of vals in r and calls the handler of rt.
func (p *program) deliver(w http.ResponseWriter, r *http.Request, rt *trie.Route[endpoint], vals []string) {
	e := &rt.Payload
	if q := mounted(rt); q != nil {
		q.serve(w, r)
		return
	}
	if e.names == nil {
		values.Drop(r, p.owner)
		r.Pattern = rt.Pattern
		e.handler.ServeHTTP(w, r)
		return
	}
	var slots []string
	var ring *values.Buffer
	pooled := rt.Flags&unpooled == 0 && values.Direct // otherwise the values are in a map that belongs to r
	if pooled && len(r.URL.Path)|len(r.RequestURI) < values.Long {
		ring = values.Borrow(values.Ring)
		slots = ring.Carve(len(vals))
	} else {
		slots = values.Carve(r, len(vals))
	}
	copy(slots, vals)
	e.names.Set(r, slots)
	r.Pattern = rt.Pattern
	e.handler.ServeHTTP(w, r)
	if pooled {
		e.names.TryClear(r)
	}
	if ring != nil {
		ring.Return()
	}
}

// serveUnmatched responds to r. search has found rt: nil, or a route that is not
// called because of a redirect.
func (p *program) serveUnmatched(w http.ResponseWriter, r *http.Request, search *trie.Search[endpoint], rt *trie.Route[endpoint]) {
	d := p.Decide(search, r, rt)
	if d.Mount != nil {
		p.deliver(w, r, d.Mount, d.Values)
		return
	}
	z, vals := p.responsible(d)
	values.Drop(r, p.owner)
	r.Pattern = ""
	if p.view.outer != nil || len(z.chain) > 0 || z.custom(d.Outcome.Status(r.Method)) != nil {
		z.marked().Set(r, vals)
	}
	if len(z.chain) == 0 {
		z.respond(w, r, d.Outcome)
		return
	}
	wrapOnce(&z.answer, z.chain, responder{cmp.Or(p.view.mux.copyOf, p.view.mux), z.level}, "Use").ServeHTTP(w, r)
}

func mountsMux(e *endpoint) bool { return e.route.mux() != nil }

// responsible returns the zone that gives the response, and the values of its
// prefix.
func (p *program) responsible(d outcome.Decision[endpoint]) (*zone, []string) {
	if d.Fallback == nil { // or a middleware has changed the path
		return p.root, make([]string, len(p.view.prefix.Names()))
	}
	return d.Fallback.zone, d.Values
}

// A responder responds to unmatched requests behind the middleware of a level.
type responder struct {
	mux   *Mux
	level *level
}

// ServeHTTP decides on the response again, because the middleware may have changed
// the request.
func (x responder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	z, ok := values.Mark(r).(*zone)
	if !ok || z.level != x.level { // another request, or another router has served it before
		p := x.mux.root.current()
		z = cmp.Or(p.zones[x.level], p.root)
	}
	search := new(trie.Search[endpoint]) // on the stack
	var o outcome.Outcome
	if rt, found := z.program.find(search, r); !found { // else 404: the middleware of the route has not run
		o = z.program.Decide(search, r, rt).Outcome
	}
	z.respond(w, r, o)
}

// custom returns the handler for a status, or nil.
func (z *zone) custom(status int) http.Handler {
	x := z.inherited
	for v := z.program.view; v.outer != nil; v = v.outer {
		x = x.or(*v.inherited.Load())
	}
	var h http.Handler
	switch status {
	case http.StatusNotFound:
		h = x.notFound
	case http.StatusMethodNotAllowed:
		h = x.notAllowed
	}
	if m := muxIn(h); m != nil && m.target().reaches(z.program.view.mux, 0) {
		return nil // it would serve the request by z again
	}
	return h
}

// respond writes the response.
func (z *zone) respond(w http.ResponseWriter, r *http.Request, o outcome.Outcome) {
	status := o.Start(w, r)
	if h := z.custom(status); h != nil {
		h.ServeHTTP(w, r)
	} else if status == http.StatusNotFound {
		problem.Write(w, r, problem.Code(http.StatusNotFound)) // a constant does not allocate
	} else if status == http.StatusMethodNotAllowed {
		problem.Write(w, r, problem.Code(http.StatusMethodNotAllowed))
	}
}

// ServeHTTP serves r with any route of the Group's Mux, not only those of the
// Group. It allows passing a Group to code that requires an http.Handler.
func (m *Group) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.target().ServeHTTP(w, r)
}

// ServeHTTP makes a view the handler of a mount. Only deliver calls it, if the Mux has
// Pre middleware, which needs the mark.
func (v *view) ServeHTTP(w http.ResponseWriter, r *http.Request) { v.mux.ServeHTTP(w, r) }

// warnSlow logs a warning, once, if path values are slow and the build tag
// muxmaster_safe did not ask for it.
var warnSlow = sync.OnceFunc(func() {
	if !values.Direct && !values.Safe {
		slog.Warn("muxmaster: this Go release lays out http.Request in an unknown way; path values are delivered by SetPathValue, which is slower. " +
			"Update muxmaster, or build with the tag muxmaster_safe to silence this.")
	}
})
