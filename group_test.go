package muxmaster_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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
	own := api.Group("/own")
	own.NotFound, own.MethodNotAllowed = tell("own 404"), allowed("own 405")
	add(own, "GET /x")
	in := own.Group("/in") // has those of the Group around
	in.Use(trace("in"))
	add(in, "GET /x")
	add(m, "GET /open|POST /api/outside")
	wantOutcomes(t, m, exchanges{
		{"/none", "pre m m 404"},
		{"PUT /open", "pre m m 405 GET, HEAD, OPTIONS"},
		{"/apix", "pre m m 404"},
		{"/api/users/1", "pre m api1 api2 GET /users/:id"},
		{"/api/none", "pre m api1 api2 m 404"},
		{"/api", "pre m api1 api2 m 404"},
		{"PUT /api/users/1", "pre m api1 api2 m 405 GET, HEAD, OPTIONS"},
		{"OPTIONS /api/users", "pre m api1 api2 Allow POST, OPTIONS"},
		{"/api/users/1/", "pre m api1 api2 => /api/users/1"},
		{"/api/slash?q", "pre m api1 api2 => /api/slash/?q"},
		{"/api/tree", "pre m api1 api2 => /api/tree/"},
		{"/%61pi/none", "pre m api1 api2 m 404"},
		{"/api/a%2Fb%2Fc", "pre m api1 api2 m 404"},
		{"/api%2Fnone", "pre m m 404"},
		// The Mux's own routes below the prefix are the Mux's, what no route
		// serves there is the Group's.
		{"POST /api/outside", "pre m POST /api/outside"},
		{"/api/outside", "pre m api1 api2 m 405 POST, OPTIONS"},
		// The deepest Group.
		{"/api/v1/x", "pre m api1 api2 v1 GET /x"},
		{"/api/v1/none", "pre m api1 api2 v1 m 404"},
		{"/api/plain/none", "pre m api1 api2 m 404"},
		// Parameters in the prefix.
		{"/t/a%2Fb/1/none", "pre m tenant m 404"},
		{"/t/a/b/none", "pre m m 404"},
		// With has no prefix of its own: it covers only its routes.
		{"/api/with", "pre m api1 api2 with GET /with"},
		{"POST /api/with", "pre m api1 api2 m 405 GET, HEAD, OPTIONS"},
		{"/api/own/none", "pre m api1 api2 own 404"},
		{"/api/own/in/none", "pre m api1 api2 in own 404"},
		// A Group that has no route yet.
		{"/empty", "pre m empty m 404"},
	})
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
		m.Group("/none").Use(trace("first"))
		m.Group("/none").Use(trace("second"))
		add(m.Group("/used"), "GET /x")
		m.Group("/used").Use(trace("second"))
		must(m.Remove("GET /used/x")) // with it, the first one ends
		wantOutcomes(t, m, exchanges{
			{"/none/x", "m first m 404"},
			{"/used/x", "m second m 404"},
			{"/g/x", "m first GET /x"},
			{"/g/y", "m second GET /y"},
			{"/g/none", "m first first 404"},
			{"PUT /g/y", "m first m 405 GET, HEAD, OPTIONS"},
			{"/g/y/", "m first => /g/y"},
		}, prefixes)
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
	wantOutcomes(t, m, exchanges{
		{"/w", "m with GET /w"},
		{"PUT /w", "m m 405 GET, HEAD, OPTIONS"},
		{"/none", "m m 404"},
		{"/g/w", "m with GET /w"},
		{"PUT /g/w", "m m 405 GET, HEAD, OPTIONS"},
		{"/g/in/x", "m around in GET /x"},
		{"/g/in/none", "m around in m 404"},
		{"/h/none", "m with2 m 404"},
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
		var first *muxmaster.Group
		m.Route("/twice", func(g *muxmaster.Group) { g.Use(trace("first")); first = g })
		m.Route("/twice", func(g *muxmaster.Group) { g.Use(trace("second")); add(g, "GET /y") })
		first.Route(prefix, login)
		wantOutcomes(t, m, exchanges{
			{"/twice/none", "m first login none"},
			{"/twice/y", "m second GET /y"},
			{"/in", "m login GET /"},
			{"/in/x", "m login GET /x"},
			{"/in/none", "m login none"},
			{"PUT /in/x", "m login m 405 GET, HEAD, OPTIONS"},
			{"/in/y", "m login m 405 POST, OPTIONS"},
			{"/in/x/", "m login => /in/x"},
			{"/other", "m GET /*path"},
			{"/sub/x", "m s login GET /x"},
			{"/sub/none", "m s login none"},
		})
		wantOutcomes(t, sub, exchanges{{"/x", "s login GET /x"}, {"/none", "s login none"}, {"PUT /none", "s login none"}})
	}
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
		{"GET /", "GET", "GET /", "GET /", "404"},
		{"GET /", "POST", "405 GET, HEAD, OPTIONS", "405 GET, HEAD, OPTIONS", "404"},
		{"GET /{$}", "GET", "GET /{$}", "GET /{$}", "404"},
		{"ANY /", "BREW", "ANY /", "ANY /", "404"},
		{"Handle GET /{$}", "GET", "Handle GET /{$}", "Handle GET /{$}", "404"},
		{"Handle GET example.com/{$}", "GET", "Handle GET example.com/{$}", "Handle GET example.com/{$}", "404"},
		// "" alone.
		{"GET ", "GET", "GET ", "307 /articles", "404"},
		{"Handle GET ", "GET", "Handle GET ", "404", "404"},
		{"ANY ", "PUT", "ANY ", "307 /articles", "404"},
		// Both: "" wins where it serves.
		{"GET /|GET ", "GET", "GET ", "GET /", "404"},
		{"GET /|Handle GET ", "GET", "Handle GET ", "GET /", "404"},
		{"Handle GET /{$}|ANY ", "POST", "ANY ", "307 /articles", "404"},
		{"GET /|POST ", "PUT", "405 GET, HEAD, POST, OPTIONS", "405 GET, HEAD, OPTIONS", "404"},
		// Beside what is below.
		{"GET /|GET /*rest", "GET", "GET /", "GET /", "GET /*rest"},
		{"GET |GET /*rest", "GET", "GET ", "GET /*rest", "GET /*rest"},
		{"POST /|GET /*rest", "GET", "307 /articles/", "GET /*rest", "GET /*rest"},
	} {
		for i, order := range shuffled(c.routes) {
			m := newMux(i%2 == 0)
			add(m.Group("/articles"), order)
			want := exchanges{{c.method + " /articles", c.bare}, {c.method + " /articles/", c.slash}, {c.method + " /articles/x", c.below}}
			wants(t, m, want, order)
			agrees(t, m, want, order)
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
		"Group":             {func(m *muxmaster.Mux) { root(m.Group("/a")) }, "/a", ""},
		"Route":             {func(m *muxmaster.Mux) { m.Route("/a", root) }, "/a", ""},
		"nested":            {func(m *muxmaster.Mux) { root(m.Group("/a").Group("/b")) }, "/a/b", ""},
		"With":              {func(m *muxmaster.Mux) { root(m.Group("/a").With(trace("w"))) }, "/a", "w "},
		"inside With":       {func(m *muxmaster.Mux) { root(m.With(trace("w")).Group("/a")) }, "/a", "w "},
		"parameter":         {func(m *muxmaster.Mux) { root(m.Group("/a/:id")) }, "/a/5", `id="5"`},
		"fast":              {func(m *muxmaster.Mux) { m.Group("/f/:id").GETFast("/", fastValues) }, "/f/5", `id="5"`},
		"HandleFast":        {func(m *muxmaster.Mux) { m.Group("/f/:id").HandleFast("GET /{$}", fastValues) }, "/f/5", `id="5"`},
		"TryHandle":         {func(m *muxmaster.Mux) { must(m.Group("/f").TryHandle("/{$}", http.HandlerFunc(values))) }, "/f", ""},
		"in a mounted Mux":  {func(m *muxmaster.Mux) { sub := muxmaster.New(); m.Mount("/s/:v", sub); root(sub.Group("/a")) }, "/s/1/a", `v="1"`},
		"around a mount":    {func(m *muxmaster.Mux) { sub := muxmaster.New(); m.Group("/a/:x").Mount("/", sub); sub.GET("/", values) }, "/a/1", `x="1"`},
		"mounted, GET /":    {func(m *muxmaster.Mux) { sub := muxmaster.New(); sub.GET("/", values); m.Mount("/s/:v/", sub) }, "/s/1", `v="1"`},
		"mounted, Handle /": {func(m *muxmaster.Mux) { sub := muxmaster.New(); m.Mount("/s", sub); sub.HandleFunc("/{$}", values) }, "/s", ""},
		"mounted, fast":     {func(m *muxmaster.Mux) { sub := muxmaster.New(); m.Mount("/s", sub); sub.GETFast("/", fastValues) }, "/s", ""},
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

// Outside of a Group with a prefix there is no bare prefix.
func TestGroupRootRefusals(t *testing.T) {
	refusals{
		{"GET", func(m *muxmaster.Mux) { m.GET("", tell("")) }, "must begin with /"},
		{"Handle", func(m *muxmaster.Mux) { m.Handle("", tell("")) }, "empty"},
		{"Handle GET", func(m *muxmaster.Mux) { m.Handle("GET ", tell("")) }, "must begin with /"},
		{"Handle GET host", func(m *muxmaster.Mux) { m.Group("/g").Handle("GET example.com", tell("")) }, "must begin with /"},
		{"Group /", func(m *muxmaster.Mux) { m.Group("/").GET("", tell("")) }, "must begin with /"},
		{"With", func(m *muxmaster.Mux) { m.With(trace("w")).Handle("GET ", tell("")) }, "must begin with /"},
		{"two roots", func(m *muxmaster.Mux) { g := m.Group("/ok"); g.GET("/", tell("")); g.Handle("GET /{$}", tell("")) }, "conflicts"},
		{"two bare", func(m *muxmaster.Mux) { g := m.Group("/ok"); g.GET("", tell("")); g.Handle("GET ", tell("")) }, "conflicts"},
	}.test(t)
}

// The order of middleware within a scope; TestReferenceOfScopes has that of scopes.
func TestMiddlewareOrder(t *testing.T) {
	m, fast := muxmaster.New(), muxmaster.New()
	fast.UseFast(traceFast("fast1"), traceFast("fast2"))
	fg := fast.Group("/fg")
	fg.UseFast(traceFast("fast3"))
	h := func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { fmt.Fprint(w, "h") }
	fast.GETFast("/:x", h)
	fg.Group("/in").GETFast("/:x", h)
	wants(t, fast, exchanges{{"/1", "fast1 fast2 h"}, {"/fg/in/1", "fast1 fast2 fast3 h"}})
	sub := muxmaster.New()
	sub.Pre(trace("sub"))
	sub.GETFast("/:x", fastValues)
	fast = muxmaster.New()
	fast.Mount("/m/:y", sub) // Pre middleware calls a fast handler as an http.Handler
	wants(t, fast, exchanges{{"/m/1/2", `sub y="1" x="2"`}})

	m.Pre(trace("pre1"), trace("pre2"))
	m.Pre(trace("pre3"))
	m.Group("/g").With(trace("w1"), trace("w2")).GET("/w", tell("h"))
	m.GET("/plain", tell("h"))
	wantOutcomes(t, m, exchanges{{"/plain", "pre1 pre2 pre3 h"}, {"HEAD /g/w", "pre1 pre2 pre3 w1 w2 h"}, {"/none", "pre1 pre2 pre3"}})
}

// Middleware that responds itself hides everything behind it, including which
// paths and methods exist: unauthenticated clients can't probe routes.
func TestUseGuards(t *testing.T) {
	login := wrap(func(w http.ResponseWriter, r *http.Request, _ http.Handler) { w.WriteHeader(http.StatusUnauthorized) })
	targets := strings.Fields("/admin /admin/ /admin/none /admin/users /admin/users/1 /admin/users/1/ /admin/tree /admin/slash /admin//users " +
		"/admin/./users /admin/users/%2e /admin/in /admin/in/1 /admin/in/1/y /admin/in/1/y/ /admin/%2F /admin/users/%ff")
	for name, guard := range guarded {
		m := muxmaster.New()
		scope, prefix := guard(m, login)
		inside := scope.Group("/admin")
		add(inside, "GET /|GET /users/:id|POST /users|Handle /tree/|GET /slash/")
		add(inside.Group("/in/:x"), "GET /y")
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "BREW"} {
			for _, target := range targets {
				if a := ask(m, request(t, method, prefix+target)); a.status != 401 || a.allow != "" || a.location != "" {
					t.Errorf("%s: %s %s: got %+v, want 401 and nothing else", name, method, target, a)
				}
			}
		}
	}
}

// Middleware of Use sees the pattern and the values, before and after the
// handler. That of Pre sees them afterwards, unless they are pooled.
func TestUseSeesTheMatch(t *testing.T) {
	for _, mode := range modes {
		var log []string
		note := func(when string, r *http.Request) {
			log = append(log, fmt.Sprintf("%s %s %s%s", when, r.Pattern, r.PathValue("tenant"), r.PathValue("id")))
		}
		around := func(name string) func(http.Handler) http.Handler {
			return wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				note(name, r)
				next.ServeHTTP(w, r)
				note(name, r)
			})
		}
		m := newMux(mode.pooled)
		m.Pre(around("pre"))
		m.With(around("use")).GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { note("handler", r) })
		ask(m, request(t, "GET", "/users/5"))
		const pattern = " GET /users/:id "
		after := "5"
		if mode.pooled && muxmaster.FastPathValues() {
			after = ""
		}
		if want := []string{"pre  ", "use" + pattern + "5", "handler" + pattern + "5", "use" + pattern + "5", "pre" + pattern + after}; !slices.Equal(log, want) {
			t.Errorf("%s:\n got  %q\n want %q", mode.name, log, want)
		}
		// Around a mount, at least the values of the prefix.
		outer := newMux(mode.pooled)
		outer.With(around("outer")).Mount("/of/:tenant", m)
		log = nil
		ask(outer, request(t, "GET", "/of/a/users/5"))
		const whole = " GET /of/:tenant/users/:id a"
		if want := []string{"outer /of/:tenant a", "pre  a", "use" + whole + "5", "handler" + whole + "5", "use" + whole + "5", "pre" + whole + after, "outer" + whole + after}; !slices.Equal(log, want) {
			t.Errorf("%s:\n got  %q\n want %q", mode.name, log, want)
		}
	}
}

