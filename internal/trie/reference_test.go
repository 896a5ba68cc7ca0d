package trie

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// This file compares Tables with the reference in package trietest, for random
// routes, of which Tables are built at once or step by step, and similar
// random requests.

// parse parses the pattern of a route.
func parse(t *testing.T, rt trietest.Route) *pattern.Pattern {
	t.Helper()
	parse := pattern.Parse
	if rt.Verb {
		parse = pattern.ParsePath
	}
	p, err := parse(rt.Pattern())
	if err != nil {
		t.Fatalf("%q: %v", rt.Pattern(), err)
	}
	return p
}

// A request has the arguments for finding a route.
type request struct {
	method, host string
	url          *url.URL
	escaped      string // the path as sent
	path         trietest.Path
}

func (r request) String() string { return fmt.Sprint(r.method, " ", r.host, r.escaped) }

// set sets s to the request.
func (r request) set(s *Search[int], table *Table[int]) {
	s.SetPath(r.url.Path, r.url.RawPath, r.method == "CONNECT")
	s.Method = table.MethodOf(r.method)
	s.Fit(table)
}

// holdTables compares Tables with the reference for one input.
func holdTables(t *testing.T, registrations, requests []byte) {
	type earlier struct {
		table *Table[int]
		n     int // number of routes
	}
	var (
		c            = trietest.Choices(registrations)
		registration = trietest.Registration(c.Pick(3))
		kept         trietest.Routes
		parsed       []*pattern.Pattern
		atOnce       routes[int]
		grown        routes[int] // builds Tables in between
		tables       []earlier
	)
	for c.More() && len(kept) < 40 {
		rt := c.Route(registration)
		p := parse(t, rt)
		conflict := slices.ContainsFunc(kept, rt.Conflicts)
		flags := Flags(0)
		if rt.Verb {
			flags = Verb
		}
		for _, b := range []*routes[int]{&atOnce, &grown} {
			if err := b.add(p, len(kept), flags); (err != nil) != conflict {
				t.Fatalf("%q after %q: %v, conflict expected: %v", rt.Pattern(), kept.Patterns(), err, conflict)
			}
		}
		if !conflict {
			kept, parsed = append(kept, rt), append(parsed, p)
		}
		if c.Pick(2) == 0 {
			tables = append(tables, earlier{grown.Build(), len(kept)})
		}
	}
	tables = append(tables, earlier{grown.Build(), len(kept)}, earlier{atOnce.Build(), len(kept)})
	for _, e := range tables {
		if wrong := holdsAll(e.table, kept[:e.n]); wrong != "" {
			t.Fatalf("%s\nroutes: %q", wrong, kept[:e.n].Patterns())
		}
	}

	var s Search[int] // reused for all requests
	c = requests
	for c.More() {
		r := request{method: trietest.Of(&c, trietest.RequestMethods), host: trietest.Of(&c, trietest.RequestHosts), escaped: c.Target(kept)}
		var err error
		if r.url, err = url.ParseRequestURI(r.escaped); err != nil {
			continue
		}
		r.path = trietest.SplitPath(r.escaped)
		last := len(tables) - 1
		for _, e := range []earlier{tables[c.Pick(len(tables))], tables[last-1], tables[last]} {
			if wrong := holdsRequest(e.table, kept[:e.n], &s, r); wrong != "" {
				t.Errorf("%s: %s\nroutes: %q", r, wrong, kept[:e.n].Patterns())
			}
		}
		if a, b := outcome(tables[last-1].table, &s, r), outcome(tables[last].table, &s, r); a != b {
			t.Errorf("%s: %s, but %s with all routes registered at once\nroutes: %q", r, a, b, kept.Patterns())
		}
		if r.path.Clean() {
			for i, p := range parsed {
				_, _, why := p.Match(r.escaped)
				if want := kept[i].Matches(r.path); (why == "") != want {
					t.Errorf("Match(%q, %q) = %q, matches: %v", p.Text, r.escaped, why, want)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// holdsAll returns a description of unexpected and missing routes in the Table,
// or "".
func holdsAll(table *Table[int], routes trietest.Routes) string {
	has := make([]bool, len(routes))
	for _, rt := range table.All() {
		if rt.Payload < 0 || rt.Payload >= len(routes) {
			return fmt.Sprintf("the Table has route %d of %d, %q", rt.Payload, len(routes), rt.Pattern)
		}
		want := routes[rt.Payload]
		if rt.Pattern != want.Pattern() || rt.Path() != want.Path() || table.MethodName(rt.Method) != want.Method {
			return fmt.Sprintf("route %d is %q, %q, %q in the Table", rt.Payload, rt.Pattern, rt.Path(), table.MethodName(rt.Method))
		}
		has[rt.Payload] = true
	}
	if i := slices.Index(has, false); i >= 0 {
		return fmt.Sprintf("the Table has no %q", routes[i].Pattern())
	}
	return ""
}

// outcome returns all results of a Table for a request.
func outcome(table *Table[int], s *Search[int], r request) string {
	r.set(s, table)
	rt := table.Find(s, r.host)
	text := fmt.Sprintf("no route, Allow %q", table.Allow(s))
	if rt != nil {
		text = fmt.Sprintf("%q with %q", rt.Pattern, s.Values())
	}
	if s.Slash != nil {
		text += fmt.Sprintf(", %q with a slash", s.Slash.Pattern)
	}
	return text
}

// holdsRequest returns a description of wrong results for a request, or "".
func holdsRequest(table *Table[int], routes trietest.Routes, s *Search[int], r request) string {
	if wrong := holdsFast(table, s, r); wrong != "" {
		return wrong
	}
	r.set(s, table)
	rt := table.Find(s, r.host)
	connect := r.method == "CONNECT"
	if clean := connect || r.path.Clean(); s.Clean != clean {
		return fmt.Sprintf("clean: %v, want %v", s.Clean, clean)
	} else if !clean {
		if rt != nil {
			return fmt.Sprintf("%q matches a path that is not clean", rt.Pattern)
		}
		return ""
	}
	found := routes.Find(r.method, r.host, r.path)
	switch {
	case rt == nil && len(found) > 0, rt != nil && !slices.Contains(found, rt.Payload):
		return fmt.Sprintf("%s, want one of %q", outcome(table, s, r), routes.Patterns(found...))
	case rt != nil && !routes[rt.Payload].Holds(r.host, r.path, s.Values()):
		return fmt.Sprintf("%q with wrong values %q", rt.Pattern, s.Values())
	case len(s.Values()) > table.MaxValues:
		return fmt.Sprintf("%d values, but MaxValues is %d", len(s.Values()), table.MaxValues)
	case rt == nil:
		if got, want := table.Allow(s), allow(routes, r); got != want {
			return fmt.Sprintf("Allow %q, want %q", got, want)
		}
	}
	return holdsSlash(routes, s, r, rt, found)
}

// holdsFast returns a description if FindStatic or MatchFast find another route
// than Find, or "".
func holdsFast(table *Table[int], s *Search[int], r request) string {
	r.set(s, table)
	if s.Method.Custom() || r.url.RawPath != "" {
		return "" // they are not for those
	}
	path := r.url.Path
	want := table.Find(s, "")
	for room := range table.MaxValues + 1 {
		if rt, v := findFast(&table.Base, path, s.Method, room); rt != nil {
			if rt != want || s.Redirects(rt) || !slices.Equal(v.Vals[:v.N], s.Values()) {
				return fmt.Sprintf("fast finds %q with %q, want %s", rt.Pattern, v.Vals[:v.N], outcome(table, s, r))
			}
		}
	}
	return ""
}

// matching returns the routes of the host that match the path, with any method.
func matching(routes trietest.Routes, host string, p trietest.Path) (list []trietest.Route) {
	for _, rt := range routes {
		if _, ok := trietest.HostValues(rt.Host, host); ok && rt.Matches(p) {
			list = append(list, rt)
		}
	}
	return list
}

// allow returns the Allow header of an unmatched request: the methods of routes
// that match the path, and of routes to which Handle would redirect.
func allow(routes trietest.Routes, r request) string {
	has := map[string]bool{}
	for _, rt := range matching(routes, r.host, r.path) {
		has[rt.Method] = true
	}
	if !r.path.Slashed() {
		for _, rt := range matching(routes, r.host, r.path.AddSlash()) {
			if !rt.Verb && rt.Whole(r.path.AddSlash()) && rt.Method != "" && rt.Method != r.method {
				has[rt.Method] = true
			}
		}
	}
	if len(has) == 0 {
		return ""
	}
	var list []string
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY", "BREW"} {
		if has[method] || method == "HEAD" && has["GET"] {
			list = append(list, method)
		}
	}
	return strings.Join(append(list, "OPTIONS"), ", ")
}

// holdsSlash returns a description if the route that the Search has recorded
// for the path with a slash is wrong, or "".
func holdsSlash(routes trietest.Routes, s *Search[int], r request, rt *Route[int], found []int) string {
	var wants []int
	slashed := r.path.AddSlash()
	// among finds the routes for the slashed path, as if only these existed.
	among := func(exists func(i int) bool) []int {
		some := slices.Clone(routes)
		for i := range some {
			if !exists(i) {
				some[i].Method = "NONE"
			}
		}
		return some.Find(r.method, r.host, slashed)
	}
	if !r.path.Slashed() {
		wants = among(func(i int) bool { return routes[i].Matches(slashed) && routes[i].Whole(slashed) })
	}
	if rt != nil && routes[rt.Payload].End != trietest.All {
		if s.Redirects(rt) {
			return fmt.Sprintf("redirects from %q", rt.Pattern)
		}
		return ""
	}
	if rt != nil && len(wants) > 0 {
		// It is recorded only if it has precedence over the catch-all that was found.
		first := among(func(i int) bool { return i == rt.Payload || slices.Contains(wants, i) })
		switch {
		case len(first) > 1 || len(found) > 1:
			return ""
		case first[0] == rt.Payload && !slices.Contains(wants, rt.Payload):
			wants = nil
		}
	}
	if got := s.Slash; got == nil && len(wants) > 0 || got != nil && !slices.Contains(wants, got.Payload) {
		return fmt.Sprintf("noted for the path with a slash: %v, want one of %q", got, routes.Patterns(wants...))
	}
	want := len(wants) > 0 && !routes[s.Slash.Payload].Verb
	if rt == nil && len(wants) > 0 { // a route of Handle counts, even if one of a verb method has precedence
		want = len(among(func(i int) bool { return !routes[i].Verb && routes[i].Matches(slashed) && routes[i].Whole(slashed) })) > 0
	}
	if s.Redirects(rt) != want {
		return fmt.Sprintf("redirects: %v, want %v", s.Redirects(rt), want)
	}
	return ""
}

func TestReference(t *testing.T) { trietest.Random(t, 250, 150, holdTables) }
func FuzzTables(f *testing.F)    { trietest.Fuzz(f, holdTables) }
