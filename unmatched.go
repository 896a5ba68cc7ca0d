package muxmaster

import (
	"fmt"
	"net/http"
	"runtime"

	"github.com/seed-1954dcaa/muxmaster/internal/outcome"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This file responds to requests that no route serves: with a redirect, 404, 405
// or, for OPTIONS, 204. The response comes from the Group or mounted Mux with the
// longest matching prefix, inside its middleware, so that login middleware hides
// which routes exist and CORS middleware sees preflight requests. The response is
// decided first, and reaches the responder behind the middleware as a hidden path
// value of the request.

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
	d := outcome.Decider[endpoint]{Table: &p.table, Folded: p.folded, Root: p.root}
	return d.Decide(search, r, rt, p.redirects)
}

// ServeHTTP responds to a request behind the middleware.
func (f *responder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// redirects says which redirects a fallback sends.
func (p *program) redirects(fallback *endpoint) (slash, letters bool) {
	z := p.zones[fallback.zone]
	return z.redirectSlash, z.redirectLetters
}