// No route ever escapes a policy in silence.
func TestNoEscapeFromMiddleware(t *testing.T) {
	use, fast := trace("x"), traceFast("x")
	sub := func(routes string) *muxmaster.Mux { m := muxmaster.New(); add(m, routes); return m }
	refusals{
		{"Use after a route", func(m *muxmaster.Mux) { m.GET("/ok", values); m.Use(use) }, `after the route "GET /ok" was registered (at `},
		{"Use after Handle", func(m *muxmaster.Mux) { m.Handle("/ok", tell("")); m.Use(use) }, "Use"},
		{"Use after a fast route", func(m *muxmaster.Mux) { m.GETFast("/ok", fastValues); m.Use(use) }, "Use"},
		{"UseFast after a fast route", func(m *muxmaster.Mux) { m.GETFast("/ok", fastValues); m.UseFast(fast) }, "UseFast"},
		{"UseFast after a route", func(m *muxmaster.Mux) { m.GET("/ok", values); m.UseFast(fast) }, "UseFast"},
		{"Use after a Group's route", func(m *muxmaster.Mux) { m.Group("/ok").Group("/h").GET("/x", values); m.Use(use) }, "Use"},
		{"UseFast after a Group's fast route", func(m *muxmaster.Mux) { m.Group("/ok").GETFast("/x", fastValues); m.UseFast(fast) }, "UseFast"},
		{"Use after a With route", func(m *muxmaster.Mux) { m.With(use).GET("/ok", values); m.Use(use) }, "Use"},
		{"Use after Mount", func(m *muxmaster.Mux) { m.Mount("/ok", tell("")); m.Use(use) }, "Use"},
		{"Use after Mount of a Mux", func(m *muxmaster.Mux) { m.Mount("/ok", sub("GET /x")); m.Use(use) }, "Use"},
		{"Use on a mounted Mux with routes", func(m *muxmaster.Mux) { s := sub("GET /x"); m.Mount("/ok", s); s.Use(use) }, "Use"},
		{"Use after ServeFiles", func(m *muxmaster.Mux) { m.ServeFiles("/ok/*f", files); m.Use(use) }, "Use"},
		{"Group's Use after its route", func(m *muxmaster.Mux) { g := m.Group("/ok"); g.GET("/x", values); g.Use(use) }, "Use"},
		{"Group's Use after an inner route", func(m *muxmaster.Mux) { g := m.Group("/ok"); g.Group("/h").GET("/x", values); g.Use(use) }, "Use"},
		{"Group's UseFast after its route", func(m *muxmaster.Mux) { g := m.Group("/ok"); g.GETFast("/x", fastValues); g.UseFast(fast) }, "UseFast"},
		{"Use after a route that was removed", func(m *muxmaster.Mux) { m.GET("/x", values); must(m.Remove("GET /x")); m.Use(use) }, "after a route was registered (and removed since)"},
		{"fast route under Use", func(m *muxmaster.Mux) { m.Use(use); m.GETFast("/x", fastValues) }, `"GET /x"`},
		{"HandleFast under Use", func(m *muxmaster.Mux) { m.Use(use); m.HandleFast("/x", fastValues) }, `"/x"`},
		{"fast route under an outer Group's Use", func(m *muxmaster.Mux) { g := m.Group("/g"); g.Use(use); g.Group("/h").GETFast("/x", fastValues) }, "/g/h/x"},
		{"fast route under With", func(m *muxmaster.Mux) { m.With(use).GETFast("/x", fastValues) }, `/x"`},
		{"plain route under UseFast", func(m *muxmaster.Mux) { m.UseFast(fast); m.GET("/x", values) }, "register it with HandleFast or a verb method"},
		{"mounting under UseFast", func(m *muxmaster.Mux) { m.UseFast(fast); m.Mount("/s", sub("GET /x")) }, "of UseFast"},
		{"middleware that returns nil", func(m *muxmaster.Mux) { m.Use(func(http.Handler) http.Handler { return nil }); m.GET("/x", values) }, "nil"},
		{"fast middleware that returns nil", func(m *muxmaster.Mux) {
			m.UseFast(func(muxmaster.FastHandler) muxmaster.FastHandler { return nil })
			m.GETFast("/x", fastValues)
		}, "nil"},
		{"CleanPath in Use", func(m *muxmaster.Mux) { m.Use(use, middleware.CleanPath); m.GET("/x", values) }, "middleware.CleanPath has no effect in Use, because it changes the path before routing; use Pre"},
		{"CleanPath around others", func(m *muxmaster.Mux) { m.Use(middleware.CleanPath, use); m.GET("/x", values) }, "middleware.CleanPath"},
		{"StripSlashes in With", func(m *muxmaster.Mux) { m.With(middleware.StripSlashes).GET("/x", values) }, "middleware.StripSlashes"},
		{"CleanPath around 404s", func(m *muxmaster.Mux) { m.Use(middleware.CleanPath); ask(m, request(t, "GET", "/x")) }, "use Pre"},
	}.test(t)
	m := muxmaster.New()
	m.Pre(middleware.CleanPath, middleware.StripSlashes) // they change nothing in Pre
	m.GET("/x", tell("x"))
	wants(t, m, exchanges{{"/x", "x"}})
}

