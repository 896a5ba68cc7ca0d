package muxmaster_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// The files in testdata/routers hold cases of other routers' own tests. A block of
// lines is one router with its routes and, indented, its requests:
//
//	/cmd/:tool/:sub           a route for GET
//	POST /x                   a route for POST
//	/files/* => /files/{rest...}
//	                          a route that is written in another way here
//	/src/* => ! needs a name  a route that panics here, and a part of the text
//		/cmd/a/b = /cmd/:tool/:sub tool="a" sub="b"
//	                          a GET request, and the route and values that serve it
//		HEAD /x = 405 POST, OPTIONS | 404
//	                          status and Allow or Location; the other router's own
//	                          answer differs, and follows the bar
//
// Module bench runs the same files on the other routers: go test ./peers.

// A routerCase is a block of such a file.
type routerCase struct {
	routes   []routerRoute
	refused  [][2]string // path, text
	requests exchanges
}

type routerRoute struct{ method, path string }

var methodFirst = regexp.MustCompile(`^([A-Z]+|\*) (.*)`)

func cutMethod(s string) (method, rest string) {
	if m := methodFirst.FindStringSubmatch(s); m != nil {
		return m[1], m[2]
	}
	return "GET", s
}

func readRouterCases(t *testing.T, file string) (cases []routerCase) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		var c routerCase
		for line := range strings.Lines(block) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if line[0] == '\t' {
				request, want, ok := strings.Cut(line[1:], " = ")
				if !ok {
					t.Fatalf("%s: no answer in %q", file, line)
				}
				want, _, _ = strings.Cut(want, " | ")
				c.requests = append(c.requests, [2]string{request, want})
				continue
			}
			old, ours, ok := strings.Cut(line, " => ")
			if text, refused := strings.CutPrefix(ours, "! "); refused {
				c.refused = append(c.refused, [2]string{old, text})
				continue
			}
			if !ok {
				ours = old
			}
			method, path := cutMethod(ours)
			c.routes = append(c.routes, routerRoute{method, path})
		}
		cases = append(cases, c)
	}
	return cases
}

// register registers the routes of c, from the last one if reverse is true. Handlers
// tell their path and values, but not the prefix's.
func (c routerCase) register(to muxmaster.Router, reverse bool) {
	for i := range c.routes {
		if reverse {
			i = len(c.routes) - 1 - i
		}
		route := c.routes[i]
		h := func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, route.path)
			ps := slices.DeleteFunc(muxmaster.PathParams(r), func(p muxmaster.Param) bool { return p.Key == "prefix" })
			if len(ps) > 0 {
				fmt.Fprint(w, " ", format(r, ps))
			}
		}
		switch {
		case route.path[0] != '/':
			to.HandleFunc(route.method+" "+route.path, h)
		case route.method == "ANY":
			to.ANY(route.path, h)
		default:
			to.Method(route.method, route.path, http.HandlerFunc(h))
		}
	}
}

// places are where the routes of a routerCase are registered, and the prefix there.
// Routes serve the same requests below a prefix, also beside a catch-all for
// everything, and in another order.
var places = []struct {
	name, prefix    string
	reversed, hosts bool // another order; routes may have hosts
	register        func(m *muxmaster.Mux, c routerCase)
}{
	{"", "", false, true, func(m *muxmaster.Mux, c routerCase) { c.register(m, false) }},
	{"the last route first", "", true, true, func(m *muxmaster.Mux, c routerCase) { c.register(m, true) }},
	{"Group", "/p/a%2Fb", false, false, func(m *muxmaster.Mux, c routerCase) { c.register(m.Group("/p/{prefix}"), false) }},
	{"Mount", "/p/a%2Fb", false, false, func(m *muxmaster.Mux, c routerCase) {
		sub := newMux(m.PoolRequestBundle)
		c.register(sub, false)
		m.Mount("/p/{prefix}", sub)
	}},
	{"beside a catch-all", "/p/a%2Fb", true, false, func(m *muxmaster.Mux, c routerCase) {
		sub := newMux(m.PoolRequestBundle)
		c.register(sub, true)
		m.GET("/*everything", tell("everything"))
		m.Mount("/p/{prefix}", sub)
	}},
}

