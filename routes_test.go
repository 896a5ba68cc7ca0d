package muxmaster_test

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
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
			return wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				show(where, of, r, w)
				next.ServeHTTP(w, r)
			})
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
		add(sub, "ANY /")
		sub.GET("/y", handler)
		g.Mount("/sub", sub)
		thrice := func(found string) string { return "pre " + found + "use " + found + "handler " + found }
		for _, c := range [][2]string{
			{"/users/1", thrice("GET /users/:id read true;")},
			{"HEAD /users/1", thrice("GET /users/:id read true;")},
			{"PUT /users/me", thrice(" /users/me <nil> true;")},
			{"POST /g", thrice("POST /g write true;")},
			{"POST /g/", thrice("POST /g write true;")},
			{"POST /g/x", thrice("POST /g/x inner true;")},
			{"/g/sub/y", "pre GET /g/sub/y write true;use GET /g/sub/y write true;sub GET /g/sub/y <nil> true;handler GET /g/sub/y write true;"},
			{"/none", "pre   <nil> false;use   <nil> false;"},
			{"/g/sub/none", "pre   <nil> false;use   <nil> false;sub   <nil> false;"},
		} {
			if got := send(t, m, c[0]).body; got != c[1] {
				t.Errorf("%s: %s: got\n%s, want\n%s", mode.name, c[0], got, c[1])
			}
		}
		if rt, ok := m.Lookup(request(t, "GET", "/users/1/")); ok {
			t.Errorf("%s: a redirect: got %v", mode.name, rt)
		}
		// In Pre middleware, the pattern of a router around isn't confused with m's.
		std, other := http.NewServeMux(), muxmaster.New()
		std.Handle("/", m)
		other.Handle("/", http.HandlerFunc(m.ServeHTTP))
		m.Handle("/", tell("page"))
		wants(t, std, exchanges{{"/users/1", thrice("GET /users/:id read true;")}}, mode.name)
		wants(t, other, exchanges{{"/users/1", thrice("GET /users/:id read true;")}}, mode.name)
	}
}

// Lookup answers for the routes of now: if the route is replaced meanwhile, with the
// new one, if it is removed, with none.
func TestLookupReplaced(t *testing.T) {
	m := muxmaster.New()
	m.GET("/x/:id", func(w http.ResponseWriter, r *http.Request) {
		must(m.Update(func(m *muxmaster.Mux) error {
			must(m.Remove("GET /x/:id"))
			m.Annotate(scopesKey{}, "new").GET("/x/:id", tell("new"))
			return nil
		}))
		rt, ok := m.Lookup(r)
		fmt.Fprint(w, rt.Value(scopesKey{}), ok)
		must(m.Remove("GET /x/:id"))
		_, ok = m.Lookup(r)
		fmt.Fprint(w, ok)
	})
	wants(t, m, exchanges{{"/x/1", "newtruefalse"}})
}

