package muxmaster

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/outcome"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This file serves requests:
//
//	ServeHTTP       routes without parameters
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
// responder behind the middleware as a hidden path value of the request.

// ServeHTTP calls the handler of the route that matches r.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, u := m.program.Load(), r.URL
	if p == nil || len(u.RawPath)|int(p.slow) != 0 {
		m.current().serveSlow(w, r)
		return
	}
	method := trie.GET
	if r.Method != http.MethodGet {
		if method = p.table.MethodOf(r.Method); method.Custom() {
			p.serveGeneric(w, r)
			return
		}
	}
	if p.table.Base.MayBeStatic(u.Path) {
		rt, all := p.table.Base.FindStatic(u.Path)
		if rt != nil && rt.Method != method {
			rt = p.table.Base.Pick(all, method)
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
			runtime.KeepAlive(p) // for Lookup, if p is replaced meanwhile
			return
		}
	}
	p.serveParams(w, r, method)
}

// serveSlow serves requests that cannot use the fast path of ServeHTTP.
func (p *program) serveSlow(w http.ResponseWriter, r *http.Request) {
	if p.entry != nil {
		r.Pattern = "" // Lookup would take another router's pattern for one of this Mux
		p.entry.handler.ServeHTTP(w, r)
	} else {
		p.serveGeneric(w, r)
	}
}

// serve serves a request after the Pre middleware.
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
	p.serveParams(w, r, method)
}