// Use comes in time as long as there is no route, even if there were requests.
func TestUseAfterA404(t *testing.T) {
	m := muxmaster.New()
	wantOutcomes(t, m, exchanges{{"/x", ""}})
	m.Use(trace("use"))
	wantOutcomes(t, m, exchanges{{"/x", "use"}})
	m.Pre(trace("pre"))
	wantOutcomes(t, m, exchanges{{"/x", "pre use"}})
}

// A refused registration leaves the scope as it was.
func TestUseAfterARefusedRoute(t *testing.T) {
	m := muxmaster.New()
	panics(func() { m.GET("/:", values) })
	panics(func() { m.GET("/x", nil) })
	panics(func() { must(m.TryHandle("/{", tell(""))) })
	m.Use(trace("use")) // doesn't panic
	m.GET("/x", tell("h"))
	wants(t, m, exchanges{{"/x", "use h"}})
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

// Middleware that can't be made leaves no way around it: each request fails until
// it can.
func TestPreThatFails(t *testing.T) {
	for name, use := range map[string]func(m *muxmaster.Mux, mw func(http.Handler) http.Handler){
		"Pre":           func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) { m.Pre(mw) },
		"Use, of a 404": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) { m.Use(mw) },
	} {
		m, tries := muxmaster.New(), 0
		use(m, func(next http.Handler) http.Handler {
			switch tries++; tries {
			case 1:
				return nil
			case 2:
				panic("not yet")
			}
			return trace("guard")(next)
		})
		for _, want := range []string{"returned nil", "not yet"} {
			if got := panics(func() { ask(m, request(t, "GET", "/x")) }); !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want a panic with %q", name, got, want)
			}
		}
		wantOutcomes(t, m, exchanges{{"/x", "guard"}}, name)
	}
}

