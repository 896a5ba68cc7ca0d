package muxmaster_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// A Group's middleware covers its prefix: a request at or below it that no
// route serves is answered inside the middleware of the deepest such Group.
func TestGroupCoversItsPrefix(t *testing.T) {
	m := tagged("m")
	m.Pre(trace("pre"))
	api := m.Group("/api")
	api.Use(trace("api1"), trace("api2"))
	add(api, "GET /users/:id|POST /users|Handle GET /tree/|GET /slash/|Handle GET /a%2Fb")
	v1 := api.Group("/v1")
	v1.Use(trace("v1"))
	add(v1, "GET /x|GET /x/:y")
	plain := api.Group("/plain") // without middleware of its own
	add(plain, "GET /x")
	tenant := m.Group("/t/:tenant/{n:[0-9]+}")
	tenant.Use(trace("tenant"))
	add(tenant, "GET /x")
	api.With(trace("with")).GET("/with", tell("GET /with"))
	m.Group("/empty").Use(trace("empty")) // without a route
	add(m, "GET /open|POST /api/outside")
	wantOutcomes(t, m, []exchange{
		{"GET", "/none", "pre m m 404"},
		{"PUT", "/open", "pre m m 405 GET, HEAD, OPTIONS"},
		{"GET", "/apix", "pre m m 404"},
		{"GET", "/api/users/1", "pre m api1 api2 GET /users/:id"},
		{"GET", "/api/none", "pre m api1 api2 m 404"},
		{"GET", "/api", "pre m api1 api2 m 404"},
		{"GET", "/api/", "pre m api1 api2 m 404"},
		{"HEAD", "/api/none", "pre m api1 api2 m 404"},
		{"BREW", "/api/none", "pre m api1 api2 m 404"},
		{"GET", "/api/users/1/2/3", "pre m api1 api2 m 404"},
		{"PUT", "/api/users/1", "pre m api1 api2 m 405 GET, HEAD, OPTIONS"},
		{"GET", "/api/users", "pre m api1 api2 m 405 POST, OPTIONS"},
		{"OPTIONS", "/api/users", "pre m api1 api2 Allow POST, OPTIONS"},
		{"OPTIONS", "/api/users/1", "pre m api1 api2 Allow GET, HEAD, OPTIONS"},
		{"OPTIONS", "/api/none", "pre m api1 api2 m 404"},
		{"GET", "/api/users/1/", "pre m api1 api2 => /api/users/1"},
		{"GET", "/api/slash?q", "pre m api1 api2 => /api/slash/?q"},
		{"GET", "/api/tree", "pre m api1 api2 => /api/tree/"},
		{"GET", "/api//users/1", "pre m api1 api2 => /api/users/1"},
		{"GET", "/api/users/./1", "pre m api1 api2 => /api/users/1"},
		{"GET", "/%61pi/none", "pre m api1 api2 m 404"},
		{"GET", "/api/a%2Fb%2Fc", "pre m api1 api2 m 404"},
		{"POST", "/api/a%2Fb", "pre m api1 api2 m 405 GET, HEAD, OPTIONS"},
		{"GET", "/api%2Fnone", "pre m m 404"},
		// The Mux's own routes below the prefix are the Mux's, what no route
		// serves there is the Group's.
		{"POST", "/api/outside", "pre m POST /api/outside"},
		{"GET", "/api/outside", "pre m api1 api2 m 405 POST, OPTIONS"},
		// The deepest Group.
		{"GET", "/api/v1/x", "pre m api1 api2 v1 GET /x"},
		{"GET", "/api/v1/none", "pre m api1 api2 v1 m 404"},
		{"GET", "/api/v1", "pre m api1 api2 v1 m 404"},
		{"GET", "/api/v11/none", "pre m api1 api2 m 404"},
		{"POST", "/api/v1/x/1", "pre m api1 api2 v1 m 405 GET, HEAD, OPTIONS"},
		{"OPTIONS", "/api/v1/x", "pre m api1 api2 v1 Allow GET, HEAD, OPTIONS"},
		{"GET", "/api/v1/x/", "pre m api1 api2 v1 => /api/v1/x"},
		{"GET", "/api/plain/none", "pre m api1 api2 m 404"},
		// Parameters in the prefix.
		{"GET", "/t/a/1/none", "pre m tenant m 404"},
		{"GET", "/t/a%2Fb/1/none", "pre m tenant m 404"},
		{"PUT", "/t/a/1/x", "pre m tenant m 405 GET, HEAD, OPTIONS"},
		{"GET", "/t/a/b/none", "pre m m 404"},
		{"GET", "/t/a", "pre m m 404"},
		// With has no prefix of its own: it covers only its routes.
		{"GET", "/api/with", "pre m api1 api2 with GET /with"},
		{"POST", "/api/with", "pre m api1 api2 m 405 GET, HEAD, OPTIONS"},
		// A Group that has no route yet.
		{"GET", "/empty", "pre m empty m 404"},
		{"GET", "/empty/x", "pre m empty m 404"},
	})
}

// Routes elsewhere match first: a Group shares the Mux's table.
func TestRoutesElsewhereMatchBeforeAGroupAnswers(t *testing.T) {
	m := tagged("m")
	g := m.Group("/g")
	g.Use(trace("g"))
	add(g, "GET /x/:id")
	add(m, "GET /*path|POST /:any/x/1")
	wantOutcomes(t, m, []exchange{
		{"GET", "/g/x/1", "m g GET /x/:id"},
		{"GET", "/g/none", "m GET /*path"},
		{"POST", "/g/x/1", "m POST /:any/x/1"},
		{"PUT", "/g/x/1", "m g m 405 GET, HEAD, POST, OPTIONS"},
		{"POST", "/g/none", "m g m 405 GET, HEAD, OPTIONS"},
		{"OPTIONS", "/g/none", "m g Allow GET, HEAD, OPTIONS"},
	})
}

