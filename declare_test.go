package muxmaster_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

// early is a handler of middleware that must run before routing.
type early struct{ http.Handler }

func (early) RunsBeforeRouting() {}

// A registration that was meant otherwise is refused, with a text that says what
// to write. Afterwards, nothing was registered.
func TestHandleRefuses(t *testing.T) {
	before := func(next http.Handler) http.Handler { return early{next} }
	for _, c := range []struct {
		name string
		do   func(m *muxmaster.Mux)
		want string // part of the panic's text
	}{
		{"list without a space", func(m *muxmaster.Mux) { m.Handle("GET,/a", tell("")) }, `"GET," is the host of this pattern; write a space`},
		{"lower case", func(m *muxmaster.Mux) { m.Handle("get /users", tell("")) }, "the method get is written GET"},
		{"lower case in a list", func(m *muxmaster.Mux) { m.Method("GET,post", "/users", tell("")) }, "the method post is written POST"},
		{"lower case host", func(m *muxmaster.Mux) { m.Handle("get/users", tell("")) }, `"get" is the host`},
		{"path as method", func(m *muxmaster.Mux) { m.Method("/x", "/x", tell("")) }, "the first argument is a method or a list of methods, as in GET,POST"},
		{"star in a segment", func(m *muxmaster.Mux) { m.GET("/src2*filepath", values) }, "as in /src2/*filepath; a literal * is written %2A"},
		{"method in a path", func(m *muxmaster.Mux) { m.GET("GET /users", values) }, `the verb methods take a path alone: "/users"; Handle takes "GET /users"`},
		{"no slash", func(m *muxmaster.Mux) { m.GET("users", values) }, "the path must begin with /"},
		{"open bracket", func(m *muxmaster.Mux) { m.GET("/{id:[0-9}", values) }, "because a [ in its expression isn't"},
		{"plain under UseFast", func(m *muxmaster.Mux) { m.UseFast(traceFast("")); m.GET("/x", values) }, "register it with HandleFast or a verb method"},
		{"mounted plain under UseFast", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/x", values)
			m.UseFast(traceFast(""))
			m.Mount("/s", sub)
		}, "of UseFast"},
		{"plain on a Mux mounted under UseFast", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.UseFast(traceFast(""))
			m.Mount("/s", sub)
			sub.GET("/x", values)
		}, "of UseFast"},
		{"fast on a Mux mounted under Use", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.Use(trace(""))
			m.Mount("/s", sub)
			sub.GETFast("/x", fastValues)
		}, "a fast route would bypass the middleware"},
		{"early middleware", func(m *muxmaster.Mux) { m.Use(before); m.GET("/x", values) }, "has no effect in Use, because it changes the path before routing; use Pre"},
		{"early middleware around 404s", func(m *muxmaster.Mux) { m.Use(before); get(t, m, "GET", "/x") }, "use Pre"},
		{"mounted Group", func(m *muxmaster.Mux) { m.Mount("/x", m.Group("/g")) }, "a Group cannot be mounted"},
		{"Mount within itself", func(m *muxmaster.Mux) { sub := muxmaster.New(); sub.Mount("/x", m); m.Mount("/y", sub) }, "cannot be mounted within itself"},
	} {
		m := muxmaster.New()
		text := panics(func() { c.do(m) })
		if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, c.want) {
			t.Errorf("%s: panicked with %q, want %q", c.name, text, c.want)
		}
		for r := range m.Routes() {
			t.Errorf("%s: there is a route %v", c.name, r)
		}
	}
	m := muxmaster.New()
	m.GET("/first", values)
	if text := panics(func() { m.Use(trace("")) }); !strings.Contains(text, `after the route "GET /first" was registered (at `) || !strings.Contains(text, "declare_test.go:") || !strings.Contains(text, "With") {
		t.Errorf("Use after a route: panicked with %q", text)
	}
	g := m.Group("/g")
	g.GET("/removed", values)
	if err := m.Remove("GET /g/removed"); err != nil {
		t.Error(err)
	}
	if text := panics(func() { g.Use(trace("")) }); !strings.Contains(text, "after a route was registered (and removed since)") {
		t.Errorf("Use after a route that was removed: panicked with %q", text)
	}
	m.Pre(before) // it changes nothing in Pre
	get(t, m, "GET", "/first")
}