// Middleware may list and register routes while it is made, also for the routes
// of a mounted Mux.
func TestMiddlewareThatRegisters(t *testing.T) {
	type wrapper = func(http.Handler) http.Handler
	for name, use := range map[string]func(m, sub *muxmaster.Mux, mw wrapper){
		"a route":                   func(m, _ *muxmaster.Mux, mw wrapper) { m.With(mw).GET("/x", tell("x")) },
		"a mounted Mux with routes": func(m, sub *muxmaster.Mux, mw wrapper) { sub.GET("/", tell("x")); m.With(mw).Mount("/x", sub) },
		"a route of a mounted Mux": func(m, sub *muxmaster.Mux, mw wrapper) {
			between := muxmaster.New()
			m.With(mw).Mount("/", between)
			between.Mount("/x", sub)
			sub.GET("/", tell("x"))
		},
		"what no route serves": func(m, _ *muxmaster.Mux, mw wrapper) {
			m.GET("/x", tell("x"))
			m.Group("/g").Use(mw)
			get(t, m, "GET", "/g/none")
		},
	} {
		m, n := muxmaster.New(), 0
		use(m, muxmaster.New(), func(next http.Handler) http.Handler {
			n++
			other := muxmaster.New()
			other.GET(fmt.Sprintf("/%d", n), tell("made"))
			m.Mount("/made", other)
			inspect.Print(io.Discard, m)
			m.Lookup(request(t, "GET", "/x"))
			m.Explain("GET", "/x")
			return next
		})
		wants(t, m, exchanges{{"/x", "x"}, {"/made/1", "made"}}, name)
	}
}