// A Group's NotFound and MethodNotAllowed respond at and below its prefix; what
// a Group doesn't set is that of the scope around it.
func TestGroupNotFoundAndMethodNotAllowed(t *testing.T) {
	m := tagged("m")
	api := m.Group("/api")
	api.Use(trace("api"))
	api.NotFound, api.MethodNotAllowed = tell("api 404"), allowed("api 405")
	add(api, "GET /x")
	v1 := api.Group("/v1")
	v1.NotFound = tell("v1 404")
	add(v1, "GET /x")
	v2 := api.Group("/v2")
	v2.MethodNotAllowed = allowed("v2 405")
	v2.Use(trace("v2"))
	add(v2, "GET /x")
	only := m.Group("/only") // handlers without middleware
	only.NotFound = tell("only 404")
	add(only, "GET /x")
	add(m.Group("/none"), "GET /x")
	wantOutcomes(t, m, []exchange{
		{"GET", "/y", "m m 404"},
		{"GET", "/api/y", "m api api 404"},
		{"GET", "/api", "m api api 404"},
		{"PUT", "/api/x", "m api api 405 GET, HEAD, OPTIONS"},
		{"OPTIONS", "/api/x", "m api Allow GET, HEAD, OPTIONS"},
		{"GET", "/api/v1/y", "m api v1 404"},
		{"PUT", "/api/v1/x", "m api api 405 GET, HEAD, OPTIONS"},
		{"GET", "/api/v2/y", "m api v2 api 404"},
		{"PUT", "/api/v2/x", "m api v2 v2 405 GET, HEAD, OPTIONS"},
		{"GET", "/only/y", "m only 404"},
		{"PUT", "/only/x", "m m 405 GET, HEAD, OPTIONS"},
		{"GET", "/none/y", "m m 404"},
		{"PUT", "/none/x", "m m 405 GET, HEAD, OPTIONS"},
	})
}

// Responses to unmatched requests inside a Group have the usual status.
func TestGroupAnswersKeepTheirStatus(t *testing.T) {
	m := muxmaster.New()
	g := m.Group("/g")
	g.Use(func(next http.Handler) http.Handler { return next })
	add(g, "GET /x")
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/g/x", "GET /x"}, {"GET", "/g/none", "404"}, {"PUT", "/g/x", "405 GET, HEAD, OPTIONS"},
		{"OPTIONS", "/g/x", "204 GET, HEAD, OPTIONS"}, {"GET", "/g/x/", "307 /g/x"}, {"GET", "/g//x", "307 /g/x"},
	} {
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.target, got, c.want)
		}
		agrees(t, m, "example.com", c.method, c.target)
	}
}

// Of two Groups with the same prefix, the one created first responds.
func TestTwoGroupsOfOnePrefix(t *testing.T) {
	for _, prefixes := range [][2]string{{"/g", "/g"}, {"/g/", "/g"}, {"/g", "/g/"}} {
		m := tagged("m")
		first, second := m.Group(prefixes[0]), m.Group(prefixes[1])
		second.Use(trace("second"))
		second.NotFound = tell("second 404")
		add(second, "GET /y")
		first.Use(trace("first"))
		first.NotFound = tell("first 404")
		add(first, "GET /x")
		for _, c := range []struct{ method, target, want string }{
			{"GET", "/g/x", "m first GET /x"},
			{"GET", "/g/y", "m second GET /y"},
			{"GET", "/g/none", "m first first 404"},
			{"PUT", "/g/x", "m first m 405 GET, HEAD, OPTIONS"},
			{"PUT", "/g/y", "m first m 405 GET, HEAD, OPTIONS"},
			{"GET", "/g/y/", "m first => /g/y"},
		} {
			if got := outcome(t, m, "h", c.method, c.target); got != c.want {
				t.Errorf("%q: %s %s: got %q, want %q", prefixes, c.method, c.target, got, c.want)
			}
		}
	}
}

// With() is not a Group of the prefix, even where it comes first.
func TestWithIsNoGroupOfThePrefix(t *testing.T) {
	m := tagged("m")
	m.With(trace("with")).GET("/w", tell("GET /w"))
	g := m.Group("/g")
	g.With(trace("with")).GET("/w", tell("GET /w"))
	in := g.With(trace("around")).Group("/in") // a Group, inside With
	in.Use(trace("in"))
	add(in, "GET /x")
	g2 := m.With(trace("with2")).Group("/h")
	add(g2, "GET /x")
	wantOutcomes(t, m, []exchange{
		{"GET", "/w", "m with GET /w"},
		{"PUT", "/w", "m m 405 GET, HEAD, OPTIONS"},
		{"GET", "/none", "m m 404"},
		{"GET", "/g/w", "m with GET /w"},
		{"PUT", "/g/w", "m m 405 GET, HEAD, OPTIONS"},
		{"GET", "/g/in/x", "m around in GET /x"},
		{"GET", "/g/in/none", "m around in m 404"},
		{"GET", "/h/none", "m with2 m 404"},
	})
}

// Route owns what its Mux or Group has, if its prefix is /.
func TestRouteOfNoPrefix(t *testing.T) {
	for _, prefix := range []string{"/", ""} {
		m := tagged("m")
		login := func(g *muxmaster.Group) {
			g.Use(trace("login"))
			g.NotFound = tell("none")
			add(g, "GET /|GET /x")
		}
		add(m, "GET /*path|POST /in/y")
		m.Group("/in").Route(prefix, login)
		sub := tagged("s")
		sub.Route(prefix, login)
		m.Mount("/sub", sub)
		wantOutcomes(t, m, []exchange{
			{"GET", "/in", "m login GET /"},
			{"GET", "/in/x", "m login GET /x"},
			{"GET", "/in/none", "m login none"},
			{"PUT", "/in/x", "m login m 405 GET, HEAD, OPTIONS"},
			{"GET", "/in/y", "m login m 405 POST, OPTIONS"},
			{"GET", "/in/x/", "m login => /in/x"},
			{"GET", "/other", "m GET /*path"},
			{"GET", "/sub/x", "m s login GET /x"},
			{"GET", "/sub/none", "m s login none"},
		})
		wantOutcomes(t, sub, []exchange{{"GET", "/x", "s login GET /x"}, {"GET", "/none", "s login none"}, {"PUT", "/none", "s login none"}})
	}
}

