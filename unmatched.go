package muxmaster

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/outcome"
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

// outcomeName is the name of that path value. Copies of the request have it too.
const outcomeName = values.Hidden + "outcome"

// serveUnmatched responds to r. search has found rt: nil, or a route that is not
// called because of a redirect. serveUnmatched releases search.
func (p *program) serveUnmatched(w http.ResponseWriter, r *http.Request, search *routeSearch, rt *trie.Route[endpoint]) {
	d := p.decide(search, r, rt)
	release(search)
	z := p.zones[d.fallback.zone]
	if d.fallback.names == nil { // nobody reads values
		values.Drop(r, p.mux.owner)
		r.Pattern = ""
		z.respond(w, r, d.Outcome)
		return
	}
	// Without a limit, two Muxes that are each other's NotFound would overflow the
	// stack, which no recover can stop.
	depth := outcome.Depth(r.PathValue(outcomeName)) + 1
	if depth > outcome.MaxDepth {
		problem.Write(w, r, fmt.Errorf("muxmaster: more than %d Muxes have called each other as NotFound or MethodNotAllowed", outcome.MaxDepth))
		return
	}
	vals := outcome.NotFound(depth)
	if d.vals != nil || d.Outcome != (outcome.Outcome{}) {
		vals = append(d.vals, d.Encode(depth))
	}
	values.Drop(r, p.mux.owner)
	d.fallback.names.Set(r, vals)
	r.Pattern = ""
	if d.fallback.handler != nil {
		d.fallback.handler.ServeHTTP(w, r)
	} else {
		z.respond(w, r, d.Outcome)
	}
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

// A decision is the response to an unmatched request, and who gives it.
type decision struct {
	outcome.Outcome
	fallback *endpoint
	vals     []string // of the prefix of the fallback
}

// decide returns the decision for r. search has found rt. A redirect to another
// case comes from the fallback there, so that its middleware hides which routes
// exist.
func (p *program) decide(search *routeSearch, r *http.Request, rt *trie.Route[endpoint]) decision {
	clean := ""
	if !search.Clean() {
		clean = cleanPath(r)
		rt = p.findAt(search, r, clean)
	}
	d := p.decideAt(search, r, rt, clean)
	if rt == nil && d.Pattern == "" && p.zones[d.fallback.zone].redirectLetters && search.Rooted() && r.Method != http.MethodConnect {
		if path, ok := p.folded.Recase(cleanPath(r), r.Host, r.Method); ok {
			if there := p.decideAt(search, r, p.findAt(search, r, path), path); there.Pattern != "" {
				d = there
			}
		}
	}
	if d.Location != "" {
		d.Location = wirepath.WithQuery(d.Location, r.URL.RawQuery)
	}
	return d
}

// cleanPath returns the clean and escaped path of r.
func cleanPath(r *http.Request) string {
	return wirepath.Clean(wirepath.Escaped(r.URL.Path, r.URL.RawPath))
}

// findAt returns the route for a clean and escaped path instead of that of r.
func (p *program) findAt(search *routeSearch, r *http.Request, path string) *trie.Route[endpoint] {
	search.SetPath(wirepath.Decode(path), path, false)
	return p.table.Find(search, r.Host)
}

// decideAt is decide for the path of search, without the query: that of r or, if
// clean is not empty, clean.
func (p *program) decideAt(search *routeSearch, r *http.Request, rt *trie.Route[endpoint], clean string) (d decision) {
	if rt != nil { // the search stopped at rt and may have missed a fallback
		d.Outcome = p.outcomeAt(search, r, rt, clean, false)
		p.table.FindFallback(search, r.Host)
	}
	d.fallback = &p.root
	if f, vals := search.Fallback(); f != nil {
		d.fallback, d.vals = &f.Payload, slices.Clone(vals)
	}
	if rt == nil {
		d.Outcome = p.outcomeAt(search, r, nil, clean, p.zones[d.fallback.zone].redirectSlash)
	}
	return d
}

// outcomeAt returns the outcome of decideAt. slash says that the fallback adds and
// removes slashes for routes of the verb methods.
func (p *program) outcomeAt(search *routeSearch, r *http.Request, rt *trie.Route[endpoint], clean string, slash bool) (o outcome.Outcome) {
	if !search.Rooted() {
		return o
	}
	slash = slash && rt == nil
	if target := search.Slash(); target != nil && (search.Redirects(rt) || slash && target.Flags&trie.Verb != 0) {
		return outcome.Outcome{Location: cmp.Or(clean, cleanPath(r)) + "/", Pattern: target.Pattern}
	}
	if slash && search.HasSlash() {
		short := p.newSearch()
		defer release(short)
		short.TrimSlash(search)
		if target := p.table.Find(short, r.Host); target != nil && target.Flags&trie.Verb != 0 {
			return outcome.Outcome{Location: strings.TrimSuffix(cmp.Or(clean, cleanPath(r)), "/"), Pattern: target.Pattern}
		}
	}
	if clean == "" {
		return outcome.Outcome{Allow: p.table.Allow(search)}
	}
	if o.Location = clean; rt != nil {
		o.Pattern = rt.Pattern
	}
	return o
}

// A routeSearch holds the state of finding the route for one request.
type routeSearch = trie.Search[endpoint]

var searches = sync.Pool{New: func() any { return new(routeSearch) }}

// newSearch returns a search that can hold the values of any route.
func (p *program) newSearch() *routeSearch {
	search := searches.Get().(*routeSearch)
	search.Fit(p.table)
	return search
}

func release(search *routeSearch) {
	search.Clear()
	searches.Put(search)
}
