package muxmaster

import (
	"net/http"
	"slices"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file serves requests:
//
//	ServeHTTP     routes without parameters
//	serveParams   routes with parameters: match, store the values, call the handler
//	serveRing     the same for pooled values
//	serveGeneric  everything else: hosts, escaped paths, paths that the fast match leaves to it
//	deliver       stores the values and calls the handler for serveGeneric
//
// Unmatched requests continue in unmatched.go. serveGeneric alone would serve
// every request correctly; the functions above it are faster for common
// requests.

// ServeHTTP calls the handler of the route that matches r.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := m.snapshot.Load()
	if s == nil {
		s = m.build()
	}
	u := r.URL
	if s.slow || u.RawPath != "" {
		s.serveSlow(w, r)
		return
	}
	path := u.Path
	if s.base.MayBeStatic(path) {
		if rt := s.base.FindStatic(path); rt != nil {
			if r.Method != http.MethodGet || !rt.Accepts(trie.GET) {
				if rt = s.table.PickStatic(rt, r.Method); rt == nil {
					s.serveGeneric(w, r)
					return
				}
			}
			r.Pattern = rt.Pattern
			if values.Has(r) {
				values.Drop(r, s.mux.owner)
			}
			// Most handlers are functions. Calling them directly saves a call.
			if f, ok := rt.Payload.handler.(http.HandlerFunc); ok {
				f(w, r)
			} else {
				rt.Payload.call(w, r)
			}
			return
		}
	}
	method := trie.GET
	if r.Method != http.MethodGet {
		if method = s.table.Method(r.Method); method.Custom() {
			s.serveGeneric(w, r)
			return
		}
	}
	if s.fewValues {
		s.serveParams(w, r, path, method)
	} else {
		s.serveRing(w, r, path, method)
	}
}

// call calls the handler of a route without values.
func (e *endpoint) call(w http.ResponseWriter, r *http.Request) {
	if h, ok := e.handler.(fastHandler); ok {
		h(w, r, nil)
	} else {
		e.handler.ServeHTTP(w, r)
	}
}

// serveSlow serves requests that cannot use the fast path of ServeHTTP.
func (s *snapshot) serveSlow(w http.ResponseWriter, r *http.Request) {
	if s.entry != nil {
		s.entry.ServeHTTP(w, r)
	} else {
		s.serveGeneric(w, r)
	}
}

// serve serves a request after the Pre middleware.
func (s *snapshot) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	method := s.table.Method(r.Method)
	if s.alwaysSlow || method.Custom() || r.URL.RawPath != "" {
		s.serveGeneric(w, r)
	} else if rt := s.table.Static(path, r.Method); rt != nil {
		s.deliver(w, r, rt, nil)
	} else if s.fewValues {
		s.serveParams(w, r, path, method)
	} else {
		s.serveRing(w, r, path, method)
	}
}

// serveParams serves a request with the fast match. It stores the values in
// memory that is never reused.
func (s *snapshot) serveParams(w http.ResponseWriter, r *http.Request, path string, method trie.Method) {
	var buf [stackValues]string
	found := trie.Values{Vals: buf[:]}
	rt := s.base.MatchFast(path, &found, method)
	if rt == nil {
		s.serveGeneric(w, r)
		return
	}
	e := &rt.Payload
	if e.mode&^unpooled != hasNames {
		s.deliver(w, r, rt, found.Vals[:found.N])
		return
	}
	vals := store(found.Vals[:found.N], path, r.RequestURI)
	if !e.names.TrySet(r, rt.Pattern, vals) {
		e.names.Set(r, vals)
		r.Pattern = rt.Pattern
	}
	if f, ok := e.handler.(http.HandlerFunc); ok {
		f(w, r)
	} else {
		e.handler.ServeHTTP(w, r)
	}
}

// serveMany is serveParams for a Mux that has a route with more values.
func (s *snapshot) serveMany(w http.ResponseWriter, r *http.Request, path string, method trie.Method) {
	var buf [4 * stackValues]string // serveGeneric serves routes with more
	found := trie.Values{Vals: buf[:]}
	if rt := s.base.MatchFast(path, &found, method); rt != nil {
		s.deliver(w, r, rt, found.Vals[:found.N])
	} else {
		s.serveGeneric(w, r)
	}
}

