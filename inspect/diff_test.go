package inspect

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func requireLogin(next http.Handler) http.Handler { return next }

func showOld(http.ResponseWriter, *http.Request) {}
func showNew(http.ResponseWriter, *http.Request) {}

// TestDiff changes one thing in a program with Groups, mounts and a page for
// everything else, and checks what Diff finds, as METHOD TARGET: kind. Where a Group
// becomes a Route, it is what docs/migration.md says.
func TestDiff(t *testing.T) {
	program := func(change string) *muxmaster.Mux {
		m, sub := muxmaster.New(), muxmaster.New()
		if change == "login on everything" {
			m.Use(requireLogin)
		}
		h := http.HandlerFunc(showOld)
		m.GET("/*page", h)
		m.GET(map[bool]string{true: "/users/:user", false: "/users/:id"}[change == "parameter"], map[bool]http.HandlerFunc{true: showNew, false: showOld}[change == "handler"])
		if change != "route" {
			m.POST("/users/:id", h)
		}
		var admin, open *muxmaster.Group
		if change == "owner" {
			m.Route("/admin", func(g *muxmaster.Group) { admin = g })
			m.Route("/open", func(g *muxmaster.Group) { open = g })
		} else {
			admin, open = m.Group("/admin"), m.Group("/open")
		}
		open.GET("/x", h)
		open.GET("", h) // looks like its root
		m.GET("/open/", h)
		if change != "group" {
			admin.Use(requireLogin)
		}
		admin.GET("/x", map[bool]http.HandlerFunc{true: showNew, false: showOld}[change == "guarded handler"])
		if change != "mount" {
			sub.Use(requireLogin)
		}
		sub.GET("/y", h)
		m.Mount("/sub", sub)
		sub.GET("/", h)
		m.GET("/sub/", h) // comes first
		with := m.With(requireLogin)
		if change == "with" {
			with = m.With()
		}
		with.GET("/with", h)
		m.Handle("GET {tenant}.example.com/h/", h)
		if guarded := m.With(requireLogin); change == "plain mount" {
			guarded.ANY("/plain", h)
		} else {
			guarded.Mount("/plain", h)
		}
		host, shop := m.Host("{shop}.example.org"), muxmaster.New()
		if change != "host" {
			host.Use(requireLogin)
		}
		host.GET("/x", h)
		host.Group("/g").GET("/y", h)
		shop.GET("/z", h)
		host.With(requireLogin).Mount("/sub", shop)
		m.Host("b.example").Mount("/sub", muxmaster.New())
		return m
	}
	// routes.json goes through JSON, as a file does.
	routes := func(m *muxmaster.Mux) (list []Route) {
		data, err := json.Marshal(Examine(m))
		if err != nil {
			t.Fatal(err)
		}
		if list, err = ReadRoutes(strings.NewReader(string(data))); err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, tt := range []struct {
		change string
		want   []string // "" for no difference
	}{
		{"", nil},
		{"handler", []string{"GET /users/1: handler"}},
		{"parameter", []string{"GET /users/1: handler"}},
		{"guarded handler", []string{"GET /admin/x: handler"}},
		{"route", []string{"POST /users/1: lost route"}},
		{"group", []string{"GET /admin/x: lost login", "OPTIONS /admin/none-such: middleware"}},
		{"owner", []string{"GET /admin/none-such: lost route", "GET /admin/x/: status", "GET /open/none-such: lost route"}},
		{"mount", []string{"GET /sub/y: lost login"}},
		{"plain mount", []string{"GET /plain/a: lost login"}},
		{"with", []string{"GET /with: lost login"}},
		{"host", []string{"GET /x: lost login", "GET /g/y: lost login", "OPTIONS /g/none-such: middleware", "OPTIONS /none-such: middleware"}},
		{"login on everything", []string{"GET /users/1: new login", "POST /none-such: new login"}},
	} {
		list, err := Diff(routes(program("")), routes(program(tt.change)))
		if err != nil {
			t.Errorf("%s: %v", tt.change, err)
		}
		if (len(list) == 0) != (tt.want == nil) {
			t.Errorf("%s: %v", tt.change, list)
		}
		for _, want := range tt.want {
			if !slices.ContainsFunc(list, func(d Difference) bool {
				return d.Request.Method+" "+d.Request.RequestURI+": "+d.Kind.String() == want
			}) {
				t.Errorf("%s: %q is missing in %v", tt.change, want, list)
			}
		}
	}
}

func requireJSON(next http.Handler) http.Handler { return next }

// requireRole is what the compiler inlines.
func requireRole(role string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { _ = role; return next }
}

// A loginAround is a handler around a mounted Mux.
type loginAround struct{ http.Handler }

func (l loginAround) Unwrap() http.Handler { return l.Handler }

type needs string

func (n needs) String() string { return "needs " + string(n) }

// TestDiffMiddleware changes the middleware of a program, and checks the first
// line about the route /a/x of each kind.
func TestDiffMiddleware(t *testing.T) {
	type use = func(http.Handler) http.Handler
	h := http.HandlerFunc(showOld)
	group := func(list ...use) func(*muxmaster.Mux) {
		return func(m *muxmaster.Mux) {
			g := m.Group("/a")
			g.Use(list...)
			g.GET("/x", h)
		}
	}
	route := func(list ...use) func(*muxmaster.Mux) {
		return func(m *muxmaster.Mux) { m.Route("/a", func(g *muxmaster.Group) { g.Use(list...); g.GET("/x", h) }) }
	}
	mount := func(login bool) func(*muxmaster.Mux) {
		return func(m *muxmaster.Mux) {
			var sub http.Handler = muxmaster.New()
			sub.(*muxmaster.Mux).GET("/x", h)
			if login {
				sub = loginAround{sub}
			}
			m.Mount("/a", sub)
		}
	}
	behind := func(f func(*muxmaster.Mux)) func(*muxmaster.Mux) {
		return func(m *muxmaster.Mux) { f(m); m.With(requireLogin).ANY("/*rest", h) }
	}
	for _, tt := range []struct {
		old, now func(*muxmaster.Mux)
		want     string
	}{
		{group(requireLogin, requireJSON), group(requireJSON), "lost login: GET /a/x: inspect.requireLogin, now none\n"},
		{group(requireLogin, requireJSON), group(requireLogin), "lost login: GET /a/x: inspect.requireJSON, now none\n"},
		{group(requireLogin, requireLogin), group(requireLogin), "lost login: GET /a/x: inspect.requireLogin, now none\n"},
		{group(requireLogin), group(requireJSON), "lost login: GET /a/x: inspect.requireLogin, now inspect.requireJSON\n"},
		{group(requireLogin), route(), "lost login: GET /a/x: inspect.requireLogin, now none\n"},
		{route(requireRole("a")), route(), "lost login: GET /a/x: inspect.requireRole, now none\n"},
		{group(logRequests, requireLogin), group(logRequests), "lost login: GET /a/x: inspect.requireLogin, now none\n"},
		{group(logRequests, requireLogin), group(requireLogin), "middleware: GET /a/x: inspect.logRequests, now none\n"},
		{group(requireLogin), group(logRequests, requireLogin), "middleware: GET /a/x: none, now inspect.logRequests\n"},
		{group(logRequests, requireLogin), group(requireLogin, logRequests), "middleware: GET /a/x: inspect.logRequests → inspect.requireLogin, now inspect.requireLogin → inspect.logRequests\n"},
		{group(logRequests), group(logRequests, requireLogin), "new login: GET /a/x: none, now inspect.requireLogin\n"},
		{group(requireLogin), route(requireLogin), ""},
		{group(requireLogin), func(m *muxmaster.Mux) { m.With(requireLogin).GET("/a/x", h) }, ""},
		{group(requireLogin), func(m *muxmaster.Mux) { m.Use(requireLogin); group()(m) }, ""},
		{behind(group()), behind(route()), ""}, // OPTIONS was handled, and isn't now
		{group(requireLogin), func(m *muxmaster.Mux) {
			m.With(logRequests).POST("/a/x", h)
			m.With(logRequests).GET("/a/x", showNew)
		}, "lost login: GET /a/x: inspect.requireLogin, now inspect.logRequests\n" + "handler: GET /a/x: inspect.showOld, now inspect.showNew by GET /a/x\n"},
		{func(m *muxmaster.Mux) { m.With(requireLogin).GET("/a/{q:x|y}", h); m.GET("/a/{p:x|z}", h) },
			func(m *muxmaster.Mux) { m.GET("/a/{p:x|z}", h); m.With(requireLogin).GET("/a/{q:x|y}", h) }, "lost login: GET /a/x: inspect.requireLogin by GET /a/{q:x|y}, now none by GET /a/{p:x|z}\n" +
				"handler: GET /a/x: inspect.showOld(q) by GET /a/{q:x|y}, now inspect.showOld(p) by GET /a/{p:x|z}\n"},
		{func(m *muxmaster.Mux) {
			m.With(requireLogin).POST("/a/{q:x|y}", h)
			m.Method("GET,POST", "/a/{p:x|z}", h)
		}, func(m *muxmaster.Mux) {
			m.Method("GET,POST", "/a/{p:x|z}", h)
			m.With(requireLogin).POST("/a/{q:x|y}", h)
		}, "lost login: POST /a/x: inspect.requireLogin by POST /a/{q:x|y}, now none by POST /a/{p:x|z}\n" +
			"handler: POST /a/x: inspect.showOld(q) by POST /a/{q:x|y}, now inspect.showOld(p) by POST /a/{p:x|z}\n"},
		{mount(true), mount(false), "lost login: GET /a/x: inspect.loginAround, now none\n"},
		{func(m *muxmaster.Mux) { m.Annotate(0, needs("a/b c")).GET("/a/x", h) }, func(m *muxmaster.Mux) { m.Annotate(0, needs("a/b")).GET("/a/x", h) },
			"middleware: GET /a/x: [needs a/b c], now [needs a/b]\n"},
		{func(m *muxmaster.Mux) { m.With(requireLogin).Method("HEAD", "/a/x", h) }, func(m *muxmaster.Mux) { m.Method("HEAD", "/a/x", h) }, "lost login: HEAD /a/x: inspect.requireLogin, now none\n"},
	} {
		before, after := muxmaster.New(), muxmaster.New()
		tt.old(before)
		tt.now(after)
		list, err := Diff(Examine(before), Examine(after))
		got := ""
		for _, d := range list {
			if d.Request.RequestURI == "/a/x" && d.Request.Host == "example.com" && (d.Request.Method == "GET" || strings.Contains(tt.want, d.Request.Method)) || d.Kind == LostLogin && tt.want == "" {
				got += d.String() + "\n"
			}
		}
		if err != nil || got != tt.want {
			t.Errorf("%v: got\n%swant\n%s", err, got, tt.want)
		}
	}
}

// TestDiffNames compares functions of packages with the same name.
func TestDiffNames(t *testing.T) {
	for _, tt := range []struct{ oldMiddleware, oldHandler, middleware, handler, want string }{
		{"a.example/auth.Check.func1", "a.example/v1.Show", "a.example/auth.Check.func2", "a.example/v1.Show", "no difference\n"},
		{"a.example/auth.Check.func1", "main.show", "auth.Check.func1", "main.show", "no difference\n"}, // inlined
		{"a.example/auth.Check", "main.show", "b.example/auth.Check", "main.show", "lost login: 1 request\n  GET /: a.example/auth.Check, now b.example/auth.Check\n"},
		{"main.x", "a.example/v1.Show", "main.x", "b.example/v1.Show", "handler: 1 request\n  GET /: a.example/v1.Show, now b.example/v1.Show by GET /\n"},
	} {
		route := func(middleware, handler string) []Route {
			return []Route{{Route: muxmaster.Route{Method: "GET", Pattern: "/", Handler: handler, Middleware: []string{middleware}}}}
		}
		list, err := Diff(route(tt.oldMiddleware, tt.oldHandler), route(tt.middleware, tt.handler))
		list = slices.DeleteFunc(list, func(d Difference) bool {
			return d.Request.Method != "GET" || d.Request.RequestURI != "/" || d.Request.Host != "example.com"
		})
		var got strings.Builder
		PrintDifferences(&got, list)
		if err != nil || got.String() != tt.want {
			t.Errorf("%v: got\n%swant\n%s", err, &got, tt.want)
		}
	}
}

// TestDiffRebuilds checks that Diff compares programs that behave as the real
// ones where routes are those of a prefix itself.
func TestDiffRebuilds(t *testing.T) {
	h, none := http.HandlerFunc(showOld), http.NotFoundHandler()
	for _, program := range []func(m, sub *muxmaster.Mux){
		func(m, sub *muxmaster.Mux) { sub.GET("/", h); m.Mount("/a", sub) },
		func(m, sub *muxmaster.Mux) {
			sub.Handle("/{$}", h)
			sub.Handle("other.example/", h)
			m.Mount("/a", sub)
		},
		func(m, sub *muxmaster.Mux) {
			sub.Handle("other.example/{$}", h)
			m.Route("/a", func(g *muxmaster.Group) { g.Mount("/", sub) })
		},
		func(m, sub *muxmaster.Mux) { sub.GET("/a", h); m.GET("/", none.ServeHTTP); m.Mount("/", sub) },
		func(m, sub *muxmaster.Mux) {
			m.Group("/a").GET("/", h)
			m.Group("/a").With().Method("POST,PUT", "/", h)
		},
		func(m, sub *muxmaster.Mux) {
			sub.GET("/", h)
			sub.Host("in.example").GET("/in", h)
			for _, host := range []string{"{t}.example", "b.example"} {
				g := m.Host(host)
				g.Use(map[bool]func(http.Handler) http.Handler{true: requireLogin, false: requireJSON}[host[0] == 'b'])
				g.GET("/", h)
				g.Handle("/tree/", h)
				g.Group("/g").GET("/", h)
				g.Mount("/sub", sub)
			}
			m.Group("/admin").Host("c.example").GET("/", h)
		},
		func(m, sub *muxmaster.Mux) { g := m.Group("/a"); g.ANY("", h); g.With().ANY("/", h) },
		func(m, sub *muxmaster.Mux) { g := m.Group("/a"); g.GET("/", h); g.Handle("/", h); g.Handle("GET ", h) },
	} {
		m := muxmaster.New()
		program(m, muxmaster.New())
		rebuilt, err := rebuild(Examine(m))
		if err != nil {
			t.Errorf("%v: %v", Examine(m), err)
			continue
		}
		for r := range Requests(m) {
			want, ok := m.Lookup(r)
			got, ok2 := rebuilt.Lookup(r)
			if ok != ok2 || got.Pattern != want.Pattern || got.Method != want.Method {
				t.Errorf("%s %s%s: got %v, want %v", r.Method, r.Host, r.RequestURI, got, want)
			}
		}
	}
}

func TestReadRoutes(t *testing.T) {
	for _, bad := range []string{"", "{}", "[1]", "null", "[] []", "[]]", `[{"Pattern":"x"}]`, `[{}]`} {
		if _, err := ReadRoutes(strings.NewReader(bad)); err == nil || !strings.HasPrefix(err.Error(), "inspect: not a routes.json") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, odd := range []string{
		`[{"Pattern":"/{x","Method":"GET"}]`, `[{"Pattern":"/a","Method":"G T"}]`, `[{"Pattern":"/a"},{"Pattern":"/a"}]`,
		`[{"Pattern":"/a","Scopes":[{"Kind":"mux"},{"Kind":"group","Prefix":"/b","Middleware":-7}]}]`,
		`[{"Pattern":"/a","Scopes":[{"Kind":"mux"},{"Kind":"mount","Prefix":"b"}]}]`,
		`[{"Pattern":"/a","Scopes":[{"Kind":"mux","Middleware":3},{"Kind":"with","Middleware":-3},{"Kind":"mount","Prefix":"b"}]}]`,
	} {
		routes, err := ReadRoutes(strings.NewReader(odd))
		if err != nil {
			t.Fatal(err)
		}
		PrintTree(io.Discard, routes) // doesn't panic
		if _, err := Diff(routes, nil); err == nil || !strings.HasPrefix(err.Error(), "inspect: the old routes: ") {
			t.Errorf("%s: %v", odd, err)
		}
	}
}
