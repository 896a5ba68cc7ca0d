package muxmaster_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// This file holds the router against the reference: random routes, in two orders,
// and random requests near them.

// A source of choices: fuzzed bytes, zeros at their end.
type choices []byte

func (c *choices) pick(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := int((*c)[0])
	*c = (*c)[1:]
	return b % n
}

func (c *choices) more() bool { return len(*c) > 0 }

var refMethods = []string{"GET", "GET", "", "POST", "HEAD", "PUT", "OPTIONS", "CONNECT", "BREW"}

// route puts a route together. doors: 0 verb methods, 1 Handle, 2 both.
func (c *choices) route(doors int) refRoute {
	var rt refRoute
	rt.method = refMethods[c.pick(len(refMethods))]
	rt.verb = doors == 0 || doors == 2 && c.pick(2) == 0
	if rt.verb && rt.method == "BREW" {
		rt.method = ""
	}
	if !rt.verb && c.pick(3) == 1 {
		rt.host = refHosts[c.pick(len(refHosts))]
	}
	for range c.pick(4) {
		rt.segs = append(rt.segs, refSegs[c.pick(len(refSegs))])
	}
	end := c.pick(6)
	if len(rt.segs) == 0 && end == 0 {
		end = 1
	}
	switch end {
	case 0, 5:
		if len(rt.segs) == 0 {
			rt.end, rt.ending = refSlash, "/{$}"
		}
	case 1:
		rt.end, rt.ending = refAll, "/"
		if rt.verb {
			rt.end = refSlash
		}
	case 2:
		rt.end, rt.ending = refSlash, "/{$}"
	case 3:
		rt.end, rt.ending, rt.named, rt.slash = refAll, "/*rest", true, true
	case 4:
		rt.end, rt.ending, rt.named = refAll, "/{rest...}", true
	}
	return rt
}

// target puts a path together, most often one near a route.
func (c *choices) target(routes []refRoute) string {
	var b strings.Builder
	if len(routes) > 0 && c.pick(4) > 0 {
		for _, seg := range routes[c.pick(len(routes))].segs {
			fits := seg.fits()
			if c.pick(6) == 1 {
				fits = refPathSegs
			}
			b.WriteString("/" + fits[c.pick(len(fits))])
		}
		for range c.pick(7) / 4 {
			b.WriteString("/" + refPathSegs[c.pick(len(refPathSegs))])
		}
		if b.Len() == 0 {
			return "/"
		}
	} else {
		for range 1 + c.pick(5) {
			b.WriteString("/" + refPathSegs[c.pick(len(refPathSegs))])
		}
	}
	if c.pick(4) == 1 {
		b.WriteString("/")
	}
	return b.String()
}

var (
	refHosts        = []string{"example.com", "other.org", "a.example.com", "{h}.com", "{h...}.com", "{h}.example.com", "{h...}.example.com", "example.{h}", "{h}.{i}.com", "a.{h}.com"}
	refRequestHosts = []string{"example.com", "none.net", "a.example.com", "a.b.example.com", "A.EXAMPLE.com:80", "other.com.", "com", ".com", "a..example.com"}
)