// A Group of a mounted Mux, and a Mux mounted in a Group.
func TestGroupsAndMounts(t *testing.T) {
	m, sub := tagged("m"), tagged("s")
	add(m, "GET /*path")
	out := m.Group("/out")
	out.Use(trace("out"))
	out.NotFound = tell("out 404")
	add(out, "GET /x")
	admin := sub.Group("/admin")
	admin.Use(trace("admin"))
	admin.NotFound = tell("admin 404")
	add(admin, "GET /x")
	add(sub, "GET /x")
	out.Mount("/sub", sub)
	m.Mount("/late/:v", sub)
	below := m.Group("/out/sub/deep") // a Group of m below the mount
	below.Use(trace("below"))
	add(below, "GET /x")
	wantOutcomes(t, m, []exchange{
		{"GET", "/out/none", "m GET /*path"},
		{"PUT", "/out/x", "m out m 405 GET, HEAD, OPTIONS"},
		{"GET", "/out/sub/x", "m out s GET /x"},
		{"GET", "/out/sub/none", "m out s s 404"},
		{"GET", "/out/sub", "m out s s 404"},
		{"PUT", "/out/sub/x", "m out s s 405 GET, HEAD, OPTIONS"},
		{"GET", "/out/sub/admin/x", "m out s admin GET /x"},
		{"GET", "/out/sub/admin/none", "m out s admin admin 404"},
		{"PUT", "/out/sub/admin/x", "m out s admin s 405 GET, HEAD, OPTIONS"},
		{"GET", "/out/sub/admin/x/", "m out s admin => /out/sub/admin/x"},
		{"GET", "/late/1/none", "m s s 404"},
		{"GET", "/late/1/admin/none", "m s admin admin 404"},
		{"OPTIONS", "/late/1/admin/x", "m s admin Allow GET, HEAD, OPTIONS"},
		{"GET", "/out/sub/deep/x", "m below GET /x"},
	})
}

// A Group's root is its prefix: "/" is the bare prefix as well as the one with
// a slash, without a redirect; "" is the bare prefix alone and wins there.
func TestGroupRoot(t *testing.T) {
	for _, c := range []struct {
		routes      string // of the Group /articles; see add
		method      string
		bare, slash string // answers to /articles and /articles/
		below       string // to /articles/x
	}{
		{routes: "GET /", method: "GET", bare: "GET /", slash: "GET /", below: "404"},
		{routes: "GET /", method: "HEAD", bare: "GET /", slash: "GET /", below: "404"},
		{routes: "GET /", method: "POST", bare: "405 GET, HEAD, OPTIONS", slash: "405 GET, HEAD, OPTIONS", below: "404"},
		{routes: "GET /", method: "OPTIONS", bare: "204 GET, HEAD, OPTIONS", slash: "204 GET, HEAD, OPTIONS", below: "404"},
		{routes: "GET /{$}", method: "GET", bare: "GET /{$}", slash: "GET /{$}", below: "404"},
		{routes: "GET,POST /", method: "POST", bare: "GET,POST /", slash: "GET,POST /", below: "404"},
		{routes: "ANY /", method: "BREW", bare: "ANY /", slash: "ANY /", below: "404"},
		{routes: "Handle GET /{$}", method: "GET", bare: "Handle GET /{$}", slash: "Handle GET /{$}", below: "404"},
		{routes: "Handle /{$}", method: "PUT", bare: "Handle /{$}", slash: "Handle /{$}", below: "404"},
		{routes: "Handle GET example.com/{$}", method: "GET", bare: "Handle GET example.com/{$}", slash: "Handle GET example.com/{$}", below: "404"},
		// "" alone.
		{routes: "GET ", method: "GET", bare: "GET ", slash: "307 /articles", below: "404"},
		{routes: "Handle GET ", method: "GET", bare: "Handle GET ", slash: "404", below: "404"},
		{routes: "Handle ", method: "BREW", bare: "Handle ", slash: "404", below: "404"},
		{routes: "Handle GET,POST ", method: "POST", bare: "Handle GET,POST ", slash: "404", below: "404"},
		{routes: "ANY ", method: "PUT", bare: "ANY ", slash: "307 /articles", below: "404"},
		// Both: "" wins where it serves.
		{routes: "GET /|GET ", method: "GET", bare: "GET ", slash: "GET /", below: "404"},
		{routes: "GET |GET /", method: "HEAD", bare: "GET ", slash: "GET /", below: "404"},
		{routes: "GET /|Handle GET ", method: "GET", bare: "Handle GET ", slash: "GET /", below: "404"},
		{routes: "Handle GET /{$}|ANY ", method: "POST", bare: "ANY ", slash: "307 /articles", below: "404"},
		{routes: "GET /|POST ", method: "GET", bare: "GET /", slash: "GET /", below: "404"},
		{routes: "GET /|POST ", method: "POST", bare: "POST ", slash: "307 /articles", below: "404"},
		{routes: "GET /|POST ", method: "PUT", bare: "405 GET, HEAD, POST, OPTIONS", slash: "405 GET, HEAD, OPTIONS", below: "404"},
		{routes: "POST /|GET ", method: "OPTIONS", bare: "204 GET, HEAD, POST, OPTIONS", slash: "204 POST, OPTIONS", below: "404"},
		// Beside what is below.
		{routes: "GET /|GET /:x", method: "GET", bare: "GET /", slash: "GET /", below: "GET /:x"},
		{routes: "GET /|GET /*rest", method: "GET", bare: "GET /", slash: "GET /", below: "GET /*rest"},
		{routes: "GET |GET /*rest", method: "GET", bare: "GET ", slash: "GET /*rest", below: "GET /*rest"},
		{routes: "POST /|GET /*rest", method: "GET", bare: "307 /articles/", slash: "GET /*rest", below: "GET /*rest"},
		{routes: "GET /|Handle /{rest...}", method: "GET", bare: "GET /", slash: "GET /", below: "Handle /{rest...}"},
	} {
		for i, order := range shuffled(c.routes) {
			m := newMux(i%2 == 0)
			add(m.Group("/articles"), order)
			for _, q := range [][2]string{{"/articles", c.bare}, {"/articles/", c.slash}, {"/articles/x", c.below}} {
				if got := get(t, m, c.method, q[0]); got != q[1] {
					t.Errorf("%q, %s %s: got %s, want %s", order, c.method, q[0], got, q[1])
				}
				agrees(t, m, "example.com", c.method, q[0])
			}
		}
	}
}

