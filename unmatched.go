package muxmaster

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This file responds to requests that no route serves: with a redirect, 404, 405
// or, for OPTIONS, 204. The response comes from the Group or mounted Mux with the
// longest matching prefix, inside its middleware, so that login middleware hides
// which routes exist and CORS middleware sees preflight requests. The response is
// decided first, and reaches the responder behind the middleware as a hidden path
// value of the request.

// serveUnmatched responds to r. search has found rt: nil, or a route that is not
// called because of a redirect. serveUnmatched releases search.
func (p *program) serveUnmatched(w http.ResponseWriter, r *http.Request, search *routeSearch, rt *trie.Route[endpoint]) {
	e, vals, o := p.decide(search, r, rt)
	release(search)
	z := p.zones[e.zone]
	if e.handler == nil && z.notFound == nil && z.notAllowed == nil { // nobody reads values
		values.Drop(r, p.mux.owner)
		r.Pattern = ""
		z.respond(w, r, o)
		return
	}
	depth := depthOf(r.PathValue(outcomeName)) + 1
	if depth > maxDepth {
		problem.Write(w, r, fmt.Errorf("muxmaster: more than %d Muxes have called each other as NotFound or MethodNotAllowed", maxDepth))
		return
	}
	if vals == nil && o == (outcome{}) {
		vals = notFounds[depth : depth+1 : depth+1]
	} else {
		vals = append(vals, o.encode(depth))
	}
	values.Drop(r, p.mux.owner)
	e.names.Set(r, vals)
	r.Pattern = ""
	if e.handler != nil {
		e.handler.ServeHTTP(w, r)
	} else {
		z.respond(w, r, o)
	}
}

// decide returns the fallback that responds to r, the values of its prefix, and
// the response. search has found rt. A redirect to another case comes from the
// fallback there, so that its middleware hides which routes exist.
func (p *program) decide(search *routeSearch, r *http.Request, rt *trie.Route[endpoint]) (e *endpoint, vals []string, o outcome) {
	clean := ""
	if !search.Clean() {
		clean = wirepath.Clean(wirepath.Escaped(r.URL.Path, r.URL.RawPath))
		search.SetPath(wirepath.Decode(clean), clean, false)
		rt = p.table.Find(search, r.Host)
	}
	e, vals, o = p.decideAt(search, r, rt, clean)
	if !p.zones[e.zone].redirects.letters || rt != nil || o.pattern != "" || !search.Rooted() || r.Method == http.MethodConnect {
		return e, vals, o
	}
	if clean == "" {
		clean = wirepath.Clean(wirepath.Escaped(r.URL.Path, r.URL.RawPath))
	}
	if path, ok := p.folded.Recase(clean, r.Host, r.Method); ok {
		search.SetPath(wirepath.Decode(path), path, false)
		if there, thereVals, to := p.decideAt(search, r, p.table.Find(search, r.Host), path); to.pattern != "" {
			return there, thereVals, to
		}
	}
	return e, vals, o
}

// decideAt is decide for the path of search: that of r or, if clean is not empty,
// clean.
func (p *program) decideAt(search *routeSearch, r *http.Request, rt *trie.Route[endpoint], clean string) (e *endpoint, vals []string, o outcome) {
	if rt != nil { // the search stopped at rt and may have missed a fallback
		o = p.outcome(search, r, rt, clean, false)
		p.table.FindFallback(search, r.Host)
	}
	e = &p.root
	if f, prefixVals := search.Fallback(); f != nil {
		e, vals = &f.Payload, slices.Clone(prefixVals)
	}
	if rt == nil {
		o = p.outcome(search, r, nil, clean, p.zones[e.zone].redirects.slash)
	}
	return e, vals, o
}

// An outcome is the response to an unmatched request. The zero outcome is a
// 404.
type outcome struct {
	location string // redirect target
	pattern  string // pattern of the route at location
	allow    string // Allow header: the methods that have a route for the path
}

