package muxmaster_test

import (
	"fmt"
	"net/http"
	_ "net/http/pprof"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// pathAnd is a handler that writes its path and path values.
func pathAnd(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s ", name, r.URL.EscapedPath())
		values(w, r)
	}
}

func TestMountHandler(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.Mount("/a", pathAnd("a"))
		m.Mount("/b/", pathAnd("b"))
		m.Mount("/p/:id", pathAnd("p"))
		m.Mount("/n/{n:[0-9]+}", pathAnd("n"))
		m.Group("/g/:g").Mount("/in", pathAnd("g"))
		m.Mount("/s", http.StripPrefix("/s", pathAnd("s")))
		m.GET("/a/own", pathAnd("own"))
		m.POST("/b", pathAnd("own"))
		for _, c := range []struct{ method, target, want string }{
			{"GET", "/a", "a /a "},
			{"GET", "/a/", "a /a/ "},
			{"GET", "/a/x/y", "a /a/x/y "},
			{"POST", "/a/x", "a /a/x "},
			{"BREW", "/a", "a /a "},
			{"OPTIONS", "/a/x", "a /a/x "},
			{"HEAD", "/a/x", "a /a/x "},
			{"GET", "/a/x%2Fy", "a /a/x%2Fy "},
			{"GET", "/ab", "404"},
			{"GET", "/a/own", "own /a/own "},
			{"POST", "/a/own", "a /a/own "},
			{"GET", "/a//x", "307 /a/x"},
			{"GET", "/b", "b /b "},
			{"POST", "/b", "own /b "},
			{"GET", "/b/", "b /b/ "},
			{"GET", "/b/x", "b /b/x "},
			{"GET", "/p/1", `p /p/1 id="1"`},
			{"GET", "/p/1/", `p /p/1/ id="1"`},
			{"GET", "/p/a%2Fb/x", `p /p/a%2Fb/x id="a/b"`},
			{"GET", "/p", "404"},
			{"GET", "/n/12/x", `n /n/12/x n="12"`},
			{"GET", "/n/x", "404"},
			{"GET", "/g/1/in", `g /g/1/in g="1"`},
			{"GET", "/g/1/in/x", `g /g/1/in/x g="1"`},
			{"GET", "/s/x", "s /x "},
		} {
			if got := get(t, m, c.method, c.target); got != c.want {
				t.Errorf("%s: %s %s: got %s, want %s", mode.name, c.method, c.target, got, c.want)
			}
		}
	}
	root := muxmaster.New()
	root.GET("/x", pathAnd("own"))
	root.Mount("/", pathAnd("root"))
	for _, c := range [][2]string{{"/", "root / "}, {"/y/z", "root /y/z "}, {"/x", "own /x "}} {
		if got := get(t, root, "GET", c[0]); got != c[1] {
			t.Errorf("mounted at the root, %s: got %s, want %s", c[0], got, c[1])
		}
	}
}