// The route / of a Group is its prefix, however the Group was created.
func TestGroupRootOfEveryGroup(t *testing.T) {
	root := func(g *muxmaster.Group) { g.GET("/", values) }
	for name, c := range map[string]struct {
		register func(m *muxmaster.Mux)
		prefix   string
		want     string
	}{
		"Group":            {func(m *muxmaster.Mux) { root(m.Group("/a")) }, "/a", ""},
		"slash":            {func(m *muxmaster.Mux) { root(m.Group("/a/")) }, "/a", ""},
		"Route":            {func(m *muxmaster.Mux) { m.Route("/a", root) }, "/a", ""},
		"nested":           {func(m *muxmaster.Mux) { root(m.Group("/a").Group("/b")) }, "/a/b", ""},
		"With":             {func(m *muxmaster.Mux) { root(m.Group("/a").With(trace("w"))) }, "/a", "w "},
		"inside With":      {func(m *muxmaster.Mux) { root(m.With(trace("w")).Group("/a")) }, "/a", "w "},
		"parameter":        {func(m *muxmaster.Mux) { root(m.Group("/a/:id")) }, "/a/5", `id="5"`},
		"two parameters":   {func(m *muxmaster.Mux) { root(m.Group("/:a/{b:[0-9]+}")) }, "/x/5", `a="x" b="5"`},
		"text and value":   {func(m *muxmaster.Mux) { root(m.Group("/v{n}")) }, "/v1", `n="1"`},
		"escaped":          {func(m *muxmaster.Mux) { root(m.Group("/a%2Fb")) }, "/a%2Fb", ""},
		"fast":             {func(m *muxmaster.Mux) { m.Group("/f/:id").GETFast("/", fastValues) }, "/f/5", `id="5"`},
		"HandleFast":       {func(m *muxmaster.Mux) { m.Group("/f/:id").HandleFast("GET /{$}", fastValues) }, "/f/5", `id="5"`},
		"HandleFunc":       {func(m *muxmaster.Mux) { m.Group("/f/:id").HandleFunc("GET /{$}", values) }, "/f/5", `id="5"`},
		"TryHandle":        {func(m *muxmaster.Mux) { must(m.Group("/f").TryHandle("/{$}", http.HandlerFunc(values))) }, "/f", ""},
		"in a mounted Mux": {func(m *muxmaster.Mux) { sub := muxmaster.New(); m.Mount("/s/:v", sub); root(sub.Group("/a")) }, "/s/1/a", `v="1"`},
		"around a mount":   {func(m *muxmaster.Mux) { sub := muxmaster.New(); m.Group("/a/:x").Mount("/", sub); sub.GET("/", values) }, "/a/1", `x="1"`},
		"mounted, nested": {func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			root(sub.Group("/"))
			m.Group("/a").Mount("/b", sub)
		}, "/a/b", ""},
	} {
		for _, mode := range modes {
			m := newMux(mode.pooled)
			c.register(m)
			for _, target := range []string{c.prefix, c.prefix + "/", c.prefix + "?q=1", c.prefix + "/?q=1"} {
				if got := ask(m, request(t, "GET", target)); got.status != 200 || got.body != c.want {
					t.Errorf("%s, %s: GET %s: got %s, want %q", mode.name, name, target, got.brief(), c.want)
				}
			}
			if got := get(t, m, "GET", c.prefix+"/none"); got != "404" && !strings.HasPrefix(got, "w ") {
				t.Errorf("%s, %s: GET %s/none: got %s", mode.name, name, c.prefix, got)
			}
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A route of the Mux for the bare prefix wins over the Group's root, in
// whatever order they come.
func TestBarePrefixOfTheMux(t *testing.T) {
	for _, late := range []bool{false, true} {
		m := muxmaster.New()
		if late {
			add(m.Group("/a"), "GET /")
		}
		add(m, "GET /a|POST /a")
		if !late {
			add(m.Group("/a"), "GET /")
		}
		for _, c := range [][3]string{{"GET", "/a", "GET /a"}, {"POST", "/a", "POST /a"}, {"GET", "/a/", "GET /"}} {
			if got := get(t, m, c[0], c[1]); got != c[2] {
				t.Errorf("late %v: %s %s: got %s, want %s", late, c[0], c[1], got, c[2])
			}
		}
	}
}

// The root of a Group that covers its prefix runs inside its middleware, once.
func TestGroupRootMiddleware(t *testing.T) {
	m := tagged("m")
	g := m.Group("/g")
	g.Use(trace("g"))
	add(g, "GET /|POST ")
	wantOutcomes(t, m, []exchange{
		{"GET", "/g", "m g GET /"}, {"GET", "/g/", "m g GET /"}, {"POST", "/g", "m g POST"}, {"PUT", "/g", "m g m 405 GET, HEAD, POST, OPTIONS"},
	})
}

// BuildPath works with the pattern of a Group's route /.
func TestBuildPathOfGroupRoots(t *testing.T) {
	for _, c := range []struct{ prefix, routes, target string }{
		{"/articles", "GET /", "/articles"},
		{"/articles", "GET /", "/articles/"},
		{"/articles", "GET ", "/articles"},
		{"/articles", "Handle GET ", "/articles"},
		{"/articles", "Handle ", "/articles"},
		{"/articles", "Handle GET /{$}", "/articles"},
		{"/articles", "Handle GET /{$}", "/articles/"},
		{"/articles/:id", "GET /", "/articles/a%2Fb"},
		{"/articles/:id", "GET ", "/articles/a%2Fb"},
		{"/v{n:[0-9]+}", "Handle GET /{$}", "/v12"},
	} {
		m := muxmaster.New()
		g := m.Group(c.prefix)
		add(g, c.routes)
		r := request(t, "GET", c.target)
		if got := ask(m, r).brief(); got != c.routes {
			t.Errorf("%s%s: %s: got %s", c.prefix, c.routes, c.target, got)
			continue
		}
		var pairs []string
		for _, p := range muxmaster.PathParams(r) {
			pairs = append(pairs, p.Key, p.Value)
		}
		path, err := muxmaster.BuildPath(muxmaster.RoutePattern(r), pairs...)
		if err != nil {
			t.Errorf("BuildPath(%q, %q): %v", muxmaster.RoutePattern(r), pairs, err)
			continue
		}
		again := request(t, "GET", path)
		if got := ask(m, again).brief(); got != c.routes || fmt.Sprint(muxmaster.PathParams(again)) != fmt.Sprint(muxmaster.PathParams(r)) {
			t.Errorf("%s: BuildPath(%q, %q) is %s, served by %s with %v", c.target, muxmaster.RoutePattern(r), pairs, path, got, muxmaster.PathParams(again))
		}
	}
}

// Routes lists a root once for each method, whichever paths it serves.
func TestRoutesListsAGroupRootOnce(t *testing.T) {
	m := muxmaster.New()
	add(m.Group("/a/:id"), "GET /|POST ")
	n := 0
	for r := range m.Routes() {
		n++
		if !strings.HasPrefix(r.Pattern, "/a/:id") {
			t.Errorf("a route %v", r)
		}
	}
	if n != 2 {
		t.Errorf("%d routes, want 2", n)
	}
}

// Outside of a Group with a prefix there is no bare prefix.
func TestNoBarePrefixOutsideOfAGroup(t *testing.T) {
	for name, do := range map[string]func(m *muxmaster.Mux){
		"GET":             func(m *muxmaster.Mux) { m.GET("", tell("")) },
		"Method":          func(m *muxmaster.Mux) { m.Method("GET", "", tell("")) },
		"Handle":          func(m *muxmaster.Mux) { m.Handle("", tell("")) },
		"Handle GET":      func(m *muxmaster.Mux) { m.Handle("GET ", tell("")) },
		"Handle GET host": func(m *muxmaster.Mux) { m.Group("/g").Handle("GET example.com", tell("")) },
		"Group /":         func(m *muxmaster.Mux) { m.Group("/").GET("", tell("")) },
		"With":            func(m *muxmaster.Mux) { m.With(trace("w")).Handle("GET ", tell("")) },
		"two roots":       func(m *muxmaster.Mux) { g := m.Group("/g"); g.GET("/", tell("")); g.Handle("GET /{$}", tell("")) },
		"two bare":        func(m *muxmaster.Mux) { g := m.Group("/g"); g.GET("", tell("")); g.Handle("GET ", tell("")) },
	} {
		m := muxmaster.New()
		m.GET("/ok", tell("ok"))
		if text := panics(func() { do(m) }); !strings.HasPrefix(text, "muxmaster: ") {
			t.Errorf("%s: panicked with %q", name, text)
		}
		if got := get(t, m, "GET", "/ok"); got != "ok" {
			t.Errorf("%s: afterwards: got %s", name, got)
		}
	}
}

// trace is middleware that writes its name before calling the handler.
func trace(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s ", name)
			next.ServeHTTP(w, r)
		})
	}
}