// serveParams serves a request with the fast match. It collects the values in a
// Buffer, where they stay while the handler uses them.
func (p *program) serveParams(w http.ResponseWriter, r *http.Request, method trie.Method) {
	path := r.URL.Path
	if len(path)|len(r.RequestURI) >= int(p.long) {
		p.serveLong(w, r, path, method)
		return
	}
	buf := values.Borrow(p.buffer)
	var found trie.Values
	found.Vals, found.N = buf.Slots(p.table.MaxValues)
	from := found.N
	rt := p.table.Base.MatchFast(path, &found, method)
	if rt == nil {
		buf.Return()
		p.serveGeneric(w, r)
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
	runtime.KeepAlive(p)
	if pooled {
		e.names.TryClear(r)
		buf.Return()
	}
}

// serveCopy continues serveParams for a route whose values can't stay in buf,
// and for one without values.
func (p *program) serveCopy(w http.ResponseWriter, r *http.Request, rt *trie.Route[endpoint], vals []string, buf *values.Buffer) {
	if len(vals) == 0 {
		buf.Return()
		p.deliver(w, r, rt, nil)
	} else {
		p.deliver(w, r, rt, vals)
		buf.Return()
	}
}

// serveLong is serveParams for long requests, or too many values for a Chunk.
func (p *program) serveLong(w http.ResponseWriter, r *http.Request, path string, method trie.Method) {
	var buf [values.MaxChunk]string // serveGeneric serves routes with more
	found := trie.Values{Vals: buf[:]}
	if rt := p.table.Base.MatchFast(path, &found, method); rt != nil {
		p.deliver(w, r, rt, found.Vals[:found.N])
	} else {
		p.serveGeneric(w, r)
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
	if search.Rooted() {
		rt = p.table.Find(search, r.Host)
	}
	return rt, rt != nil && !search.Redirects(rt)
}

// deliver stores a copy of vals in r and calls the handler of rt.
func (p *program) deliver(w http.ResponseWriter, r *http.Request, rt *trie.Route[endpoint], vals []string) {
	e := &rt.Payload
	if e.names == nil {
		values.Drop(r, p.owner)
		r.Pattern = rt.Pattern
		e.handler.ServeHTTP(w, r)
		runtime.KeepAlive(p)
		return
	}
	var slots []string
	var ring *values.Buffer
	pooled := rt.Flags&unpooled == 0 && values.Direct // otherwise the values are in a map that belongs to r
	switch n := len(vals); {
	case !values.Direct || len(r.URL.Path)|len(r.RequestURI) >= values.Long || !pooled && n > values.MaxChunk:
		slots = make([]string, n)
	case pooled:
		ring = values.Borrow(values.Ring)
		slots = ring.Carve(n)
	default:
		slots = values.Carve(n)
	}
	copy(slots, vals)
	e.names.Set(r, slots)
	r.Pattern = rt.Pattern
	e.handler.ServeHTTP(w, r)
	runtime.KeepAlive(p)
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
	d := p.decide(search, r, rt)
	z := p.zones[d.Fallback.zone]
	if d.Fallback.names == nil { // nobody reads values
		values.Drop(r, p.owner)
		r.Pattern = ""
		z.respond(w, r, d.Outcome)
		return
	}
	// Without a limit, two Muxes that are each other's NotFound would overflow the
	// stack, which no recover can stop. A request that is served again after the
	// response, as in a benchmark, gets there, too, but with a small stack.
	depth := outcome.Depth(r.PathValue(outcomeName)) + 1
	if depth > outcome.MaxDepth {
		if runtime.Callers(outcome.MaxDepth, make([]uintptr, 1)) > 0 {
			problem.Write(w, r, fmt.Errorf("muxmaster: more than %d Muxes have called each other as NotFound or MethodNotAllowed", outcome.MaxDepth))
			return
		}
		depth = 1
	}
	vals := outcome.NotFound(depth)
	if d.Values != nil || d.Outcome != (outcome.Outcome{}) {
		vals = append(d.Values, d.Encode(depth))
	}
	values.Drop(r, p.owner)
	d.Fallback.names.Set(r, vals)
	r.Pattern = ""
	if d.Fallback.handler != nil {
		d.Fallback.handler.ServeHTTP(w, r)
	} else {
		z.respond(w, r, d.Outcome)
	}
}

// decide returns the response to r, and who gives it.
func (p *program) decide(search *trie.Search[endpoint], r *http.Request, rt *trie.Route[endpoint]) outcome.Decision[endpoint] {
	x := outcome.Decider[endpoint]{Table: &p.table, Folded: p.folded, Root: p.root}
	return x.Decide(search, r, rt, func(fallback *endpoint) (slash, recase bool) {
		z := p.zones[fallback.zone]
		return z.redirectSlash, z.redirectCase
	})
}

// ServeHTTP serves a request behind the middleware.
func (f *responder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.pre != nil {
		f.pre.current().serve(w, r)
		return
	}
	f.zone.Load().respond(w, r, outcome.Decode(r.PathValue(outcomeName), r.Method))
}

// respond writes the response.
func (z *zone) respond(w http.ResponseWriter, r *http.Request, o outcome.Outcome) {
	var custom http.Handler
	var err error // of constants, which do not allocate
	switch o.Start(w, r) {
	case http.StatusNotFound:
		custom, err = z.notFound, problem.Code(http.StatusNotFound)
	case http.StatusMethodNotAllowed:
		custom, err = z.notAllowed, problem.Code(http.StatusMethodNotAllowed)
	default:
		return
	}
	if custom != nil {
		custom.ServeHTTP(w, r)
	} else {
		problem.Write(w, r, err)
	}
}

// ServeHTTP serves r with any route of the Group's Mux, not only those of the
// Group. It allows passing a Group to code that requires an http.Handler.
func (m *Group) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.live().ServeHTTP(w, r)
}

// current returns the program that serves requests, and compiles it if
// necessary.
func (m *Mux) current() *program {
	if p := m.program.Load(); p != nil {
		return p
	}
	m = m.live()
	if !m.building.Lock() {
		panic(errInMiddleware.Error())
	}
	defer m.building.Unlock()
	warnSlow()
	if p := m.program.Load(); p != nil {
		return p
	}
	m.building.Claim()
	c := m.collect(true)
	must(c.compile())
	defer m.lock().Unlock()
	c.publish()
	return c.program
}

// warnSlow logs a warning, once, if path values are slow and the build tag
// muxmaster_safe did not ask for it.
var warnSlow = sync.OnceFunc(func() {
	if !values.Direct && !values.Safe {
		slog.Warn("muxmaster: this Go release lays out http.Request in an unknown way; path values are delivered by SetPathValue, which is slower. " +
			"Update muxmaster, or build with the tag muxmaster_safe to silence this.")
	}
})