// Routes of a mounted Mux work whether they are registered before or after
// mounting.
func TestMountMux(t *testing.T) {
	show := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s ", r.Pattern, muxmaster.RoutePattern(r))
		values(w, r)
	}
	register := func(sub *muxmaster.Mux) {
		sub.GET("/", show)
		sub.GET("/users/:id", show)
		sub.ANY("/any", show)
		sub.Handle("POST /tree/", http.HandlerFunc(show))
		sub.Handle("PUT,BREW example.com/host/{h}", http.HandlerFunc(show))
		sub.GETFast("/fast/:f", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
			fmt.Fprintf(w, "%s %s ", r.Pattern, muxmaster.RoutePattern(r))
			fastValues(w, r, ps)
		})
		sub.Group("/g").With(trace("w")).GET("/*rest", show)
	}
	for _, mode := range modes {
		for _, when := range []string{"before", "after", "after serving"} {
			m, sub := newMux(mode.pooled), muxmaster.New()
			if when == "before" {
				register(sub)
			}
			m.Mount("/api/:v", sub)
			if when == "after serving" {
				if got := get(t, m, "GET", "/api/1/users/5"); got != "404" {
					t.Errorf("before there is a route: got %s", got)
				}
			}
			if when != "before" {
				register(sub)
			}
			m.GET("/api/:v/users/me", show)
			for _, c := range []struct{ method, target, want string }{
				{"GET", "/api/1/", `GET /api/:v /api/:v v="1"`},
				{"GET", "/api/1/users/5", `GET /api/:v/users/:id /api/:v/users/:id v="1" id="5"`},
				{"HEAD", "/api/1/users/5", `GET /api/:v/users/:id /api/:v/users/:id v="1" id="5"`},
				{"GET", "/api/1/users/me", `GET /api/:v/users/me /api/:v/users/me v="1"`},
				{"GET", "/api/a%2Fb/users/c%2Fd", `GET /api/:v/users/:id /api/:v/users/:id v="a/b" id="c/d"`},
				{"BREW", "/api/1/any", `/api/:v/any /api/:v/any v="1"`},
				{"POST", "/api/1/tree/x/y", `POST /api/:v/tree/ /api/:v/tree/ v="1"`},
				{"POST", "/api/1/tree", `307 /api/1/tree/`},
				{"BREW", "/api/1/host/2", `PUT,BREW example.com/api/:v/host/{h} /api/:v/host/{h} v="1" h="2"`},
				{"GET", "/api/1/fast/2", `GET /api/:v/fast/:f /api/:v/fast/:f v="1" f="2"`},
				{"GET", "/api/1/g/x/y", `w GET /api/:v/g/*rest /api/:v/g/*rest v="1" rest="/x/y"`},
				{"PUT", "/api/1/users/5", "405 GET, HEAD, OPTIONS"},
				{"OPTIONS", "/api/1/users/5", "204 GET, HEAD, OPTIONS"},
				{"GET", "/api/1/users/5/", "307 /api/1/users/5"},
				{"GET", "/api/1/none", "404"},
				{"GET", "/users/5", "404"},
			} {
				if got := get(t, m, c.method, c.target); got != c.want {
					t.Errorf("%s, %s: %s %s: got %s, want %s", mode.name, when, c.method, c.target, got, c.want)
				}
			}
			// It still serves by itself.
			if got, want := get(t, sub, "GET", "/users/5"), `GET /users/:id /users/:id id="5"`; got != want {
				t.Errorf("%s, %s: the mounted Mux alone: got %s, want %s", mode.name, when, got, want)
			}
		}
	}
}

func TestMountNested(t *testing.T) {
	a, b, c := muxmaster.New(), muxmaster.New(), muxmaster.New()
	a.Use(trace("a"))
	b.Use(trace("b"))
	c.Use(trace("c"))
	c.GET("/first/:z", values)
	b.Mount("/c/:y", c)
	g := a.Group("/g")
	g.Use(trace("g"))
	g.Mount("/b/:x", b)
	c.GET("/late/:z", values)
	b.GET("/own", values)
	for _, tt := range [][2]string{
		{"/g/b/1/c/2/first/3", `a g b c x="1" y="2" z="3"`},
		{"/g/b/1/c/2/late/3", `a g b c x="1" y="2" z="3"`},
		{"/g/b/1/own", `a g b x="1"`},
	} {
		if got := get(t, a, "GET", tt[0]); got != tt[1] {
			t.Errorf("%s: got %s, want %s", tt[0], got, tt[1])
		}
	}
	if got, want := get(t, b, "GET", "/c/2/first/3"), `b c y="2" z="3"`; got != want {
		t.Errorf("b alone: got %s, want %s", got, want)
	}
}

// A Mux mounted twice, and two Muxes mounted at the same prefix.
func TestMountTwice(t *testing.T) {
	m, sub, other := muxmaster.New(), muxmaster.New(), muxmaster.New()
	sub.GET("/x/:id", values)
	other.GET("/y/:id", values)
	m.Mount("/a", sub)
	m.Mount("/b", sub)
	m.Mount("/a", other)
	sub.GET("/late/:id", values)
	for _, target := range []string{"/a/x/1", "/b/x/1", "/a/y/1", "/a/late/1", "/b/late/1"} {
		if got := get(t, m, "GET", target); got != `id="1"` {
			t.Errorf("%s: got %s", target, got)
		}
	}
	if got := get(t, m, "GET", "/b/y/1"); got != "404" {
		t.Errorf("/b/y/1: got %s", got)
	}
}