// A Host is a scope: its values are there in its middleware and in its 404, 405, OPTIONS
// and redirect responses, before and after the routes, in Groups and mounted Muxes.
func TestHost(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		tenant := wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.PathValue("tenant") == "" {
				http.Error(w, "no tenant", http.StatusForbidden)
				return
			}
			fmt.Fprintf(w, "<%s> ", r.PathValue("tenant"))
			next.ServeHTTP(w, r)
		})
		said := func(what string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, what, " ", r.PathValue("tenant"), " ", w.Header().Get("Allow"))
			})
		}
		m.NotFound, m.MethodNotAllowed = said("m 404"), said("m 405")
		add(m, "GET /open|GET /none/of/host|ANY /all/*rest|GET /shared/x")
		h := m.Host("{tenant}.h.com")
		h.Use(tenant)
		add(h, "GET /users/:id|POST /users|GET /slash/|Handle GET /tree/|Handle PUT /all/x")
		api := h.Group("/api/:v")
		api.NotFound = said("api 404")
		add(api, "GET /|GET /x")
		h.Route("/own", func(g *muxmaster.Group) { add(g, "GET /x") })
		h.Name("named").GET("/named/:id", func(w http.ResponseWriter, r *http.Request) {
			path, err := m.URL("named", "id", "1")
			with, err2 := m.URL("named", "tenant", "t", "id", "1")
			fmt.Fprint(w, r.Pattern, " ", path, with, " ", err, err2)
		})
		sub := newMux(mode.pooled)
		add(sub, "GET /|GET /x")
		h.Mount("/sub", sub)
		h.Mount("/plain", tell("Mount"))
		h.ServeFiles("/files/*path", fstest.MapFS{"a.txt": {Data: []byte("a")}})
		h.ServeSPA("/spa", fstest.MapFS{"index.html": {Data: []byte("page")}})
		m.Group("/admin").Host("admin.h.com").GET("/", tell("admin")) // the prefix stays
		m.Host("api.h.com").GET("/users/:id", tell("exact"))
		m.Host("{sub...}.deep.org").GET("/", values)
		wantOutcomes(t, m, exchanges{
			{"a.h.com/users/5", "<a> GET /users/:id"}, {"A.H.com./users/5", "<a> GET /users/:id"}, {"a.h.com:8080/users/5", "<a> GET /users/:id"},
			{"a.h.com/none", "<a> m 404 a"},
			{"PUT a.h.com/users", "<a> m 405 a POST, OPTIONS"},
			{"OPTIONS a.h.com/users", "<a> Allow POST, OPTIONS"},
			{"a.h.com/users/5/", "<a> => /users/5"}, {"a.h.com/tree", "<a> => /tree/"}, {"a.h.com/slash?q", "<a> => /slash/?q"}, {"a.h.com/users//5", "<a> => /users/5"},
			// A Group inside has its own handlers, and the values of both.
			{"a.h.com/api/1", "<a> GET /"}, {"a.h.com/api/1/x", "<a> GET /x"}, {"a.h.com/api/1/none", "<a> api 404 a"}, {"PUT a.h.com/api/1/x", "<a> m 405 a GET, HEAD, OPTIONS"},
			{"a.h.com/own/x", "<a> GET /x"}, {"a.h.com/own/none", "<a> m 404 a"},
			{"a.h.com/sub", "<a> GET /"}, {"a.h.com/sub/x", "<a> GET /x"}, {"a.h.com/sub/none", "<a> m 404 a"}, {"PUT a.h.com/sub/x", "<a> m 405 a GET, HEAD, OPTIONS"},
			{"a.h.com/plain/y", "<a> Mount"}, {"a.h.com/files/a.txt", "<a> a"}, {"a.h.com/files/b.txt", "<a>"}, {"a.h.com/spa/a.txt", "<a>"},
			{"a.h.com/named/7", "<a> GET {tenant}.h.com/named/:id /named/1/named/1 <nil> <nil>"},
			// Routes without a host also serve the host, outside of its middleware; where the
			// host has a route for the path and method, that wins.
			{"a.h.com/open", "GET /open"}, {"a.h.com/all/x", "ANY /all/*rest"}, {"PUT a.h.com/all/x", "<a> Handle PUT /all/x"}, {"PUT a.h.com/open", "<a> m 405 a GET, HEAD, OPTIONS"},
			// An exact host comes first, and then the one with parameters.
			{"api.h.com/users/5", "exact"}, {"POST api.h.com/users", "<api> POST /users"}, {"api.h.com/none", "m 404"},
			// Other hosts know nothing of it.
			{"example.com/users/5", "m 404"}, {"h.com/users/5", "m 404"}, {"x.y.h.com/users/5", "m 404"}, {"PUT example.com/shared/x", "m 405  GET, HEAD, OPTIONS"},
			{"admin.h.com/admin", "admin"}, {"b.h.com/admin", "m 404"},
			{"x.y.deep.org/", `sub="x.y"`}, {"deep.org/", "m 404"},
		}, mode.name)
	}
	// Of a Host and a Group without one, the longer prefix responds, and else the Host.
	m := muxmaster.New()
	login := m.Group("/admin")
	login.Use(trace("login"))
	add(login, "GET /x")
	host := m.Host("{t}.h.com")
	host.Use(trace("host"))
	add(host, "GET /y")
	inner := host.Group("/admin")
	add(m, "GET /z")
	wantOutcomes(t, m, exchanges{{"a.h.com/none", "host"}, {"a.h.com/admin/none", "host"}, {"h.org/admin/none", "login"}, {"a.h.com/admin/x", "login GET /x"}})
	inner.GET("/y", tell("y"))
	must(m.Remove("GET {t}.h.com/admin/y"))
	wantOutcomes(t, m, exchanges{{"a.h.com/admin/none", "login"}, {"a.h.com/none", "host"}})
	must(m.Remove("GET {t}.h.com/y"))
	wantOutcomes(t, m, exchanges{{"a.h.com/admin/none", "login"}, {"a.h.com/none", ""}})
}

