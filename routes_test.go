package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

type scopesKey struct{}

// Lookup finds the route that serves a request: in handlers, in middleware and in
// Pre middleware, on the Mux and on the one that it is mounted on.
func TestLookup(t *testing.T) {
	for _, mode := range modes {
		m, sub := newMux(mode.pooled), newMux(mode.pooled)
		show := func(where string, of *muxmaster.Mux, r *http.Request, w http.ResponseWriter) {
			rt, ok := of.Lookup(r)
			fmt.Fprintf(w, "%s %s %s %v %v;", where, rt.Method, rt.Pattern, rt.Value(scopesKey{}), ok)
		}
		at := func(where string, of *muxmaster.Mux) func(http.Handler) http.Handler {
			return func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					show(where, of, r, w)
					next.ServeHTTP(w, r)
				})
			}
		}
		handler := func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = "/changed"
			show("handler", m, r, w)
		}
		m.Pre(at("pre", m))
		m.Use(at("use", m))
		m.Annotate(scopesKey{}, "read").GET("/users/:id", handler)
		m.ANY("/users/me", handler)
		g := m.Annotate(scopesKey{}, "write").Group("/g")
		g.POST("/", handler)
		g.Annotate(scopesKey{}, "inner").POST("/x", handler)
		sub.Use(at("sub", sub))
		sub.GET("/y", handler)
		g.Mount("/sub", sub)
		for _, c := range [][3]string{
			{"GET", "/users/1", "pre GET /users/:id read true;use GET /users/:id read true;handler GET /users/:id read true;"},
			{"HEAD", "/users/1", "pre GET /users/:id read true;use GET /users/:id read true;handler GET /users/:id read true;"},
			{"PUT", "/users/me", "pre  /users/me <nil> true;use  /users/me <nil> true;handler  /users/me <nil> true;"},
			{"POST", "/g", "pre POST /g write true;use POST /g write true;handler POST /g write true;"},
			{"POST", "/g/", "pre POST /g write true;use POST /g write true;handler POST /g write true;"},
			{"POST", "/g/x", "pre POST /g/x inner true;use POST /g/x inner true;handler POST /g/x inner true;"},
			{"GET", "/g/sub/y", "pre GET /g/sub/y write true;use GET /g/sub/y write true;sub GET /g/sub/y write true;handler GET /g/sub/y write true;"},
			{"GET", "/none", "pre   <nil> false;use   <nil> false;"},
		} {
			got := ask(m, request(t, c[0], c[1])).body
			if c[0] == "HEAD" {
				w := httptest.NewRecorder()
				m.ServeHTTP(w, request(t, c[0], c[1]))
				got = w.Body.String()
			}
			if got != c[2] {
				t.Errorf("%s: %s %s: got\n%s, want\n%s", mode.name, c[0], c[1], got, c[2])
			}
		}
		if rt, ok := m.Lookup(request(t, "GET", "/users/1/")); ok {
			t.Errorf("%s: a redirect: got %v", mode.name, rt)
		}
	}
}

