package muxmaster_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// This file says how the router answers, without a thought for speed: which
// route serves, as package trietest says, or where it redirects, or which
// methods it allows. fuzz_test.go compares the router with it.

// A refMux is a Mux of the reference.
type refMux struct {
	routes        trietest.Routes
	redirectSlash bool
	redirectCase  bool
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

// recased reports whether a redirect to location is right for a path whose
// letters have another case than those of a route. must reports whether there
// must be such a redirect.
func (m refMux) recased(method, host string, p trietest.Path, location, query string) (ok, must bool) {
	if !m.redirectCase || method == "CONNECT" {
		return false, false
	}
	path, _ := strings.CutSuffix(location, query)
	to := trietest.SplitPath(path)
	for _, rt := range m.routes {
		if _, hostOK := trietest.HostValues(rt.Host, host); !hostOK || rt.Serving(method) < 0 {
			continue
		}
		must = must || rt.Fold().Matches(p)
		ok = ok || rt.Recases(p, to) || rt.Recases(p.AddSlash(), to) || rt.Recases(p.AddSlash(), to.AddSlash()) && p.Slashed() == to.Slashed() ||
			p.Slashed() && rt.Recases(p.TrimSlash(), to) || to.Slashed() && rt.Recases(p, to.TrimSlash())
	}
	return ok && sameLocation(location, path+query), must
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
		if recased, _ := m.recased(method, host, cp, got.location, query); recased && got.status == 307 {
			return ""
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
	if ok, must := m.recased(method, host, p, got.location, query); ok && got.status == 307 {
		return ""
	} else if must && slash == 0 {
		return "want a redirect to a path with letters in another case"
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
	mux.RedirectTrailingSlash, mux.RedirectCase = m.redirectSlash, m.redirectCase
	kept := refMux{redirectSlash: m.redirectSlash, redirectCase: m.redirectCase}
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

// mounted returns a Mux that serves m at /p/q, on a Mux that is mounted itself for
// some variants, beside routes of which none gets what is below.
func mounted(m *muxmaster.Mux, variant int) *muxmaster.Mux {
	outer := newMux(variant%3 == 1)
	outer.RedirectTrailingSlash = variant%5 < 2
	switch variant % 3 {
	case 1:
		outer.GET("/*all", tell("outer"))
	case 2:
		outer.Handle("/{a}/{b}/{c...}", tell("outer"))
		outer.POST("/{a}/{b}", tell("outer"))
	}
	if variant%2 == 0 {
		outer.Handle("PUT /p/", tell("outer"))
		outer.Mount("/p/q", m)
		return outer
	}
	middle := muxmaster.New()
	middle.RedirectTrailingSlash = outer.RedirectTrailingSlash
	middle.Mount("/q", m)
	outer.Mount("/p", middle)
	return outer
}

// targetParts are put into request targets.
var targetParts = []string{
	"/", "//", "/./", "/../", "/.", "/..", "%2e", "%2E%2e", "%2f", "%2F..%2F", "\\", "%5c", "/\\", ";", ";x=y", "%3b", "%", "%%", "%zz", "%0", "%00", "%0d%0aX:y",
	"%u002f", "%c0%af", "?", "%3f", "#", "@", ":", "::", "[", "]", "{", "}", "*", "+", "~", "|", "\"", "'", "<", "^", "`", "\x01", "\x7f", "\t", "\v", "\xff", "\xc0\xaf", "é",
	"%ff", "\u2028", "\r", "\x00", strings.Repeat("a", 8000), strings.Repeat("/a", 4000), strings.Repeat("/..", 2500), strings.Repeat("%2F", 2500),
}

// wireTarget puts a request target together.
func wireTarget(c *trietest.Choices, method string, routes trietest.Routes) string {
	target := c.Target(routes)
	for range c.Pick(4) {
		at := c.Pick(len(target) + 1)
		target = target[:at] + trietest.Of(c, targetParts) + target[at:]
	}
	switch c.Pick(16) {
	case 1:
		return "http://" + trietest.Of(c, trietest.RequestHosts) + target
	case 2:
		return trietest.Of(c, []string{"*", "example.com:443", "x:" + target, "HTTPS://u:p@h" + target, "//example.com" + target, "http:" + target, "", "?q", "example.com"})
	case 3:
		return target + "?" + trietest.Of(c, []string{"", "q=/../x", "a;b=%zz", "%0d%0aX:y", "\xff", "?", "#"})
	}
	return target
}

// sendRaw sends bytes to the server and returns the status, body and Location
// of the response.
func sendRaw(addr, raw string) (status int, body, location string, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, "", "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, raw); err != nil {
		return 0, "", "", err
	}
	method, _, _ := strings.Cut(raw, " ")
	if method == "CONNECT" {
		method = "GET" // for the reader; the server's responses to CONNECT have a body
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return 0, "", "", err
	}
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), resp.Header.Get("Location"), err
}

// checkWire returns what is wrong with a response to an odd request, see check.
func (m refMux) checkWire(method, host, path, query string, header http.Header, got answer) string {
	if !slices.Contains([]int{200, 204, 307, 400, 404, 405}, got.status) {
		return "an unknown status"
	}
	if wrong := wrongLocation("", got.location); wrong != "" {
		return fmt.Sprintf("Location %q %s", got.location, wrong)
	}
	for key, vals := range header {
		if !slices.Contains([]string{"Content-Type", "Location", "Allow", "X-Content-Type-Options", "Connection"}, key) || len(vals) > 1 {
			return fmt.Sprintf("header %s: %q", key, vals)
		}
	}
	if path == "" || path[0] != '/' {
		if got.status == 200 || method == "CONNECT" && got.status == 307 {
			return "a path without a slash is served"
		}
		return ""
	}
	if query != "" {
		query = "?" + query
	}
	if strings.ContainsFunc(query, func(c rune) bool { return c <= ' ' || c > '~' || c == '#' }) {
		query = "" // Location has it escaped
		got.location, _, _ = strings.Cut(got.location, "?")
	}
	return m.check(method, host, path, query, got)
}

// holdWire compares Muxes with the reference for odd request lines.
func holdWire(t *testing.T, routes, requests []byte) {
	c := trietest.Choices(routes)
	registration, ref := trietest.Registration(c.Pick(3)), refMux{redirectSlash: c.Pick(2) == 0}
	ref.routes = c.Routes(registration, 30)
	mux, kept := ref.build(t, false, false)
	pooled, _ := ref.build(t, true, false)
	c = requests
	for c.More() && !t.Failed() {
		method := trietest.Of(&c, append(trietest.RequestMethods, "get", "G%T", "A-B", "!"))
		host := trietest.Of(&c, append(trietest.RequestHosts, "", "[::1]:80", "a:b", "..", "EXAMPLE.com.:8080"))
		target := wireTarget(&c, method, kept.routes)
		r, err := readRequest(host, method, target)
		if err != nil {
			continue
		}
		path, query, host := wirePath(r), r.URL.RawQuery, r.Host
		w := record(mux, r)
		got := answerOf(w)
		if wrong := kept.checkWire(method, host, path, query, w.Header(), got); wrong != "" {
			t.Errorf("%s %s%.300q: %.200q, %.300s\nroutes: %q", method, host, target, got.brief(), wrong, kept.routes.Patterns())
		}
		again, _ := readRequest(host, method, target)
		if also := ask(pooled, again); also != got {
			t.Errorf("%s %s%.300q: %.200q, but pooled %.200q\nroutes: %q", method, host, target, got.brief(), also.brief(), kept.routes.Patterns())
		}
	}
}

func TestWireReference(t *testing.T) { trietest.Random(t, 200, 100, holdWire) }