// What Handler and Explain say of hosts, also in mounts, is what happens.
func TestHostExplained(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.RedirectCase = true
	add(m, "GET /open|ANY /all/*rest|GET /case/x")
	h := m.Host("{tenant}.h.com")
	add(h, "GET /users/:id|POST /users|GET /slash/|Handle GET /tree/|Handle PUT /all/x|GET /Case/y")
	add(h.Group("/api/:v"), "GET /|GET /x")
	h.Route("/own", func(g *muxmaster.Group) { add(g, "GET /x") })
	add(sub, "GET /|GET /x|Handle GET /t/")
	add(sub.Host("in.h.com"), "GET /inner")
	h.Mount("/sub", sub)
	m.Mount("/sub2", sub)
	add(m.Group("/admin").Host("admin.h.com"), "GET /|GET /y")
	m.Host("r.h.com").Route("/", func(g *muxmaster.Group) { add(g, "GET /only") })
	var rows exchanges
	for host := range strings.FieldsSeq("a.h.com api.h.com admin.h.com h.com in.h.com r.h.com A.h.com. a.h.com:80 [::1] x.a.h.com") {
		for path := range strings.FieldsSeq("/ /open /users/1 /users /users/1/ /slash /tree /all/x /api /api/1 /api/1/ /api/1/n /own /own/n /sub /sub/ /sub/n /sub/t /sub/inner " +
			"/sub2/inner /sub2/t /admin /admin/ /admin/n /only /n /CASE/Y /case/y /case/X //users /users/%2e /a%2Fb") {
			for method := range strings.FieldsSeq("GET PUT OPTIONS HEAD POST CONNECT") {
				rows = append(rows, [2]string{method + " " + host + path})
			}
		}
	}
	agrees(t, m, rows)
	wants(t, m, exchanges{{"in.h.com/sub/inner", "GET /inner"}, {"in.h.com/sub2/inner", "GET /inner"}, {"a.h.com/sub/inner", "404"}, {"r.h.com/all/x", "404"}, {"a.h.com/CASE/Y", "307 /Case/y"}})
}