func TestCasesOfOtherRouters(t *testing.T) {
	files, err := filepath.Glob("testdata/routers/*.txt")
	if err != nil || len(files) < 21 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			requests := 0
			for _, c := range readRouterCases(t, file) {
				for _, refused := range c.refused {
					text := panics(func() { muxmaster.New().GET(refused[0], tell("")) })
					if !strings.Contains(text, refused[1]) {
						t.Errorf("%s: panics with %q, want %q", refused[0], text, refused[1])
					}
				}
				hosts := slices.ContainsFunc(c.routes, func(r routerRoute) bool { return r.path[0] != '/' })
				for i := range 2 * len(places) {
					place, mode := places[i/2], modes[i%2]
					if place.reversed && c.ordered() || hosts && !place.hosts {
						continue
					}
					m := newMux(mode.pooled)
					place.register(m, c)
					for _, row := range c.requests {
						if place.prefix != "" && (strings.Contains(row[0], "..") || strings.Contains(row[0], "%2e")) {
							continue // may leave the prefix
						}
						requests++
						method, host, target := parts(row[0])
						a := ask(m, requestTo(t, host, method, place.prefix+target))
						a.location = strings.TrimPrefix(a.location, place.prefix)
						if got := a.brief(); got != row[1] {
							t.Errorf("%s, %s, %v: %s: got %s, want %s", mode.name, place.name, c.routes, row[0], got, row[1])
						}
						if place.prefix == "" {
							agrees(t, m, exchanges{row}, c.routes)
						}
					}
				}
			}
			if requests == 0 {
				t.Error("no requests")
			}
		})
	}
}

