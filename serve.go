package muxmaster

import (
	"net/http"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file serves requests:
//
//	ServeHTTP     routes without parameters
//	serveParams   routes with parameters: match, take the values, call the handler
//	serveLong     the same for long paths and many values
//	serveGeneric  everything else: hosts, escaped paths, paths that the fast match leaves to it
//	deliver       copies the values and calls the handler
//
// Unmatched requests continue in unmatched.go. serveGeneric alone would serve
// every request correctly; the functions above it are faster for common
// requests.

// ServeHTTP calls the handler of the route that matches r.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s, u := m.fast.Load(), r.URL
	if s == nil || u.RawPath != "" {
		m.current().serveSlow(w, r)
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
				rt.Payload.call(w, r, nil)
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
	s.serveParams(w, r, path, method)
}

// call calls the handler. The slots hold the values, as Names.Set gets them.
func (e *endpoint) call(w http.ResponseWriter, r *http.Request, slots []string) {
	if h, ok := e.handler.(fastHandler); ok {
		h(w, r, values.Pairs[Param](slots))
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
	} else {
		s.serveParams(w, r, path, method)
	}
}

// serveParams serves a request with the fast match. It collects the values in a
// Buffer, where they stay while the handler uses them.
func (s *snapshot) serveParams(w http.ResponseWriter, r *http.Request, path string, method trie.Method) {
	if len(path)|len(r.RequestURI) >= s.long {
		s.serveLong(w, r, path, method)
		return
	}
	buf := values.Borrow(s.buffer)
	var found trie.Values
	found.Vals, found.N = buf.Slots(s.slots)
	from := found.N
	rt := s.base.MatchFast(path, &found, method)
	if rt == nil {
		buf.Return()
		s.serveGeneric(w, r)
		return
	}
	e := &rt.Payload
	if e.mode&^fastRoute != s.inPlace {
		s.serveCopy(w, r, rt, found.Vals[from:found.N], buf)
		return
	}
	to := found.N
	if e.mode&fastRoute != 0 {
		to = e.addKeys(found.Vals, from, to)
	}
	vals := found.Vals[from:to:to]
	buf.Take(to)
	pooled := e.mode&unpooled == 0 // then buf is a Ring
	if !pooled {
		buf.Return()
	}
	if !e.names.TrySet(r, rt.Pattern, vals) {
		e.names.Set(r, vals)
		r.Pattern = rt.Pattern
	}
	if f, ok := e.handler.(http.HandlerFunc); ok {
		f(w, r)
	} else if f, ok := e.handler.(fastHandler); ok {
		f(w, r, values.Pairs[Param](vals))
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
func (s *snapshot) serveCopy(w http.ResponseWriter, r *http.Request, rt *trie.Route[endpoint], vals []string, buf *values.Buffer) {
	if len(vals) == 0 {
		buf.Return()
		s.deliver(w, r, rt, nil)
	} else {
		s.deliver(w, r, rt, vals)
		buf.Return()
	}
}

// serveLong is serveParams for long requests, and for a Mux that has a route
// with too many values for a Chunk.
func (s *snapshot) serveLong(w http.ResponseWriter, r *http.Request, path string, method trie.Method) {
	var buf [stackValues]string // serveGeneric serves routes with more
	found := trie.Values{Vals: buf[:]}
	if rt := s.base.MatchFast(path, &found, method); rt != nil {
		s.deliver(w, r, rt, found.Vals[:found.N])
	} else {
		s.serveGeneric(w, r)
	}
}

// addKeys inserts the name of each value before it. The values are
// slots[from:to]. It returns the new end.
//
//go:noinline
func (e *endpoint) addKeys(slots []string, from, to int) int {
	n := to - from
	slots = slots[from : to+n]
	for i := n - 1; i >= 0; i-- {
		slots[2*i+1] = slots[i]
		slots[2*i] = e.names.Key(i)
	}
	return to + n
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
	if e.names == nil {
		values.Drop(r, s.mux.owner)
		r.Pattern = rt.Pattern
		e.call(w, r, nil)
		return
	}
	pooled := e.mode&unpooled == 0
	n := e.slots(len(vals))
	var slots []string
	var ring *values.Buffer
	switch {
	case !values.Direct || len(r.URL.Path)|len(r.RequestURI) >= values.Long || !pooled && n > values.MaxChunk:
		slots = make([]string, n)
	case pooled:
		ring = values.Borrow(values.Ring)
		slots = ring.Carve(n)
	default:
		slots = values.Carve(n)
	}
	copy(slots, vals)
	if e.mode&fastRoute != 0 {
		e.addKeys(slots, 0, len(vals))
	}
	e.names.Set(r, slots)
	r.Pattern = rt.Pattern
	e.call(w, r, slots)
	if pooled && values.Direct { // otherwise the values are in a map that belongs to r
		e.names.Clear(r)
	}
	if ring != nil {
		ring.Return()
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