// Middleware functions are called once for each route, mounted or not, and once
// for the responses to unmatched requests, however often routes are compiled.
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
	inner.GET("/c", values)
	for i := range 3 {
		ask(outer, request(t, "GET", "/middle/inner/c"))
		ask(outer, request(t, "GET", "/middle/inner/none"))
		outer.Explain("GET", "/none")
		outer.GET("/d"+strings.Repeat("x", i), values) // compiles again
		if err := outer.Update(func(m *muxmaster.Mux) error { m.GET("/e"+strings.Repeat("x", i), values); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	// Three mounted routes and six more on the outer Mux. Each Mux responds to
	// unmatched requests, inside the middleware of those around it.
	want := map[string]int{"outer pre": 1, "outer": 3 + 6 + 3, "middle pre": 3 + 2, "middle": 3 + 2, "inner": 2 + 1}
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
		r, err := readRequest("h", "CONNECT", target)
		if err != nil {
			t.Fatal(err)
		}
		if text := panics(func() { ask(mux, r) }); text != "" {
			t.Errorf("CONNECT %s: panicked with %q", target, text)
		}
	}
}

// Registering, mounting and listing routes takes time in proportion to what there
// is.
func TestRegistrationSteps(t *testing.T) {
	if os.Getenv("MUXMASTER_FALLBACK") != "" {
		t.Skip("the steps don't depend on how values are delivered")
	}
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
	steps.Test(t, ".,./internal/trie,./internal/pattern", cases)
}

// A patternCase is a pattern alone in a router, a request target, and the
// values that it is matched with; "404" if it is not.
type patternCase struct {
	pattern, target, want string
}

// patternCases have the same meaning with every registration method.
var patternCases = []patternCase{
	{"/users", "/users", ``},
	{"/users", "/users?id=/x/../y", ``},
	{"/users", "/user", `404`},
	{"/users", "/userss", `404`},
	{"/users", "/Users", `404`},
	{"/users", "/users/", `404`},
	{"/users", "/users/x", `404`},
	{"/users", "/%75sers", ``},
	{"/users", "/users%2F", `404`},
	{"/users", "/users%00", `404`},
	{"/%75sers", "/users", ``},
	{"/a%2Fb", "/a%2Fb", ``},
	{"/a%2Fb", "/a%2fb", ``},
	{"/a%2Fb", "/a/b", `404`},
	{"/a%2Fb", "/a%FFb", `404`},
	{"/a%2Fb/:x", "/a%2Fb/c", `x="c"`},
	{"/a%2Fb/:x", "/a/b/c", `404`},
	{"/a%FFb", "/a%FFb", ``},
	{"/a%FFb", "/a%2Fb", `404`},
	{"/a/b", "/a%2Fb", `404`},
	{"/a%20b", "/a%20b", ``},
	{"/a+b", "/a+b", ``},
	{"/a+b", "/a%20b", `404`},
	{"/100%", "/100%25", ``},
	{"/ü", "/%C3%BC", ``},
	{"/ü", "/ü", ``},
	{"/%C3%BC", "/ü", ``},
	{"/日本語/:x", "/日本語/に", `x="に"`},
	{"/a.b", "/a.b", ``},
	{"/a.b", "/axb", `404`},
	{"/%7Bid%7D", "/%7Bid%7D", ``},
	{"/%7Bid%7D", "/{id}", ``},
	{"/%7Bid%7D", "/x", `404`},
	{"/%3Aid", "/:id", ``},
	{"/%3Aid", "/x", `404`},
	{"/a%2Ab", "/a*b", ``},
	{"/%2Aa", "/*a", ``},
	{"/%2Aa", "/b/c", `404`},
	{"/12345678", "/12345678", ``},
	{"/12345678", "/1234567", `404`},
	{"/12345678", "/12345678%00", `404`},
	{"/1234567/:x", "/1234567/a", `x="a"`},
	{"/1234567/:x", "/1234567%00/a", `404`},
	{"/12345678/:x", "/12345678/a", `x="a"`},
	{"/12345678/:x", "/123456789/a", `404`},
	{"/123456789abcdef0/:x", "/123456789abcdef0/a", `x="a"`},
	{"/123456789abcdef0/:x", "/123456789abcdef01/a", `404`},
	{"/123456789abcdef01/:x", "/123456789abcdef01/a", `x="a"`},
	{"/123456789abcdef01/:x", "/123456789abcdef0/a", `404`},
	{"/12345678_middle_12345678/:x", "/12345678_middle_12345678/a", `x="a"`},
	{"/12345678_middle_12345678/:x", "/12345678_Middle_12345678/a", `404`},
	{"/12345678_middle_12345678/:x", "/12345678_midddle_12345678/a", `404`},
	{"/12345678_middle_12345678", "/12345678_Middle_12345678", `404`},

	{"/users/:id", "/users/5", `id="5"`},
	{"/users/{id}", "/users/5", `id="5"`},
	{"/users/:id", "/users/5?a=b", `id="5"`},
	{"/users/:id", "/users", `404`},
	{"/users/:id", "/users/", `404`},
	{"/users/{id}", "/users/", `404`},
	{"/users/:id", "/users/5/", `404`},
	{"/users/:id", "/users/5/6", `404`},
	{"/users/:id", "/user/5", `404`},
	{"/users/:id", "/users/a%2Fb", `id="a/b"`},
	{"/users/:id", "/users/%2F", `id="/"`},
	{"/users/:id", "/users/%2F%2F", `id="//"`},
	{"/users/:id", "/users/a%252Fb", `id="a%2Fb"`},
	{"/users/:id", "/users/%25", `id="%"`},
	{"/users/:id", "/users/%2525", `id="%25"`},
	{"/users/:id", "/users/%252e%252e", `id="%2e%2e"`},
	{"/users/:id", "/users/%3F%23", `id="?#"`},
	{"/users/:id", "/users/a%20b", `id="a b"`},
	{"/users/:id", "/users/a+b", `id="a+b"`},
	{"/users/:id", "/users/a;v=1", `id="a;v=1"`},
	{"/users/:id", "/users/a:b@c", `id="a:b@c"`},
	{"/users/:id", "/users/:id", `id=":id"`},
	{"/users/:id", "/users/{id}", `id="{id}"`},
	{"/users/:id", "/users/*", `id="*"`},
	{"/users/:id", "/users/...", `id="..."`},
	{"/users/:id", "/users/.a", `id=".a"`},
	{"/users/:id", "/users/..a", `id="..a"`},
	{"/users/:id", "/users/a..", `id="a.."`},
	{"/users/:id", "/users/%00", `id="\x00"`},
	{"/users/:id", "/users/%FF", `id="\xff"`},
	{"/users/:id", "/users/%FF%2F", `id="\xff/"`},
	{"/users/:id", "/users/%C3%BC", `id="ü"`},
	{"/users/:id", "/users/ü", `id="ü"`},
	{"/users/:id", "/users/%0D%0A", `id="\r\n"`},
	{"/users/:id", "/users/%5C", `id="\\"`},
	{"/:a", "/x", `a="x"`},
	{"/:a", "/", `404`},
	{"/{a}", "/", `404`},
	{"/:a/:b", "/x/y", `a="x" b="y"`},
	{"/:a/:b", "/x%2F/%2Fy", `a="x/" b="/y"`},
	{"/:a/x", "/1/x", `a="1"`},
	{"/:a/x", "/1/y", `404`},
	{"/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}", "/1/2/3/4/5/6/7/8/9/10",
		`a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="9" j="10"`},
	{"/:a/x/{$}", "/1/x/", `a="1"`},
	{"/:a/x/{$}", "/1/x/y", `404`},
	{"/:_", "/x", `_="x"`},
	{"/{user-id}", "/x", `user-id="x"`},
	{"/:user-id", "/x", `user-id="x"`},
	{"/{名}", "/x", `名="x"`},
	{"/{a1}", "/x", `a1="x"`},

	{"/n/{id:[0-9]+}", "/n/12", `id="12"`},
	{"/n/{id:[0-9]+}", "/n/%31", `id="1"`},
	{"/n/{id:[0-9]+}", "/n/", `404`},
	{"/n/{id:[0-9]+}", "/n/12a", `404`},
	{"/n/{id:[0-9]+}", "/n/a12", `404`},
	{"/n/{id:[0-9]+}", "/n/1%0A", `404`},
	{"/n/{id:[0-9]+}/x", "/n/12/x", `id="12"`},
	{"/n/{id:int}", "/n/12", `id="12"`},
	{"/n/{id:int}/x", "/n/-12/x", `id="-12"`},
	{"/n/{id:int}", "/n/%2D12", `id="-12"`},
	{"/n/{id:int}", "/n/int", `404`},
	{"/n/{id:int}", "/n/-", `404`},
	{"/n/{id:int}", "/n/1-2", `404`},
	{"/n/{id:int}.json", "/n/-1.json", `id="-1"`},
	{"/n/{id:uuid}", "/n/123e4567-e89b-12d3-a456-42661417400F", `id="123e4567-e89b-12d3-a456-42661417400F"`},
	{"/n/{id:uuid}", "/n/123e4567e89b12d3a456426614174000", `404`},
	{"/n/{id:uuid}", "/n/123e4567-e89b-12d3-a456-42661417400g", `404`},
	{"/n/{id:uuid}", "/n/{123e4567-e89b-12d3-a456-426614174000}", `404`},
	{"/n/{id:[0-9]*}", "/n/", `404`},
	{"/n/{id:..+}", "/n/a%0Ab", `404`},
	{"/n/{id:(?s).+}", "/n/a%0Ab", `id="a\nb"`},
	{"/n/{id:[0-9]{2,3}}", "/n/1", `404`},
	{"/n/{id:[0-9]{2,3}}", "/n/12", `id="12"`},
	{"/n/{id:[0-9]{2,3}}", "/n/123", `id="123"`},
	{"/n/{id:[0-9]{2,3}}", "/n/1234", `404`},
	{`/n/{id:\d{4}}`, "/n/2024", `id="2024"`},
	{`/n/{id:\d{4}}`, "/n/20245", `404`},
	{"/n/{id:v[0-9]+}", "/n/v123", `id="v123"`},
	{"/n/{id:v[0-9]+}", "/n/vv1", `404`},
	{"/n/{id:[0-9]+v}", "/n/12v", `id="12v"`},
	{"/n/{id:[0-9]+v}", "/n/1vv", `404`},
	{"/n/{id:[a-z]?[0-9]{2}}", "/n/a12", `id="a12"`},
	{"/n/{id:[a-z]?[0-9]{2}}", "/n/12", `id="12"`},
	{"/n/{id:[a-z]?[0-9]{2}}", "/n/ab12", `404`},
	{"/n/{id:a|b}", "/n/a", `id="a"`},
	{"/n/{id:a|b}", "/n/b", `id="b"`},
	{"/n/{id:a|b}", "/n/ab", `404`},
	{"/n/{id:a|ab}", "/n/ab", `id="ab"`},
	{"/n/{id:a|ab}x", "/n/abx", `id="ab"`},
	{"/n/{id:^a$}", "/n/a", `id="a"`},
	{"/n/{id:(?m)^a$}", "/n/a%0Ab", `404`},
	{"/n/{id:(?i)abc}", "/n/aBc", `id="aBc"`},
	{"/n/{id:[^/]+}", "/n/a%2Fb", `404`},
	{"/n/{id:a/b}", "/n/a%2Fb", `id="a/b"`},
	{"/n/{id:a/b}", "/n/a/b", `404`},
	{"/n/{id:[}]}", "/n/}", `id="}"`},
	{"/n/{id:[{]}", "/n/{", `id="{"`},
	{`/n/{id:\}}`, "/n/}", `id="}"`},
	{`/n/{id:[]a]+}`, "/n/]a", `id="]a"`},
	{`/n/{id:[^]]+}`, "/n/a", `id="a"`},
	{`/n/{id:[^]]+}`, "/n/]", `404`},
	{`/n/{id:[[:alpha:]]+}`, "/n/ab", `id="ab"`},
	{`/n/{id:[[:alpha:]]+}`, "/n/a1", `404`},
	{`/n/{id:a{2}b{3}}`, "/n/aabbb", `id="aabbb"`},
	{`/n/{id:(a)(b)}`, "/n/ab", `id="ab"`},
	{`/n/{id:(?P<x>a)b}`, "/n/ab", `id="ab"`},
	{`/n/{id:\pL+}`, "/n/ü", `id="ü"`},
	{`/n/{id:\pL+}`, "/n/1", `404`},
	{`/n/{id:[a-z ]+}`, "/n/a%20b", `id="a b"`},
	{`/n/{id:[^a]}`, "/n/%C3%BC", `id="ü"`},
	{`/n/{id:..}`, "/n/%C3%BC", `404`},
	{`/n/{id:..}`, "/n/ab", `id="ab"`},
	{`/n/{id:[.]+}`, "/n/...", `id="..."`},
	{`/n/{id:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}}`, "/n/123e4567-e89b-12d3-a456-426614174000", `id="123e4567-e89b-12d3-a456-426614174000"`},
	{`/n/{id:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}}`, "/n/123e4567-e89b-12d3-a456-42661417400g", `404`},
	{`/n/{id:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}}`, "/n/123e4567-e89b-12d3-a4560426614174000", `404`},

	{"/v2/{name...}/tags", "/v2/a/tags", `name="a"`},
	{"/v2/{name...}/tags", "/v2/a/b/c/tags", `name="a/b/c"`},
	{"/v2/{name...}/tags", "/v2/tags/tags/tags", `name="tags/tags"`},
	{"/v2/{name...}/tags", "/v2/tags", `404`},
	{"/v2/{name...}/tags", "/v2/a", `404`},
	{"/v2/{name...}/tags", "/v2/a/tags/", `404`},
	{"/v2/{name...}/tags", "/v2/a/tags/b", `404`},
	{"/v2/{name...}/tags", "/v2/a%2Fb/c/tags", `name="a/b/c"`},
	{"/v2/{name...}/tags", "/v2/a%2Ftags", `404`},
	{"/v2/{name...}/tags", "/v2/%2F/tags", `name="/"`},
	{"/v2/{name...}/tags", "/v2/a%2F..%2Fb/tags", `404`},
	{"/v2/{name...}/tags", "/v2/..%2Fb/c/tags", `404`},
	{"/v2/{name...}/tags", "/v2/a%20b/%C3%BC/tags", `name="a b/ü"`},
	{"/v2/{name...}/tags", "/v2/a/%74ags", `name="a"`},
	{"/{name...}/a%2Fb", "/x/y/a%2Fb", `name="x/y"`},
	{"/{name...}/manifests/{ref}", "/a/manifests/b", `name="a" ref="b"`},
	{"/{name...}/manifests/{ref}", "/a/manifests/manifests/b", `name="a/manifests" ref="b"`},
	{"/{name...}/manifests/{ref}", "/a/manifests/manifests/manifests/b", `name="a/manifests/manifests" ref="b"`},
	{"/{name...}/manifests/{ref}", "/manifests/b", `404`},
	{"/{name...}/{id:[0-9]+}", "/a/1/2", `name="a/1" id="2"`},
	{"/{name...}/{id:[0-9]+}", "/a/1/b", `404`},
	{"/{name...}/{id:[0-9]+}/x", "/a/1/2/x", `name="a/1" id="2"`},
	{"/{name...}/{file}.json", "/a/b/c.json", `name="a/b" file="c"`},
	{"/{name...}/{a}/{b}", "/1/2/3/4", `name="1/2" a="3" b="4"`},
	{"/{name...}/{a}/{b}", "/1/2", `404`},
	{"/{x}/{name...}/{y}", "/1/2/3/4", `x="1" name="2/3" y="4"`},
	{"/{name...}/{$}", "/a/b/", `name="a/b"`},
	{"/{name...}/b/{rest...}", "/a/b/c/d", `name="a" rest="c/d"`},
	{"/{name...}/b/{rest...}", "/a/b/c/b/d", `name="a/b/c" rest="d"`},
	{"/{name...}/b/{rest...}", "/a/b/", `name="a" rest=""`},
	{"/{name...}/b/*rest", "/a/b/c", `name="a" rest="/c"`},
	{"/{name...}/b/*rest", "/a/b/c%2F..", `404`},
	{"/{name...}/{rest...}", "/a/b/", `name="a/b" rest=""`},

	{"/v{major}.{minor}/x", "/v1.2/x", `major="1" minor="2"`},
	{"/v{major}.{minor}/x", "/v10.20/x", `major="10" minor="20"`},
	{"/v{major}.{minor}/x", "/v1/x", `404`},
	{"/v{major}.{minor}/x", "/v1./x", `404`},
	{"/v{major}.{minor}/x", "/v.2/x", `404`},
	{"/v{major}.{minor}/x", "/1.2/x", `404`},
	{"/v{major}.{minor}/x", "/v1.2/y", `404`},
	{"/v{major}.{minor}/x", "/v1.2", `404`},
	{"/{name}.json", "/a.json", `name="a"`},
	{"/{name}.json", "/a.json.json", `name="a.json"`},
	{"/{name}.json", "/.json", `404`},
	{"/{name}.json", "/a.JSON", `404`},
	{"/{name}.json", "/ajson", `404`},
	{"/{name}.json", "/a.jsonx", `404`},
	{"/{name}.json", "/a%2Ejson", `name="a"`},
	{"/{name}.json", "/a%2Fb.json", `name="a/b"`},
	{"/user_:name", "/user_bob", `name="bob"`},
	{"/user_:name", "/user_", `404`},
	{"/user_:name", "/userbob", `404`},
	{"/user_:name/x", "/user_bob/x", `name="bob"`},
	{"/{id}:cancel", "/5:cancel", `id="5"`},
	{"/{id}:cancel", "/5%3Acancel", `id="5"`},
	{"/{id}:cancel", "/:cancel", `404`},
	{"/{id}:cancel", "/5:cance", `404`},
	{"/{id:[0-9]+}:cancel", "/5:cancel", `id="5"`},
	{"/{id:[0-9]+}:cancel", "/x:cancel", `404`},
	{"/{id:[0-9]+}.json", "/12.json", `id="12"`},
	{"/{id:[0-9]+}.json", "/12.xml", `404`},
	{"/{id:[0-9]+}.json", "/1a.json", `404`},
	{"/{a}-{b}-{c}", "/1-2-3", `a="1" b="2" c="3"`},
	{"/{a}-{b}-{c}", "/1-2", `404`},
	{"/{a}-{b}-{c}", "/1--3", `404`},
	{"/{a}-{b}-{c}", "/1---3", `a="1" b="-" c="3"`},
	{"/{a}ab{b}", "/xaby", `a="x" b="y"`},
	{"/{a}ab{b}", "/abab", `404`},
	{"/{a}ab{b}", "/ababab", `a="ab" b="ab"`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/2024-05", `y="2024" m="05"`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/2024-5", `404`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/2024-056", `404`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/x2024-05", `404`},
	{"/{y:(a)(b)}-{m:(c)}", "/ab-c", `y="ab" m="c"`},
	{"/{a:[a-z]+}{$}", "", "panic"},
	{"/x{a:[0-9]+}y{b}", "/x1yz", `a="1" b="z"`},
	{"/x{a:[0-9]+}y{b}", "/xayz", `404`},
	{"/{a:x|y}.{b}", "/x.y", `a="x" b="y"`},
	{"/{a:x|y}.{b}", "/z.y", `404`},
	{"/{a}.{b:x|y}", "/a.b.x", `a="a.b" b="x"`},
	{"/p{a}%2Fs", "/pX%2Fs", `a="X"`},
	{"/p{a}%2Fs", "/pX/s", `404`},
	// No value is . or .., whatever stands around it.
	{"/a{x}", "/a.", `404`},
	{"/a{x}", "/a..", `404`},
	{"/a{x}", "/a%2E%2e", `404`},
	{"/a{x}", "/a...", `x="..."`},
	{"/{x}.json", "/..json", `404`},
	{"/{x}.json", "/...json", `404`},
	{"/{x}.json", "/....json", `x="..."`},
	{"/a{x:[.]+}", "/a..", `404`},
	{"/{a}-{b}", "/..-x", `404`},
	{"/{a}-{b}", "/x-.", `404`},
	{"/.{x}", "/.a", `x="a"`},
	{"/.{x}", "/...", `404`},

	{"/static/*filepath", "/static/a", `filepath="/a"`},
	{"/static/*filepath", "/static/a/b.css", `filepath="/a/b.css"`},
	{"/static/*filepath", "/static/a/", `filepath="/a/"`},
	{"/static/*filepath", "/static/", `filepath="/"`},
	{"/static/*filepath", "/statics/a", `404`},
	{"/static/*filepath", "/static/a%2Fb/c", `filepath="/a/b/c"`},
	{"/static/*filepath", "/static/a%20b", `filepath="/a b"`},
	{"/static/*filepath", "/static/.hidden", `filepath="/.hidden"`},
	{"/static/*filepath", "/static/...", `filepath="/..."`},
	{"/static/*filepath", "/static/a/.../b", `filepath="/a/.../b"`},
	{"/static/{filepath...}", "/static/a", `filepath="a"`},
	{"/static/{filepath...}", "/static/a/b", `filepath="a/b"`},
	{"/static/{filepath...}", "/static/a/", `filepath="a/"`},
	{"/static/{filepath...}", "/static/", `filepath=""`},
	{"/static/{filepath...}", "/static/%2F", `filepath="/"`},
	{"/static/{filepath...}", "/static/a%2Fb/c", `filepath="a/b/c"`},
	// No named rest has a dot segment, not even between escaped slashes.
	{"/static/*filepath", "/static/a%2F..%2F..%2Fetc", `404`},
	{"/static/*filepath", "/static/..%2Fetc", `404`},
	{"/static/*filepath", "/static/a/b%2F..", `404`},
	{"/static/*filepath", "/static/a/b%2F.", `404`},
	{"/static/*filepath", "/static/%2F%2e%2E", `404`},
	{"/static/*filepath", "/static/a%2F.../b", `filepath="/a/.../b"`},
	{"/static/*filepath", "/static/a..%2F..b", `filepath="/a../..b"`},
	{"/static/{filepath...}", "/static/..%2Fetc", `404`},
	{"/static/{filepath...}", "/static/a%2F..", `404`},
	{"/users/:id", "/users/a%2F..%2Fb", `id="a/../b"`},
	{"/users/v{id}", "/users/v%2F..", `id="/.."`},
	{"/*all", "/", `all="/"`},
	{"/*all", "/a/b", `all="/a/b"`},
	{"/{all...}", "/", `all=""`},
	{"/{all...}", "/a/b", `all="a/b"`},
	{"/:a/*rest", "/x/y/z", `a="x" rest="/y/z"`},
	{"/:a/*rest", "/x/", `a="x" rest="/"`},
	{"/{a:[0-9]+}/{rest...}", "/1/y/z", `a="1" rest="y/z"`},
	{"/{a:[0-9]+}/{rest...}", "/x/y/z", `404`},
	{"/v{a}/*rest", "/v1/y", `a="1" rest="/y"`},

	{"/x/{$}", "/x/", ``},
	{"/x/{$}", "/x/y", `404`},
	{"/{$}", "/", ``},
	{"/{$}", "/x", `404`},
}

// slashCases test patterns that end in a slash with each registration method.
var slashCases = []struct {
	pattern, target, verb, handle string
}{
	{"/", "/", ``, ``},
	{"/", "/x", `404`, ``},
	{"/", "/x/y", `404`, ``},
	{"/x/", "/x/", ``, ``},
	{"/x/", "/x/y", `404`, ``},
	{"/x/", "/x/y/", `404`, ``},
	{"/x/", "/xy/", `404`, `404`},
	{"/x/", "/x", `404`, `307 /x/`},
	{"/x/", "/x?q=1", `404`, `307 /x/?q=1`},
	{"/:a/", "/1/", `a="1"`, `a="1"`},
	{"/:a/", "/1/2", `404`, `a="1"`},
	{"/:a/", "/1", `404`, `307 /1/`},
	{"/:a/", "/1%2F2", `404`, `307 /1%2F2/`},
	{"/{a:[0-9]+}/", "/1/x", `404`, `a="1"`},
	{"/{a:[0-9]+}/", "/x/", `404`, `404`},
	{"/{a:[0-9]+}/", "/1", `404`, `307 /1/`},
	{"/v{a}/", "/v1/x", `404`, `a="1"`},
	{"/x/{$}", "/x", `404`, `307 /x/`},
	{"/x/*rest", "/x", `404`, `307 /x/`},
	{"/x/{rest...}", "/x", `404`, `307 /x/`},
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
				target, want := c.target, c.want
				if !method.verb && want == "404" && isOnlySlashed(c.pattern, target) {
					want = "307 " + target + "/"
				}
				check(c.pattern, target, want)
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

// Handle rejects a space in a path, because a space ends the method.
func TestSpaceInPath(t *testing.T) {
	m := muxmaster.New()
	m.GET("/a b/:id", values)
	if got, want := get(t, m, "GET", "/a%20b/1"), `id="1"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The number of parameters of a route is not limited.
func TestManyParameters(t *testing.T) {
	for _, mode := range modes {
		for _, n := range []int{1, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 255, 256, 257, 600} {
			m := newMux(mode.pooled)
			var pattern, target, want strings.Builder
			for i := range n {
				s := strconv.Itoa(i)
				pattern.WriteString("/:p" + s)
				target.WriteString("/v" + s)
				if i > 0 {
					want.WriteString(" ")
				}
				want.WriteString(`p` + s + `="v` + s + `"`)
			}
			m.GET(pattern.String(), values)
			m.POSTFast(pattern.String(), fastValues)
			for range 2 {
				for _, method := range []string{"GET", "POST"} {
					if got := get(t, m, method, target.String()); got != want.String() {
						t.Errorf("%s, %d parameters, %s: got %s", mode.name, n, method, got)
					}
				}
			}
		}
	}
}

// Routes can have different parameter names in the same position.
func TestNamesBelongToTheRoute(t *testing.T) {
	m := muxmaster.New()
	m.GET("/a/:id", values)
	m.GET("/a/:name/x", values)
	m.POST("/a/{key}", values)
	m.GET("/a/{n:[0-9]+}/y", values)
	wants(t, m, exchanges{
		{"/a/1", `id="1"`},
		{"/a/1/x", `name="1"`},
		{"POST /a/1", `key="1"`},
		{"/a/1/y", `n="1"`},
	})
}

// badPatterns are refused, and so are forms of other routers that would never
// match, or not as meant. The hint is part of the error. Package pattern tests
// all errors.
var badPatterns = []struct{ pattern, hint string }{
	{"x", "must begin with /"},
	{"GET x", "must begin with /"},
	{"G(T /x", "not a method"},
	{"GET,GET /x", "listed twice"},
	{"GET|POST /x", "GET,POST"},
	{"* /x", "every method"},
	{"https://example.com/x", "write example.com/x"},
	{"GET *.example.com/x", "{sub...}.example.com"},
	{":sub.example.com/x", "{sub}.example.com"},
	{"/:", "needs a name"},
	{"/{id:a(?!b)}", "not valid RE2"},
	{"/{id", "not closed"},
	{"/{id}{name}", "between"},
	{"/:a.json", "{a}.json"},
	{"/:a/:a", "used twice"},
	{"/{$}/x", "the last segment"},
	{"/x{a...}", "a whole segment"},
	{"/{a...}/b/{c...}/d", "the second one"},
	{"/images*", "/images/*rest"},
	{"/a/**", "{path...}"},
	{"/{path:.*}", "{path...}"},
	{"/q?x=1", "query"},
	{`/users/:id(\d+)/x`, `{id:\d+}`},
	{"/users/<int:id>", "{id:int}"},
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

// Their neighbours are patterns as ever: text is text where no router means
// more.
func TestFormsThatStay(t *testing.T) {
	for _, c := range [][2]string{
		{"/a+b", "/a+b"}, {"/c++", "/c++"}, {"/a*b", "/a*b"}, {"/a.b", "/a.b"}, {"/a..b", "/a..b"}, {"/a$b", "/a$b"}, {"/~user", "/~user"},
		{"/a=b;c", "/a=b;c"}, {"/a@b", "/a@b"}, {"/a,b", "/a,b"}, {"/a!b", "/a!b"}, {"/a'b", "/a'b"}, {"/%3Fx", "/%3Fx"}, {"/%23x", "/%23x"}, {"/a%2A", "/a*"},
		{"/%3Aid", "/:id"}, {"/{id:.{1,3}}", "/ab"}, {"/{id:[a-z.]*}", "/ab"}, {"/{id:(?s).+}", "/ab"}, {"/{id}:cancel", "/5:cancel"}, {"/%28a%29", "/(a)"}, {"/%5Bid%5D", "/[id]"},
	} {
		m := muxmaster.New()
		if err := m.TryHandle(c[0], tell("served")); err != nil {
			t.Errorf("%q: %v", c[0], err)
			continue
		}
		if got := get(t, m, "GET", c[1]); got != "served" {
			t.Errorf("%q, %s: got %s", c[0], c[1], got)
		}
	}
}

func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		a, b     string // patterns of Handle, or verb:METHOD path
		conflict bool
	}{
		{"/x", "/x", true},
		{"GET /x", "GET /x", true},
		{"GET /x", "/x", false},
		{"GET /x", "HEAD /x", false},
		{"GET,POST /x", "POST /x", true},
		{"GET,POST /x", "PUT,DELETE /x", false},
		{"GET,POST /x", "/x", false},
		{"BREW /x", "BREW /x", true},
		{"BREW /x", "brew /x", false},
		{"/:a", "/{b}", true},
		{"/:a", "/{b:[0-9]+}", false},
		{"/{a:[0-9]+}", "/{b:[0-9]+}", true},
		{"/{a:[0-9]+}", "/{b:[0-9]*}", false},
		{"/{a:int}", "/{b:int}", true},
		{"/{a:int}", "/{b:-?[0-9]+}", true},
		{"/{a:int}", "/{b:uuid}", false},
		{"/:a", "/*rest", false},
		{"/*a", "/{b...}", true},
		{"/", "/*b", true},
		{"/", "/{b...}", true},
		{"/", "/{$}", false},
		{"/x/", "/x", false},
		{"/:a/x", "/:b/y", false},
		{"/:a/x", "/{b}/x", true},
		{"/a/:id", "/a/:name/x", false},
		{"/v{a}", "/v{b}", true},
		{"/v{a}", "/v:b", true},
		{"/v{a}", "/w{a}", false},
		{"/{a}v", "/v{a}", false},
		{"/{a}.{b}", "/{c}.{d}", true},
		{"/{a}.{b}", "/{a}-{b}", false},
		{"/{x}/a", "/b/{y}", false},
		{"/{a...}/x", "/{b...}/x", true},
		{"/{a...}/x", "/{b}/x", false},
		{"/{a...}/x", "/{b...}", false},
		{"/{a...}/x", "/{b...}/y", false},
		{"/{a...}/{x}", "/{b...}/{y}", true},
		{"/{a...}/x/", "/{b...}/x/{c...}", true},
		{"/{a...}/", "/{a...}/{$}", false},
		{"/{a...}/x", "/%2A/x", false},
		{"GET /{a...}/x", "POST /{b...}/x", false},
		{"GET,POST h/{a...}/x", "POST h/{b...}/x", true},
		{"h/{a...}/x", "/{b...}/x", false},
		{"verb:GET /{a...}/x/", "GET /{b...}/x/{$}", true},
		{"h/x", "/x", false},
		{"h/x", "g/x", false},
		{"h/x", "H./x", true},
		{"h/x", "h:80/x", false},
		{"h:80/x", "H.:80/x", true},
		{"/a%2Fb", "/a%2fb", true},
		{"/%61", "/a", true},
		{"/a%2Fb", "/a/b", false},
		{"/%7Ba%7D", "/{a}", false},
		{"/%2Aa", "/*a", false},
		{"verb:GET /x", "GET /x", true},
		{"verb:GET /x/", "GET /x/{$}", true},
		{"verb:GET /x/", "GET /x/", false}, // one path, and everything below
		{"verb:ANY /x", "/x", true},
		{"verb:ANY /x", "GET /x", false},
		{"verb:ANY /x/", "verb:ANY /x/{$}", true},
		{"verb:GET /:a/*b", "GET /{c}/", true},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			for _, served := range []bool{false, true} {
				m := muxmaster.New()
				m.GET("/earlier/:x", tell("earlier"))
				add := func(p string) {
					verb, ok := strings.CutPrefix(p, "verb:")
					if !ok {
						m.Handle(p, tell(p))
						return
					}
					method, path, _ := strings.Cut(verb, " ")
					map[string]func(string, http.HandlerFunc){"GET": m.GET, "ANY": m.ANY}[method](path, tell(p))
				}
				add(a)
				if served {
					get(t, m, "GET", "/earlier/1")
				}
				text := panics(func() { add(b) })
				if (text != "") != c.conflict {
					t.Errorf("%q, then %q: panic %q, want a conflict: %v", a, b, text, c.conflict)
					continue
				}
				if got := get(t, m, "GET", "/earlier/1"); got != "earlier" {
					t.Errorf("%q, then %q: an earlier route answers %s", a, b, got)
				}
				if !c.conflict {
					continue
				}
				quoted := func(p string) string {
					return fmt.Sprintf("%q", strings.Replace(strings.Replace(p, "verb:ANY ", "", 1), "verb:", "", 1))
				}
				if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, quoted(a)) || !strings.Contains(text, quoted(b)) {
					t.Errorf("%q, then %q: %q does not quote both", a, b, text)
				}
				if n := len(regexp.MustCompile(`declare_test\.go:\d+`).FindAllString(text, -1)); n != 2 {
					t.Errorf("%q, then %q: %q names %d places in this file, want 2", a, b, text, n)
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
		"TryHandle": func(m *muxmaster.Mux) int {
			err := m.TryHandle("GET /x", tell(""))
			l := line() - 1
			if err != nil {
				panic(err.Error())
			}
			return l
		},
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

// A list of methods is registered as a whole or not at all.
func TestNothingHalfRegistered(t *testing.T) {
	for _, served := range []bool{false, true} {
		m := muxmaster.New()
		m.POST("/x/:id", tell("post"))
		if served {
			get(t, m, "POST", "/x/1")
		}
		if err := m.TryHandle("GET,BREW,POST,PUT /x/{id}", tell("list")); err == nil {
			t.Fatal("no error")
		}
		if err := m.TryHandle("GET,WHEN /x/{id}/{id}", tell("list")); err == nil {
			t.Fatal("no error")
		}
		for _, c := range [][2]string{{"GET", "405 POST, OPTIONS"}, {"BREW", "405 POST, OPTIONS"}, {"PUT", "405 POST, OPTIONS"}, {"POST", "post"}} {
			if got := get(t, m, c[0], "/x/1"); got != c[1] {
				t.Errorf("%s: got %s, want %s", c[0], got, c[1])
			}
		}
		if err := m.TryHandle("GET,BREW,PUT /x/{id}", tell("list")); err != nil {
			t.Error(err)
		}
		for _, method := range []string{"GET", "BREW", "PUT"} {
			if got := get(t, m, method, "/x/1"); got != "list" {
				t.Errorf("%s: got %s", method, got)
			}
		}
	}
}

func TestNilHandlers(t *testing.T) {
	for name, do := range map[string]func(m *muxmaster.Mux){
		"GET":              func(m *muxmaster.Mux) { m.GET("/x", nil) },
		"ANY":              func(m *muxmaster.Mux) { m.ANY("/x", nil) },
		"GETFast":          func(m *muxmaster.Mux) { m.GETFast("/x", nil) },
		"Handle":           func(m *muxmaster.Mux) { m.Handle("/x", nil) },
		"Handle func":      func(m *muxmaster.Mux) { m.Handle("/x", http.HandlerFunc(nil)) },
		"Handle Mux":       func(m *muxmaster.Mux) { m.Handle("/x", (*muxmaster.Mux)(nil)) },
		"HandleFunc":       func(m *muxmaster.Mux) { m.HandleFunc("/x", nil) },
		"HandleFast":       func(m *muxmaster.Mux) { m.HandleFast("/x", nil) },
		"Group.GET":        func(m *muxmaster.Mux) { m.Group("/g").GET("/x", nil) },
		"under Use":        func(m *muxmaster.Mux) { m.Use(trace("x")); m.GET("/x", nil) },
		"under UseFast":    func(m *muxmaster.Mux) { m.UseFast(traceFast("x")); m.GETFast("/x", nil) },
		"TryHandle as err": func(m *muxmaster.Mux) { panic(m.TryHandle("/x", nil).Error()) },
	} {
		m := muxmaster.New()
		got := panics(func() { do(m) })
		if !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, "nil") || !strings.Contains(got, "/x\"") {
			t.Errorf("%s: panicked with %q", name, got)
		}
		if got := get(t, m, "BREW", "/x"); name != "under Use" && got != "404" {
			t.Errorf("%s: afterwards got %s", name, got)
		}
	}
}

func TestBadPrefixes(t *testing.T) {
	for _, prefix := range []string{"x", "/*rest", "/{a...}", "/x/{$}", "/{", "/:", "/{a}{b}", "GET /x", "example.com/x"} {
		m := muxmaster.New()
		for name, do := range map[string]func(){
			"Group":       func() { m.Group(prefix) },
			"Route":       func() { m.Route(prefix, func(*muxmaster.Group) {}) },
			"Group.Group": func() { m.Group("/g").Group(prefix) },
		} {
			if got := panics(do); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, prefix) {
				t.Errorf("%s(%q): panicked with %q", name, prefix, got)
			}
		}
	}
	for got, want := range map[string]string{
		panics(func() { muxmaster.New().Group("//") }):          "empty segment",
		panics(func() { muxmaster.New().Group("/a//") }):        "empty segment",
		panics(func() { muxmaster.New().Group("/a//b") }):       "empty",
		panics(func() { muxmaster.New().Route("/route", nil) }): "Route \"/route\": the function is nil",
	} {
		if !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, want) {
			t.Errorf("panicked with %q, want %q", got, want)
		}
	}
	m := muxmaster.New()
	if got := panics(func() { m.Group("/:a").GET("/:a", values) }); !strings.Contains(got, "twice") {
		t.Errorf("a name twice: panicked with %q", got)
	}
	for _, prefix := range []string{"", "/"} {
		m.Group(prefix).GET("/in"+fmt.Sprint(len(prefix)), tell("in"))
		if got := get(t, m, "GET", "/in"+fmt.Sprint(len(prefix))); got != "in" {
			t.Errorf("Group(%q): got %s", prefix, got)
		}
	}
}

// Too many custom methods are an error, not an overflow.
func TestManyCustomMethods(t *testing.T) {
	m := muxmaster.New()
	n := 0
	for ; n < 1000; n++ {
		if err := m.TryHandle(fmt.Sprintf("M%d /x/{id}", n), tell(fmt.Sprint(n))); err != nil {
			if !strings.HasPrefix(err.Error(), "muxmaster: ") {
				t.Errorf("the error is %q", err)
			}
			break
		}
	}
	if n < 100 {
		t.Errorf("only %d methods", n)
	}
	for i := range n {
		if got := get(t, m, fmt.Sprint("M", i), "/x/1"); got != fmt.Sprint(i) {
			t.Fatalf("M%d: got %s", i, got)
		}
	}
	if got := get(t, m, "GET", "/x/1"); !strings.HasPrefix(got, "405 M0, M1, M10, ") || strings.Count(got, ",") != n {
		t.Errorf("Allow: %s", got)
	}
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
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.HandleFunc("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.HandleFast("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { panic(r.TryHandle("/x", nil)) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", nil) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", (*muxmaster.Mux)(nil)) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", http.HandlerFunc(nil)) }},
		{`Use: the middleware is nil`, func(r muxmaster.Router) { r.Use(nil) }},
		{`UseFast: the middleware is nil`, func(r muxmaster.Router) { r.UseFast(nil) }},
		{`the middleware is nil`, func(r muxmaster.Router) { r.With(nil) }},
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
				if l := ask(m, r).location; l != "" && foreign(l) != "" {
					t.Errorf("seed %d, %q: Location %q %s", seed, log, l, foreign(l))
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
