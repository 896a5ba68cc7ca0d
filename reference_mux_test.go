package muxmaster_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// A refMux is a list of routes, and which of them serves a request.
type refMux struct {
	routes        []refRoute
	redirectSlash bool
}

// serving says how well the route serves the method: 0 as its own, 1 as GET serves
// HEAD, 2 as every method; -1 not at all.
func (rt refRoute) serving(method string) int {
	switch rt.method {
	case method:
		return 0
	case "":
		return 2
	case "GET":
		if method == "HEAD" {
			return 1
		}
	}
	return -1
}

// find returns the indexes of the routes that may serve the request: one, or several
// where the order between them is not said. Of all that match host, path and method
// the host decides first, then the path, then the method.
func (m refMux) find(method, host string, p refPath) (found []int) {
	hosts, first := map[string][]int{}, 1<<11
	for i, rt := range m.routes {
		if _, ok := hostValues(rt.host, host); ok && rt.serving(method) >= 0 && rt.matches(p) {
			hosts[hostShape(rt.host)] = append(hosts[hostShape(rt.host)], i)
			first = min(first, hostRank(rt.host))
		}
	}
	for _, c := range hosts {
		if hostRank(m.routes[c[0]].host) == first {
			found = append(found, m.best(method, c, 0)...)
		}
	}
	return found
}

// rank orders what stands at place i of a route, the first to be tried first.
func (rt refRoute) rank(i int) (rank int) {
	if i >= len(rt.segs) {
		return map[int]int{refExact: 0, refSlash: 0, refAll: 1 << 20}[rt.end]
	}
	seg := rt.segs[i]
	switch {
	case seg.literal():
		return 0
	case len(seg.parts) > 1:
		n := 0
		for _, p := range seg.parts {
			n += len(p.text)
		}
		return 1<<10 - n
	case seg.parts[0].expr != "":
		return 1 << 11
	}
	return 1 << 12
}

// best picks among routes of one host that are alike in their first i segments.
func (m refMux) best(method string, c []int, i int) []int {
	if i > len(m.routes[c[0]].segs) { // one path
		return []int{slices.MinFunc(c, func(a, b int) int {
			return cmp.Or(m.routes[a].serving(method)-m.routes[b].serving(method), m.routes[a].later-m.routes[b].later)
		})}
	}
	first := m.routes[slices.MinFunc(c, func(a, b int) int { return m.routes[a].rank(i) - m.routes[b].rank(i) })].rank(i)
	groups := map[string][]int{}
	for _, k := range c {
		if rt := m.routes[k]; rt.rank(i) == first {
			key := rt.shape(min(i+1, len(rt.segs)))
			groups[key] = append(groups[key], k)
		}
	}
	// Two different constraints at one place are tried in the order of registration.
	if first == 1<<11 && len(groups) > 1 {
		host := hostShape(m.routes[c[0]].host)
		for _, rt := range m.routes {
			if hostShape(rt.host) == host && i < len(rt.segs) {
				if g, ok := groups[rt.shape(i+1)]; ok {
					return m.best(method, g, i+1)
				}
			}
		}
	}
	var all []int
	for _, g := range groups {
		all = append(all, m.best(method, g, i+1)...)
	}
	return all
}

// exact reports whether the route matches the slashed path with nothing behind
// the slash.
func (rt refRoute) exact(p refPath) bool { return rt.end != refAll || len(p) == len(rt.segs)+1 }

// redirect says where the path leads for its last slash: 1 for adding, -1 for
// removing it. sure is false where the rules of both doors meet.
func (m refMux) redirect(method, host string, p refPath, found []int) (slash int, sure bool) {
	if !p.slashed() {
		to := m.find(method, host, p.add())
		catchAll := len(found) > 0 && m.routes[found[0]].end == refAll
		if len(found) > 0 && !catchAll {
			return 0, true
		}
		handle, verb := 0, 0
		for _, k := range to {
			if rt := m.routes[k]; rt.exact(p.add()) {
				if rt.verb {
					verb++
				} else {
					handle++
				}
			}
		}
		mixed := len(to) > 1 || len(found) > 1 || catchAll && m.routes[found[0]].verb || m.bothDoors()
		switch {
		case handle > 0:
			return 1, !mixed
		case verb > 0 && m.redirectSlash && len(found) == 0:
			return 1, !mixed
		}
		return 0, !mixed
	}
	if len(found) == 0 && m.redirectSlash && len(p) > 1 {
		for _, k := range m.find(method, host, p.strip()) {
			if m.routes[k].verb {
				return -1, !m.bothDoors()
			}
		}
	}
	return 0, !m.bothDoors()
}