func traceFast(name string) muxmaster.FastMiddleware {
	return func(next muxmaster.FastHandler) muxmaster.FastHandler {
		return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
			fmt.Fprintf(w, "%s ", name)
			next(w, r, ps)
		}
	}
}

// trail returns the order in which the middleware of a response ran.
func trail(t testing.TB, h http.Handler, method, target string) string {
	t.Helper()
	body := ask(h, request(t, method, target)).body
	body, _, _ = strings.Cut(body, "404 page")
	body, _, _ = strings.Cut(body, "Method Not")
	body, _, _ = strings.Cut(body, "<a href")
	return strings.TrimSpace(body)
}

func TestMiddlewareOrder(t *testing.T) {
	m, fm := muxmaster.New(), muxmaster.New()
	for _, m := range []*muxmaster.Mux{m, fm} {
		m.Pre(trace("pre1"), trace("pre2"))
		m.Pre(trace("pre3"))
	}
	fm.UseFast(traceFast("fast1"), traceFast("fast2"))
	fastHandler := func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { fmt.Fprint(w, "h") }
	fm.GETFast("/fast/:x", fastHandler)
	fg := fm.Group("/fg")
	fg.UseFast(traceFast("fast3"))
	fg.GETFast("/:x", fastHandler)
	fg.Group("/in").GETFast("/:x", fastHandler)
	g := m.Group("/g")
	g.Use(trace("g1"), trace("g2"))
	g.GET("/a", tell("h"))
	gg := g.Group("/gg")
	gg.Use(trace("gg"))
	gg.GET("/:x", tell("h"))
	gg.With(trace("w1"), trace("w2")).GET("/w", tell("h"))
	gg.With(trace("w3")).Group("/in").GET("/x", tell("h"))
	gg.Handle("POST /hh", tell("h"))
	m.With(trace("w")).GET("/w", tell("h"))
	m.Route("/r", func(g *muxmaster.Group) {
		g.Use(trace("r"))
		g.GET("", tell("h"))
		g.GET("/x", tell("h"))
		g.Route("/s", func(g *muxmaster.Group) { g.GET("/y", tell("h")) })
	})
	m.GET("/plain", tell("h"))
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/plain", "h"},
		{"GET", "/fast/1", "fast1 fast2 h"},
		{"GET", "/fg/1", "fast1 fast2 fast3 h"},
		{"GET", "/fg/in/1", "fast1 fast2 fast3 h"},
		{"GET", "/g/a", "g1 g2 h"},
		{"HEAD", "/g/a", "g1 g2 h"},
		{"GET", "/g/gg/1", "g1 g2 gg h"},
		{"GET", "/g/gg/w", "g1 g2 gg w1 w2 h"},
		{"GET", "/g/gg/in/x", "g1 g2 gg w3 h"},
		{"POST", "/g/gg/hh", "g1 g2 gg h"},
		{"GET", "/w", "w h"},
		{"GET", "/r", "r h"},
		{"GET", "/r/x", "r h"},
		{"GET", "/r/s/y", "r h"},
		{"GET", "/none", ""},
		{"POST", "/plain", ""},
		{"GET", "/plain/", ""},
	} {
		m := m
		if strings.HasPrefix(c.want, "fast") {
			m = fm
		}
		if got, want := trail(t, m, c.method, c.target), strings.TrimSpace("pre1 pre2 pre3 "+c.want); got != want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, want)
		}
	}
}

