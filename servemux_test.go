package muxmaster_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// serveMux is what an http.ServeMux and a Mux have in common.
type serveMux interface {
	http.Handler
	Handle(pattern string, h http.Handler)
	HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request))
	Handler(r *http.Request) (http.Handler, string)
}

var (
	_ serveMux = (*http.ServeMux)(nil)
	_ serveMux = (*muxmaster.Mux)(nil)
)

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
	{[]string{"/"}, []string{"GET h /", "GET h /x", "GET h /x/y", "POST h /", "BREW h /x", "GET h //", "GET h //x", "GET h /x/..", "GET h /x/../y?q", "GET h /.", "GET h /x//", "CONNECT h //x"}},
	{[]string{"/{$}"}, []string{"GET h /", "GET h /x", "GET h //", "POST h /"}},
	{[]string{"/x"}, []string{"GET h /x", "GET h /x/", "GET h /X", "GET h /x?y", "GET h /xx", "GET h /./x", "GET h //x", "GET h /", "HEAD h /x", "GET h /%78"}},
	{[]string{"/x/"}, []string{"GET h /x", "GET h /x/", "GET h /x/y", "GET h /x?q=1&r=/", "POST h /x", "GET h //x", "GET h /y/../x", "GET h /x//y", "GET h /xy", "HEAD h /x", "CONNECT h /x/y//z"}},
	{[]string{"/x/{$}"}, []string{"GET h /x", "GET h /x/", "GET h /x/y"}},
	{[]string{"/x", "/x/"}, []string{"GET h /x", "GET h /x/", "GET h /x/y"}},
	{[]string{"/x", "/x/{$}", "/x/{r...}"}, []string{"GET h /x", "GET h /x/", "GET h /x/y", "GET h /x/y/"}},
	{[]string{"/", "/x/"}, []string{"GET h /x", "GET h /x/", "GET h /x/y", "GET h /z", "GET h /x?q"}},
	{[]string{"/{r...}", "/x/{$}"}, []string{"GET h /x", "GET h /x/", "GET h /x/y", "GET h /"}},
	{[]string{"/{a}", "/x/"}, []string{"GET h /x", "GET h /y", "GET h /x/", "GET h /x/y"}},
	{[]string{"/{a}/", "/{r...}"}, []string{"GET h /x", "GET h /x/", "GET h /x/y", "GET h /"}},
	{[]string{"/{a}/{b}", "/x/{b}", "/x/y"}, []string{"GET h /x/y", "GET h /x/z", "GET h /z/y", "GET h /x/", "GET h /x", "GET h /a%2Fb/c"}},
	{[]string{"/a/{x}", "/a/b/{r...}"}, []string{"GET h /a/b", "GET h /a/b/", "GET h /a/c", "GET h /a/b/c/d"}},
	{[]string{"/a/{x}/c", "/a/{r...}"}, []string{"GET h /a/b/c", "GET h /a/b/d", "GET h /a", "GET h /a/", "GET h /a/b/c/"}},
	{[]string{"GET /x"}, []string{"GET h /x", "HEAD h /x", "POST h /x", "BREW h /x", "POST h /y", "CONNECT h /x"}},
	{[]string{"HEAD /x"}, []string{"GET h /x", "HEAD h /x"}},
	{[]string{"GET /x", "HEAD /x", "POST /x"}, []string{"GET h /x", "HEAD h /x", "POST h /x", "PUT h /x"}},
	{[]string{"GET /x", "/x"}, []string{"GET h /x", "HEAD h /x", "POST h /x"}},
	{[]string{"GET /x/", "/"}, []string{"GET h /x", "POST h /x", "POST h /x/", "GET h /x/y"}},
	{[]string{"POST /x/"}, []string{"GET h /x", "POST h /x", "GET h /x/", "GET h /x/y"}},
	{[]string{"POST /x/{$}", "GET /x"}, []string{"PUT h /x", "POST h /x", "PUT h /x/"}},
	{[]string{"GET /{a}", "POST /{b}"}, []string{"GET h /1", "POST h /1", "DELETE h /1", "GET h /"}},
	{[]string{"BREW /pot", "GET /pot"}, []string{"BREW h /pot", "WHEN h /pot", "brew h /pot"}},
	{[]string{"GET  /x", "POST\t/x", "PUT \t /x"}, []string{"GET h /x", "POST h /x", "PUT h /x", "DELETE h /x"}},
	{[]string{"h/", "/"}, []string{"GET h /x", "GET g /x", "GET h:80 /x", "GET h:abc /x", "GET  /x"}},
	{[]string{"h/x", "/{r...}"}, []string{"GET h /x", "GET h /y", "GET g /x"}},
	{[]string{"h/x/", "/x"}, []string{"GET h /x", "GET g /x", "GET h /x/"}},
	{[]string{"GET h/x", "/x"}, []string{"GET h /x", "POST h /x", "GET g /x", "HEAD h /x"}},
	{[]string{"GET h/x", "POST /x"}, []string{"GET h /x", "POST h /x", "PUT h /x", "PUT g /x"}},
	{[]string{"h/{$}", "g/{$}"}, []string{"GET h /", "GET g /", "GET i /"}},
	{[]string{"h/{a}/{$}", "h/{a}"}, []string{"GET h /1", "GET h /1/", "GET h //1"}},
	{[]string{"h/a/", "h:80/c/", "h:90/", "/b/"}, []string{"GET h /", "GET h /a", "GET h:80 /a", "GET h:80 /c/", "GET h:90 /", "GET h:90 /b", "CONNECT h /", "CONNECT h:80 /a", "CONNECT h:80 /b", "CONNECT h:80 /c/", "CONNECT h:90 /"}},
	{[]string{"h/", "h:90/"}, []string{"GET h:90 /", "GET h /", "GET h:80 /"}},
	{[]string{"/#/"}, []string{"GET h /%23/x", "GET h /%23", "GET h /x"}},
	{[]string{"127.0.0.1/x", "/x"}, []string{"GET 127.0.0.1:8080 /x", "GET 127.0.0.1 /x"}},
	{[]string{"CONNECT /x/", "GET /x/"}, []string{"CONNECT h /x/", "CONNECT h /x/a//b", "CONNECT h //x/"}},
	{[]string{"/a%2Fb", "/a/b"}, []string{"GET h /a%2Fb", "GET h /a%2fb", "GET h /a/b", "GET h /%61/b"}},
	{[]string{"/a%2Fb/{x}"}, []string{"GET h /a%2Fb/c", "GET h /a/b/c"}},
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
		for _, c := range [][2]string{
			{"/x/1/2", `/x/{a}/{b} a="1" b="2"`},
			{"/y/x/1/2", `/x/{a}/{b} a="1" b="2"`},
			{"/z/x/1/2", `/x/{a}/{b} a="1" b="2"`},
			{"/x/1", "404"},
		} {
			if got := get(t, outer, "GET", c[0]); got != c[1] {
				t.Errorf("%s: ServeMux in Mux, %s: got %s, want %s", mode.name, c[0], got, c[1])
			}
		}

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
		for _, c := range [][2]string{
			{"/1/x/2", `GET /:a/x/{b} a="1" b="2"`},
			{"/1/f/2", `GET /:a/f/{b} a="1" b="2"`},
			{"/1/s", `GET /:a/s a="1" b=""`},
			{"/1/2/3/4/5", `/1/2/3/{a}/{b} a="4" b="5"`},
			{"/p/q/1/s", `GET /:a/s a="1" b="q"`}, // the outer value stays visible
			{"/p/q/1/x/2", `GET /:a/x/{b} a="1" b="2"`},
		} {
			if got := get(t, std, "GET", c[0]); got != c[1] {
				t.Errorf("%s: Mux in ServeMux, %s: got %s, want %s", mode.name, c[0], got, c[1])
			}
		}
	}
}

