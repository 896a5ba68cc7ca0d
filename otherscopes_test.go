package muxmaster_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Scopes of other routers' tests: groups, sub-routers, mounts, the order of
// middleware, and who responds to unmatched requests. A want lists the middleware
// that ran, and then what the handler tells.
var otherScopes = []struct {
	name  string // router, and what its test is about
	build func(m *muxmaster.Mux)
	want  map[string]string // by request
}{
	{"chi: 404 of nested routers", func(m *muxmaster.Mux) {
		m.Use(trace("mw"))
		m.GET("/hi", tell("hi"))
		own, none := muxmaster.New(), muxmaster.New()
		own.Use(trace("own"))
		own.NotFound = tell("own 404")
		own.GET("/sub", tell("sub"))
		none.GET("/sub", tell("sub2"))
		m.Mount("/admin1", own)
		m.Mount("/admin2", none)
	}, map[string]string{
		"GET /hi":          "mw hi",
		"GET /nothing":     "mw 404",
		"GET /admin1/sub":  "mw own sub",
		"GET /admin1/nope": "mw own own 404",
		"GET /admin2/sub":  "mw sub2",
		"GET /admin2/nope": "mw 404",
	}},
	{"chi: 404 of nested groups", func(m *muxmaster.Mux) {
		m.GET("/auth", tell("auth"))
		m.Route("/public", func(g *muxmaster.Group) { g.GET("/", tell("public")) })
		for _, prefix := range []string{"/private", "/private_mw"} {
			sub := muxmaster.New()
			sub.Route("/resource", func(g *muxmaster.Group) { g.GET("/", tell("private")) })
			m.With(trace("with")).Mount(prefix, sub)
		}
	}, map[string]string{
		"GET /auth":                     "auth",
		"GET /public":                   "public",
		"GET /public/":                  "public",
		"GET /private/resource":         "with private",
		"GET /nope":                     "404",
		"GET /public/nope":              "404",
		"GET /private/nope":             "with 404",
		"GET /private/resource/nope":    "with 404",
		"GET /private_mw/resource/nope": "with 404",
	}},
	{"chi: 405 of nested routers", func(m *muxmaster.Mux) {
		m.GET("/root", tell("root"))
		sub1, sub2, variable := muxmaster.New(), muxmaster.New(), muxmaster.New()
		sub1.GET("/sub1", tell("sub1"))
		sub1.MethodNotAllowed = tell("sub1 405")
		sub2.GET("/sub2", tell("sub2"))
		variable.GET("/{var}", tell("pv"))
		variable.MethodNotAllowed = tell("pv 405")
		m.Mount("/prefix1", sub1)
		m.Mount("/prefix2", sub2)
		m.Mount("/pathVar", variable)
	}, map[string]string{
		"GET /root":             "root",
		"PUT /root":             "405",
		"PUT /prefix1/sub1":     "sub1 405",
		"PUT /prefix2/sub2":     "405",
		"GET /pathVar/myvar":    "pv",
		"DELETE /pathVar/myvar": "pv 405",
	}},
	{"chi: middleware of nested groups", func(m *muxmaster.Mux) {
		m.GET("/0", tell("h"))
		g := m.Group("")
		g.Use(trace("1"))
		g.GET("/1", tell("h"))
		g.With(trace("2")).GET("/2", tell("h"))
		inner := g.Group("")
		inner.Use(trace("2"), trace("3"))
		inner.GET("/3", tell("h"))
		inner.With(trace("4")).GET("/4", tell("h"))
		deep := inner.Group("/")
		deep.Use(trace("4"), trace("5"))
		deep.GET("/5", tell("h"))
	}, map[string]string{
		"GET /0": "h",
		"GET /1": "1 h",
		"GET /2": "1 2 h",
		"GET /3": "1 2 3 h",
		"GET /4": "1 2 3 4 h",
		"GET /5": "1 2 3 4 5 h",
	}},
	{"chi: a catch-all in a sub-router", func(m *muxmaster.Mux) {
		m.GET("/bare/{param}", values)
		m.GET("/bare/{param}/{rest...}", values)
		m.Route("/case0", func(g *muxmaster.Group) {
			g.GET("/{param}", values)
			g.GET("/{param}/{rest...}", values)
		})
	}, map[string]string{
		"GET /bare/hi":      `param="hi"`,
		"GET /bare/hi/yes":  `param="hi" rest="yes"`,
		"GET /case0/hi":     `param="hi"`,
		"GET /case0/hi/yes": `param="hi" rest="yes"`,
	}},
	{"chi: mounts with similar prefixes", func(m *muxmaster.Mux) {
		foo, foobar := muxmaster.New(), muxmaster.New()
		foo.GET("/", tell("foo"))
		foobar.GET("/", tell("foobar"))
		m.GET("/hi", tell("hi"))
		m.Mount("/foobar", foobar)
		m.Mount("/foo", foo)
	}, map[string]string{
		"GET /hi":      "hi",
		"GET /foobar":  "foobar",
		"GET /foobar/": "foobar",
		"GET /foo":     "foo",
		"GET /foob":    "404",
		"GET /foo/bar": "404",
	}},
	{"chi: values of mounts in mounts", func(m *muxmaster.Mux) {
		shares, accounts := muxmaster.New(), muxmaster.New()
		shares.GET("/{id}", values)
		accounts.GET("/", values)
		accounts.Mount("/shares", shares)
		m.Mount("/accounts/{account}", accounts)
	}, map[string]string{
		"GET /accounts/a":          `account="a"`,
		"GET /accounts/a/":         `account="a"`,
		"GET /accounts/a/shares/1": `account="a" id="1"`,
		"GET /accounts/a/shares":   "404",
		"GET /accounts":            "404",
	}},
	{"gorilla/mux: middleware of a sub-router", func(m *muxmaster.Mux) {
		m.Use(trace("m"))
		m.GET("/", tell("root"))
		sub := m.Group("/sub")
		sub.Use(trace("sub"))
		sub.GET("/x", tell("x"))
	}, map[string]string{
		"GET /":              "m root",
		"GET /sub/x":         "m sub x",
		"GET /sub/":          "m sub 404", // there, no middleware runs
		"GET /sub/not/found": "m sub 404",
		"GET /notfound":      "m 404",
	}},
	{"gorilla/mux: two sub-routers without a prefix", func(m *muxmaster.Mux) {
		first, second := m.Group("/"), m.Group("/")
		first.Use(trace("first"))
		second.Use(trace("second"))
		first.GET("/first", tell("h"))
		second.GET("/second", tell("h"))
	}, map[string]string{
		"GET /first":            "first h",
		"GET /second":           "second h",
		"GET /second/not-exist": "404",
	}},
	{"gorilla/mux: methods in sub-routers", func(m *muxmaster.Mux) {
		m.Group("/test").Method("POST", "/{name}", tell("post"))
		m.Group("/test").Method("GET,PUT", "/{name}", tell("get"))
	}, map[string]string{
		"POST /test/a":   "post",
		"GET /test/a":    "get",
		"PUT /test/a":    "get",
		"DELETE /test/a": "405",
		"GET /test/a/b":  "404",
	}},
	{"gin: middleware and 404", func(m *muxmaster.Mux) {
		m.Use(trace("A"), trace("B"))
		api := m.Group("/api")
		api.Use(trace("C"))
		api.GET("/ping", tell("ping"))
		api.Group("/v1").With(trace("D")).GET("/ping", tell("v1"))
	}, map[string]string{
		"GET /api/ping":     "A B C ping",
		"GET /api/v1/ping":  "A B C D v1",
		"GET /none":         "A B 404",
		"POST /api/ping":    "A B C 405", // there, 404 without C
		"GET /api/v1/none":  "A B C 404",
		"HEAD /api/v1/ping": "A B C D v1",
	}},
	{"echo: a group leaves 405, 404 and other routes alone", func(m *muxmaster.Mux) {
		m.GET("/health", tell("health"))
		m.Group("/api").GET("/users", tell("users"))
	}, map[string]string{
		"GET /health":     "health",
		"GET /api/users":  "users",
		"POST /api/users": "405",
		"GET /api/nope":   "404",
	}},
	{"echo: own 404 of a group", func(m *muxmaster.Mux) {
		g := m.Group("/group")
		g.NotFound = tell("group 404")
		g.GET("/", tell("root"))
		g.GET("/a/c/df", tell("df"))
		files := g.Group("/a")
		files.NotFound = tell("a 404")
	}, map[string]string{
		"GET /group/a/c/xx":     "a 404",
		"GET /group/a/echo.exe": "a 404",
		"GET /group/b/echo.exe": "group 404",
		"GET /group/a/c/df":     "df",
		"GET /group":            "root",
		"GET /other":            "404",
	}},
	{"bunrouter: middleware of groups and of routes", func(m *muxmaster.Mux) {
		m.With(trace("1")).GET("/h1", tell("h"))
		g := m.With(trace("1"), trace("2")).Group("/g1")
		g.GET("/h3", tell("h"))
		g.Group("").With(trace("3")).GET("/h4", tell("h"))
	}, map[string]string{
		"GET /h1":    "1 h",
		"GET /g1/h3": "1 2 h",
		"GET /g1/h4": "1 2 3 h",
	}},
	{"httptreemux: a group in a group, with and without a slash", func(m *muxmaster.Mux) {
		g := m.Group("/foo")
		g.GET("/", tell("foo"))
		g.GET("/bar", tell("bar"))
		g.Group("/baz/").GET("/", tell("baz"))
		g.Group("/").GET("/qux", tell("qux"))
	}, map[string]string{
		"GET /foo":      "foo",
		"GET /foo/":     "foo",
		"GET /foo/bar":  "bar",
		"GET /foo/bar/": "307 /foo/bar",
		"GET /foo/baz":  "baz",
		"GET /foo/baz/": "baz",
		"GET /foo/qux":  "qux",
	}},
	{"goji: a sub-mux below a prefix", func(m *muxmaster.Mux) {
		sub := muxmaster.New()
		sub.Use(trace("sub"))
		sub.GET("/carl", tell("carl"))
		m.Use(trace("m"))
		m.Mount("/users", sub)
		m.GET("/users/bob", tell("bob"))
	}, map[string]string{
		"GET /users/carl": "m sub carl",
		"GET /users/bob":  "m bob",
		"GET /users/x":    "m sub 404",
	}},
	{"violetear: methods of a path", func(m *muxmaster.Mux) {
		m.Method("GET, HEAD", "/root", tell("root"))
		m.PUT("/root/{id}", tell("put"))
		m.ANY("/root/{id}/all", tell("all"))
	}, map[string]string{
		"HEAD /root":        "root",
		"POST /root":        "405",
		"GET /root/1":       "405",
		"PURGE /root/1":     "405",
		"PURGE /root/1/all": "all",
	}},
}

func TestScopesOfOtherRouters(t *testing.T) {
	for _, c := range otherScopes {
		for _, mode := range modes {
			m := newMux(mode.pooled)
			m.NotFound, m.MethodNotAllowed = tell("404"), tell("405")
			c.build(m)
			for request, want := range c.want {
				method, target, _ := strings.Cut(request, " ")
				a := ask(m, requestTo(t, "example.com", method, target))
				got := a.body
				if a.status != http.StatusOK {
					got = a.brief()
				}
				if got != want {
					t.Errorf("%s, %s: %s: got %q, want %q", c.name, mode.name, request, got, want)
				}
			}
		}
	}
}