var refRequestMethods = []string{"GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "BREW", "WHEN"}

// hold compares the Mux with the reference for one input.
func hold(t *testing.T, routes, requests []byte) {
	c := choices(routes)
	doors, ref := c.pick(3), refMux{redirectSlash: c.pick(2) == 0}
	pooled := c.pick(2) == 1
	for c.more() && len(ref.routes) < 40 {
		ref.routes = append(ref.routes, c.route(doors))
	}
	mux, kept := ref.build(t, pooled, false)

	shuffled := refMux{redirectSlash: ref.redirectSlash, routes: slices.Clone(kept.routes)}
	rand.New(rand.NewPCG(uint64(len(routes)), 7)).Shuffle(len(shuffled.routes), func(i, j int) {
		shuffled.routes[i], shuffled.routes[j] = shuffled.routes[j], shuffled.routes[i]
	})
	mux2, _ := shuffled.build(t, pooled, true)
	stable := !kept.twoConstraints()

	c = requests
	for c.more() {
		method := refRequestMethods[c.pick(len(refRequestMethods))]
		host := refRequestHosts[c.pick(len(refRequestHosts))]
		query := []string{"", "?q=/../x"}[c.pick(2)]
		target := c.target(kept.routes)
		r, err := readRequest(host, method, target+query)
		if err != nil {
			continue
		}
		escaped := wirePath(r)
		got := ask(mux, r)
		if wrong := kept.check(method, host, escaped, query, got); wrong != "" {
			t.Errorf("%s %s%s: %q, %s\nroutes: %q", method, host, target, got.brief(), wrong, kept.patterns(indexes(len(kept.routes))))
		}
		asked, _ := readRequest(host, method, target+query)
		if _, pattern := mux.Handler(asked); got.status == 200 && pattern != r.Pattern {
			t.Errorf("Handler(%s %s%s): %q, served by %q\nroutes: %q", method, host, target, pattern, r.Pattern, kept.patterns(indexes(len(kept.routes))))
		}
		if wrong := leadsNowhere(mux, method, host, target+query); wrong != "" {
			t.Errorf("%s %s%s: %s\nroutes: %q", method, host, target+query, wrong, kept.patterns(indexes(len(kept.routes))))
		}
		if wrong := kept.explained(mux.Explain(method, "http://"+host+escaped+query), host, escaped, r.Pattern, got); wrong != "" {
			t.Errorf("Explain(%s %s%s): %s\nroutes: %q", method, host, target, wrong, kept.patterns(indexes(len(kept.routes))))
		}
		r2, _ := readRequest(host, method, target+query)
		got2 := ask(mux2, r2)
		if wrong := shuffled.check(method, host, escaped, query, got2); wrong != "" {
			t.Errorf("%s %s%s: %q, %s\nroutes: %q", method, host, target, got2.brief(), wrong, shuffled.patterns(indexes(len(kept.routes))))
		}
		if stable {
			name := func(m refMux, a answer) string {
				var k int
				var vals []string
				if a.status == 200 && parseServed(a.body, &k, &vals) {
					return fmt.Sprintf("%s %q", m.routes[k].pattern(), vals)
				}
				return a.brief()
			}
			if a, b := name(kept, got), name(shuffled, got2); a != b {
				t.Errorf("%s %s%s: %s, but %s with the routes in another order\nroutes: %q", method, host, target, a, b, kept.patterns(indexes(len(kept.routes))))
			}
		}
	}
}

// leadsNowhere follows redirects, and says where they go on for more than two steps.
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

// explained says where an explanation does not tell what happened to the request.
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
	path := splitPath(escaped)
	if e.Method == "CONNECT" || !path.clean() {
		return ""
	}
	for _, c := range e.Candidates {
		// A verb method's /x/ and that of Handle look alike here.
		known, yes, no := false, false, false
		for _, rt := range m.routes {
			if rt.method == c.Method && rt.host == c.Host && rt.path() == c.Pattern {
				known = true
				_, hostOK := hostValues(rt.host, host)
				matches := hostOK && rt.serving(e.Method) >= 0 && rt.matches(path)
				yes, no = yes || matches, no || !matches
			}
		}
		if says := c.Reason == "" || strings.HasPrefix(c.Reason, "matches"); !known || says && !yes || !says && !no {
			return fmt.Sprintf("the candidate %v: %q, a route: %v, matches: %v", c.Route, c.Reason, known, yes)
		}
	}
	return ""
}

// twoConstraints reports whether the order of registration may decide.
func (m refMux) twoConstraints() bool {
	var exprs []string
	for _, rt := range m.routes {
		for _, s := range rt.segs {
			for _, p := range s.parts {
				if p.expr != "" && !slices.Contains(exprs, p.expr) {
					exprs = append(exprs, p.expr)
				}
			}
		}
	}
	return len(exprs) > 1
}

// randomInputs calls f with that many random inputs, routes of up to the given
// length, until the test fails.
func randomInputs(t *testing.T, rounds, most int, f func(t *testing.T, routes, requests []byte)) {
	for seed := range uint64(rounds) {
		rng := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
		routes, requests := make([]byte, 4+rng.Uint64()%uint64(most)), make([]byte, 150)
		rng.Read(routes)
		rng.Read(requests)
		if f(t, routes, requests); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func fuzzInputs(f *testing.F, hold func(t *testing.T, routes, requests []byte)) {
	for seed := range byte(20) {
		rng := rand.NewChaCha8([32]byte{2: 1, 3: seed})
		routes, requests := make([]byte, 50), make([]byte, 50)
		rng.Read(routes)
		rng.Read(requests)
		f.Add(routes, requests)
	}
	f.Fuzz(func(t *testing.T, routes, requests []byte) {
		if len(routes) <= 400 && len(requests) <= 400 {
			hold(t, routes, requests)
		}
	})
}

func TestReference(t *testing.T) { randomInputs(t, 600, 150, hold) }
func FuzzMatch(f *testing.F)     { fuzzInputs(f, hold) }