// Middleware that responds itself hides everything behind it, including which
// paths and methods exist: unauthenticated clients can't probe routes.
func TestUseGuards(t *testing.T) {
	login := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	}
	const routes = "GET /|GET /users/:id|POST /users|Handle /tree/|GET /slash/"
	for name, guard := range map[string]func(m *muxmaster.Mux) muxmaster.Router{
		"Mux":   func(m *muxmaster.Mux) muxmaster.Router { m.Use(login); return m.Group("/admin") },
		"Group": func(m *muxmaster.Mux) muxmaster.Router { g := m.Group("/admin"); g.Use(login); return g },
		"mounted Mux": func(m *muxmaster.Mux) muxmaster.Router {
			sub := muxmaster.New()
			m.With(login).Mount("/admin", sub)
			return sub
		},
	} {
		m := muxmaster.New()
		inside := guard(m)
		add(inside, routes)
		add(inside.Group("/in/:x"), "GET /y")
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "BREW"} {
			for _, target := range strings.Fields("/admin /admin/ /admin/none /admin/users /admin/users/1 /admin/users/1/ /admin/tree /admin/slash /admin//users " +
				"/admin/./users /admin/users/%2e /admin/in /admin/in/1 /admin/in/1/y /admin/in/1/y/ /admin/%2F /admin/users/%ff") {
				if a := ask(m, request(t, method, target)); a.status != 401 || a.allow != "" || a.location != "" {
					t.Errorf("%s: %s %s: got %+v, want 401 and nothing else", name, method, target, a)
				}
			}
		}
	}
}

// Middleware of Use sees the pattern and the values; it may read them after the
// handler, too.
func TestUseSeesTheMatch(t *testing.T) {
	for _, mode := range modes {
		var log []string
		note := func(when string, r *http.Request) {
			log = append(log, fmt.Sprintf("%s %q %q id=%q/%q", when, r.Pattern, muxmaster.RoutePattern(r), r.PathValue("id"), muxmaster.PathParam(r, "id")))
		}
		m := newMux(mode.pooled)
		m.Pre(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				note("pre", r)
				next.ServeHTTP(w, r)
				if !mode.pooled {
					note("after pre", r)
				}
			})
		})
		g := m.Group("/g")
		g.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				note("use", r)
				next.ServeHTTP(w, r)
				note("after use", r)
			})
		})
		g.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { note("handler", r) })
		m.GETFast("/fast/:id", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { note("handler", r) })
		m.Handle("GET example.com/host/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { note("handler", r) }))
		for _, c := range []struct{ target, pattern, path string }{
			{"/g/users/5", "GET /g/users/:id", "/g/users/:id"},
			{"/fast/5", "GET /fast/:id", "/fast/:id"},
			{"/host/5", "GET example.com/host/{id}", "/host/{id}"},
		} {
			log = nil
			ask(m, request(t, "GET", c.target))
			after := fmt.Sprintf(" %q %q id=\"5\"/\"5\"", c.pattern, c.path)
			want := []string{`pre "" "" id=""/""`}
			if c.target == "/g/users/5" {
				want = append(want, "use"+after, "handler"+after, "after use"+after)
			} else {
				want = append(want, "handler"+after)
			}
			if !mode.pooled {
				want = append(want, "after pre"+after)
			}
			if fmt.Sprint(log) != fmt.Sprint(want) {
				t.Errorf("%s, %s:\n got  %q\n want %q", mode.name, c.target, log, want)
			}
		}
	}
}

// Middleware that passes on a changed copy of the request, as WithContext
// makes, or another ResponseWriter.
func TestMiddlewareThatCopies(t *testing.T) {
	type key struct{}
	for _, mode := range modes {
		m := newMux(mode.pooled)
		copies := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(struct{ http.ResponseWriter }{w}, r.WithContext(context.WithValue(r.Context(), key{}, "v")))
			})
		}
		m.Pre(copies)
		g := m.With(copies, copies)
		g.GET("/x/:id", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.Pattern, " ", r.Context().Value(key{}), " ")
			values(w, r)
		})
		if got, want := get(t, m, "GET", "/x/1"), `GET /x/:id v id="1"`; got != want {
			t.Errorf("%s: got %s, want %s", mode.name, got, want)
		}
	}
}

