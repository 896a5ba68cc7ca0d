package muxmaster

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// An Explanation says which route serves a request, and why no other one does.
type Explanation struct {
	Method   string
	Target   string
	Route    *Route // nil if no route matches
	Values   Params // that the route's handler would get
	Status   int    // of the answer if no route serves: 404, 405, 204 for OPTIONS, or a redirect's; 0 if one does
	Location string // of a redirect
	Allow    string // of a 405 or an OPTIONS answer
	Prefix   string // of the Group or the mounted Mux that answers if no route serves; "" for the Mux
	// Candidates are all routes in the order of their precedence for this
	// request, each with what rules it out: "" for the one that serves it.
	Candidates []Candidate
}

// A Candidate is a route, and what rules it out for a request.
type Candidate struct {
	Route
	Reason string
}

// Explain tells how m would route a request of the method for the target, a path
// with or without a query, or a URL with a host. It runs no middleware.
func (m *Mux) Explain(method, target string) Explanation {
	e := Explanation{Method: method, Target: target}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		e.Status = http.StatusBadRequest
		return e
	}
	r := &http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}}
	s := m.peek()
	search := s.newSearch()
	defer release(search)
	won := s.find(search, r)
	if won != nil && search.Redirects(won) {
		won = nil
	}
	if won == nil {
		e.explainAnswer(s, r)
	}
	registering.Lock()
	defer registering.Unlock()
	for _, rt := range m.uniqueRoutes() {
		c := Candidate{Route: m.describe(rt)}
		if won != nil && rt.Payload.seq == won.Payload.seq && rt.Method == won.Method {
			route := c.Route
			e.Route, e.Values = &route, valuesOf(won, search)
		} else {
			c.Reason = ruledOut(rt, c.Method, r, won)
		}
		e.Candidates = append(e.Candidates, c)
	}
	slices.SortStableFunc(e.Candidates, func(a, b Candidate) int { return cmp.Compare(a.rank(), b.rank()) })
	return e
}

// valuesOf returns the values that search has found for rt.
func valuesOf(rt *trie.Route[endpoint], search *routeSearch) Params {
	p, err := parse(rt.Pattern, rt.Flags)
	if err != nil {
		return nil
	}
	var ps Params
	for i, name := range p.Names() {
		ps = append(ps, Param{name, strings.Clone(search.Vals[i])})
	}
	return ps
}

// explainAnswer sets what e says of a request that no route serves.
func (e *Explanation) explainAnswer(s *snapshot, r *http.Request) {
	sc := s.scopeOf(r)
	o := s.decide(r, sc.redirectSlash())
	e.Location, e.Allow, e.Prefix = o.location, o.allow, sc.prefix
	switch {
	case o.location != "":
		e.Status = http.StatusTemporaryRedirect
	case o.allow == "":
		e.Status = http.StatusNotFound
	case e.Method == http.MethodOptions:
		e.Status = http.StatusNoContent
	default:
		e.Status = http.StatusMethodNotAllowed
	}
}

// rank puts the winner first, then what matched and lost, then what came close.
func (c Candidate) rank() int {
	switch {
	case c.Reason == "":
		return 0
	case strings.HasPrefix(c.Reason, "matches"):
		return 1
	case strings.HasPrefix(c.Reason, "the method"):
		return 2
	case strings.HasPrefix(c.Reason, "the host"):
		return 4
	}
	return 3
}

// ruledOut says why rt does not serve r. It compares the pattern with the path
// segment by segment, without the tree.
func ruledOut(rt *trie.Route[endpoint], method string, r *http.Request, won *trie.Route[endpoint]) string {
	p, err := parse(rt.Pattern, rt.Flags)
	if err != nil {
		return err.Error()
	}
	connect := r.Method == http.MethodConnect
	if p.Host != "" && !p.MatchHost(pattern.Host(r.Host)) && !(connect && p.MatchHost(pattern.HostPort(r.Host))) {
		return fmt.Sprintf("the host %q is not %q", r.Host, p.Host)
	}
	if why := trie.Mismatch(p, trie.WirePath(r.URL.Path, r.URL.RawPath)); why != "" {
		return why
	}
	if method != "" && method != r.Method && !(method == http.MethodGet && r.Method == http.MethodHead) {
		return fmt.Sprintf("the method %s is not %s", r.Method, method)
	}
	if won == nil {
		return "matches, but a redirect or a mounted Mux comes first"
	}
	return fmt.Sprintf("matches too, but %q comes first", won.Pattern)
}

// String returns the explanation as text: the outcome, then the candidates, one a
// line.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", e.Method, e.Target)
	switch {
	case e.Route != nil:
		fmt.Fprintf(&b, "%s by %s (%s:%d)\n", e.Route.Host+e.Route.Pattern, e.Route.Handler, e.Route.File, e.Route.Line)
	case e.Location != "":
		fmt.Fprintf(&b, "%d, to %s\n", e.Status, e.Location)
	case e.Allow != "":
		fmt.Fprintf(&b, "%d, Allow: %s\n", e.Status, e.Allow)
	default:
		fmt.Fprintf(&b, "%d\n", e.Status)
	}
	for _, c := range e.Candidates {
		mark := " "
		if c.Reason == "" {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %-7s %-32s %s\n", mark, cmp.Or(c.Method, "*"), c.Host+c.Pattern, cmp.Or(c.Reason, "serves it"))
	}
	return b.String()
}