// ordered reports whether two constraints make the order of c's routes matter.
func (c routerCase) ordered() bool {
	n := 0
	for _, route := range c.routes {
		if strings.Contains(route.path, ":[") || strings.Contains(route.path, ":^") || strings.Contains(route.path, `:\`) {
			n++
		}
	}
	return n > 1
}

var wildcard = regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)

// reports is a handler that tells all that net/http's own router says of a
// match.
func reports(pattern string) http.HandlerFunc {
	names := wildcard.FindAllStringSubmatch(pattern, -1)
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s, r.Pattern %s, path %s", pattern, r.Pattern, r.URL.Path)
		for _, n := range names {
			fmt.Fprintf(w, ", %s=%q", n[1], r.PathValue(n[1]))
		}
		fmt.Fprintf(w, ", none=%q", r.PathValue("none"))
	}
}

// sameSets are patterns and requests, METHOD HOST TARGET, with which both
// routers do the same.
var sameSets = []struct {
	patterns []string
	requests []string
}{
	{[]string{"/"}, []string{"GET h /", "GET h /x", "GET h /x/y", "POST h /", "BREW h /x", "GET h //", "GET h //x", "GET h /x/..", "GET h /x/../y?q", "GET h /.", "GET h /x//", "CONNECT h //x", "GET h *", "OPTIONS h *"}},
	{[]string{"/x"}, []string{"GET h /x", "GET h /x/", "GET h /X", "GET h /x?y", "GET h /xx", "GET h /./x", "GET h //x", "GET h /", "HEAD h /x", "GET h /%78"}},
	{[]string{"/x/"}, []string{"GET h /x", "GET h /x/", "GET h /x/y", "GET h /x?q=1&r=/", "POST h /x", "GET h //x", "GET h /y/../x", "GET h /x//y", "GET h /xy", "HEAD h /x", "CONNECT h /x/y//z"}},
	{[]string{"GET /x"}, []string{"GET h /x", "HEAD h /x", "POST h /x", "BREW h /x", "POST h /y", "CONNECT h /x"}},
	{[]string{"BREW /pot", "GET /pot"}, []string{"BREW h /pot", "WHEN h /pot", "brew h /pot"}},
	{[]string{"GET  /x", "POST\t/x", "PUT \t /x"}, []string{"GET h /x", "POST h /x", "PUT h /x", "DELETE h /x"}},
	{[]string{"h/", "/"}, []string{"GET h /x", "GET g /x", "GET h:80 /x", "GET h:abc /x", "GET  /x"}},
	{[]string{"h/{a}/{$}", "h/{a}"}, []string{"GET h /1", "GET h /1/", "GET h //1"}},
	{[]string{"h/a/", "h:80/c/", "h:90/", "/b/"}, []string{"GET h /", "GET h /a", "GET h:80 /a", "GET h:80 /c/", "GET h:90 /", "GET h:90 /b", "CONNECT h /", "CONNECT h:80 /a", "CONNECT h:80 /b", "CONNECT h:80 /c/", "CONNECT h:90 /"}},
	{[]string{"h/", "h:90/"}, []string{"GET h:90 /", "GET h /", "GET h:80 /"}},
	{[]string{"/#/"}, []string{"GET h /%23/x", "GET h /%23", "GET h /x"}},
	{[]string{"127.0.0.1/x", "/x"}, []string{"GET 127.0.0.1:8080 /x", "GET 127.0.0.1 /x"}},
	{[]string{"CONNECT /x/", "GET /x/"}, []string{"CONNECT h /x/", "CONNECT h /x/a//b", "CONNECT h //x/"}},
	{[]string{"CONNECT /./{$}", "CONNECT /x/../{$}"}, []string{"CONNECT h /.", "CONNECT h /x/.."}},
	{[]string{"/a b/"}, nil},
	{[]string{"/%61/{x}"}, []string{"GET h /a/1", "GET h /%61/1"}},
	{[]string{"/100%/{x}"}, []string{"GET h /100%25/1"}},
	{[]string{"/id}"}, []string{"GET h /id}", "GET h /id"}},
	{[]string{"/{x}"}, []string{"GET h /%25", "GET h /a%20b", "GET h /%FF", "GET h /ü", "GET h /%00", "GET h /a;b", "GET h /a%2F..%2Fb", "GET h /..%2Fb", "GET h /...", "GET h /a+b", "GET h /?x=/..", "GET h /%2525"}},
	{[]string{"/{r...}"}, []string{"GET h /", "GET h /a%2Fb/c", "GET h /a/%20/", "GET h /%2F/", "GET h /a/b%2525"}},
	{[]string{"//x"}, []string{"GET h //x", "GET h /x"}},
	{[]string{"/a/../b"}, []string{"GET h /b", "GET h /a/../b"}},
	{[]string{" /x"}, []string{"GET h /x"}},
	{[]string{"/über/{名}"}, []string{"GET h /über/日本", "GET h /%C3%BCber/%E6%97%A5"}},
	{[]string{"/items/", "GET /items/list", "GET /items/{id}", "GET /items/{id}/edit"}, []string{"GET h /items", "GET h /items/", "GET h /items/list", "GET h /items/5", "GET h /items/5/edit", "GET h /items/5/x", "POST h /items/5"}},
	{[]string{"/b/{bucket}/o/{object...}"}, []string{"GET h /b/x/o/y/z", "GET h /b/x/o/", "GET h /b/x/o", "GET h /b//o/y"}},
}

// Requests to both routers end alike: same handler, pattern, values, status,
// Location and Allow, but for OPTIONS.
func TestLikeServeMux(t *testing.T) {
	for _, set := range sameSets {
		std, mux := http.NewServeMux(), muxmaster.New()
		for _, p := range set.patterns {
			stds := panics(func() { std.Handle(p, reports(p)) })
			ours := panics(func() { mux.Handle(p, reports(p)) })
			if (stds == "") != (ours == "") {
				t.Errorf("%q: http.ServeMux says %q, Mux says %q", p, stds, ours)
			}
		}
		for _, req := range set.requests {
			compareMuxes(t, std, mux, req, fmt.Sprintf("%q", set.patterns))
		}
	}
}

// compareMuxes holds the Mux against the ServeMux for a request, METHOD HOST
// TARGET, which is left out if it is none.
func compareMuxes(t *testing.T, std *http.ServeMux, mux *muxmaster.Mux, req, context string) {
	t.Helper()
	f := strings.SplitN(req, " ", 3)
	fresh := func() *http.Request {
		r, err := readRequest(f[1], f[0], f[2])
		if err != nil {
			return nil
		}
		return r
	}
	if fresh() == nil {
		return
	}
	rs, rm := fresh(), fresh()
	a, b := ask(std, rs), ask(mux, rm)
	redirect := a.status >= 300 && a.status < 400
	if redirect && strings.Contains(f[2], "%") {
		a.location = b.location // escaped twice by ServeMux; TestRedirects has them
		a.body = b.body
	}
	a.allow = ourAllow(a.allow)
	if f[0] == "OPTIONS" && a.status == 405 {
		a.status, a.body = 204, ""
	}
	if a != b {
		t.Errorf("%s, %s:\n http.ServeMux %+v\n Mux           %+v", context, req, a, b)
	}
	if f[0] == "CONNECT" && redirect {
		return // the ServeMux's pattern is a path then
	}
	if rs.Pattern != rm.Pattern {
		t.Errorf("%s, %s: r.Pattern %q, want %q", context, req, rm.Pattern, rs.Pattern)
	}
	r := fresh()
	_, want := std.Handler(fresh())
	h, got := mux.Handler(r)
	if got != want {
		t.Errorf("%s, %s: Handler's pattern %q, want %q", context, req, got, want)
	}
	if r.Pattern != "" {
		t.Errorf("%s, %s: Handler changed the request", context, req)
	}
	if served := ask(h, r); served.status != b.status || served.location != b.location || served.allow != b.allow {
		t.Errorf("%s, %s: Handler's handler answers %+v, want %+v", context, req, served, b)
	}
}

// ourAllow returns a Mux's Allow header for that of a ServeMux.
func ourAllow(std string) string {
	if std == "" {
		return ""
	}
	var known, custom []string
	for _, m := range strings.Split(std, ", ") {
		switch {
		case m == "OPTIONS":
		case slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY"}, m):
			known = append(known, m)
		default:
			custom = append(custom, m)
		}
	}
	order := "GET HEAD POST PUT PATCH DELETE CONNECT TRACE QUERY"
	slices.SortFunc(known, func(a, b string) int { return strings.Index(order, a) - strings.Index(order, b) })
	slices.Sort(custom)
	return strings.Join(append(append(known, custom...), "OPTIONS"), ", ")
}

// What docs/patterns.md names as different.
func TestUnlikeServeMux(t *testing.T) {
	for _, c := range []struct {
		patterns      string // separated by |
		host          string
		method        string
		target        string
		servemux, mux string // brief answers; panic for refused, any for what differs between Go versions
	}{
		{"GET /x", "h", "OPTIONS", "/x", "405 GET, HEAD", "204 GET, HEAD, OPTIONS"},
		{"POST /x|GET /x", "h", "PUT", "/x", "405 GET, HEAD, POST", "405 GET, HEAD, POST, OPTIONS"},
		{"h/x", "H", "GET", "/x", "404", "h/x"},
		{"h/x", "h.", "GET", "/x", "404", "h/x"},
		{"h/x", "h.:80", "GET", "/x", "404", "h/x"},
		{"H/x", "h", "GET", "/x", "404", "H/x"},
		{"h./x", "h", "GET", "/x", "404", "h./x"},
		{"[::1]/x", "[::1]:80", "GET", "/x", "404", "[::1]/x"},
		{"/{x}/a|/b/{y}", "h", "GET", "/b/a", "panic", "/b/{y}"},
		{"/{x}/a|/b/{y}", "h", "GET", "/c/a", "panic", "/{x}/a"},
		{"GET /{x}|/a", "h", "GET", "/a", "panic", "/a"},
		{"/{user-id}", "h", "GET", "/a", "panic", "/{user-id}"},
		{"GET,POST /x", "h", "POST", "/x", "panic", "GET,POST /x"},
		{"/{x}.json", "h", "GET", "/a.json", "panic", "/{x}.json"},
		{"/{x...}/y", "h", "GET", "/a/b/y", "panic", "/{x...}/y"},
		{"/:x", "h", "GET", "/a", "404", "/:x"},
		{"/*x", "h", "GET", "/a/b", "404", "/*x"},
		{"/x/", "h", "GET", "/a%2Fb/../x", "any", "307 /x/"},
		{"/{x}", "h", "GET", "/%2F", "404", "/{x}"},
		{"/{r...}", "h", "GET", "/a%2F..%2Fb", "/{r...}", "404"},
		{"/x/{r...}|/", "h", "GET", "/x/..%2Fetc", "/x/{r...}", "404"},
		{"/t/|/t/a/", "h", "GET", "/t/x%2F..%2Fa/b", "/t/", "404"},
		{"/t/", "h", "GET", "/t/..%2F..", "/t/", "404"},
		{"/t/", "h", "GET", "/t/x/.%2F", "/t/", "404"},
		{"/t/", "h", "GET", "/t/x%2F%2Fb", "/t/", "/t/"},
		{"CONNECT /x/", "h", "CONNECT", "/x/../x/", "CONNECT /x/", "404"},
		{"h/x", "h:80", "CONNECT", "/x", "404", "h/x"},
		{"/{x}", "h", "GET", "/%2e%2e", "/{x}", "307 /"},
		{"/{x}", "h", "GET", "/a/%2E", "404", "307 /a"},
		{"/{x}/", "h", "GET", "/a%3Fb", "307 /a%3Fb/", "307 /a%3Fb/"},
		{"/{x}/b", "h", "GET", "/a%3Fb//b", "any", "307 /a%3Fb/b"},
		{"/{x}/", "h", "GET", "/a?b#c", "307 /a/?b#c", "307 /a/?b%23c"},
	} {
		std, mux := http.NewServeMux(), muxmaster.New()
		refused := ""
		for _, p := range strings.Split(c.patterns, "|") {
			if panics(func() { std.Handle(p, tell(p)) }) != "" {
				refused = "panic"
			}
			mux.Handle(p, tell(p))
		}
		got := refused
		if got == "" {
			got = ask(std, requestTo(t, c.host, c.method, c.target)).brief()
		}
		if got != c.servemux && c.servemux != "any" {
			t.Errorf("%q, %s %s%s: http.ServeMux answers %s, the table says %s", c.patterns, c.method, c.host, c.target, got, c.servemux)
		}
		if got := ask(mux, requestTo(t, c.host, c.method, c.target)).brief(); got != c.mux {
			t.Errorf("%q, %s %s%s: got %s, want %s", c.patterns, c.method, c.host, c.target, got, c.mux)
		}
	}
}

// A ServeMux in a Mux, and a Mux in a ServeMux.
func TestNestedServeMux(t *testing.T) {
	show := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s a=%q b=%q", r.Pattern, r.PathValue("a"), r.PathValue("b"))
	}
	for _, mode := range modes {
		inner := http.NewServeMux()
		inner.HandleFunc("/x/{a}/{b}", show)
		outer := newMux(mode.pooled)
		outer.Handle("/x/", inner)
		outer.Handle("/y/", http.StripPrefix("/y", inner))
		outer.Mount("/z/{a}", http.StripPrefix("/z", inner))
		wants(t, outer, exchanges{
			{"/x/1/2", `/x/{a}/{b} a="1" b="2"`},
			{"/y/x/1/2", `/x/{a}/{b} a="1" b="2"`},
			{"/z/x/1/2", `/x/{a}/{b} a="1" b="2"`},
			{"/x/1", "404"},
		}, mode.name)

		mux := newMux(mode.pooled)
		mux.GET("/:a/x/{b}", show)
		mux.GET("/:a/s", show)
		mux.GETFast("/:a/f/{b}", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { show(w, r) })
		std := http.NewServeMux()
		std.Handle("/{a}/", mux)
		std.Handle("/1/2/3/{a}/{b}", http.HandlerFunc(show))
		prefixed := http.NewServeMux()
		prefixed.Handle("/p/{b}/", http.StripPrefix("/p/q", mux))
		std.Handle("/p/q/", prefixed)
		wants(t, std, exchanges{
			{"/1/x/2", `GET /:a/x/{b} a="1" b="2"`},
			{"/1/f/2", `GET /:a/f/{b} a="1" b="2"`},
			{"/1/s", `GET /:a/s a="1" b=""`},
			{"/1/2/3/4/5", `/1/2/3/{a}/{b} a="4" b="5"`},
			{"/p/q/1/s", `GET /:a/s a="1" b="q"`}, // the outer value stays visible
			{"/p/q/1/x/2", `GET /:a/x/{b} a="1" b="2"`},
		}, mode.name)
	}
}