// Before the first request, Lookup and Handler see the routes and fields of now.
func TestLookupBeforeFirstRequest(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	sub.GET("/x", serveUsers)
	m.Mount("/sub", sub)
	m.GET("/7/:id", serveUsers)
	r, slash := request(t, "GET", "/7/x"), request(t, "GET", "/7/x/")
	pattern := func(r *http.Request) string { _, p := m.Handler(r); return p }
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() {}, "GET /7/:id, , GET /7/:id"},
		{func() { sub.GET("/y", serveUsers); m.GET("/7/x", serveUsers) }, "GET /7/x, GET /sub/y, GET /7/x"},
		{func() { m.RedirectTrailingSlash = false }, "GET /7/x, GET /sub/y, "},
		{func() { m.RedirectTrailingSlash = true }, "GET /7/x, GET /sub/y, GET /7/x"},
	} {
		c.do()
		rt, _ := m.Lookup(r)
		if got := rt.Method + " " + rt.Pattern + ", " + pattern(request(t, "GET", "/sub/y")) + ", " + pattern(slash); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// In the handlers and middleware of a mounted Mux, that Mux and the one around know the
// route, with the whole pattern, also if the path was changed since. Lookup doesn't
// compile anything then.
func TestLookupInAMountedMux(t *testing.T) {
	outer, mid, sub := muxmaster.New(), muxmaster.New(), muxmaster.New()
	show := func(w http.ResponseWriter, r *http.Request, m *muxmaster.Mux) {
		rt, ok := m.Lookup(r)
		fmt.Fprintf(w, "%s %v;", rt.Pattern, ok)
	}
	for _, m := range []*muxmaster.Mux{mid, sub} {
		m.Use(wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			show(w, r, m)
			next.ServeHTTP(w, r)
		}))
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/a/b"
		show(w, r, sub)
		show(w, r, mid)
		show(w, r, outer)
	}
	for _, path := range []string{"/x", "/:a/:b", "/:a/:b/:c"} {
		sub.GET(path, handler)
	}
	mid.GET("/:y/:z", tell("yz"))
	outer.GET("/:page", tell("page"))
	outer.Mount("/mid", mid)
	mid.Mount("/{v}/sub", sub)
	mid.Mount("/plain/{v}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { show(w, r, outer) }))
	const plain = "/mid/plain/{v} true;/mid/plain/{v} true;"
	wantOutcomes(t, outer, exchanges{{"/mid/plain/1", plain}, {"/mid/plain/1/x", plain}})
	const x, in = "/mid/{v}/sub/x true;", "/{v}/sub/x true;"
	wantOutcomes(t, outer, exchanges{{"/mid/1/sub/x", x + x + x + x + x}, {"/mid/1/sub/y", "false; false;"}, {"/mid/a", "false;"}, {"/mid/a/b", "/mid/:y/:z true;yz"}})
	wantOutcomes(t, mid, exchanges{{"/1/sub/x", in + in + in + in + " false;"}, {"/1/sub/y", "false; false;"}})
	wantOutcomes(t, sub, exchanges{{"/x", "/x true;/x true; false; false;"}, {"/y", "false;"}})
	if rt, ok := sub.Lookup(request(t, "GET", "/mid/1/sub/x")); ok {
		t.Errorf("a request that no mount has passed on: got %v", rt)
	}
	for i := range 100 {
		sub.GET(fmt.Sprint("/many/", i), handler) // sub has to be compiled again
	}
	r := request(t, "GET", "/mid/1/sub/many/1")
	ask(outer, r)
	if n := testing.AllocsPerRun(100, func() { sub.Lookup(r) }); n > 50 {
		t.Errorf("Lookup takes %v allocations", n)
	}
}

// Around a mounted Mux that has found no route, Lookup finds none either, also where
// another one would serve the path if nothing were mounted.
func TestLookupAfterNotFound(t *testing.T) {
	for _, notFound := range []http.Handler{nil, http.NotFoundHandler()} {
		outer, mid, sub := muxmaster.New(), muxmaster.New(), muxmaster.New()
		outer.Mount("/mid", mid)
		mid.Use(wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			next.ServeHTTP(w, r)
			if rt, ok := mid.Lookup(r); ok {
				t.Errorf("with the NotFound %v: got %v", notFound, rt)
			}
		}))
		mid.Mount("/sub", sub)
		mid.GET("/mid/sub/none", tell(""))
		sub.NotFound = notFound
		wants(t, outer, exchanges{{"/mid/sub/none", "404"}})
	}
}

