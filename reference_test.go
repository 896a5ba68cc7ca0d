package muxmaster_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// This file says how the router answers, without a thought for speed: which
// route serves, as package trietest says, or where it redirects, or which
// methods it allows. fuzz_match_test.go compares the router with it.

// A refMux is a Mux of the reference.
type refMux struct {
	routes        trietest.Routes
	redirectSlash bool
}

// redirect says where the path leads for its last slash: 1 for adding, -1 for
// removing it. sure is false if the rules of verb methods and Handle interact.
func (m refMux) redirect(method, host string, p trietest.Path, found []int) (slash int, sure bool) {
	if !p.Slashed() {
		to := m.routes.Find(method, host, p.AddSlash())
		catchAll := len(found) > 0 && m.routes[found[0]].End == trietest.All
		if len(found) > 0 && !catchAll {
			return 0, true
		}
		handle, verb := 0, 0
		for _, k := range to {
			if rt := m.routes[k]; rt.Whole(p.AddSlash()) {
				if rt.Verb {
					verb++
				} else {
					handle++
				}
			}
		}
		mixed := len(to) > 1 || len(found) > 1 || catchAll && m.routes[found[0]].Verb || m.mixedMethods()
		switch {
		case handle > 0:
			return 1, !mixed
		case verb > 0 && m.redirectSlash && len(found) == 0:
			return 1, !mixed
		}
		return 0, !mixed
	}
	if len(found) == 0 && m.redirectSlash && len(p) > 1 {
		for _, k := range m.routes.Find(method, host, p.TrimSlash()) {
			if m.routes[k].Verb {
				return -1, !m.mixedMethods()
			}
		}
	}
	return 0, !m.mixedMethods()
}

func (m refMux) mixedMethods() bool {
	verbs := 0
	for _, rt := range m.routes {
		if rt.Verb {
			verbs++
		}
	}
	return verbs > 0 && verbs < len(m.routes)
}

var allowOrder = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY", "BREW", "WHEN"}

// allow returns the Allow header of a path that has a route for another method.
// Where several routes may be the one to match the slashed path, it believes in
// a redirect there if all of them would redirect, if one of them would, or if
// one would that a route of the other kind hides, according to the assumption.
func (m refMux) allow(host string, p trietest.Path, belief int) string {
	serves := func(method string) bool {
		if len(m.routes.Find(method, host, p)) > 0 {
			return true
		}
		if p.Slashed() {
			return false
		}
		if belief == 2 && m.mixedMethods() {
			return slices.ContainsFunc(m.routes, func(rt trietest.Route) bool {
				_, ok := trietest.HostValues(rt.Host, host)
				return ok && !rt.Verb && rt.Serving(method) >= 0 && rt.Matches(p.AddSlash()) && rt.Whole(p.AddSlash())
			})
		}
		to := m.routes.Find(method, host, p.AddSlash())
		redirects := 0
		for _, k := range to {
			if !m.routes[k].Verb && m.routes[k].Whole(p.AddSlash()) {
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

// sameLocation compares where redirects lead: bytes that a URL doesn't hold as
// they are may be escaped.
func sameLocation(a, b string) bool {
	pathA, queryA, _ := strings.Cut(a, "?")
	pathB, queryB, _ := strings.Cut(b, "?")
	return queryA == queryB && slices.Equal(trietest.SplitPath(pathA), trietest.SplitPath(pathB)) && !strings.ContainsFunc(a, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' })
}

// check returns what is wrong with an answer. The path is as it came.
func (m refMux) check(method, host, escaped, query string, got answer) string {
	p := trietest.SplitPath(escaped)
	if method != "CONNECT" && !p.Clean() {
		clean := trietest.CleanPath(escaped)
		ok := []string{clean + query}
		cp := trietest.SplitPath(clean)
		switch slash, _ := m.redirect(method, host, cp, m.routes.Find(method, host, cp)); slash {
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
	found := m.routes.Find(method, host, p)
	slash, sure := m.redirect(method, host, p, found)
	to := escaped + "/"
	if slash < 0 {
		to = strings.TrimSuffix(escaped, "/")
	}
	if method == "CONNECT" && slash != 0 { // whose path may be unclean
		to = trietest.CleanPath(to)
	}
	redirected := got.status == 307 && sameLocation(got.location, to+query)
	if redirected && (slash != 0 || !sure && !p.Slashed()) {
		return ""
	}
	if slash != 0 && sure {
		return "want 307 to " + to + query
	}
	if len(found) > 0 {
		var k int
		var vals []string
		if got.status != 200 || !parseServed(got.body, &k, &vals) {
			return fmt.Sprintf("want a route of %q", m.routes.Patterns(found...))
		}
		if !slices.Contains(found, k) {
			return fmt.Sprintf("served by %q, want one of %q", m.routes[k].Pattern(), m.routes.Patterns(found...))
		}
		if !m.routes[k].Holds(host, p, vals) {
			return fmt.Sprintf("served by %q with wrong values %q", m.routes[k].Pattern(), vals)
		}
		return ""
	}
	if !sure && slash != 0 {
		return "" // the rules of verb methods and Handle interact
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

// serves is a handler that tells its number and the path values; see
// parseServed.
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

// build makes a Mux of the routes; a route that conflicts with an earlier one
// is left out of the returned reference, and must have been refused. With
// inBetween, requests come between the registrations, and refused ones, so that
// the router has to add to what it has compiled. Then half of the routes are
// fast ones.
func (m refMux) build(t *testing.T, pooled, inBetween bool) (*muxmaster.Mux, refMux) {
	mux := newMux(pooled)
	mux.RedirectTrailingSlash = m.redirectSlash
	kept := refMux{redirectSlash: m.redirectSlash}
	for _, rt := range m.routes {
		h := serves(len(kept.routes))
		conflict := slices.ContainsFunc(kept.routes, rt.Conflicts)
		text := panics(func() {
			switch fast := inBetween && len(kept.routes)%2 == 0; {
			case fast && !rt.Verb:
				mux.HandleFast(rt.Pattern(), fastServes(len(kept.routes)))
			case fast && rt.Method == "GET":
				mux.GETFast(rt.Path(), fastServes(len(kept.routes)))
			case !rt.Verb:
				mux.Handle(rt.Pattern(), h)
			case rt.Method == "":
				mux.ANY(rt.Path(), h)
			default:
				map[string]func(string, http.HandlerFunc){
					"GET": mux.GET, "HEAD": mux.HEAD, "POST": mux.POST, "PUT": mux.PUT, "OPTIONS": mux.OPTIONS, "CONNECT": mux.CONNECT,
				}[rt.Method](rt.Path(), h)
			}
		})
		if (text != "") != conflict {
			t.Fatalf("registering %q: panic %q, conflict expected: %v\nroutes: %q", rt.Pattern(), text, conflict, kept.routes.Patterns())
		}
		if !conflict {
			kept.routes = append(kept.routes, rt)
		}
		if inBetween && len(kept.routes)%3 != 0 {
			ask(mux, request(t, "GET", "/"))
			if err := mux.TryHandle(rt.Pattern(), h); err == nil && !rt.Verb {
				t.Fatalf("%q: registered twice", rt.Pattern())
			} else if err == nil { // a verb method's /x/ is not Handle's
				return m.build(t, pooled, false)
			}
		}
	}
	return mux, kept
}
