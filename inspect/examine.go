package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// tries is the number of example requests that examine generates for a route.
const tries = 12

// examine sets Example and ExampleMethod of the routes, and warns about those that
// lack a login or that other routes hide.
func examine(m *muxmaster.Mux, routes []Route) {
	warnUnguarded(routes)
	served := finder(m, routes)
	values := sampler{}
	for i := range routes {
		if p, err := pattern.ParsePath(routes[i].Pattern); err == nil { // a registered one is valid
			routes[i].findExample(i, p, routes, values, served)
		}
	}
}

func (r *Route) warn(text string) {
	if r.Warning != "" {
		r.Warning += "; "
	}
	r.Warning += text
}

// findExample sets r.Example, and warns if other routes serve what p, r's
// pattern, matches.
func (r *Route) findExample(self int, p *pattern.Pattern, routes []Route, values sampler, served func(self int, method, target string) int) {
	methods := []string{r.Method}
	if r.Method == "" {
		methods = []string{"GET", "POST", "DELETE", "OTHER"} // GET may have a route of its own
	}
	tried, winner := "", -1 // a request that went elsewhere, and where to
	lost, rival := "", -1   // the same for a rival that was registered first
	fixed := p.Names() == nil && !r.Below && !strings.Contains(r.Host, "{")
	rivals := slices.ContainsFunc(p.Segs, constrained) // there may be some
	for n := range tries {
		rest := ""
		if r.Below && p.Rest == "" && n > 0 {
			rest = "/" + plainValues[n]
		}
		path, ok := values.fill(p, n, -1, "", rest)
		if !ok {
			continue
		}
		target := path
		if r.Host != "" {
			target = "http://" + sampleHost(r.Host, n) + path
		}
		for _, method := range methods {
			switch i := served(self, method, target); {
			case i == self:
				if r.Example == "" {
					r.Example, r.ExampleMethod = target, method
				}
			case i >= 0 && (routes[i].Host != r.Host || routes[i].Pattern != r.Pattern): // not just another method
				if tried, winner = target, i; competes(p, routes[i].Pattern) {
					lost, rival = target, i
				}
			default:
				// The root of a Group that has another route for its bare prefix.
				if slashed := target + "/"; i >= 0 && fixed && served(self, method, slashed) == self {
					r.Example, r.ExampleMethod = slashed, method
				}
				tried = cmp.Or(tried, target)
			}
		}
		if fixed || r.Example != "" && !rivals {
			break // all tries are the same, or there is no rival to find
		}
	}
	switch {
	case r.Example == "" && winner >= 0:
		r.warn(fmt.Sprintf("unreachable: %s goes to %s", tried, routes[winner].text()))
	case r.Example == "" && tried != "":
		r.warn(fmt.Sprintf("unreachable: %s is served without a route, by a redirect, a Route or a mounted Mux", tried))
	case rival >= 0:
		r.warn(fmt.Sprintf("overlaps: %s goes to %s, which was registered first", lost, routes[rival].text()))
	}
}

// competes reports whether the first difference between p and another pattern
// is a constraint in the same position. Then the order of registration decides
// which one matches.
func competes(p *pattern.Pattern, other string) bool {
	q, err := pattern.ParsePath(other)
	if err != nil {
		return false
	}
	for i := range min(len(p.Segs), len(q.Segs)) {
		a, b := p.Segs[i], q.Segs[i]
		if a.Shape() == b.Shape() {
			continue
		}
		return texts(a) == texts(b) && constrained(a) && constrained(b)
	}
	return false
}

// constrained reports whether a segment has a parameter with a constraint.
func constrained(seg pattern.Segment) bool {
	return slices.ContainsFunc(seg, func(part pattern.Part) bool { return part.Expr != "" })
}

// texts returns a segment without the names and constraints of its parameters.
func texts(seg pattern.Segment) (text string) {
	for _, part := range seg {
		if part.Param {
			text += "{}"
		} else {
			text += part.Text
		}
	}
	return text
}

// sampleHost returns a host that a pattern's host matches.
func sampleHost(host string, n int) string {
	sub, rest, several := strings.Cut(host, "...}")
	if several {
		host = sub + "}" + rest
	}
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if strings.HasPrefix(label, "{") {
			labels[i] = plainValues[1+(n+i)%3]
			if several && i == 0 && n%2 == 1 {
				labels[i] += ".b"
			}
		}
	}
	return strings.Join(labels, ".")
}

// isMount reports whether r is a mounted handler: it serves what is below its pattern,
// which doesn't say so.
func isMount(r *muxmaster.Route) bool {
	p, err := pattern.ParsePath(r.Pattern)
	return r.Below && err == nil && p.End == pattern.Exact
}