// outcome returns the outcome for r. search has found rt for the path of r or, if
// that path is not clean, for the cleaned path clean.
func (p *program) outcome(search *routeSearch, r *http.Request, rt *trie.Route[endpoint], clean string, redirectSlash bool) outcome {
	if !search.Rooted() {
		return outcome{}
	}
	path := func() string {
		if clean != "" {
			return clean
		}
		return wirepath.Clean(wirepath.Escaped(r.URL.Path, r.URL.RawPath)) // CONNECT paths are not cleaned before matching
	}
	if target := search.Slash(); target != nil && (search.Redirects(rt) || rt == nil && redirectSlash && target.Flags&trie.Verb != 0) {
		return outcome{location: wirepath.WithQuery(path()+"/", r.URL.RawQuery), pattern: target.Pattern}
	}
	if rt == nil && redirectSlash {
		if target := p.findShort(search, r); target != nil {
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
	return outcome{allow: p.table.Allow(search)}
}

// findShort returns the route of a verb method for the path of search without its
// trailing slash, or nil.
func (p *program) findShort(search *routeSearch, r *http.Request) *trie.Route[endpoint] {
	if !search.HasSlash() {
		return nil
	}
	short := p.newSearch()
	defer release(short)
	short.TrimSlash(search)
	rt := p.table.Find(short, r.Host)
	if rt == nil || rt.Flags&trie.Verb == 0 {
		return nil
	}
	return rt
}

// outcomeName is the name of the hidden path value that carries an outcome
// through middleware. Copies of the request have it too.
const outcomeName = values.Hidden + "outcome"

// maxDepth is the maximum number of Muxes that may call each other as NotFound
// or MethodNotAllowed, for one request. Without a limit, two Muxes that are each
// other's NotFound would overflow the stack, which no recover can stop.
const maxDepth = 250

// notFounds holds the encoded 404, by depth.
var notFounds = func() (list [maxDepth + 1]string) {
	for depth := range list {
		list[depth] = string([]byte{byte(depth)})
	}
	return list
}()

// encode returns a text that decodeOutcome decodes. It begins with the depth:
// the number of unmatched requests within each other.
func (o outcome) encode(depth int) string {
	switch head := notFounds[depth]; {
	case o.location != "":
		return head + "L" + o.location + "\x00" + o.pattern
	case o.allow != "":
		return head + "A" + o.allow
	default:
		return head
	}
}

func depthOf(text string) int {
	if text == "" {
		return 0
	}
	return int(text[0])
}

func decodeOutcome(text string) (o outcome) {
	switch {
	case len(text) < 2:
	case text[1] == 'L':
		o.location, o.pattern, _ = strings.Cut(text[2:], "\x00")
	default:
		o.allow = text[2:]
	}
	return o
}

// ServeHTTP responds to a request behind the middleware of its zone.
func (f *responder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o := decodeOutcome(r.PathValue(outcomeName))
	if r.Method != http.MethodOptions && slices.Contains(strings.Split(o.allow, ", "), r.Method) {
		o = outcome{} // middleware of Use changed the method
	}
	f.zone.Load().respond(w, r, o)
}

// respond writes the response.
func (z *zone) respond(w http.ResponseWriter, r *http.Request, o outcome) {
	switch {
	case o.location != "":
		r.Pattern = o.pattern
		redirect(w, r, o.location)
	case o.allow == "" && z.notFound != nil:
		z.notFound.ServeHTTP(w, r)
	case o.allow == "":
		problem.Write(w, r, problem.Code(http.StatusNotFound))
	case r.Method == http.MethodOptions:
		w.Header()["Allow"] = []string{o.allow}
		w.WriteHeader(http.StatusNoContent)
	case z.notAllowed != nil:
		w.Header()["Allow"] = []string{o.allow}
		z.notAllowed.ServeHTTP(w, r)
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

// Handler returns the handler that would serve r and the pattern of its route,
// as [http.ServeMux.Handler] does. If r would be redirected, pattern is that of
// the route at the redirect target. If no route matches, pattern is "" and h
// writes the 404, 405 or OPTIONS response. Handler does not modify r, so
// calling h with r does not set path values.
func (m *Mux) Handler(r *http.Request) (h http.Handler, pattern string) {
	p := m.peek()
	search := p.newSearch()
	defer release(search)
	rt := p.find(search, r)
	if rt != nil && !search.Redirects(rt) {
		return rt.Payload.handler, rt.Pattern
	}
	_, _, o := p.decide(search, r, rt)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.current().serveGeneric(w, r) }), o.pattern
}

// A responder responds to the unmatched requests of a level, inside its
// middleware. It is the same in all programs of a Mux, so that the middleware
// functions are called once.
type responder struct {
	handler http.Handler // the responder in its middleware
	stamp   uint32       // of the zone when the handler was made
	zone    atomic.Pointer[zone]
}

// answer sets the responder of z and returns it in the middleware of z and of the
// zones around it. The caller holds m.chaining.
func (m *Mux) answer(z *zone) (http.Handler, error) {
	f := m.responders[z.level]
	if f == nil {
		if m.responders == nil {
			m.responders = map[*level]*responder{}
		}
		f = new(responder)
		m.responders[z.level] = f
	}
	z.answers = f
	if f.handler != nil && f.stamp == z.stamp {
		return f.handler, nil
	}
	var err error
	stamp, h := z.stamp, http.Handler(f)
	for ; z != nil && err == nil; z = z.outer {
		if h, err = wrapAll(z.use, h, true); err == nil && z.outer != nil {
			h, err = wrapAll(z.pre, h, false)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("muxmaster: Use: %w", err)
	}
	f.handler, f.stamp = h, stamp
	return h, nil
}

// entryOf returns the router in Pre middleware, or nil if there is none. The
// caller holds m.chaining.
func (m *Mux) entryOf(pre []func(http.Handler) http.Handler, stamp uint32) (http.Handler, error) {
	if stamp != m.entryFor {
		h, err := wrapAll(pre, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.current().serve(w, r) }), false)
		if err != nil {
			return nil, fmt.Errorf("muxmaster: Pre: %w", err)
		}
		m.entry, m.entryFor = h, stamp
	}
	return m.entry, nil
}
