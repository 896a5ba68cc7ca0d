package muxmaster_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

// A registration that was meant otherwise is refused, with a text that says what
// to write. Afterwards, nothing was registered.
func TestHandleRefuses(t *testing.T) {
	refusals{
		{"method in a path", func(m *muxmaster.Mux) { m.GET("GET /users", values) }, `the verb methods take a path alone: "/users"; Handle takes "GET /users"`},
		{"host in a path", func(m *muxmaster.Mux) { m.GET("example.com/x", values) }, `"GET example.com/x": the path must begin with /; a host belongs to Handle`},
		{"space in a mount", func(m *muxmaster.Mux) { m.Mount("/a b", tell("")) }, `"/a b": only methods come before a space; a space in a path is written %20`},
		{"space in a prefix", func(m *muxmaster.Mux) { m.Group("/g h").Handle("/y", tell("")) }, `"/g h/y": only methods come before a space`},
		{"nil under Use", func(m *muxmaster.Mux) { m.Use(trace("x")); m.GET("/x", nil) }, `"GET /x": the handler is nil`},
		{"nil under UseFast", func(m *muxmaster.Mux) { m.UseFast(traceFast("x")); m.GETFast("/x", nil) }, `"GET /x": the handler is nil`},
		{"a list with a conflict", func(m *muxmaster.Mux) { m.POST("/ok/:id", values); m.Handle("GET,BREW,POST,PUT /ok/{id}", tell("")) }, `"POST /ok/:id"`},
	}.test(t)
}

// Middleware functions are called once for each route or mount of their Mux, and once
// for the responses to unmatched requests, however often routes are compiled and
// wherever the Mux is mounted.
func TestUseIsCalledOnceForEachRoute(t *testing.T) {
	outer, middle, inner := muxmaster.New(), muxmaster.New(), muxmaster.New()
	calls := map[string]int{}
	count := func(name string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler { calls[name]++; return next }
	}
	outer.Pre(count("outer pre"))
	outer.Use(count("outer"))
	middle.Pre(count("middle pre"))
	middle.Use(count("middle"))
	inner.Use(count("inner"))
	inner.GET("/a", values)
	middle.Mount("/inner", inner)
	middle.GET("/b", values)
	outer.Mount("/middle", middle)
	outer.Mount("/again", middle)
	inner.GET("/c", values)
	for i := range 3 {
		ask(outer, request(t, "GET", "/middle/inner/c"))
		ask(outer, request(t, "GET", "/middle/inner/none"))
		ask(outer, request(t, "GET", "/again/inner/none"))
		ask(outer, request(t, "GET", "/middle/none"))
		ask(outer, request(t, "GET", "/none"))
		outer.Explain("GET", "/none")
		outer.GET("/d"+strings.Repeat("x", i), values) // compiles again
		must(outer.Update(func(m *muxmaster.Mux) error { m.GET("/e"+strings.Repeat("x", i), values); return nil }))
	}
	// Two mounts and six routes on the outer Mux, one of each on the one in the middle.
	want := map[string]int{"outer pre": 1, "outer": 2 + 6 + 1, "middle pre": 1, "middle": 1 + 1 + 1, "inner": 2 + 1}
	for name, n := range want {
		if calls[name] != n {
			t.Errorf("%s was called %d times, want %d", name, calls[name], n)
		}
	}
}

// A Mux inside http.ServeMux survives its patterns that match too little, Go issue
// 81222.
func TestConnectBehindServeMux(t *testing.T) {
	m := muxmaster.New()
	m.Handle("/{$}", tell("root"))
	m.CONNECT("/:a/:b", values)
	m.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		muxmaster.PathParams(r)
		w.WriteHeader(http.StatusNotFound)
	})
	mux := http.NewServeMux()
	mux.Handle("/{x}/{y}", m)
	mux.Handle("/{x}/{y}/{rest...}", m)
	for _, target := range []string{"//a", "/a//", "//", "/a/b", "/a//b"} {
		if text := panics(func() { get(t, mux, "CONNECT", target) }); text != "" {
			t.Errorf("CONNECT %s: panicked with %q", target, text)
		}
	}
}