// Name gives routes names, which the Muxes around know too, with the whole path.
func TestName(t *testing.T) {
	outer, m := muxmaster.New(), muxmaster.New()
	m.Name("user.show").GET("/users/:id", tell("show"))
	m.Name("user.edit").Method("GET,PUT", "/users/:id/edit", tell("edit"))
	g := m.Group("/items")
	g.Name("items").GET("/", tell("items"))
	g.Name("items.file").With(trace("w")).GET("/{id}/*rest", tell("file"))
	g.Name("group").Group("/in").GET("/x", tell("x")) // the Group inside has no name
	if text := panics(func() { m.Name("user.show").GET("/other", tell("")) }); !strings.Contains(text, `has the name "user.show" of pattern "GET /users/:id" (registered at `) {
		t.Errorf("a second route of one name: panicked with %q", text)
	}
	outer.Name("users").Group("/none")
	outer.Mount("/api/{v}", m)
	m.Name("late").GET("/late", tell("late"))
	if err := func() (err any) {
		defer func() { err = recover() }()
		outer.Name("late").GET("/other", tell(""))
		return nil
	}(); err == nil {
		t.Error("a name of a mounted Mux was given twice")
	}
	for _, serving := range []bool{false, true} {
		if serving {
			ask(outer, request(t, "GET", "/"))
			ask(m, request(t, "GET", "/"))
		}
		for _, c := range []struct {
			mux   *muxmaster.Mux
			name  string
			pairs []string
			want  string
		}{
			{m, "user.show", []string{"id", "a b"}, "/users/a%20b"},
			{m, "user.edit", []string{"id", "1"}, "/users/1/edit"},
			{m, "items", nil, "/items"},
			{m, "items.file", []string{"id", "1", "rest", "a/b"}, "/items/1/a/b"},
			{m, "late", nil, "/late"},
			{outer, "user.show", []string{"v", "2", "id", "1"}, "/api/2/users/1"},
			{outer, "items", []string{"v", "2"}, "/api/2/items"},
			{outer, "late", []string{"v", "2"}, "/api/2/late"},
			{m, "group", nil, `muxmaster: URL: no route has the name "group"`},
			{m, "", nil, `muxmaster: URL: no route has the name ""`},
			{m, "user.show", nil, `muxmaster: URL "user.show": the parameter "id" has no value`},
		} {
			got, err := c.mux.URL(c.name, c.pairs...)
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("serving %v: URL(%q, %q) = %q, want %q", serving, c.name, c.pairs, got, c.want)
			}
		}
	}
	var names []string
	for r := range m.Routes() {
		names = append(names, r.Method+" "+r.Pattern+" "+r.Name)
	}
	if want := []string{"GET /items items", "GET /items/in/x ", "GET /items/{id}/*rest items.file", "GET /late late", "GET /users/:id user.show", "GET /users/:id/edit user.edit", "PUT /users/:id/edit user.edit"}; !slices.Equal(names, want) {
		t.Errorf("Routes: got %q, want %q", names, want)
	}
}

func TestAnnotate(t *testing.T) {
	type limit struct{}
	m, sub := muxmaster.New(), muxmaster.New()
	sub.Annotate(limit{}, 3).GET("/x", tell(""))
	sub.GET("/y", tell(""))
	g := m.Annotate(limit{}, 1).Group("/g")
	g.GET("/a", tell(""))
	g.Annotate(limit{}, 2).Annotate("other", nil).GET("/b", tell(""))
	g.Mount("/sub", sub)
	m.GET("/none", tell(""))
	want := map[string]any{"/g/a": 1, "/g/b": 2, "/g/sub/x": 3, "/g/sub/y": 1, "/none": nil}
	for r := range m.Routes() {
		if got := r.Value(limit{}); got != want[r.Pattern] || r.Value("unknown") != nil {
			t.Errorf("%s: got %v, want %v", r.Pattern, got, want[r.Pattern])
		}
	}
	for r := range sub.Routes() {
		if got := r.Value(limit{}); r.Pattern == "/y" && got != nil || r.Pattern == "/x" && got != 3 {
			t.Errorf("the mounted Mux: %s: got %v", r.Pattern, got)
		}
	}
	all := map[string][]any{}
	for r := range m.Routes() {
		for key, value := range r.Annotations() {
			if key != "other" && key != (limit{}) {
				t.Errorf("%s: the annotation %v has the key %v", r.Pattern, value, key)
			}
			all[r.Pattern] = append(all[r.Pattern], value)
		}
		for range r.Annotations() {
			break
		}
	}
	if want := map[string][]any{"/g/a": {1}, "/g/b": {nil, 2, 1}, "/g/sub/x": {3, 1}, "/g/sub/y": {1}}; !reflect.DeepEqual(all, want) {
		t.Errorf("Annotations: got %v, want %v", all, want)
	}
	for name, key := range map[string]any{"nil": nil, "slice": []int{}} {
		if text := panics(func() { m.Annotate(key, 1) }); !strings.HasPrefix(text, "muxmaster: Annotate: the key must be comparable") {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
}

// A middleware function can ask for the URL of a route and for the routes.
func TestURLInMiddleware(t *testing.T) {
	m := muxmaster.New()
	m.Use(func(next http.Handler) http.Handler {
		login, err := m.URL("login")
		n := 0
		for range m.Routes() {
			n++
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, login, err, n) })
	})
	m.Name("login").GET("/login", tell(""))
	if got := get(t, m, "GET", "/none"); got != "/login<nil> 1" {
		t.Errorf("got %s", got)
	}
}
