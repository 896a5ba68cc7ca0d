package muxmaster

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This file responds to requests that no route serves: with a redirect, 404, 405
// or, for OPTIONS, 204. The response comes from the Group or mounted Mux with the
// longest matching prefix, inside its middleware, so that login middleware hides
// which routes exist and CORS middleware sees preflight requests. The middleware
// runs first; fallback.ServeHTTP then decides on the response.

// serveUnmatched calls the fallback of the scope that responds to r. search has
// found rt: nil, or a route that is not called because of a redirect.
// serveUnmatched releases search.
func (s *snapshot) serveUnmatched(w http.ResponseWriter, r *http.Request, search *routeSearch, rt *trie.Route[endpoint]) {
	clean := ""
	if !search.Clean() {
		rt, clean = s.findClean(search, r)
	}
	var o outcome
	if rt != nil { // the search stopped at rt and may have missed a fallback
		o = s.outcome(search, r, rt, clean, false)
		s.table.FindFallback(search, r.Host)
	}
	r.Pattern = ""
	values.Drop(r, s.mux.owner)
	sc, names, vals := &s.mux.scope, s.unmatched, []string(nil)
	if f, prefixVals := search.Fallback(); f != nil {
		sc = f.Payload.scope
		if f.Payload.names != nil { // middleware may read the values of the prefix
			names, vals = f.Payload.names.WithTag(s), slices.Clone(prefixVals)
		}
	}
	f := sc.fallback.Load()
	if f.handler != nil || vals != nil {
		names.Set(r, vals)
	}
	if f.handler != nil {
		release(search)
		f.handler.ServeHTTP(w, r)
		return
	}
	if rt == nil {
		o = s.outcome(search, r, rt, clean, f.redirectSlash)
	}
	release(search)
	f.writeResponse(w, r, o)
}

// findClean finds the route for the cleaned path of r, and returns that path
// escaped.
func (s *snapshot) findClean(search *routeSearch, r *http.Request) (rt *trie.Route[endpoint], clean string) {
	clean = cleanPath(r)
	search.SetPath(wirepath.Decode(clean), clean, false)
	return s.table.Find(search, r.Host), clean
}

// cleanPath returns the cleaned, escaped path of r.
func cleanPath(r *http.Request) string {
	return wirepath.Clean(wirepath.Escaped(r.URL.Path, r.URL.RawPath))
}

// A fallback responds to the unmatched requests of a scope. It is an
// http.Handler without the scope's middleware.
type fallback struct {
	mux                  *Mux
	handler              http.Handler // the fallback wrapped in middleware; nil if there is none
	redirectSlash        bool
	notFound, notAllowed http.Handler // nil for the defaults
	version              int          // useCount when the fallback was made
}

func (f *fallback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Use the snapshot that found no route, even if there is a newer one.
	s, ok := values.Tag(r, f.mux.owner).(*snapshot)
	if !ok {
		s = f.mux.current()
	}
	f.writeResponse(w, r, s.decide(r, f.redirectSlash))
}

// An outcome is the response to an unmatched request. The zero outcome is a
// 404.
type outcome struct {
	location string // redirect target
	pattern  string // pattern of the route at location
	allow    string // Allow header: the methods that have a route for the path
}

// decide returns the outcome for r.
func (s *snapshot) decide(r *http.Request, redirectSlash bool) outcome {
	search := s.newSearch()
	defer release(search)
	rt, clean := s.find(search, r), ""
	if !search.Clean() {
		rt, clean = s.findClean(search, r)
	}
	return s.outcome(search, r, rt, clean, redirectSlash)
}

// outcome returns the outcome for r. search has found rt for the path of r or, if
// that path is not clean, for the cleaned path clean.
func (s *snapshot) outcome(search *routeSearch, r *http.Request, rt *trie.Route[endpoint], clean string, redirectSlash bool) outcome {
	if !search.Rooted() {
		return outcome{}
	}
	path := func() string {
		if clean != "" {
			return clean
		}
		return cleanPath(r) // CONNECT paths are not cleaned before matching
	}
	if target := search.Slash(); target != nil && (search.Redirects(rt) || rt == nil && redirectSlash && target.Flags&trie.Verb != 0) {
		return outcome{location: wirepath.WithQuery(path()+"/", r.URL.RawQuery), pattern: target.Pattern}
	}
	if rt == nil && redirectSlash {
		if target := s.findShort(search, r); target != nil {
			return outcome{location: wirepath.WithQuery(strings.TrimSuffix(path(), "/"), r.URL.RawQuery), pattern: target.Pattern}
		}
	}
	if clean != "" {
		o := outcome{location: wirepath.WithQuery(clean, r.URL.RawQuery)}
		if rt != nil {
			o.pattern = rt.Pattern
		}
		return o
	}
	if rt != nil {
		return outcome{} // middleware of Use changed the path or the method
	}
	return outcome{allow: s.table.Allow(search)}
}

// findShort returns the route of a verb method for the path of search without its
// trailing slash, or nil.
func (s *snapshot) findShort(search *routeSearch, r *http.Request) *trie.Route[endpoint] {
	short := s.newSearch()
	defer release(short)
	if !short.TrimSlash(search) {
		return nil
	}
	rt := s.table.Find(short, r.Host)
	if rt == nil || rt.Flags&trie.Verb == 0 {
		return nil
	}
	return rt
}

