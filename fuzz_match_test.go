package muxmaster_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// This file compares the router with the reference: random routes, in two
// orders, and random requests near them.

// holdMux compares the Mux with the reference for one input.
func holdMux(t *testing.T, routes, requests []byte) {
	c := trietest.Choices(routes)
	registration, ref := trietest.Registration(c.Pick(3)), refMux{redirectSlash: c.Pick(2) == 0}
	pooled := c.Pick(2) == 1
	for c.More() && len(ref.routes) < 40 {
		ref.routes = append(ref.routes, c.Route(registration))
	}
	mux, kept := ref.build(t, pooled, false)

	shuffled := refMux{redirectSlash: ref.redirectSlash, routes: slices.Clone(kept.routes)}
	rand.New(rand.NewPCG(uint64(len(routes)), 7)).Shuffle(len(shuffled.routes), func(i, j int) {
		shuffled.routes[i], shuffled.routes[j] = shuffled.routes[j], shuffled.routes[i]
	})
	mux2, _ := shuffled.build(t, pooled, true)
	stable := kept.routes.Ordered()

	c = requests
	for c.More() {
		method := trietest.Of(&c, trietest.RequestMethods)
		host := trietest.Of(&c, trietest.RequestHosts)
		query := []string{"", "?q=/../x"}[c.Pick(2)]
		target := c.Target(kept.routes)
		r, err := readRequest(host, method, target+query)
		if err != nil {
			continue
		}
		escaped := wirePath(r)
		got := ask(mux, r)
		if wrong := kept.check(method, host, escaped, query, got); wrong != "" {
			t.Errorf("%s %s%s: %q, %s\nroutes: %q", method, host, target, got.brief(), wrong, kept.routes.Patterns())
		}
		asked, _ := readRequest(host, method, target+query)
		if _, pattern := mux.Handler(asked); got.status == 200 && pattern != r.Pattern {
			t.Errorf("Handler(%s %s%s): %q, served by %q\nroutes: %q", method, host, target, pattern, r.Pattern, kept.routes.Patterns())
		}
		if wrong := leadsNowhere(mux, method, host, target+query); wrong != "" {
			t.Errorf("%s %s%s: %s\nroutes: %q", method, host, target+query, wrong, kept.routes.Patterns())
		}
		if c.Pick(4) == 0 { // not always, because it parses all patterns again
			e := mux.Explain(method, "http://"+host+escaped+query)
			if wrong := kept.explained(e, host, escaped, r.Pattern, got); wrong != "" {
				t.Errorf("Explain(%s %s%s): %s\nroutes: %q", method, host, target, wrong, kept.routes.Patterns())
			}
		}
		r2, _ := readRequest(host, method, target+query)
		got2 := ask(mux2, r2)
		if wrong := shuffled.check(method, host, escaped, query, got2); wrong != "" {
			t.Errorf("%s %s%s: %q, %s\nroutes: %q", method, host, target, got2.brief(), wrong, shuffled.routes.Patterns())
		}
		if stable {
			name := func(m refMux, a answer) string {
				var k int
				var vals []string
				if a.status == 200 && parseServed(a.body, &k, &vals) {
					return fmt.Sprintf("%s %q", m.routes[k].Pattern(), vals)
				}
				return a.brief()
			}
			if a, b := name(kept, got), name(shuffled, got2); a != b {
				t.Errorf("%s %s%s: %s, but %s with the routes in another order\nroutes: %q", method, host, target, a, b, kept.routes.Patterns())
			}
		}
	}
}

// leadsNowhere follows redirects, and says where they go on for more than two
// steps.
func leadsNowhere(mux *muxmaster.Mux, method, host, target string) string {
	way := []string{target}
	for {
		r, err := readRequest(host, method, target)
		if err != nil {
			return fmt.Sprintf("redirected to what is no request target: %q", way)
		}
		a := ask(mux, r)
		if a.status != 307 {
			return ""
		}
		if target = a.location; slices.Contains(way, target) || len(way) > 2 {
			return fmt.Sprintf("redirected on and on: %q", append(way, target))
		}
		way = append(way, target)
	}
}

// wirePath is the path of r as it came.
func wirePath(r *http.Request) string {
	if r.URL.RawPath != "" {
		return r.URL.RawPath
	}
	return r.URL.EscapedPath()
}

// explained says where an explanation does not tell what happened to the
// request.
func (m refMux) explained(e muxmaster.Explanation, host, escaped, pattern string, got answer) string {
	status := e.Status
	if e.Route != nil {
		status = 200
		if p := e.Route.Pattern; !strings.HasSuffix(pattern, p) {
			return fmt.Sprintf("it names %q, served by %q", p, pattern)
		}
	}
	if status != got.status || e.Location != got.location || e.Allow != got.allow {
		return fmt.Sprintf("it says %d %q %q", status, e.Location, e.Allow)
	}
	if len(e.Candidates) != len(m.routes) {
		return fmt.Sprintf("%d candidates of %d routes", len(e.Candidates), len(m.routes))
	}
	path := trietest.SplitPath(escaped)
	if e.Method == "CONNECT" || !path.Clean() {
		return ""
	}
	for _, c := range e.Candidates {
		// A verb method's /x/ and that of Handle look alike here.
		known, yes, no := false, false, false
		for _, rt := range m.routes {
			if rt.Method == c.Method && rt.Host == c.Host && rt.Path() == c.Pattern {
				known = true
				_, hostOK := trietest.HostValues(rt.Host, host)
				matches := hostOK && rt.Serving(e.Method) >= 0 && rt.Matches(path)
				yes, no = yes || matches, no || !matches
			}
		}
		if says := c.Reason == "" || strings.HasPrefix(c.Reason, "matches"); !known || says && !yes || !says && !no {
			return fmt.Sprintf("the candidate %v: %q, a route: %v, matches: %v", c.Route, c.Reason, known, yes)
		}
	}
	return ""
}

func TestReference(t *testing.T) { trietest.Random(t, 250, 150, holdMux) }
func FuzzMatch(f *testing.F)     { trietest.Fuzz(f, holdMux) }