// serveRing is serveParams for a Mux that pools values. It collects the values in
// a Ring; pooled routes use them there.
func (s *snapshot) serveRing(w http.ResponseWriter, r *http.Request, path string, method trie.Method) {
	if s.pooled == 0 {
		s.serveMany(w, r, path, method)
		return
	}
	ring := values.BorrowRing()
	found := trie.Values{Vals: ring.Slots(s.ringSlots)}
	rt := s.base.MatchFast(path, &found, method)
	if rt == nil {
		values.ReturnRing(ring)
		s.serveGeneric(w, r)
		return
	}
	e := &rt.Payload
	vals := found.Vals[:found.N]
	switch {
	case s.pooled>>e.mode&1 == 0 || values.Long(path, r.RequestURI):
		s.deliver(w, r, rt, vals)
	case e.mode&fastRoute != 0:
		slots := ring.Slots(2 * len(vals))
		ps := Params(values.Pairs[Param](slots))
		e.fill(ps, vals)
		if !e.names.TrySet(r, rt.Pattern, slots) {
			e.names.Set(r, slots)
			r.Pattern = rt.Pattern
		}
		e.handler.(fastHandler)(w, r, ps)
		e.names.TryClear(r)
	default:
		if !e.names.TrySet(r, rt.Pattern, vals) {
			e.names.Set(r, vals)
			r.Pattern = rt.Pattern
		}
		if f, ok := e.handler.(http.HandlerFunc); ok {
			f(w, r)
		} else {
			e.handler.ServeHTTP(w, r)
		}
		e.names.TryClear(r)
	}
	values.ReturnRing(ring)
}

// store returns a copy of vals that handlers can retain.
func store(vals []string, path, requestURI string) []string {
	var kept []string
	if values.Long(path, requestURI) {
		kept = make([]string, len(vals))
	} else {
		kept = values.Carve(len(vals))
	}
	//lint:ignore S1001 for a few values, faster than copy
	for i := range vals {
		kept[i] = vals[i]
	}
	return kept
}

// fill sets ps to the names and values.
func (e *endpoint) fill(ps Params, vals []string) {
	for i := range ps {
		ps[i] = Param{e.names.Key(i), vals[i]}
	}
}

// A routeSearch holds the state of finding the route for one request.
type routeSearch = trie.Search[endpoint]

var searches = sync.Pool{New: func() any { return new(routeSearch) }}

// newSearch returns a search that can hold the values of any route.
func (s *snapshot) newSearch() *routeSearch {
	search := searches.Get().(*routeSearch)
	search.Fit(s.table)
	return search
}

func release(search *routeSearch) {
	search.Clear()
	searches.Put(search)
}

// serveGeneric serves any request.
func (s *snapshot) serveGeneric(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI == "*" {
		// As http.ServeMux does. http.Server itself responds to OPTIONS *.
		if r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	search := s.newSearch()
	rt := s.find(search, r)
	if rt == nil || search.Redirects(rt) {
		s.serveUnmatched(w, r, search, rt)
		return
	}
	s.deliver(w, r, rt, search.Vals[:search.N])
	release(search)
}

// deliver stores a copy of vals in r and calls the handler of rt.
func (s *snapshot) deliver(w http.ResponseWriter, r *http.Request, rt *trie.Route[endpoint], vals []string) {
	e := &rt.Payload
	n := len(vals)
	if e.mode&fastRoute != 0 {
		n *= 2
	}
	var ring *values.Ring
	var slots []string
	pooled := s.pooled>>e.mode&1 != 0
	switch {
	case n == 0:
	case !values.Direct: // Set copies them
		slots = slices.Clone(vals)
	case values.Long(r.URL.Path, r.RequestURI):
		slots = make([]string, n)
	case pooled:
		ring = values.BorrowRing()
		slots = ring.Slots(n)
	default:
		slots = values.Carve(n)
	}
	var ps Params
	switch {
	case e.names == nil:
		values.Drop(r, s.mux.owner)
	case e.mode&fastRoute == 0:
		copy(slots, vals)
		e.names.Set(r, slots)
	default:
		if values.Direct {
			ps = values.Pairs[Param](slots) // shares the storage
		} else {
			ps = make(Params, len(vals))
		}
		e.fill(ps, vals)
		e.names.Set(r, slots)
	}
	r.Pattern = rt.Pattern
	if h, ok := e.handler.(fastHandler); ok {
		h(w, r, ps)
	} else {
		e.handler.ServeHTTP(w, r)
	}
	if pooled && values.Direct { // otherwise the values are in a map that belongs to r
		e.names.Clear(r)
	}
	if ring != nil {
		values.ReturnRing(ring)
	}
}

// find returns the route for r. It returns nil if there is none or if the path
// must be cleaned first.
func (s *snapshot) find(search *routeSearch, r *http.Request) *trie.Route[endpoint] {
	search.SetPath(r.URL.Path, r.URL.RawPath, r.Method == http.MethodConnect)
	search.Method = s.table.Method(r.Method)
	if !search.Rooted() {
		return nil
	}
	return s.table.Find(search, r.Host)
}
