package muxmaster_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
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
	for _, c := range []struct{ method, target, want string }{
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
	} {
		if got := outcome(t, m, "h", c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
}

// Routes elsewhere match first: a Group shares the Mux's table.
func TestRoutesElsewhereMatchBeforeAGroupAnswers(t *testing.T) {
	m := tagged("m")
	g := m.Group("/g")
	g.Use(trace("g"))
	add(g, "GET /x/:id")
	add(m, "GET /*path|POST /:any/x/1")
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/g/x/1", "m g GET /x/:id"},
		{"GET", "/g/none", "m GET /*path"},
		{"POST", "/g/x/1", "m POST /:any/x/1"},
		{"PUT", "/g/x/1", "m g m 405 GET, HEAD, POST, OPTIONS"},
		{"POST", "/g/none", "m g m 405 GET, HEAD, OPTIONS"},
		{"OPTIONS", "/g/none", "m g Allow GET, HEAD, OPTIONS"},
	} {
		if got := outcome(t, m, "h", c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
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
	for _, c := range []struct{ method, target, want string }{
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
	} {
		if got := outcome(t, m, "h", c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
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
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/w", "m with GET /w"},
		{"PUT", "/w", "m m 405 GET, HEAD, OPTIONS"},
		{"GET", "/none", "m m 404"},
		{"GET", "/g/w", "m with GET /w"},
		{"PUT", "/g/w", "m m 405 GET, HEAD, OPTIONS"},
		{"GET", "/g/in/x", "m around in GET /x"},
		{"GET", "/g/in/none", "m around in m 404"},
		{"GET", "/h/none", "m with2 m 404"},
	} {
		if got := outcome(t, m, "h", c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
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
	for _, c := range []struct{ method, target, want string }{
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
	} {
		if got := outcome(t, m, "h", c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
}

// A Group's CORS middleware sees preflights of routes that have no OPTIONS.
func TestGroupMiddlewareSeesPreflights(t *testing.T) {
	cors := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "https://app.example")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	m := muxmaster.New()
	g := m.Group("/api")
	g.Use(cors)
	add(g, "POST /users|PUT /users/:id")
	add(m, "GET /page")
	for _, c := range []struct {
		target string
		cors   bool
	}{{"/api/users", true}, {"/api/users/1", true}, {"/api/none", true}, {"/page", false}} {
		r := request(t, "OPTIONS", c.target)
		r.Header.Set("Origin", "https://app.example")
		r.Header.Set("Access-Control-Request-Method", "PUT")
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		if got := w.Header().Get("Access-Control-Allow-Origin") != ""; w.Code != 204 || got != c.cors {
			t.Errorf("%s: got %d, CORS header: %v, want %v", c.target, w.Code, got, c.cors)
		}
	}
}

// Unauthenticated clients can't probe routes below a Group with a login.
func TestGroupHidesWhatExists(t *testing.T) {
	m := muxmaster.New()
	g := m.Group("/admin")
	g.Use(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	})
	add(g, "GET /|GET /users/:id|POST /users|Handle /tree/|GET /slash/")
	in := g.Group("/in/:x")
	add(in, "GET /y")
	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "BREW"} {
		for _, target := range strings.Fields("/admin /admin/ /admin/none /admin/users /admin/users/1 /admin/users/1/ /admin/tree /admin/slash /admin//users " +
			"/admin/./users /admin/users/%2e /admin/in /admin/in/1 /admin/in/1/y /admin/in/1/y/ /admin/%2F /admin/users/%ff") {
			if a := ask(m, request(t, method, target)); a.status != 401 || a.allow != "" || a.location != "" {
				t.Errorf("%s %s: got %d, Allow %q, Location %q", method, target, a.status, a.allow, a.location)
			}
		}
	}
}