// Unmatched requests below a mounted Mux get its own handlers, inside its
// middleware.
func TestMountedFallbacks(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.NotFound, m.MethodNotAllowed = tell("outer 404"), tell("outer 405")
	sub.NotFound, sub.MethodNotAllowed = tell("inner 404"), tell("inner 405")
	m.Use(trace("m"))
	sub.Use(trace("s"))
	sub.GET("/x/:id", tell("x"))
	m.GET("/y", tell("y"))
	m.Mount("/sub/:a", sub)
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/none", "m outer 404"},
		{"POST", "/y", "m outer 405"},
		{"GET", "/sub/1/none", "m s inner 404"},
		{"POST", "/sub/1/x/2", "m s inner 405"},
		{"GET", "/sub/1/x/2", "m s x"},
		{"GET", "/sub", "m outer 404"},
	} {
		if got := trail(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
	plain := muxmaster.New()
	plain.NotFound = tell("outer 404")
	empty := muxmaster.New()
	plain.Mount("/e", empty)
	if got := get(t, plain, "GET", "/e/x"); got != "outer 404" {
		t.Errorf("a mounted Mux without NotFound: got %s", got)
	}
}

// The route / of a mounted Mux also serves the prefix without a slash, without
// a redirect.
func TestMountedRoot(t *testing.T) {
	show := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s ", r.Method, r.URL.Path)
		values(w, r)
	}
	for name, register := range map[string]func(sub *muxmaster.Mux){
		"GET /":       func(sub *muxmaster.Mux) { sub.GET("/", show) },
		"GET /{$}":    func(sub *muxmaster.Mux) { sub.GET("/{$}", show) },
		"ANY /":       func(sub *muxmaster.Mux) { sub.ANY("/", show) },
		"Handle /":    func(sub *muxmaster.Mux) { sub.HandleFunc("/", show) },
		"Handle /{$}": func(sub *muxmaster.Mux) { sub.HandleFunc("GET /{$}", show) },
		"fast": func(sub *muxmaster.Mux) {
			sub.GETFast("/", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { show(w, r) })
		},
		"group":        func(sub *muxmaster.Mux) { sub.Group("/").GET("/", show) },
		"nested mount": func(sub *muxmaster.Mux) { inner := muxmaster.New(); inner.GET("/", show); sub.Mount("/", inner) },
	} {
		for _, late := range []bool{false, true} {
			m, sub := muxmaster.New(), muxmaster.New()
			if !late {
				register(sub)
			}
			m.Mount("/api", sub)
			m.Mount("/p/:v/", sub)
			m.Group("/g").Mount("/in", sub)
			if late {
				register(sub)
			}
			for _, c := range [][2]string{
				{"/api", "GET /api "}, {"/api/", "GET /api/ "},
				{"/p/1", `GET /p/1 v="1"`}, {"/p/1/", `GET /p/1/ v="1"`},
				{"/g/in", "GET /g/in "}, {"/g/in/", "GET /g/in/ "},
				{"/", "404"}, {"/p/", "404"},
			} {
				if got := get(t, m, "GET", c[0]); got != c[1] {
					t.Errorf("%s, late %v, %s: got %s, want %s", name, late, c[0], got, c[1])
				}
			}
			if got := get(t, sub, "GET", "/"); got != "GET / " {
				t.Errorf("%s: the mounted Mux alone: got %s", name, got)
			}
		}
	}
	// A route of its own for the bare prefix wins for its method.
	m, sub := muxmaster.New(), muxmaster.New()
	m.POST("/api", tell("own"))
	sub.GET("/", tell("sub"))
	m.Mount("/api", sub)
	for _, c := range [][3]string{{"POST", "/api", "own"}, {"GET", "/api", "sub"}, {"PUT", "/api", "405 GET, HEAD, POST, OPTIONS"}} {
		if got := get(t, m, c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// Pre of a mounted Mux runs for its routes.
func TestMountedPre(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.Pre(trace("pre"))
	sub.Pre(trace("subpre"))
	sub.Use(trace("subuse"))
	sub.GET("/x/:id", values)
	m.Use(trace("use"))
	m.Mount("/s/:a", sub)
	m.GET("/y", values)
	for _, c := range [][2]string{{"/s/1/x/2", `pre use subpre subuse a="1" id="2"`}, {"/y", "pre use "}, {"/s/1/none", ""}} {
		if got := get(t, m, "GET", c[0]); c[1] != "" && got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
}

func TestBadMounts(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(m *muxmaster.Mux)
		want string
	}{
		{"nil", func(m *muxmaster.Mux) { m.Mount("/x", nil) }, `"/x"`},
		{"nil func", func(m *muxmaster.Mux) { m.Mount("/x", http.HandlerFunc(nil)) }, `"/x"`},
		{"nil Mux", func(m *muxmaster.Mux) { m.Mount("/x", (*muxmaster.Mux)(nil)) }, `"/x"`},
		{"itself", func(m *muxmaster.Mux) { m.Mount("/x", m) }, `"/x"`},
		{"a Group of itself", func(m *muxmaster.Mux) { m.Mount("/x", m.Group("/x")) }, `"/x"`},
		{"nil Group", func(m *muxmaster.Mux) { m.Mount("/x", (*muxmaster.Group)(nil)) }, `"/x"`},
		{"a circle", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.Mount("/x", sub)
			sub.Mount("/y", m)
		}, `"/y"`},
		{"no slash", func(m *muxmaster.Mux) { m.Mount("x", tell("")) }, `"x"`},
		{"empty", func(m *muxmaster.Mux) { m.Mount("", tell("")) }, `""`},
		{"a method", func(m *muxmaster.Mux) { m.Mount("GET /x", tell("")) }, `"GET /x"`},
		{"a catch-all", func(m *muxmaster.Mux) { m.Mount("/x/*rest", tell("")) }, `"/x/*rest"`},
		{"a bad prefix", func(m *muxmaster.Mux) { m.Mount("/x/:", tell("")) }, `"/x/:"`},
		{"twice", func(m *muxmaster.Mux) { m.Mount("/t", tell("")); m.Mount("/t", tell("")) }, `"/t"`},
		{"a name twice", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/:id", values)
			m.Mount("/x/:id", sub)
		}, `"GET /x/:id/:id"`},
		{"a name twice later", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.Mount("/x/:id", sub)
			sub.GET("/:id", values)
		}, `"GET /x/:id/:id"`},
		{"one Mux at one place twice", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.Mount("/x/:a", sub)
			m.Mount("/x/:b", sub)
			sub.GET("/y", values)
		}, `"GET /x/:b/y"`},
		{"a conflict", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/free", values)
			sub.GET("/y", values)
			m.GET("/x/y", values)
			m.Mount("/x", sub)
		}, `"GET /x/y"`},
		{"a conflict later", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.GET("/x/y", values)
			m.Mount("/x", sub)
			sub.GET("/y", values)
		}, `"GET /x/y"`},
	} {
		m := muxmaster.New()
		m.GET("/ok", tell("ok"))
		got := panics(func() { c.do(m) })
		if !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: panicked with %q, want muxmaster: and %s", c.name, got, c.want)
		}
		if got := get(t, m, "GET", "/ok") + get(t, m, "GET", "/x/free"); got != "ok404" {
			t.Errorf("%s: afterwards got %s, want the route before and nothing of the other Mux", c.name, got)
		}
	}
}