// CONNECT requests with a URL that names the host, as no client sends them:
// net/http's own test of patterns with ports.
func TestPortsLikeServeMux(t *testing.T) {
	std, mux := http.NewServeMux(), muxmaster.New()
	for _, p := range []string{"example.com/pkg/foo/", "example.com/pkg/bar", "example.com:3000/pkg/connect/", "example.com:9000/", "/pkg/baz/"} {
		std.Handle(p, tell(p))
		mux.Handle(p, tell(p))
	}
	for _, method := range []string{"GET", "CONNECT"} {
		for _, host := range []string{"example.com", "example.com:3000", "example.com:9000"} {
			for _, path := range []string{"/", "/pkg/foo", "/pkg/foo/", "/pkg/bar", "/pkg/baz", "/pkg/connect", "/pkg/connect/"} {
				ask := func(h http.Handler) string {
					r, err := http.NewRequest(method, "http://"+host+path, nil)
					if err != nil {
						t.Fatal(err)
					}
					return ask(h, r).brief()
				}
				if got, want := ask(mux), ask(std); got != want {
					t.Errorf("%s http://%s%s: got %s, want %s", method, host, path, got, want)
				}
			}
		}
	}
}

// Registered for the HTTP/1.1 asterisk form, nothing; as in net/http.
func TestAsterisk(t *testing.T) {
	mux, std := muxmaster.New(), http.NewServeMux()
	mux.Handle("/", tell("root"))
	std.Handle("/", tell("root"))
	for _, method := range []string{"OPTIONS", "GET"} {
		want := ask(std, request(t, method, "*"))
		if got := ask(mux, request(t, method, "*")); got != want || got.status != 400 {
			t.Errorf("%s *: got %+v, want %+v", method, got, want)
		}
	}
}
