package muxmaster_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

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
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/g", "m g GET /"}, {"GET", "/g/", "m g GET /"}, {"POST", "/g", "m g POST"}, {"PUT", "/g", "m g m 405 GET, HEAD, POST, OPTIONS"},
	} {
		if got := outcome(t, m, "h", c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
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