func (m refMux) bothDoors() bool {
	verbs := 0
	for _, rt := range m.routes {
		if rt.verb {
			verbs++
		}
	}
	return verbs > 0 && verbs < len(m.routes)
}

var allowOrder = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY", "BREW", "WHEN"}

// allow returns the Allow header of a path that has a route for another method.
// Where several routes may be the one to match the slashed path, it believes in a
// redirect there if all of them would redirect, if one of them would, or if one
// would that another door's route hides, as far as the belief goes.
func (m refMux) allow(host string, p refPath, belief int) string {
	serves := func(method string) bool {
		if len(m.find(method, host, p)) > 0 {
			return true
		}
		if p.slashed() {
			return false
		}
		if belief == 2 && m.bothDoors() {
			return slices.ContainsFunc(m.routes, func(rt refRoute) bool {
				_, ok := hostValues(rt.host, host)
				return ok && !rt.verb && rt.serving(method) >= 0 && rt.matches(p.add()) && rt.exact(p.add())
			})
		}
		to := m.find(method, host, p.add())
		redirects := 0
		for _, k := range to {
			if !m.routes[k].verb && m.routes[k].exact(p.add()) {
				redirects++
			}
		}
		return redirects > 0 && (belief > 0 || redirects == len(to))
	}
	var list []string
	for _, method := range allowOrder {
		if serves(method) || method == "HEAD" && serves("GET") {
			list = append(list, method)
		}
	}
	if len(list) == 0 && !serves("OPTIONS") {
		return ""
	}
	return strings.Join(append(list, "OPTIONS"), ", ")
}

// sameLocation compares where redirects lead: bytes that a URL doesn't hold as they
// are may be escaped.
func sameLocation(a, b string) bool {
	pathA, queryA, _ := strings.Cut(a, "?")
	pathB, queryB, _ := strings.Cut(b, "?")
	return queryA == queryB && slices.Equal(splitPath(pathA), splitPath(pathB)) && !strings.ContainsFunc(a, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' })
}

// check returns what is wrong with an answer. The path is as it came.
func (m refMux) check(method, host, escaped, query string, got answer) string {
	p := splitPath(escaped)
	if method != "CONNECT" && !p.clean() {
		clean := cleanEscaped(escaped)
		ok := []string{clean + query}
		cp := splitPath(clean)
		switch slash, _ := m.redirect(method, host, cp, m.find(method, host, cp)); slash {
		case 1:
			ok = append(ok, clean+"/"+query)
		case -1:
			ok = append(ok, strings.TrimSuffix(clean, "/")+query)
		}
		if got.status != 307 || !slices.ContainsFunc(ok, func(l string) bool { return sameLocation(got.location, l) }) {
			return fmt.Sprintf("want 307 to one of %q", ok)
		}
		return ""
	}
	found := m.find(method, host, p)
	slash, sure := m.redirect(method, host, p, found)
	to := escaped + "/"
	if slash < 0 {
		to = strings.TrimSuffix(escaped, "/")
	}
	if method == "CONNECT" && slash != 0 { // whose path may be unclean
		to = cleanEscaped(to)
	}
	redirected := got.status == 307 && sameLocation(got.location, to+query)
	if redirected && (slash != 0 || !sure && !p.slashed()) {
		return ""
	}
	if slash != 0 && sure {
		return "want 307 to " + to + query
	}
	if len(found) > 0 {
		var k int
		var vals []string
		if got.status != 200 || !parseServed(got.body, &k, &vals) {
			return fmt.Sprintf("want a route of %q", m.patterns(found))
		}
		if !slices.Contains(found, k) {
			return fmt.Sprintf("served by %q, want one of %q", m.routes[k].pattern(), m.patterns(found))
		}
		if !m.routes[k].holds(host, p, vals) {
			return fmt.Sprintf("served by %q with wrong values %q", m.routes[k].pattern(), vals)
		}
		return ""
	}
	if !sure && slash != 0 {
		return "" // the doors' rules meet
	}
	var want answer
	for belief := range 3 {
		want = answer{status: 404, allow: m.allow(host, p, belief)}
		switch {
		case want.allow != "" && method == "OPTIONS":
			want.status = 204
		case want.allow != "":
			want.status = 405
		}
		if got.status == want.status && got.allow == want.allow {
			return ""
		}
	}
	return fmt.Sprintf("want %d with Allow %q", want.status, want.allow)
}

func (m refMux) patterns(ks []int) (list []string) {
	for _, k := range ks {
		list = append(list, m.routes[k].pattern())
	}
	return list
}

// serves is a handler that tells its number and the path values; see parseServed.
func serves(k int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var vals []string
		for _, p := range muxmaster.PathParams(r) {
			if got := r.PathValue(p.Key); got != p.Value {
				panic(fmt.Sprintf("PathValue(%q) = %q, PathParams %q", p.Key, got, p.Value))
			}
			vals = append(vals, p.Value)
		}
		fmt.Fprintf(w, "%d\x01%s", k, strings.Join(append(vals, ""), "\x01"))
	}
}