// A name stays with the methods of a list that are not removed, and is free
// again when none is left.
func TestNameAfterRemove(t *testing.T) {
	for _, serving := range []bool{false, true} {
		m := muxmaster.New()
		m.Name("x").Method("GET,POST,PUT", "/x", tell("x"))
		if serving {
			ask(m, request(t, "GET", "/x"))
		}
		for _, method := range []string{"PUT", "POST", "GET"} {
			if got, err := m.URL("x"); got != "/x" {
				t.Errorf("serving %v: before %s is removed: %q, %v", serving, method, got, err)
			}
			if text := panics(func() { m.Name("x").GET("/y", tell("y")) }); !strings.Contains(text, `has the name "x" of pattern "GET,POST,PUT /x"`) {
				t.Errorf("serving %v: before %s is removed: a second route panics with %q", serving, method, text)
			}
			must(m.Remove(method + " /x"))
		}
		m.Name("x").GET("/y", tell("y"))
		if got, err := m.URL("x"); got != "/y" {
			t.Errorf("serving %v: %q, %v", serving, got, err)
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
	outer.Mount("/again", m) // names stand for the first mount
	m.Name("late").GET("/late", tell("late"))
	m.Name("both").GET("/both", tell("both"))
	outer.Name("both").GET("/own", tell("own"))
	for _, serving := range []bool{false, true} {
		if serving {
			ask(outer, request(t, "GET", "/"))
			ask(m, request(t, "GET", "/"))
		}
		for _, c := range []struct {
			mux               *muxmaster.Mux
			name, pairs, want string
		}{
			{m, "user.show", "id,a b", "/users/a%20b"},
			{m, "user.edit", "id,1", "/users/1/edit"},
			{m, "items", "", "/items"},
			{m, "items.file", "id,1,rest,a/b", "/items/1/a/b"},
			{m, "late", "", "/late"},
			{outer, "user.show", "v,2,id,1", "/api/2/users/1"},
			{outer, "items", "v,2", "/api/2/items"},
			{outer, "late", "v,2", "/api/2/late"},
			{outer, "user.edit", "v,2,id,1", "/api/2/users/1/edit"},
			{outer, "both", "", "/own"}, // before those of mounted Muxes
			{m, "group", "", `muxmaster: URL: no route has the name "group"`},
			{m, "", "", `muxmaster: URL: no route has the name ""`},
			{m, "user.show", "", `muxmaster: URL "user.show": the parameter "id" has no value`},
			{m, "user.show", "id,1,id,2", `muxmaster: URL "user.show": the parameter "id" is given twice`},
		} {
			got, err := c.mux.URL(c.name, strings.FieldsFunc(c.pairs, func(r rune) bool { return r == ',' })...)
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
	if want := []string{"GET /both both", "GET /items items", "GET /items/in/x ", "GET /items/{id}/*rest items.file", "GET /late late", "GET /users/:id user.show", "GET /users/:id/edit user.edit", "PUT /users/:id/edit user.edit"}; !slices.Equal(names, want) {
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

func serveUsers(http.ResponseWriter, *http.Request)                  {}
func serveFast(http.ResponseWriter, *http.Request, muxmaster.Params) {}
func passOn(h http.Handler) http.Handler                             { return http.HandlerFunc(h.ServeHTTP) }
func failing(w http.ResponseWriter, r *http.Request)                 {}

var introspectedAt int // line of introspected

func introspected() *muxmaster.Mux {
	_, _, introspectedAt, _ = runtime.Caller(0)
	m := muxmaster.New()
	m.GET("/users/:id", serveUsers)
	m.GET("/users/me/", serveUsers)
	m.ANY("/users/*rest", serveUsers)
	m.GETFast("/fast/{id:[0-9]+}", serveFast)
	m.Handle("GET,POST example.com/x/", http.HandlerFunc(failing))
	m.With(passOn).POST("/users/:id", serveUsers)
	return m
}

func TestRoutes(t *testing.T) {
	m := introspected()
	want := []string{
		"GET  /fast/{id:[0-9]+} muxmaster_test.serveFast fast true ",
		"*  /users/*rest muxmaster_test.serveUsers fast false ",
		"GET  /users/:id muxmaster_test.serveUsers fast false ",
		"POST  /users/:id muxmaster_test.serveUsers fast false muxmaster_test.passOn",
		"GET  /users/me/ muxmaster_test.serveUsers fast false ",
		"GET example.com /x/ muxmaster_test.failing fast false ",
		"POST example.com /x/ muxmaster_test.failing fast false ",
	}
	for _, when := range []string{"before serving", "after"} {
		var got []string
		for rt := range m.Routes() {
			short := func(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
			got = append(got, fmt.Sprintf("%s %s %s %s fast %v %s", cmp.Or(rt.Method, "*"), rt.Host, rt.Pattern, short(rt.Handler), rt.Fast, short(strings.Join(rt.Middleware, " "))))
			if short(rt.File) != "routes_test.go" || rt.Line <= introspectedAt || rt.Line > introspectedAt+7 {
				t.Errorf("%s: %s registered at %s:%d", when, rt.Pattern, rt.File, rt.Line)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		ask(m, request(t, "GET", "/none"))
	}
}

func TestRoutesListPre(t *testing.T) {
	inner := muxmaster.New()
	inner.Pre(passOn)
	inner.GET("/x", serveUsers)
	m := muxmaster.New()
	m.Pre(passOn)
	m.Mount("/inner", inner)
	m.With(passOn).GET("/y", serveUsers)
	for rt := range m.Routes() {
		if len(rt.Middleware) != 2 {
			t.Errorf("%s: got the middleware %q, want two: Pre runs around every route", rt.Pattern, rt.Middleware)
		}
	}
}

// buildPathCases are also seeds of FuzzBuildPath. The pairs are separated by
// blanks; want is the path, or error and a part of its text.
var buildPathCases = []struct{ pattern, pairs, want string }{
	{"/", "", "/"},
	{"/users/", "", "/users/"},
	{"/users/{$}", "", "/users/"},
	{"/a b/ü", "", "/a%20b/%C3%BC"},
	{"/a%2Fb/c", "", "/a%2Fb/c"},
	{"/users/:id", "id 5", "/users/5"},
	{"GET /users/{id}", "id 5", "/users/5"},
	{"GET,POST example.com/users/{id}", "id 5", "/users/5"},
	{"/:a/:b/", "a 1 b 2", "/1/2/"},
	{"/users/:id", "id a/b", "/users/a%2Fb"},
	{"/users/:id", "id ?#", "/users/%3F%23"},
	{"/users/:id", "id ...", "/users/..."},
	{"/users/:id", "id \x00\xff", "/users/%00%FF"},
	{"/users/{id:[0-9]+}", "id 12", "/users/12"},
	{"/users/{id:[a-z/]+}", "id a/b", "/users/a%2Fb"},
	{"/v{major}.{minor}", "major 1 minor 2", "/v1.2"},
	{"/v{major}.{minor}", "major 1 minor 2.3", "/v1.2.3"},
	{"/{name}.json", "name a", "/a.json"},
	{"/{name}.json", "name a.json", "/a.json.json"},
	{"/static/*filepath", "filepath /a/b", "/static/a/b"},
	{"/static/*filepath", "filepath a/b", "/static/a/b"},
	{"/static/*filepath", "filepath /", "/static/"},
	{"/static/*filepath", "filepath /a?b/c%d", "/static/a%3Fb/c%25d"},
	{"/static/{filepath...}", "filepath a/b", "/static/a/b"},
	{"/v2/{name...}/tags", "name a/b", "/v2/a/b/tags"},
	{"/v2/{name...}/{$}", "name a/b", "/v2/a/b/"},
	{"/{name...}/manifests/{ref}", "name a/manifests/b ref c", "/a/manifests/b/manifests/c"},
	{"/{name...}/manifests/{ref}", "ref a/b name a", "/a/manifests/a%2Fb"},
	{"GET h.com/{name...}/b/{rest...}", "name a rest c/d", "/a/b/c/d"},
	{"/{name...}/b/*rest", "name a rest c/d", "/a/b/c/d"},

	{"/v2/{name...}/tags", "name /a", `error "name"`},
	{"/v2/{name...}/tags", "name ", `error "name"`},
	{"/v2/{name...}/tags", "name a/../b", `error "name"`},
	{"/{name...}/b/{rest...}", "name a rest c/b/d", `error read back as ["a/b/c" "d"]`},
	{"/{name...}/{a}/{rest...}", "name a a b rest c/d", `error read back as`},

	{"/users/:id", "", `error "id"`},
	{"/users/:id", "id", `error "id"`},
	{"/users/:id", "id 5 name 6", `error "name"`},
	{"/users", "id 5", `error "id"`},
	{"/users/:id", "id ", `error "id"`},
	{"/users/:id", "id .", `error "."`},
	{"/users/:id", "id ..", `error ".."`},
	{"/users/{id:[0-9]+}", "id x", `error [0-9]+`},
	{"/v{major}.{minor}", "major 1.2 minor 3", `error 1.2`},
	{"/v{major}.{minor}", "major  minor 3", `error "major"`},
	{"/.{x}", "x .", `error`},
	{"/static/*f", "f /a//b", `error "f"`},
	{"/static/*f", "f /a/../b", `error "f"`},
	{"/*f", "f //evil.com", `error "f"`},
	{"/{f...}", "f /evil.com", `error "f"`},
	{"/static/{f...}", "f ..", `error "f"`},
	{"/static/{f...}", "", `error "f"`},
	{"//0", "", "error"},
	{"/a/../b", "", "error"},
	{"", "", "error"},
	{"/:", "", "error"},
	{"/{id", "id 5", "error"},
}

func split(pairs string) []string {
	if pairs == "" {
		return nil
	}
	return strings.Split(pairs, " ")
}

func TestBuildPath(t *testing.T) {
	for _, c := range buildPathCases {
		got, err := muxmaster.BuildPath(c.pattern, split(c.pairs)...)
		part, fails := strings.CutPrefix(c.want, "error")
		if !fails {
			if err != nil || got != c.want {
				t.Errorf("BuildPath(%q, %q) = %q, %v, want %q", c.pattern, c.pairs, got, err, c.want)
			}
			continue
		}
		if err == nil || got != "" || !strings.HasPrefix(err.Error(), "muxmaster: ") || !strings.Contains(err.Error(), strings.TrimSpace(part)) || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.pattern)) {
			t.Errorf("BuildPath(%q, %q) = %q, %v, want an error with %s", c.pattern, c.pairs, got, err, part)
		}
	}
}

// roundTrip builds a path and checks that the pattern matches it with the same
// values.
func roundTrip(t *testing.T, pattern string, pairs []string) {
	path, err := muxmaster.BuildPath(pattern, pairs...)
	if err != nil {
		return
	}
	if strings.HasPrefix(path, "//") || !strings.HasPrefix(path, "/") {
		t.Fatalf("BuildPath(%q, %q) = %q, which may name a host", pattern, pairs, path)
	}
	var refused []string
	for name, register := range map[string]func(m *muxmaster.Mux, h http.HandlerFunc){
		"Handle": func(m *muxmaster.Mux, h http.HandlerFunc) { m.Handle(pattern, h) },
		"ANY":    func(m *muxmaster.Mux, h http.HandlerFunc) { m.ANY(pattern, h) },
	} {
		method, host := "GET", "example.com"
		if !strings.HasPrefix(pattern, "/") {
			if name == "ANY" {
				continue
			}
			before, _, _ := strings.Cut(pattern, "/")
			if strings.ContainsAny(before, " \t") {
				i := strings.IndexAny(before, " ,\t")
				method, before = before[:i], before[strings.LastIndexAny(before, " \t")+1:]
			}
			if method == "" {
				method = "GET"
			}
			host = before
			if strings.Contains(host, ":") && method != "CONNECT" { // see TestLikeServeMux
				continue
			}
		}
		m := muxmaster.New()
		served := false
		if text := panics(func() {
			register(m, func(w http.ResponseWriter, r *http.Request) {
				served = true
				ps := muxmaster.PathParams(r)
				if len(ps) != len(pairs)/2+strings.Count(host, "{") { // BuildPath takes no values for the host
					t.Errorf("%s %q, %q: got %v, want %q", name, pattern, path, ps, pairs)
				}
				for i := 0; i < len(pairs); i += 2 {
					got, ok := ps.Lookup(pairs[i])
					if !ok || got != pairs[i+1] && got != "/"+pairs[i+1] {
						t.Errorf("%s %q, %q: %s=%q, want %q", name, pattern, path, pairs[i], got, pairs[i+1])
					}
				}
			})
		}); text != "" {
			refused = append(refused, text)
			continue
		}
		r, err := readRequest("example.com", "GET", path)
		if err != nil {
			t.Fatalf("BuildPath(%q, %q) = %q: %v", pattern, pairs, path, err)
		}
		r.Method, r.Host = method, host
		if a := ask(m, r); !served {
			t.Errorf("%s %q does not match %q, which BuildPath made of %q: %s", name, pattern, path, pairs, a.brief())
		}
	}
	if len(refused) == 2 || len(refused) == 1 && !strings.HasPrefix(pattern, "/") {
		t.Errorf("BuildPath(%q, %q) = %q, but the pattern is refused: %s", pattern, pairs, path, refused)
	}
}

func FuzzBuildPath(f *testing.F) {
	for _, c := range buildPathCases {
		p := append(split(c.pairs), "", "", "", "")
		f.Add(c.pattern, p[0], p[1], p[2], p[3])
	}
	f.Add("/{a}-{b:[0-9-]+}", "a", "x", "b", "1-2")
	f.Add("/{a:[0-9.]+}.{b}", "a", "1.2", "b", "x")
	f.Fuzz(func(t *testing.T, pattern, n1, v1, n2, v2 string) {
		if len(pattern) > 200 || strings.Contains(pattern, "(?") {
			return
		}
		roundTrip(t, pattern, nil)
		roundTrip(t, pattern, []string{n1, v1})
		roundTrip(t, pattern, []string{n1, v1, n2, v2})
	})
}

// TestRoutesPrint checks that text which would change a terminal or its own order
// isn't printed.
func TestRoutesPrint(t *testing.T) {
	m := muxmaster.New()
	m.GET("/a\u202Eb", values)
	text := fmt.Sprint(slices.Collect(m.Routes()), m.Explain("GET", "/a%E2%80%AEb"), m.Explain("GET", "/"))
	if strings.Contains(text, "\u202E") || !strings.Contains(text, "/a\uFFFDb") {
		t.Errorf("printed %q", text)
	}
}
