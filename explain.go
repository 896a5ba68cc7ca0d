package muxmaster

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// An Explanation describes how a Mux routes a request: the route that serves it
// and why the others don't.
type Explanation struct {
	Method string
	Target string
	Route  *Route // the route that serves the request; nil if there is none
	Values Params // the path values of Route

	// If Route is nil, these fields describe the response.
	Status   int    // 404, 405, 204 for OPTIONS, the status of a redirect, or 400 for an invalid Target; else 0
	Location string // Location header of a redirect
	Allow    string // Allow header of a 405 or OPTIONS response
	Prefix   string // prefix of the Group or mounted Mux that responds; "" for the Mux itself

	// Candidates holds all routes of the Mux. The route that serves the request
	// comes first, then the other routes that match, then the rest, those that
	// match most segments first.
	Candidates []Candidate
}

// A Candidate is a route considered for a request.
type Candidate struct {
	Route
	Reason string // why the route does not serve the request; "" if it does
	rank   int    // order of candidates
}

// Explain describes how m routes a request with the given method and target.
// target is a path with an optional query, or an absolute URL if the host
// matters. Explain calls neither middleware nor handlers.
func (m *Mux) Explain(method, target string) Explanation {
	e := Explanation{Method: method, Target: target}
	u, err := url.ParseRequestURI(target)
	if err != nil || target == "*" {
		e.Status = http.StatusBadRequest
		return e
	}
	r := &http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}}
	root := &m.target().root
	won := root.match(r)
	if won.Route != nil {
		if names := won.Payload.names; names != nil {
			names.Set(r, won.values)
			r.Pattern = won.Pattern // PathParams reads it if values are not delivered directly
			e.Values = PathParams(r)
		}
	} else {
		d := won.decision
		e.Status, e.Location, e.Allow = d.Status(method), d.Location, d.Allow
		z, _ := won.program.responsible(d)
		e.Prefix = z.whole().Path
	}
	for _, x := range root.list() {
		c := Candidate{Route: x.describe(root)}
		if won.Route != nil && x.route == won.Payload.route && x.in.prefix.Text == won.program.view.prefix.Text {
			route := c.Route
			e.Route = &route
		} else {
			c.Reason, c.rank = ruledOut(x, r, won)
		}
		e.Candidates = append(e.Candidates, c)
	}
	slices.SortStableFunc(e.Candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), compareRoutes(&a.Route, &b.Route))
	})
	return e
}

// ruledOut returns the reason why x does not serve r, and the rank of x among
// the candidates: 1 if it matches, 2 if only the method differs, then those that
// differ in the path, most matching segments first, then those that differ in the
// host. It compares the pattern with the path segment by segment, independently
// of the trie.
func ruledOut(x listed, r *http.Request, won match) (why string, rank int) {
	p, _, bare := x.in.below(x.route)
	connect := r.Method == http.MethodConnect
	if p.Host != "" && !p.MatchHost(pattern.Host(r.Host)) && !(connect && p.MatchHost(pattern.HostPort(r.Host))) {
		return fmt.Sprintf("the host %q is not %q", r.Host, p.Host), math.MaxInt
	}
	path := wirepath.Escaped(r.URL.Path, r.URL.RawPath)
	if bare && !strings.HasSuffix(path, "/") {
		if _, _, why := p.Match(path + "/"); why == "" {
			path += "/" // it serves both
		}
	}
	if _, matched, why := p.Match(path); why != "" {
		return why, math.MaxInt - 1 - matched
	}
	if x.method() != "" && x.method() != r.Method && !(x.method() == http.MethodGet && r.Method == http.MethodHead) {
		return fmt.Sprintf("the method %s is not %s", r.Method, x.method()), 2
	}
	if won.Route == nil {
		z, _ := won.program.responsible(won.decision)
		return z.reason(won), 1
	}
	return fmt.Sprintf("matches too, but %q comes first", won.Pattern), 1
}

// reason says why the route that matches doesn't serve a request that z responds to.
func (z *zone) reason(won match) string {
	switch prefix := z.whole().Text; {
	case won.decision.Location != "":
		return "matches, but a redirect comes first"
	case prefix != "" && z == won.program.root:
		return fmt.Sprintf("matches, but the Mux that is mounted at %q comes first", prefix)
	default:
		return fmt.Sprintf("matches, but the Route of %q comes first", prefix)
	}
}

// String returns the explanation as text: the result, then one line for each
// candidate.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", printable.Replace(e.Method), printable.Replace(e.Target))
	switch {
	case e.Route != nil:
		fmt.Fprintf(&b, "%s by %s (%s:%d)\n", printable.Replace(e.Route.Host+e.Route.Pattern), e.Route.Handler, e.Route.File, e.Route.Line)
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
		fmt.Fprintf(&b, "%s %-7s %-32s %s\n", mark, cmp.Or(c.Method, "*"), printable.Replace(c.Host+c.Pattern), printable.Replace(cmp.Or(c.Reason, "serves it")))
	}
	return b.String()
}