func TestHostRefusals(t *testing.T) {
	list := refusals{
		{"in a Host", func(m *muxmaster.Mux) { m.Host("a.com").Group("/g").Host("b.com") }, `Host "b.com": it is inside Host("a.com")`},
		{"Handle in a Host", func(m *muxmaster.Mux) { m.Host("a.com").Handle("GET b.com/x", tell("")) }, `pattern "GET b.com/x": the host "b.com" is inside Host("a.com"); register it on the Mux`},
		{"Handle with the same host", func(m *muxmaster.Mux) { m.Host("a.com").With().Handle("a.com/x", tell("")) }, `inside Host("a.com")`},
		{"Group in a Host", func(m *muxmaster.Mux) { m.Host("a.com").Group("b.com/x") }, "must begin with /"},
		{"Mount in a Host", func(m *muxmaster.Mux) { m.Host("a.com").Mount("b.com/x", tell("")) }, "must begin with /"},
		{"GET of a host", func(m *muxmaster.Mux) { m.GET("a.com/x", tell("")) }, "a host belongs to Handle, or to Host"},
		{"a prefix with the name", func(m *muxmaster.Mux) { m.Group("/:t").Host("{t}.a.com") }, "twice"},
		{"a route with the name", func(m *muxmaster.Mux) { m.Host("{t}.a.com").GET("/:t", tell("")) }, "twice"},
		{"of a zero Mux", func(m *muxmaster.Mux) { new(muxmaster.Mux).Host("a.com") }, "not made by New"},
	}
	for _, c := range [][2]string{
		{"", "is not a host"}, {" ", "is not a host"}, {"GET a.com", "is not a host"}, {"/x", "the host is missing"}, {"https://", "the host is missing"}, {":80", "the host is missing"},
		{"a.com:80", `write "a.com"`}, {"{t}.a.com:8080", `write "{t}.a.com"`}, {"[::1]:80", `write "[::1]"`}, {"::1", "in brackets: [::1]"}, {"https://a.com", `write "a.com"`}, {"https://a.com:443/x", `write "a.com"`},
		{"a.com/", `write "a.com"`}, {"a.com/x", `write "a.com"`}, {"{t}.a.com/x/:id", `write "{t}.a.com"`},
		{"*.a.com", "{sub...}.a.com"}, {":t.a.com", "is written {name}"}, {"{t:[a-z]+}.a.com", "host"}, {"a{t}.com", "host"}, {"{t", "{"}, {"a..com", "host"}, {"a.com?x", "host"},
	} {
		list = append(list, refusals{{"Host " + c[0], func(m *muxmaster.Mux) { m.Host(c[0]) }, c[1]}}...)
	}
	list.test(t)
}