// Pre middleware can change the method and path that are routed.
func TestPreRewrites(t *testing.T) {
	m := muxmaster.New()
	m.Pre(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if method := r.Header.Get("X-Method"); method != "" {
				r.Method = method
			}
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/v1")
			next.ServeHTTP(w, r)
		})
	})
	m.PUT("/x/:id", values)
	r := request(t, "POST", "/v1/x/1")
	r.Header.Set("X-Method", "PUT")
	if got, want := ask(m, r).brief(), `id="1"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// No route ever escapes a policy in silence.
func TestNoEscapeFromMiddleware(t *testing.T) {
	use, fast := trace("x"), traceFast("x")
	for _, c := range []struct {
		name string
		do   func(m *muxmaster.Mux)
		want string // part of the panic's text
	}{
		{"Use after a route", func(m *muxmaster.Mux) { m.GET("/x", values); m.Use(use) }, "Use"},
		{"Use after Handle", func(m *muxmaster.Mux) { m.Handle("/x", tell("")); m.Use(use) }, "Use"},
		{"Use after a fast route", func(m *muxmaster.Mux) { m.GETFast("/x", fastValues); m.Use(use) }, "Use"},
		{"UseFast after a fast route", func(m *muxmaster.Mux) { m.GETFast("/x", fastValues); m.UseFast(fast) }, "UseFast"},
		{"UseFast after a route", func(m *muxmaster.Mux) { m.GET("/x", values); m.UseFast(fast) }, "UseFast"},
		{"Use after a group's route", func(m *muxmaster.Mux) { m.Group("/g").GET("/x", values); m.Use(use) }, "Use"},
		{"Use after a nested group's route", func(m *muxmaster.Mux) { m.Group("/g").Group("/h").GET("/x", values); m.Use(use) }, "Use"},
		{"UseFast after a group's fast route", func(m *muxmaster.Mux) { m.Group("/g").GETFast("/x", fastValues); m.UseFast(fast) }, "UseFast"},
		{"Use after a With route", func(m *muxmaster.Mux) { m.With(use).GET("/x", values); m.Use(use) }, "Use"},
		{"Use after Mount", func(m *muxmaster.Mux) { m.Mount("/x", tell("")); m.Use(use) }, "Use"},
		{"Use after Mount of a Mux", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/x", values)
			m.Mount("/x", sub)
			m.Use(use)
		}, "Use"},
		{"Use on a mounted Mux with routes", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/x", values)
			m.Mount("/x", sub)
			sub.Use(use)
		}, "Use"},
		{"Use after ServeFiles", func(m *muxmaster.Mux) { m.ServeFiles("/x/*f", fstest.MapFS{}); m.Use(use) }, "Use"},
		{"group Use after its route", func(m *muxmaster.Mux) { g := m.Group("/g"); g.GET("/x", values); g.Use(use) }, "Use"},
		{"group Use after an inner route", func(m *muxmaster.Mux) { g := m.Group("/g"); g.Group("/h").GET("/x", values); g.Use(use) }, "Use"},
		{"group UseFast after its route", func(m *muxmaster.Mux) { g := m.Group("/g"); g.GETFast("/x", fastValues); g.UseFast(fast) }, "UseFast"},
		{"fast route under Use", func(m *muxmaster.Mux) { m.Use(use); m.GETFast("/x", fastValues) }, `"GET /x"`},
		{"HandleFast under Use", func(m *muxmaster.Mux) { m.Use(use); m.HandleFast("/x", fastValues) }, `"/x"`},
		{"fast route under a group's Use", func(m *muxmaster.Mux) { g := m.Group("/g"); g.Use(use); g.GETFast("/x", fastValues) }, "/g/x"},
		{"fast route under an outer group's Use", func(m *muxmaster.Mux) {
			g := m.Group("/g")
			g.Use(use)
			g.Group("/h").GETFast("/x", fastValues)
		}, "/g/h/x"},
		{"fast route under With", func(m *muxmaster.Mux) { m.With(use).GETFast("/x", fastValues) }, `/x"`},
		{"mounting fast routes under Use", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GETFast("/x", fastValues)
			g := m.Group("/g")
			g.Use(use)
			g.Mount("/m", sub)
		}, "/g/m/x"},
		{"fast route of a mounted Mux under Use", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			g := m.Group("/g")
			g.Use(use)
			g.Mount("/m", sub)
			sub.GETFast("/x", fastValues)
		}, "/g/m/x"},
		{"nil in Use", func(m *muxmaster.Mux) { m.Use(nil) }, "nil"},
		{"nil in UseFast", func(m *muxmaster.Mux) { m.UseFast(nil) }, "nil"},
		{"nil in Pre", func(m *muxmaster.Mux) { m.Pre(nil) }, "nil"},
		{"nil in With", func(m *muxmaster.Mux) { m.With(nil) }, "nil"},
		{"middleware that returns nil", func(m *muxmaster.Mux) { m.Use(func(http.Handler) http.Handler { return nil }); m.GET("/x", values) }, "nil"},
		{"fast middleware that returns nil", func(m *muxmaster.Mux) {
			m.UseFast(func(muxmaster.FastHandler) muxmaster.FastHandler { return nil })
			m.GETFast("/x", fastValues)
		}, "nil"},
	} {
		m := muxmaster.New()
		if got := panics(func() { c.do(m) }); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: panicked with %q, want muxmaster: and %q", c.name, got, c.want)
		}
	}
}

// Use is allowed if only other scopes have routes.
func TestUseOfASeparateScope(t *testing.T) {
	m := muxmaster.New()
	m.GET("/before", tell("h"))
	g := m.Group("/g")
	g.Use(trace("g"))
	g.Use(trace("g'"))
	g.GET("/x", tell("h"))
	h := m.Group("/h")
	h.UseFast(traceFast("f"))
	h.GETFast("/x", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { fmt.Fprint(w, "h") })
	for _, c := range [][2]string{{"/before", "h"}, {"/g/x", "g g' h"}, {"/h/x", "f h"}} {
		if got := get(t, m, "GET", c[0]); got != c[1] {
			t.Errorf("%s: got %q, want %q", c[0], got, c[1])
		}
	}
}