// A route that conflicts in an outer Mux is not registered anywhere.
func TestMountedConflictRegistersNowhere(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.GET("/b/x", tell("outer"))
	m.Mount("/a", sub)
	m.Mount("/b", sub)
	if text := panics(func() { sub.GET("/x", tell("sub")) }); !strings.Contains(text, "/b/x") {
		t.Errorf("panicked with %q", text)
	}
	if err := sub.TryHandle("GET /x", tell("sub")); err == nil {
		t.Error("TryHandle: no error")
	}
	for h, want := range map[*muxmaster.Mux]string{m: "404", sub: "404"} {
		target := "/x"
		if h == m {
			target = "/a/x"
		}
		if got := get(t, h, "GET", target); got != want {
			t.Errorf("%s: got %s, want %s", target, got, want)
		}
	}
}

// Mounting http.DefaultServeMux, as for net/http/pprof: its handlers see the
// whole path.
func TestMountDefaultServeMux(t *testing.T) {
	m := muxmaster.New()
	m.PoolRequestBundle = true
	m.Mount("/debug/pprof/", http.DefaultServeMux)
	for _, c := range []struct{ target, want string }{
		{"/debug/pprof/", "Types of profiles available"},
		{"/debug/pprof/goroutine?debug=1", "goroutine profile:"},
		{"/debug/pprof/cmdline", "test"},
	} {
		if a := ask(m, request(t, "GET", c.target)); a.status != 200 || !strings.Contains(a.body, c.want) {
			t.Errorf("%s: got %d %.100q, want %q", c.target, a.status, a.body, c.want)
		}
	}
}