func parseServed(body string, k *int, vals *[]string) bool {
	number, rest, ok := strings.Cut(body, "\x01")
	if _, err := fmt.Sscan(number, k); err != nil || !ok {
		return false
	}
	parts := strings.Split(rest, "\x01")
	*vals = parts[:len(parts)-1]
	return true
}

// fastServes is serves for a fast route.
func fastServes(k int) muxmaster.FastHandler {
	h := serves(k)
	return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
		if got := muxmaster.PathParams(r); !slices.Equal(got, ps) {
			panic(fmt.Sprintf("Params %q, PathParams %q", ps, got))
		}
		h(w, r)
	}
}

// build makes a Mux of the routes; a route that conflicts with an earlier one is
// left out of the returned reference, and must have been refused. With inBetween,
// requests come between the registrations, and refused ones, so that the router has
// to add to what it has compiled. Then half of the routes are fast ones.
func (m refMux) build(t *testing.T, pooled, inBetween bool) (*muxmaster.Mux, refMux) {
	mux := newMux(pooled)
	mux.RedirectTrailingSlash = m.redirectSlash
	kept := refMux{redirectSlash: m.redirectSlash}
	for _, rt := range m.routes {
		h := serves(len(kept.routes))
		conflict := slices.ContainsFunc(kept.routes, rt.conflicts)
		text := panics(func() {
			switch fast := inBetween && len(kept.routes)%2 == 0; {
			case fast && !rt.verb:
				mux.HandleFast(rt.pattern(), fastServes(len(kept.routes)))
			case fast && rt.method == "GET":
				mux.GETFast(rt.path(), fastServes(len(kept.routes)))
			case !rt.verb:
				mux.Handle(rt.pattern(), h)
			case rt.method == "":
				mux.ANY(rt.path(), h)
			default:
				map[string]func(string, http.HandlerFunc){
					"GET": mux.GET, "HEAD": mux.HEAD, "POST": mux.POST, "PUT": mux.PUT, "OPTIONS": mux.OPTIONS, "CONNECT": mux.CONNECT,
				}[rt.method](rt.path(), h)
			}
		})
		if (text != "") != conflict {
			t.Fatalf("registering %q: panic %q, conflict expected: %v\nroutes: %q", rt.pattern(), text, conflict, kept.patterns(indexes(len(kept.routes))))
		}
		if !conflict {
			kept.routes = append(kept.routes, rt)
		}
		if inBetween && len(kept.routes)%3 != 0 {
			ask(mux, request(t, "GET", "/"))
			if err := mux.TryHandle(rt.pattern(), h); err == nil && !rt.verb {
				t.Fatalf("%q: registered twice", rt.pattern())
			} else if err == nil { // a verb method's /x/ is not Handle's
				return m.build(t, pooled, false)
			}
		}
	}
	return mux, kept
}

func indexes(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}