// Use comes in time as long as there is no route, even if there were requests.
func TestUseAfterA404(t *testing.T) {
	m := muxmaster.New()
	get(t, m, "GET", "/x")
	m.Use(trace("use"))
	if got, want := trail(t, m, "GET", "/x"), "use"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	m.Pre(trace("pre"))
	if got, want := trail(t, m, "GET", "/x"), "pre use"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A refused registration leaves the scope as it was.
func TestUseAfterARefusedRoute(t *testing.T) {
	m := muxmaster.New()
	panics(func() { m.GET("/:", values) })
	panics(func() { m.GET("/x", nil) })
	if err := m.TryHandle("/{", tell("")); err == nil {
		t.Error("TryHandle took a bad pattern")
	}
	if text := panics(func() { m.Use(trace("use")) }); text != "" {
		t.Errorf("Use: %s", text)
	}
	m.GET("/x", tell("h"))
	if got := get(t, m, "GET", "/x"); got != "use h" {
		t.Errorf("got %q", got)
	}
}

// The router hands on the very ResponseWriter and Request that it was given.
func TestNothingIsWrapped(t *testing.T) {
	for _, mode := range modes {
		var gotW http.ResponseWriter
		var gotR *http.Request
		catch := func(w http.ResponseWriter, r *http.Request) { gotW, gotR = w, r }
		m := newMux(mode.pooled)
		m.GET("/static", catch)
		m.GET("/param/:id", catch)
		m.GET("/all/*rest", catch)
		m.GETFast("/fast/:id", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { catch(w, r) })
		m.Handle("example.com/host", http.HandlerFunc(catch))
		m.NotFound, m.MethodNotAllowed = http.HandlerFunc(catch), http.HandlerFunc(catch)
		sub := muxmaster.New()
		sub.GET("/:id", catch)
		m.Mount("/sub", sub)
		for _, c := range [][2]string{{"GET", "/static"}, {"GET", "/param/1"}, {"GET", "/all/1/2"}, {"GET", "/fast/1"}, {"GET", "/host"}, {"GET", "/none"}, {"POST", "/static"}, {"GET", "/sub/1"}, {"GET", "/param/a%2Fb"}} {
			w, r := httptest.NewRecorder(), request(t, c[0], c[1])
			gotW, gotR = nil, nil
			m.ServeHTTP(w, r)
			if gotW != w || gotR != r {
				t.Errorf("%s, %s %s: the handler got another ResponseWriter (%v) or Request (%v)", mode.name, c[0], c[1], gotW != w, gotR != r)
			}
		}
	}
}

// Pre middleware that can't be made leaves no way around it: each request fails
// until it can.
func TestPreThatFails(t *testing.T) {
	m, tries := muxmaster.New(), 0
	m.Pre(func(next http.Handler) http.Handler {
		if tries++; tries == 2 {
			panic("not yet")
		}
		if tries < 2 {
			return nil
		}
		return trace("guard")(next)
	})
	m.GET("/x", tell("x"))
	for _, want := range []string{"returned nil", "not yet"} {
		if got := panics(func() { ask(m, request(t, "GET", "/x")) }); !strings.Contains(got, want) {
			t.Errorf("got %q, want a panic with %q", got, want)
		}
	}
	if got := get(t, m, "GET", "/x"); got != "guard x" {
		t.Errorf("got %s, want guard x", got)
	}
}

// Middleware may list and register routes while it is made, also for the routes
// of a mounted Mux.
func TestMiddlewareThatRegisters(t *testing.T) {
	for name, use := range map[string]func(m *muxmaster.Mux, mw func(http.Handler) http.Handler){
		"a route": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			m.With(mw).GET("/x", tell("x"))
		},
		"a mounted Mux with routes": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			sub := muxmaster.New()
			sub.GET("/", tell("x"))
			m.With(mw).Mount("/x", sub)
		},
		"a route of a mounted Mux": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			sub, between := muxmaster.New(), muxmaster.New()
			m.With(mw).Mount("/", between)
			between.Mount("/x", sub)
			sub.GET("/", tell("x"))
		},
		"what no route serves": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			m.GET("/x", tell("x"))
			m.Group("/g").Use(mw)
			ask(m, request(t, "GET", "/g/none"))
		},
	} {
		m, n := muxmaster.New(), 0
		use(m, func(next http.Handler) http.Handler {
			n++
			other := muxmaster.New()
			other.GET(fmt.Sprintf("/%d", n), tell("made"))
			m.Mount("/made", other)
			inspect.Print(io.Discard, m)
			return next
		})
		if got := get(t, m, "GET", "/x"); got != "x" {
			t.Errorf("%s: got %s, want x", name, got)
		}
		if got := get(t, m, "GET", "/made/1"); n == 0 || got != "made" {
			t.Errorf("%s: made %d times, got %s, want made", name, n, got)
		}
	}
}

// Middleware that changes the path has no effect behind the router, so a route
// with it in Use or With panics, and Pre takes it.
func TestUseRefusesRunsBeforeRouting(t *testing.T) {
	for name, mw := range map[string]func(http.Handler) http.Handler{"CleanPath": middleware.CleanPath, "StripSlashes": middleware.StripSlashes} {
		for where, register := range map[string]func(m *muxmaster.Mux){
			"Use":      func(m *muxmaster.Mux) { m.Use(trace("a"), mw); m.GET("/x", tell("x")) },
			"inside":   func(m *muxmaster.Mux) { m.Use(mw, trace("a")); m.Handle("/x", tell("x")) },
			"With":     func(m *muxmaster.Mux) { m.With(mw).GET("/x", tell("x")) },
			"of Group": func(m *muxmaster.Mux) { g := m.Group("/g"); g.Use(mw); g.GET("/x", tell("x")) },
			"Route":    func(m *muxmaster.Mux) { m.Route("/g", func(g *muxmaster.Group) { g.Use(mw); g.GET("/x", tell("x")) }) },
		} {
			text := panics(func() { register(muxmaster.New()) })
			if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, "middleware."+name) || !strings.Contains(text, "use Pre") {
				t.Errorf("%s, %s: panicked with %q", name, where, text)
			}
		}
		m := muxmaster.New()
		m.Pre(mw)
		m.GET("/x", tell("x"))
		if got := get(t, m, "GET", "/x"); got != "x" {
			t.Errorf("%s in Pre: got %s", name, got)
		}
	}
}