// registrationSteps returns cases for TestSteps.
func registrationSteps(t *testing.T) map[string]steps.Case {
	h := http.NotFoundHandler()
	text := func(i int) string {
		return "/" + strings.Repeat("ab", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
	}
	hosts := func(n int) *muxmaster.Mux {
		m := muxmaster.New()
		for i := range n {
			m.Handle("GET "+text(i)[1:]+".com/x", h)
		}
		return m
	}
	groups := func(n int) *muxmaster.Mux {
		m := muxmaster.New()
		for i := range n {
			g := m.Group(text(i))
			g.Use(func(next http.Handler) http.Handler { return next })
			g.Handle("GET /x", h)
		}
		return m
	}
	siblings := func(n int) *muxmaster.Mux {
		m := muxmaster.New()
		for i := range n {
			m.Handle("GET /customer-"+text(i)[1:]+"-dashboard-of-all/{id}", h)
		}
		return m
	}
	cases := map[string]steps.Case{}
	for name, build := range map[string]func(n int) *muxmaster.Mux{"hosts": hosts, "Groups": groups, "siblings": siblings} {
		prepared := func(work func(m *muxmaster.Mux)) steps.Case {
			return steps.Case{Grows: true, Small: 60, Prepare: func(n int) func() {
				m := build(n)
				return func() { work(m) }
			}}
		}
		cases["register and compile "+name] = steps.Case{Grows: true, Small: 60, Prepare: func(n int) func() {
			return func() { build(n).Handler(&http.Request{Method: "GET", URL: request(t, "GET", "/").URL}) }
		}}
		cases["Routes with "+name] = prepared(func(m *muxmaster.Mux) { m.Routes()(func(muxmaster.Route) bool { return true }) })
		cases["Explain with "+name] = prepared(func(m *muxmaster.Mux) { m.Explain("GET", "/none/x") })
		cases["Mount with "+name] = prepared(func(m *muxmaster.Mux) { muxmaster.New().Group("/mnt").Mount("/p", m) })
		cases["Update with "+name] = prepared(func(m *muxmaster.Mux) {
			m.Update(func(m *muxmaster.Mux) error { return nil })
		})
	}
	return cases
}

// patternCases are patterns alone in a router, and the values that requests are
// matched with; "404" for those that are not. They have the same meaning with
// every registration method.
var patternCases = []struct {
	pattern string
	want    exchanges
}{
	{"/users", exchanges{
		{"/users", ``}, {"/users?id=/x/../y", ``}, {"/user", `404`}, {"/Users", `404`}, {"/users/", `404`}, {"/%75sers", ``}, {"/users%2F", `404`},
		{"/users%00", `404`},
	}},
	{"/a%2Fb", exchanges{{"/a%2Fb", ``}, {"/a/b", `404`}, {"/a%FFb", `404`}}},
	{"/a%2Fb/:x", exchanges{{"/a%2Fb/c", `x="c"`}}},
	{"/a\xffb", exchanges{{"/a%FFb", ``}, {"/a%2Fb", `404`}, {"/a/b", `404`}, {"/a%EF%BF%BDb", `404`}}},
	{"/a\xff{x}", exchanges{{"/a%FF1", `x="1"`}, {"/a%2F1", `404`}}},
	{"/a%FFb", exchanges{{"/a%FFb", ``}, {"/a%2Fb", `404`}}},
	{"/a/b", exchanges{{"/a%2Fb", `404`}}},
	{"/a%20b", exchanges{{"/a%20b", ``}}},
	{"/100%", exchanges{{"/100%25", ``}}},
	{"/ü", exchanges{{"/%C3%BC", ``}, {"/ü", ``}}},
	{"/%7Bid%7D", exchanges{{"/{id}", ``}, {"/x", `404`}}},
	{"/%3Aid", exchanges{{"/:id", ``}}},
	{"/a%2Ab", exchanges{{"/a*b", ``}}},
	{"/%2Aa", exchanges{{"/*a", ``}}},
	{"/12345678", exchanges{{"/12345678", ``}, {"/1234567", `404`}, {"/12345678%00", `404`}}},
	{"/12345678/:x", exchanges{{"/12345678/a", `x="a"`}, {"/123456789/a", `404`}}},
	{"/123456789abcdef0/:x", exchanges{{"/123456789abcdef0/a", `x="a"`}, {"/123456789abcdef01/a", `404`}}},
	{"/12345678_middle_12345678/:x", exchanges{
		{"/12345678_middle_12345678/a", `x="a"`}, {"/12345678_Middle_12345678/a", `404`}, {"/12345678_midddle_12345678/a", `404`},
	}},
	{"/users/:id", exchanges{{"/users/5", `id="5"`}}},
	{"/users/{id}", exchanges{{"/users/5", `id="5"`}}},
	{"/users/:id", exchanges{{"/users", `404`}, {"/users/", `404`}}},
	{"/users/:id", exchanges{
		{"/users/5/", `404`}, {"/users/a%2Fb", `id="a/b"`}, {"/users/%2F", `id="/"`}, {"/users/a%252Fb", `id="a%2Fb"`}, {"/users/%25", `id="%"`},
		{"/users/%252e%252e", `id="%2e%2e"`}, {"/users/%3F%23", `id="?#"`}, {"/users/a+b", `id="a+b"`}, {"/users/...", `id="..."`},
		{"/users/..a", `id="..a"`}, {"/users/%00", `id="\x00"`}, {"/users/%FF", `id="\xff"`}, {"/users/%FF%2F", `id="\xff/"`}, {"/users/%C3%BC", `id="ü"`},
		{"/users/%0D%0A", `id="\r\n"`},
	}},
	{"/:a", exchanges{{"/", `404`}}},
	{"/:a/:b", exchanges{{"/x/y", `a="x" b="y"`}, {"/x%2F/%2Fy", `a="x/" b="/y"`}}},
	{"/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}", exchanges{{"/1/2/3/4/5/6/7/8/9/10", `a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="9" j="10"`}}},
	{"/{user-id}", exchanges{{"/x", `user-id="x"`}}},
	{"/{名}", exchanges{{"/x", `名="x"`}}},
	{"/n/{id:[0-9]+}", exchanges{{"/n/12", `id="12"`}, {"/n/%31", `id="1"`}, {"/n/", `404`}, {"/n/a12", `404`}, {"/n/1%0A", `404`}}},
	{"/n/{id:int}", exchanges{{"/n/%2D12", `id="-12"`}, {"/n/-", `404`}}},
	{"/n/{id:int}.json", exchanges{{"/n/-1.json", `id="-1"`}}},
	{"/n/{id:uuid}", exchanges{
		{"/n/123e4567-e89b-12d3-a456-42661417400F", `id="123e4567-e89b-12d3-a456-42661417400F"`}, {"/n/123e4567-e89b-12d3-a456-42661417400g", `404`},
	}},
	{"/n/{id:..+}", exchanges{{"/n/a%0Ab", `404`}}},
	{"/n/{id:(?s).+}", exchanges{{"/n/a%0Ab", `id="a\nb"`}}},
	{"/n/{id:a|ab}x", exchanges{{"/n/abx", `id="ab"`}}},
	{"/n/{id:[^/]+}", exchanges{{"/n/a%2Fb", `404`}}},
	{"/n/{id:a/b}", exchanges{{"/n/a%2Fb", `id="a/b"`}, {"/n/a/b", `404`}}},
	{"/v2/{name...}/tags", exchanges{
		{"/v2/a/b/c/tags", `name="a/b/c"`}, {"/v2/tags/tags/tags", `name="tags/tags"`}, {"/v2/tags", `404`}, {"/v2/a/tags/", `404`},
		{"/v2/a%2Fb/c/tags", `name="a/b/c"`}, {"/v2/a%2Ftags", `404`}, {"/v2/%2F/tags", `name="/"`}, {"/v2/a%2F..%2Fb/tags", `404`},
		{"/v2/a/%74ags", `name="a"`},
	}},
	{"/{name...}/manifests/{ref}", exchanges{
		{"/a/manifests/b", `name="a" ref="b"`}, {"/a/manifests/manifests/b", `name="a/manifests" ref="b"`}, {"/manifests/b", `404`},
	}},
	{"/{name...}/b/{rest...}", exchanges{{"/a/b/c/b/d", `name="a/b/c" rest="d"`}, {"/a/b/", `name="a" rest=""`}}},
	{"/{name...}/b/*rest", exchanges{{"/a/b/c", `name="a" rest="/c"`}, {"/a/b/c%2F..", `404`}}},
	{"/v{major}.{minor}/x", exchanges{{"/v1.2/x", `major="1" minor="2"`}, {"/v1/x", `404`}, {"/v.2/x", `404`}, {"/1.2/x", `404`}}},
	{"/{name}.json", exchanges{
		{"/a.json", `name="a"`}, {"/a.json.json", `name="a.json"`}, {"/.json", `404`}, {"/ajson", `404`}, {"/a%2Fb.json", `name="a/b"`},
	}},
	{"/user_:name", exchanges{{"/user_bob", `name="bob"`}, {"/user_", `404`}}},
	{"/{id}:cancel", exchanges{{"/5:cancel", `id="5"`}, {"/:cancel", `404`}}},
	{"/{id:[0-9]+}.json", exchanges{{"/12.json", `id="12"`}, {"/1a.json", `404`}}},
	{"/p{a}%2Fs", exchanges{{"/pX%2Fs", `a="X"`}, {"/pX/s", `404`}}},
	// No value is . or .., whatever stands around it.
	{"/a{x}", exchanges{{"/a.", `404`}, {"/a%2E%2e", `404`}, {"/a...", `x="..."`}}},
	{"/{x}.json", exchanges{{"/..json", `404`}, {"/...json", `404`}}},
	{"/.{x}", exchanges{{"/.a", `x="a"`}, {"/...", `404`}}},
	{"/static/*filepath", exchanges{
		{"/static/a/b.css", `filepath="/a/b.css"`}, {"/static/a/", `filepath="/a/"`}, {"/static/", `filepath="/"`}, {"/statics/a", `404`},
		{"/static/a%2Fb/c", `filepath="/a/b/c"`}, {"/static/a/.../b", `filepath="/a/.../b"`},
	}},
	{"/static/{filepath...}", exchanges{
		{"/static/a/b", `filepath="a/b"`}, {"/static/", `filepath=""`}, {"/static/%2F", `filepath="/"`}, {"/static/a%2Fb/c", `filepath="a/b/c"`},
	}},
	// No named rest has a dot segment, not even between escaped slashes.
	{"/static/*filepath", exchanges{
		{"/static/a%2F..%2F..%2Fetc", `404`}, {"/static/..%2Fetc", `404`}, {"/static/a/b%2F..", `404`}, {"/static/%2F%2e%2E", `404`},
		{"/static/a%2F.../b", `filepath="/a/.../b"`}, {"/static/a..%2F..b", `filepath="/a../..b"`},
	}},
	{"/users/:id", exchanges{{"/users/a%2F..%2Fb", `id="a/../b"`}}},
	{"/users/v{id}", exchanges{{"/users/v%2F..", `id="/.."`}}},
	{"/*all", exchanges{{"/", `all="/"`}}},
	{"/x/{$}", exchanges{{"/x/", ``}, {"/x/y", `404`}}},
}

// slashCases test patterns that end in a slash with each registration method.
var slashCases = []struct {
	pattern, target, verb, handle string
}{
	{"/", "/", ``, ``},
	{"/", "/x", `404`, ``},
	{"/x/", "/x/", ``, ``},
	{"/x/", "/x/y", `404`, ``},
	{"/x/", "/xy/", `404`, `404`},
	{"/x/", "/x", `404`, `307 /x/`},
	{"/x/", "/x?q=1", `404`, `307 /x/?q=1`},
	{"/:a/", "/1/", `a="1"`, `a="1"`},
	{"/:a/", "/1/2", `404`, `a="1"`},
	{"/:a/", "/1%2F2", `404`, `307 /1%2F2/`},
	{"/{a:[0-9]+}/", "/1/x", `404`, `a="1"`},
	{"/v{a}/", "/v1/x", `404`, `a="1"`},
	{"/x/{$}", "/x", `404`, `307 /x/`},
	{"/x/*rest", "/x", `404`, `307 /x/`},
	{"/:a/*rest", "/x", `404`, `307 /x/`},
}

// registrations are the registration methods, for GET or for every method.
var registrations = []struct {
	name string
	verb bool
	add  func(m *muxmaster.Mux, pattern string)
}{
	{"GET", true, func(m *muxmaster.Mux, p string) { m.GET(p, values) }},
	{"ANY", true, func(m *muxmaster.Mux, p string) { m.ANY(p, values) }},
	{"GETFast", true, func(m *muxmaster.Mux, p string) { m.GETFast(p, fastValues) }},
	{"ANYFast", true, func(m *muxmaster.Mux, p string) { m.ANYFast(p, fastValues) }},
	{"Group.GET", true, func(m *muxmaster.Mux, p string) { m.Group("/").GET(p, values) }},
	{"Handle", false, func(m *muxmaster.Mux, p string) { m.Handle(p, http.HandlerFunc(values)) }},
	{"Handle GET", false, func(m *muxmaster.Mux, p string) { m.Handle("GET "+p, http.HandlerFunc(values)) }},
	{"Handle GET,POST", false, func(m *muxmaster.Mux, p string) { m.Handle("POST,GET "+p, http.HandlerFunc(values)) }},
	{"Handle host", false, func(m *muxmaster.Mux, p string) { m.Handle("example.com"+p, http.HandlerFunc(values)) }},
	{"Handle GET host", false, func(m *muxmaster.Mux, p string) { m.Handle("GET example.com"+p, http.HandlerFunc(values)) }},
	{"HandleFunc", false, func(m *muxmaster.Mux, p string) { m.HandleFunc(p, values) }},
	{"HandleFast", false, func(m *muxmaster.Mux, p string) { m.HandleFast(p, fastValues) }},
	{"TryHandle", false, func(m *muxmaster.Mux, p string) {
		if err := m.TryHandle(p, http.HandlerFunc(values)); err != nil {
			panic(err.Error())
		}
	}},
	{"With.Handle", false, func(m *muxmaster.Mux, p string) { m.With().Handle(p, http.HandlerFunc(values)) }},
}

// modes are the modes of path values that a program can choose.
var modes = []struct {
	name   string
	pooled bool
}{{"default", false}, {"pooled", true}}

func newMux(pooled bool) *muxmaster.Mux {
	m := muxmaster.New()
	m.PoolRequestBundle, m.PoolFastParams = pooled, pooled
	return m
}

func TestPatterns(t *testing.T) {
	for _, mode := range modes {
		for _, method := range registrations {
			check := func(pattern, target, want string) {
				t.Helper()
				m := newMux(mode.pooled)
				m.RedirectTrailingSlash = false
				if text := panics(func() { method.add(m, pattern) }); text != "" || want == "panic" {
					if (text != "") != (want == "panic") {
						t.Errorf("%s, %s %q panicked with %q, want %q", mode.name, method.name, pattern, text, want)
					}
					return
				}
				if got := get(t, m, "GET", target); got != want {
					t.Errorf("%s, %s %q, %s: got %s, want %s", mode.name, method.name, pattern, target, got, want)
				}
			}
			for _, c := range patternCases {
				for _, row := range c.want {
					target, want := row[0], row[1]
					if !method.verb && want == "404" && isOnlySlashed(c.pattern, target) {
						want = "307 " + target + "/"
					}
					check(c.pattern, target, want)
				}
			}
			for _, c := range slashCases {
				if method.verb {
					check(c.pattern, c.target, c.verb)
				} else {
					check(c.pattern, c.target, c.handle)
				}
			}
		}
	}
}

// isOnlySlashed reports whether the target would match a pattern that ends in
// /{$} if it had a trailing slash. net/http redirects such requests.
func isOnlySlashed(pattern, target string) bool {
	p, ok := strings.CutSuffix(pattern, "/{$}")
	return ok && strings.Count(p, "/") == strings.Count(target, "/") && !strings.HasSuffix(target, "/")
}

// The number of parameters of a route is not limited.
func TestManyParameters(t *testing.T) {
	for _, mode := range modes {
		for _, n := range []int{1, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 255, 256, 257, 600} {
			m, pattern, target, want := newMux(mode.pooled), "", "", ""
			for i := range n {
				pattern += fmt.Sprint("/:p", i)
				target += fmt.Sprint("/v", i)
				want += fmt.Sprintf(` p%d="v%d"`, i, i)
			}
			m.GET(pattern, values)
			m.POSTFast(pattern, fastValues)
			for range 2 {
				wants(t, m, exchanges{{target, want[1:]}, {"POST " + target, want[1:]}}, mode.name, n)
			}
		}
	}
}

// badPatterns are refused, and so are forms of other routers that would never
// match, or not as meant. The hint is part of the error. Package pattern tests
// all errors.
var badPatterns = []struct{ pattern, hint string }{
	{"x", "must begin with /"},
	{"G(T /x", "not a method"},
	{"* /x", "every method"},
	{"https://example.com/x", "write example.com/x"},
	{"GET *.example.com/x", "{sub...}.example.com"},
	{":sub.example.com/x", "{sub}.example.com"},
	{"/:a.json", "{a}.json"},
	{"/:a/:a", "used twice"},
	{"/{path:.*}", "{path...}"},
	{`/test\:action`, "%3A"},
}

func TestBadPatterns(t *testing.T) {
	for _, c := range badPatterns {
		check := func(method, pattern, text string) {
			t.Helper()
			quoted := strings.Trim(fmt.Sprintf("%q", c.pattern), `"`)
			switch {
			case text == "":
				t.Errorf("%s(%q): accepted", method, pattern)
			case !strings.HasPrefix(text, "muxmaster: "), !strings.Contains(text, quoted):
				t.Errorf("%s(%q): the text %q", method, pattern, text)
			case !strings.Contains(strings.Replace(text, quoted, "", 1), c.hint):
				t.Errorf("%s(%q): the text %q doesn't say what to write instead: %s", method, pattern, text, c.hint)
			}
		}
		m := muxmaster.New()
		m.GET("/ok", tell("ok"))
		err := m.TryHandle(c.pattern, tell(""))
		if err == nil {
			t.Errorf("TryHandle(%q): accepted", c.pattern)
			continue
		}
		check("TryHandle", c.pattern, err.Error())
		if text := panics(func() { m.Handle(c.pattern, tell("")) }); text != err.Error() {
			t.Errorf("%q: Handle panics with %q, TryHandle says %q", c.pattern, text, err)
		}
		check("HandleFast", c.pattern, panics(func() { m.HandleFast(c.pattern, fastValues) }))
		check("Group.Handle", c.pattern, panics(func() { m.Group("/g").Handle(c.pattern, tell("")) }))
		if c.pattern[0] == '/' {
			check("TryHandle", "PUT "+c.pattern, fmt.Sprint(m.TryHandle("PUT "+c.pattern, tell(""))))
			check("GET", c.pattern, panics(func() { m.GET(c.pattern, tell("")) }))
			check("ANY", c.pattern, panics(func() { m.ANY(c.pattern, tell("")) }))
			check("GETFast", c.pattern, panics(func() { m.GETFast(c.pattern, fastValues) }))
			check("Method", c.pattern, panics(func() { m.Method("PUT,POST", c.pattern, tell("")) }))
			check("Group.GET", c.pattern, panics(func() { m.Group("/g").GET(c.pattern, tell("")) }))
			check("Mount", c.pattern, panics(func() { m.Mount(c.pattern, tell("")) }))
			check("Group", c.pattern, panics(func() { m.Group(c.pattern) }))
		}
		n := 0
		for range m.Routes() {
			n++
		}
		if got := get(t, m, "GET", "/ok"); got != "ok" || n != 1 {
			t.Errorf("%q: afterwards /ok: %s, %d routes", c.pattern, got, n)
		}
	}
}

func TestConflicts(t *testing.T) {
	for conflict, pairs := range map[bool][][2]string{ // patterns of Handle, or verb:METHOD path
		true: {
			{"/x", "/x"}, {"GET /x", "GET /x"}, {"GET,POST /x", "POST /x"}, {"BREW /x", "BREW /x"}, {"/:a", "/{b}"}, {"/{a:[0-9]+}", "/{b:[0-9]+}"},
			{"/{a:int}", "/{b:int}"}, {"/{a:int}", "/{b:-?[0-9]+}"}, {"/*a", "/{b...}"}, {"/", "/*b"}, {"/:a/x", "/{b}/x"}, {"/v{a}", "/v{b}"},
			{"/{a}.{b}", "/{c}.{d}"}, {"/{a...}/x", "/{b...}/x"}, {"{a}.h.com/x", "{b}.H.com./x"}, {"{a...}.h.com/x/{y}", "{b...}.h.com/x/{z}"}, {"/{a...}/{x}", "/{b...}/{y}"}, {"/{a...}/x/", "/{b...}/x/{c...}"},
			{"GET,POST h/{a...}/x", "POST h/{b...}/x"}, {"verb:GET /{a...}/x/", "GET /{b...}/x/{$}"}, {"h/x", "H./x"}, {"h:80/x", "H.:80/x"},
			{"/a%2Fb", "/a%2fb"}, {"/%61", "/a"}, {"verb:GET /x", "GET /x"}, {"verb:GET /x/", "GET /x/{$}"}, {"verb:ANY /x", "/x"},
			{"verb:GET /:a/*b", "GET /{c}/"},
		},
		false: {
			{"GET /x", "/x"}, {"GET,POST /x", "/x"}, {"/:a", "/{b:[0-9]+}"}, {"/{a:[0-9]+}", "/{b:[0-9]*}"}, {"/", "/{$}"}, {"/x/", "/x"},
			{"/{a...}/x", "/{b...}"}, {"/{a...}/", "/{a...}/{$}"}, {"/{a...}/x", "/%2A/x"}, {"h/x", "/x"}, {"h/x", "h:80/x"}, {"{a}.h.com/x", "{b...}.h.com/x"}, {"{a}.h.com/x", "{a}.{b}.com/x"}, {"/%2Aa", "/*a"},
			{"verb:GET /x/", "GET /x/"}, {"verb:ANY /x", "GET /x"},
		},
	} {
		for _, c := range pairs {
			for _, order := range [][2]string{c, {c[1], c[0]}} {
				m := muxmaster.New()
				m.GET("/earlier/:x", tell("earlier"))
				register := func(p string) {
					if verb, ok := strings.CutPrefix(p, "verb:"); ok {
						add(m, verb)
					} else {
						m.Handle(p, tell(p))
					}
				}
				register(order[0])
				if order == c {
					get(t, m, "GET", "/earlier/1") // one order while it serves
				}
				text := panics(func() { register(order[1]) })
				if (text != "") != conflict {
					t.Errorf("%q: panic %q, want a conflict: %v", order, text, conflict)
					continue
				}
				wants(t, m, exchanges{{"/earlier/1", "earlier"}}, order)
				if !conflict {
					continue
				}
				for _, p := range order {
					if quoted := fmt.Sprintf("%q", strings.TrimPrefix(strings.TrimPrefix(p, "verb:"), "ANY ")); !strings.Contains(text, quoted) {
						t.Errorf("%q: %q does not quote %s", order, text, quoted)
					}
				}
				if n := len(regexp.MustCompile(`(declare|helpers)_test\.go:\d+`).FindAllString(text, -1)); n != 2 || !strings.HasPrefix(text, "muxmaster: ") {
					t.Errorf("%q: %q names %d places, want 2", order, text, n)
				}
			}
		}
	}
}

// Each registration method reports the line of its caller.
func TestConflictNamesTheCaller(t *testing.T) {
	for name, add := range map[string]func(m *muxmaster.Mux) int{
		"GET":        func(m *muxmaster.Mux) int { m.GET("/x", tell("")); return line() },
		"GETFast":    func(m *muxmaster.Mux) int { m.GETFast("/x", fastValues); return line() },
		"Handle":     func(m *muxmaster.Mux) int { m.Handle("GET /x", tell("")); return line() },
		"HandleFunc": func(m *muxmaster.Mux) int { m.HandleFunc("GET /x", tell("")); return line() },
		"HandleFast": func(m *muxmaster.Mux) int { m.HandleFast("GET /x", fastValues); return line() },
		"TryHandle":  func(m *muxmaster.Mux) int { l, err := line(), m.TryHandle("GET /x", tell("")); must(err); return l },
		"Group":      func(m *muxmaster.Mux) int { m.Group("/").GET("/x", tell("")); return line() },
		"With":       func(m *muxmaster.Mux) int { m.With().GET("/x", tell("")); return line() },
		"ServeFiles": func(m *muxmaster.Mux) int { m.ServeFiles("/x/*f", files); return line() },
	} {
		m := muxmaster.New()
		at := add(m)
		text := panics(func() { add(m) })
		if want := fmt.Sprintf("declare_test.go:%d)", at); strings.Count(text, want) != 2 {
			t.Errorf("%s: %q, want %s twice", name, text, want)
		}
	}
}

func line() int {
	_, _, l, _ := runtime.Caller(1)
	return l
}

func TestGroupRefusals(t *testing.T) {
	route := func(*muxmaster.Group) {}
	list := refusals{
		{"Group(//)", func(m *muxmaster.Mux) { m.Group("//") }, "empty segment"},
		{"Group(/a//)", func(m *muxmaster.Mux) { m.Group("/a//") }, "empty segment"},
		{"Group(/a//b)", func(m *muxmaster.Mux) { m.Group("/a//b") }, "empty"},
		{"a name twice", func(m *muxmaster.Mux) { m.Group("/:a").GET("/:a", values) }, "twice"},
		{"a second catch-all", func(m *muxmaster.Mux) { m.Group("/{x...}/b").GET("/{y...}/c", values) }, "second one"},
		{"ends in a catch-all", func(m *muxmaster.Mux) { m.Group("/b/{x...}") }, "a prefix cannot end in a catch-all"},
		{"Route with a catch-all", func(m *muxmaster.Mux) { m.Route("/{x...}/b", route) }, "cannot have a catch-all; use Group"},
		{"Route in a Group with a catch-all", func(m *muxmaster.Mux) { m.Group("/{x...}/b").Route("/c", route) }, "cannot have a catch-all; use Group"},
		{"Mount with a catch-all", func(m *muxmaster.Mux) { m.Mount("/{x...}/b", muxmaster.New()) }, "cannot have a catch-all; use Group"},
		{"Mount in a Group with a catch-all", func(m *muxmaster.Mux) { m.Group("/{x...}/b").Mount("/c", muxmaster.New()) }, "cannot have a catch-all; use Group"},
	}
	for _, prefix := range []string{"x", "/*rest", "/x/{$}", "/{", "/:", "/{a}{b}", "GET /x", "example.com/x"} {
		list = append(list, refusals{
			{"Group", func(m *muxmaster.Mux) { m.Group(prefix) }, prefix},
			{"Route", func(m *muxmaster.Mux) { m.Route(prefix, route) }, prefix},
			{"Group in a Group", func(m *muxmaster.Mux) { m.Group("/g").Group(prefix) }, prefix},
		}...)
	}
	list.test(t)
	m := muxmaster.New()
	m.Group("").GET("/none", tell("in"))
	m.Group("/").GET("/slash", tell("in"))
	wants(t, m, exchanges{{"/none", "in"}, {"/slash", "in"}})
}

// A nil handler, function or middleware panics at registration, on a Mux and on a
// Group, and the text names the method or pattern.
func TestNilArguments(t *testing.T) {
	for _, c := range []struct {
		want string
		call func(muxmaster.Router)
	}{
		{`"GET /x": the handler is nil`, func(r muxmaster.Router) { r.GET("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.ANY("/x", nil) }},
		{`"GET /x": the handler is nil`, func(r muxmaster.Router) { r.GETFast("/x", nil) }},
		{`"PUT /x": the handler is nil`, func(r muxmaster.Router) { r.Method("PUT", "/x", nil) }},
		{`"PUT /x": the handler is nil`, func(r muxmaster.Router) { r.Method("PUT", "/x", http.HandlerFunc(nil)) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.Handle("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.Handle("/x", http.HandlerFunc(nil)) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.Handle("/x", (*muxmaster.Mux)(nil)) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.HandleFunc("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.HandleFast("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { panic(r.TryHandle("/x", nil)) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", nil) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", (*muxmaster.Mux)(nil)) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", http.HandlerFunc(nil)) }},
		{`Use: the middleware is nil`, func(r muxmaster.Router) { r.Use(nil) }},
		{`UseFast: the middleware is nil`, func(r muxmaster.Router) { r.UseFast(nil) }},
		{`the middleware is nil`, func(r muxmaster.Router) { r.With(nil) }},
		{`Name: the name is empty`, func(r muxmaster.Router) { r.Name("") }},
		{`Update: the function is nil`, func(r muxmaster.Router) { panic(muxmaster.New().Update(nil)) }},
		{`Route "/x": the function is nil`, func(r muxmaster.Router) { r.Route("/x", nil) }},
		{`ServeFiles "/x/*f": the file system is nil`, func(r muxmaster.Router) { r.ServeFiles("/x/*f", nil) }},
		{`Pre: the middleware is nil`, func(r muxmaster.Router) { muxmaster.New().Pre(nil) }},
	} {
		m := muxmaster.New()
		for name, r := range map[string]muxmaster.Router{"Mux": m, "Group": m.Group("")} {
			text := panics(func() { c.call(r) })
			if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, c.want) {
				t.Errorf("%s: panicked with %q, want %q", name, text, c.want)
			}
		}
		for route := range m.Routes() {
			t.Errorf("%s: registered %s", c.want, fmt.Sprint(route))
		}
	}
}

// patternParts are parts of patterns, right and wrong.
var patternParts = []string{
	"GET ", "POST,PUT ", "BREW ", "get ", " ", "\t", "host.com", "{h}.com", "{i...}.org", ":80", "[::1]",
	"/", "/", "/", "/", "//", "a", "b", ".", "..", "{a}", "{b}", "{c:[0-9]+}", "{d:a|b}", "{e...}", "*f", ":g", "{$}",
	"{j:(?i)x}", `{k:\d{2,3}}`, "{l:[^/]+}", "{m:a/b}", "{n:.*}", "{", "}", "%2F", "%2e", "%", "%zz", "%41", "%FF",
	"\x00", "\xff", "é", "\\", "?", "#", "+", "(", ")", "[", "]", "<", ">", "|", "^", "~", "-", "_", ",", ";", "=", "@", "!", "\n", "\r", strings.Repeat("x", 300),
}

// Whatever the text, a registration succeeds or panics with a message of the
// router, and afterwards the Mux serves requests and shows its routes.
func TestAnyRegistration(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		text := func() string {
			var b strings.Builder
			b.WriteString([]string{"", "/", "/", "GET /", "POST host.com/", "{h}.com/"}[rng.IntN(6)])
			for range rng.IntN(7) {
				b.WriteString(patternParts[rng.IntN(len(patternParts))])
			}
			return b.String()
		}
		m, sub := newMux(seed%2 == 0), muxmaster.New()
		var g muxmaster.Router = m
		var log, patterns []string
		try := func(what string, f func()) {
			log = append(log, what)
			if got := panics(f); got != "" && !strings.HasPrefix(got, "muxmaster: ") {
				t.Fatalf("seed %d, %q: panicked with %s", seed, log, got)
			}
		}
		h := http.HandlerFunc(values)
		for range 12 {
			p := text()
			patterns = append(patterns, p)
			switch rng.IntN(9) {
			case 0, 1, 2:
				try("TryHandle "+p, func() {
					if err := g.TryHandle(p, h); err != nil && !strings.HasPrefix(err.Error(), "muxmaster: ") {
						t.Errorf("TryHandle(%q): %v", p, err)
					}
				})
			case 3:
				try("GET "+p, func() { g.GET(p, h) })
			case 4:
				try("POSTFast "+p, func() { g.POSTFast(p, fastValues) })
			case 5:
				try("Group "+p, func() { g = g.Group(p) })
			case 6:
				try("Mount "+p, func() { g.Mount(p, sub) })
				p = text()
				try("Handle on the mounted Mux "+p, func() { sub.Handle(p, h) })
			case 7:
				methods := text()
				try("Method "+methods+" "+p, func() { g.Method(methods, p, h) })
			case 8:
				try("ServeFiles "+p, func() { g.ServeFiles(p, files) })
			}
			if rng.IntN(3) == 0 {
				try("GET /a/1", func() { get(t, m, "GET", "/a/1") })
			}
		}
		for _, p := range patterns {
			_, path, _ := strings.Cut(p, "/")
			r, err := readRequest("host.com", "GET", "/"+strings.NewReplacer("{", "", "}", "", " ", "").Replace(path))
			if err != nil {
				continue
			}
			try(r.URL.String(), func() {
				from := r.URL.EscapedPath()
				if l := ask(m, r).location; wrongLocation(from, l) != "" {
					t.Errorf("seed %d, %q: Location %q %s", seed, log, l, wrongLocation(from, l))
				}
			})
		}
		try("what the routes are shown with", func() {
			for r := range m.Routes() {
				muxmaster.BuildPath(r.Pattern, "a", "1", "b", "2")
				if data, err := json.Marshal(m.Explain("GET", r.Pattern)); err != nil || len(data) == 0 {
					t.Errorf("seed %d, %q: Explain: %v", seed, log, err)
				}
			}
			inspect.Print(io.Discard, m)
			if _, err := inspect.OpenAPI(m, inspect.Document{}); err != nil {
				t.Errorf("seed %d, %q: OpenAPI: %v", seed, log, err)
			}
			page := inspect.HandlerFor(m, netip.MustParsePrefix("192.0.2.0/24"))
			if a := ask(page, httptest.NewRequest("GET", "/routes.json", nil)); a.status != 200 {
				t.Errorf("seed %d, %q: routes.json: %d %s", seed, log, a.status, a.body)
			}
		})
	}
}