// UseRoute is called once for each route and method when it is registered, knows what
// Routes lists, and is never called again; for unmatched requests it gets the zero Route.
func TestUseRoute(t *testing.T) {
	type key struct{}
	var made []string
	limit := func(route muxmaster.Route, next http.Handler) http.Handler {
		label := strings.TrimSpace(fmt.Sprint(route.Method, " ", route.Host, route.Pattern, " ", route.Name, route.Value(key{})))
		if route.Line == 0 {
			label = fmt.Sprint("unmatched", route.Value(key{}))
		}
		made = append(made, label)
		return trace("[" + label + "]")(next)
	}
	wantMade := func(when string, want ...string) {
		t.Helper()
		if !slices.Equal(made, want) {
			t.Errorf("%s: made for %q, want %q", when, made, want)
		}
		made = nil
	}
	m, sub := muxmaster.New(), muxmaster.New()
	m.UseRoute(limit)
	m.Annotate(key{}, 1).Name("n").GET("/x/:id", tell("x"))
	m.Annotate(key{}, 2).Annotate(key{}, 3).Group("/g").GET("/", tell("g"))
	m.Method("PUT,DELETE", "/x/:id", tell("x"))
	m.Host("{t}.h.com").Handle("/tree/", tell("tree"))
	m.With(trace("with")).ANY("/any", tell("any"))
	m.Mount("/plain", tell("plain"))
	wantMade("registration", "GET /x/:id n1", "GET /g 3", "PUT /x/:id <nil>", "DELETE /x/:id <nil>", "{t}.h.com/tree/ <nil>", "/any <nil>", "/plain <nil>")
	sub.UseRoute(limit)
	sub.Annotate(key{}, 4).GET("/y", tell("y"))
	m.Annotate(key{}, 5).Mount("/sub/:s", sub)
	other := muxmaster.New()
	other.Mount("/other", sub)
	wantMade("mount", "GET /y 4", "/sub/:s 5")
	if err := m.TryHandle("GET /x/{again}", tell("")); err == nil {
		t.Error("a conflict isn't refused")
	}
	made = nil
	for range 3 {
		wants(t, m, exchanges{
			{"/x/1", "[GET /x/:id n1] x"}, {"DELETE /x/1", "[DELETE /x/:id <nil>] x"}, {"/g", "[GET /g 3] g"}, {"a.h.com/tree/b", "[{t}.h.com/tree/ <nil>] tree"},
			{"/any", "[/any <nil>] with any"}, {"/plain/z", "[/plain <nil>] plain"}, {"/sub/1/y", "[/sub/:s 5] [GET /y 4] y"},
		})
		wants(t, other, exchanges{{"/other/y", "[GET /y 4] y"}})
		wantOutcomes(t, m, exchanges{
			{"/none", "[unmatched<nil>]"}, {"POST /x/1", "[unmatched<nil>] Allow GET, HEAD, PUT, DELETE, OPTIONS"}, {"/x/1/", "[unmatched<nil>] => /x/1"},
			{"/g/none", "[unmatched<nil>]"}, {"/sub/1/none", "[/sub/:s 5] [unmatched<nil>]"},
		})
	}
	for range m.Routes() {
	}
	m.Explain("GET", "/x/1")
	wantMade("requests", "unmatched<nil>", "unmatched<nil>", "unmatched<nil>") // of m, of /g, and of sub
	must(m.Update(func(m *muxmaster.Mux) error {
		m.GET("/new", tell("new"))
		return m.Remove("/any")
	}))
	sub.GET("/z", tell("z"))
	wants(t, m, exchanges{{"/x/1", "[GET /x/:id n1] x"}, {"/new", "[GET /new <nil>] new"}, {"/sub/1/z", "[/sub/:s 5] [GET /z <nil>] z"}})
	wantOutcomes(t, m, exchanges{{"/any", "[unmatched<nil>]"}})
	wantMade("Update", "GET /new <nil>", "GET /z <nil>")

	// It runs in the order of Use, and has its rules.
	m = muxmaster.New()
	m.Use(trace("a"))
	m.UseRoute(limit)
	m.Use(trace("b"))
	g := m.Group("/g")
	g.UseRoute(limit, limit)
	add(g, "GET /x")
	wants(t, m, exchanges{{"/g/x", "a [GET /g/x <nil>] b [GET /g/x <nil>] [GET /g/x <nil>] GET /x"}})
	// It sees the Route that Routes lists.
	m = muxmaster.New()
	m.Pre(trace("pre"))
	var seen []muxmaster.Route
	g = m.Host("h.com").Group("/g")
	g.UseRoute(func(route muxmaster.Route, next http.Handler) http.Handler { seen = append(seen, route); return next })
	g.Annotate("k", "v").Handle("PUT,GET /tree/", tell(""))
	listed := slices.Collect(m.Routes())
	slices.SortFunc(seen, func(a, b muxmaster.Route) int { return strings.Compare(a.Method, b.Method) })
	for i, r := range listed {
		if got, want := fmt.Sprintf("%+v %v %v", seen[i], seen[i].Below, seen[i].Value("k")), fmt.Sprintf("%+v %v %v", r, r.Below, r.Value("k")); got != want || !slices.Equal(seen[i].Scopes, r.Scopes) || !slices.Equal(seen[i].Middleware, r.Middleware) {
			t.Errorf("UseRoute got\n%#v\nRoutes lists\n%#v", seen[i], r)
		}
	}
	refusals{
		{"nil", func(m *muxmaster.Mux) { m.UseRoute(nil) }, "UseRoute: the middleware is nil"},
		{"after a route", func(m *muxmaster.Mux) { add(m, "GET /ok"); m.UseRoute(limit) }, "UseRoute after the route"},
		{"a fast route", func(m *muxmaster.Mux) { m.UseRoute(limit); m.GETFast("/x", fastValues) }, "fast route"},
		{"returns nil", func(m *muxmaster.Mux) {
			m.UseRoute(func(muxmaster.Route, http.Handler) http.Handler { return nil })
			add(m, "GET /x")
		}, "returned nil"},
		{"before routing", func(m *muxmaster.Mux) {
			m.UseRoute(func(_ muxmaster.Route, next http.Handler) http.Handler { return middleware.StripSlashes(next) })
			add(m, "GET /x")
		}, "use Pre"},
	}.test(t)
}
