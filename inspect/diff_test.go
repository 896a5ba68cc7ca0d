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
		if change != "group" {
			admin.Use(requireLogin)
		}
		admin.GET("/x", map[bool]http.HandlerFunc{true: showNew, false: showOld}[change == "guarded handler"])
		if change != "mount" {
			sub.Use(requireLogin)
		}
		sub.GET("/y", h)
		m.Mount("/sub", sub)
		with := m.With(requireLogin)
		if change == "with" {
			with = m.With()
		}
		with.GET("/with", h)
		m.Handle("GET {tenant}.example.com/h/", h)
		m.Mount("/plain", h)
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
		{"group", []string{"GET /admin/x: lost login", "OPTIONS /admin/none-such: lost login"}},
		{"owner", []string{"GET /admin/none-such: new login", "GET /admin/x/: new login", "GET /open/none-such: lost route"}},
		{"mount", []string{"GET /sub/y: lost login"}},
		{"with", []string{"GET /with: lost login"}},
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
		func(m, sub *muxmaster.Mux) { g := m.Group("/a"); g.ANY("", h); g.With().ANY("/", h) },
		func(m, sub *muxmaster.Mux) { g := m.Group("/a"); g.GET("/", h); g.Handle("/", h); g.Handle("GET ", h) },
	} {
		m := muxmaster.New()
		program(m, muxmaster.New())
		rebuilt, err := rebuild(Examine(m), true)
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
	for _, bad := range []string{"", "{}", "[1]", `[{"Pattern":"x"}]`, `[{}]`} {
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