// writeResponse writes the response.
func (f *fallback) writeResponse(w http.ResponseWriter, r *http.Request, o outcome) {
	switch {
	case o.location != "":
		r.Pattern = o.pattern
		redirect(w, r, o.location)
	case o.allow == "" && f.notFound != nil:
		f.notFound.ServeHTTP(w, r)
	case o.allow == "":
		problem.Write(w, r, problem.Code(http.StatusNotFound))
	case r.Method == http.MethodOptions:
		w.Header()["Allow"] = []string{o.allow}
		w.WriteHeader(http.StatusNoContent)
	case f.notAllowed != nil:
		w.Header()["Allow"] = []string{o.allow}
		f.notAllowed.ServeHTTP(w, r)
	default:
		w.Header()["Allow"] = []string{o.allow}
		problem.Write(w, r, problem.Code(http.StatusMethodNotAllowed))
	}
}

// redirect is http.Redirect for a location that is already a clean, escaped
// path. http.Redirect would parse and escape it again.
func redirect(w http.ResponseWriter, r *http.Request, location string) {
	h := w.Header()
	_, hasType := h["Content-Type"]
	h["Location"] = []string{location}
	if !hasType && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h["Content-Type"] = []string{"text/html; charset=utf-8"}
	}
	w.WriteHeader(http.StatusTemporaryRedirect)
	if !hasType && r.Method == http.MethodGet {
		fmt.Fprintf(w, "<a href=\"%s\">Temporary Redirect</a>.\n\n", htmlEscaper.Replace(location))
	}
}

// htmlEscaper escapes as html.EscapeString does. Package html would bring its
// table of entities along.
var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// makeFallback sets the fallback of s. Each handler is that of the innermost
// Group or Mux around s that sets the field.
func (s *scope) makeFallback() {
	f := &fallback{mux: s.mux, redirectSlash: s.redirectSlash(), version: s.useCount()}
	h := http.Handler(f)
	for outer := s; outer != nil; outer = outer.parent {
		if g := outer.group; g != nil {
			f.inherit(g.NotFound, g.MethodNotAllowed)
		} else {
			set := outer.settings.readSettings()
			f.inherit(set.notFound, set.notAllowed)
		}
		pre, use, _ := outer.middleware()
		h = wrapAll("Pre", pre, wrapAll("Use", use, h))
	}
	if f.version > 0 {
		f.handler = h
	}
	s.fallback.Store(f)
}

// fresh reports whether makeFallback has run since middleware was last added.
func (s *scope) fresh() bool {
	f := s.fallback.Load()
	return f != nil && f.version == s.useCount()
}

// useCount counts the middleware around s.
func (s *scope) useCount() (n int) {
	for ; s != nil; s = s.parent {
		pre, use, _ := s.middleware()
		n += len(pre) + len(use)
	}
	return n
}

// inherit sets the handlers that f does not have yet, unless they are nil.
func (f *fallback) inherit(notFound, notAllowed http.Handler) {
	f.refuseLoop("NotFound", notFound)
	f.refuseLoop("MethodNotAllowed", notAllowed)
	if f.notFound == nil && !isNil(notFound) {
		f.notFound = notFound
	}
	if f.notAllowed == nil && !isNil(notAllowed) {
		f.notAllowed = notAllowed
	}
}

// refuseLoop panics if h, the value of a field, is the Mux that f responds for.
// That Mux would call h, and thus itself, until the stack overflows, which no
// recover can stop.
func (f *fallback) refuseLoop(field string, h http.Handler) {
	if g, ok := h.(*Group); ok && g != nil {
		h = g.mux
	}
	if m, ok := h.(*Mux); ok && m == f.mux {
		panic("muxmaster: " + field + " is the Mux itself, which would call it forever; set it to another handler")
	}
}

// wrapAll wraps h in middleware, the first one outermost.
func wrapAll(method string, mws []func(http.Handler) http.Handler, h http.Handler) http.Handler {
	for _, mw := range slices.Backward(mws) {
		if h = mw(h); isNil(h) {
			panic(fmt.Sprintf("muxmaster: %s: the middleware %s returned nil", method, funcName(mw)))
		}
	}
	return h
}

// Handler returns the handler that would serve r and the pattern of its route,
// as [http.ServeMux.Handler] does. If r would be redirected, pattern is that of
// the route at the redirect target. If no route matches, pattern is "" and h
// writes the 404, 405 or OPTIONS response. Handler does not modify r, so
// calling h with r does not set path values.
func (m *Mux) Handler(r *http.Request) (h http.Handler, pattern string) {
	s := m.peek()
	search := s.newSearch()
	defer release(search)
	rt := s.find(search, r)
	if rt != nil && !search.Redirects(rt) {
		return rt.Payload.handler, rt.Pattern
	}
	sc := s.scopeOf(r)
	h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.current()
		f := sc.fallback.Load()
		if f.handler != nil {
			f.handler.ServeHTTP(w, r)
		} else {
			f.ServeHTTP(w, r)
		}
	})
	return h, s.decide(r, sc.redirectSlash()).pattern
}

// scopeOf returns the scope that responds to r if no route does.
func (s *snapshot) scopeOf(r *http.Request) *scope {
	search := s.newSearch()
	defer release(search)
	s.find(search, r)
	if !search.Clean() {
		s.findClean(search, r)
	}
	s.table.FindFallback(search, r.Host)
	if f, _ := search.Fallback(); f != nil {
		return f.Payload.scope
	}
	return &s.mux.scope
}

// redirectSlash returns RedirectTrailingSlash of the Mux whose fields apply to
// s.
func (s *scope) redirectSlash() bool { return s.settings.readSettings().redirectSlash }
