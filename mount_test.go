package muxmaster_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// pathAnd is a handler that writes its path and path values.
func pathAnd(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s ", name, r.URL.EscapedPath())
		values(w, r)
	}
}

// A mounted handler gets the path as it came, and the values of the prefix.
func TestMountHandler(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.Mount("/p/:id", pathAnd("p"))
		m.Group("/g/:g").Mount("/in", pathAnd("g"))
		m.Mount("/s", http.StripPrefix("/s", pathAnd("s")))
		wants(t, m, exchanges{
			{"/p/1", `p /p/1 id="1"`},
			{"/p/a%2Fb/x%2Fy/", `p /p/a%2Fb/x%2Fy/ id="a/b"`},
			{"/p", "404"},
			{"/g/1/in/x", `g /g/1/in/x g="1"`},
			{"/s/x", "s /x "},
		}, mode.name)
	}
}

func TestMountRefusals(t *testing.T) {
	sub := func(routes string) *muxmaster.Mux { m := muxmaster.New(); add(m, routes); return m }
	mount := func(prefix string) func(m *muxmaster.Mux) {
		return func(m *muxmaster.Mux) { m.Mount(prefix, tell("")) }
	}
	refusals{
		{"itself", func(m *muxmaster.Mux) { m.Mount("/x", m) }, `"/x"`},
		{"a Group of itself", func(m *muxmaster.Mux) { m.Mount("/x", m.Group("/g")) }, "a Group cannot be mounted"},
		{"nil Group", func(m *muxmaster.Mux) { m.Mount("/x", (*muxmaster.Group)(nil)) }, `"/x"`},
		{"a circle", func(m *muxmaster.Mux) { s := sub("GET /free"); s.Mount("/y", m); m.Mount("/x", s) }, "cannot be mounted within itself"},
		{"a circle in an Update", func(m *muxmaster.Mux) {
			s := sub("GET /free")
			must(m.Update(func(u *muxmaster.Mux) error { u.Mount("/x", s); s.Mount("/y", m); return nil }))
		}, `"/x": a Mux cannot be mounted within itself`},
		{"a circle in two Updates", func(m *muxmaster.Mux) {
			s := sub("GET /free")
			must(m.Update(func(u *muxmaster.Mux) error {
				u.Mount("/x", s)
				return s.Update(func(s *muxmaster.Mux) error { s.Mount("/y", m); return nil })
			}))
		}, `"/x": a Mux cannot be mounted within itself`},
		{"the Mux of an Update", func(m *muxmaster.Mux) {
			m.Update(func(u *muxmaster.Mux) error { add(u, "GET /free"); sub("").Mount("/y", u); return nil })
		}, `"/y"`},
		{"no slash", mount("x"), `"x"`},
		{"empty", mount(""), `""`},
		{"a method", mount("GET /x"), `"GET /x"`},
		{"a catch-all", mount("/x/*rest"), `"/x/*rest"`},
		{"a bad prefix", mount("/x/:"), `"/x/:"`},
		{"twice", func(m *muxmaster.Mux) { mount("/ok")(m); mount("/ok")(m) }, `"/ok"`},
		{"a name twice", func(m *muxmaster.Mux) { m.Mount("/x/:id", sub("GET /:id")) }, `"/x/:id": the parameter "id" is also one of the route "/:id"`},
		{"a name twice, wrapped", func(m *muxmaster.Mux) { m.Mount("/x/:id", unwrapper{sub("GET /:id")}) }, `the parameter "id"`},
		{"a name of a host twice", func(m *muxmaster.Mux) { m.Host("{id}.h.com").Mount("/x", sub("GET /:id")) }, `the parameter "id"`},
		{"a name of a mount twice", func(m *muxmaster.Mux) { s := sub(""); s.Mount("/a/:id", sub("GET /y")); m.Mount("/x/:id", s) }, `the parameter "id"`},
		{"twice, with another name", func(m *muxmaster.Mux) { mount("/ok/:a")(m); m.Mount("/ok/:b", sub("")) }, `conflicts with pattern "/ok/:a"`},
		{"a catch-all inside the prefix", func(m *muxmaster.Mux) { m.Mount("/{x...}/files", sub("")) }, "cannot have a catch-all; use Group"},
	}.test(t)
}

// allowed is a MethodNotAllowed handler that writes its name and the header.
func allowed(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, name, " ", w.Header().Get("Allow"))
	})
}

// outcomeOf returns the body of a response or, if only middleware wrote to it,
// also the status and header.
func outcomeOf(a answer) string {
	body, _, _ := strings.Cut(a.body, "404 page")
	body, _, _ = strings.Cut(body, "Method Not")
	body, _, _ = strings.Cut(body, "<a href")
	body = strings.TrimSpace(body)
	if a.location != "" {
		return body + " => " + a.location
	}
	if a.allow != "" && !strings.Contains(body, a.allow) {
		return body + " Allow " + a.allow
	}
	return body
}

// wantOutcomes is wants for outcomes.
func wantOutcomes(t *testing.T, h http.Handler, rows exchanges, context ...any) {
	t.Helper()
	for _, row := range rows {
		if got := outcomeOf(send(t, h, row[0])); got != row[1] {
			t.Errorf("%v%s: got %q, want %q", context, row[0], got, row[1])
		}
	}
}

// A mounted http.Handler owns its prefix like a mounted Mux.
func TestMountedHandlerOwnsItsSubtree(t *testing.T) {
	routings{
		{"ANY /*path|Mount /a", exchanges{{"/a", "Mount /a"}, {"BREW /a/x/y", "Mount /a"}, {"/ax", "ANY /*path"}}},
		{"GET /:x/b|Mount /a/", exchanges{{"/a/b", "Mount /a/"}, {"/a", "Mount /a/"}, {"/a//b", "307 /a/b"}, {"HEAD /a/x", "Mount /a/"}, {"OPTIONS /a/x%2Fy", "Mount /a/"}, {"/b", "404"}}},
		{"GET /a/:x|Mount /a", exchanges{{"/a/b", "GET /a/:x"}, {"POST /a/b", "Mount /a"}}},
		{"GET /a/x/|Mount /a", exchanges{{"/a/x", "Mount /a"}}},
		{"POST /a|Mount /a", exchanges{{"POST /a", "POST /a"}, {"/a", "Mount /a"}, {"POST /a/", "Mount /a"}}},
		{"Handle POST /a/x/|Mount /a", exchanges{{"/a/x/y", "Mount /a"}}},
		{"Handle example.com/|Mount /a", exchanges{{"/a/x", "Handle example.com/"}}},
		{"Mount /a|Mount /a/b", exchanges{{"/a/b/c", "Mount /a/b"}, {"/a/bc", "Mount /a"}}},
		{"Mount /:v|Mount /a", exchanges{{"/a/x", "Mount /a"}}},
		{"Mount /:v/{n:[0-9]+}|ANY /*rest", exchanges{{"/a/1/x", "Mount /:v/{n:[0-9]+}"}, {"/a/b/x", "ANY /*rest"}}},
		{"Mount /|GET /x", exchanges{
			{"/x", "GET /x"}, {"POST /x", "Mount /"}, {"//y", "307 /y"}, {"/", "Mount /"}, {"/y/z", "Mount /"},
		}},
	}.test(t)
}

// tagged returns a Mux whose middleware and fallbacks write its name.
func tagged(name string) *muxmaster.Mux {
	m := muxmaster.New()
	m.NotFound, m.MethodNotAllowed = tell(name+" 404"), allowed(name+" 405")
	m.Use(trace(name))
	return m
}

// A Mux mounted at / responds instead of the Mux or Group that it is mounted on,
// also if that owns its prefix.
func TestMountsAtOnePrefix(t *testing.T) {
	a, b, c := tagged("a"), tagged("b"), tagged("c")
	add(a, "ANY /*path")
	add(b, "GET /b")
	add(c, "GET /x")
	b.Mount("/", c)
	a.Mount("/m", b)
	a.Route("/r", func(g *muxmaster.Group) {
		g.Use(trace("r"))
		add(g, "GET /r")
		g.Mount("/", c)
	})
	for prefix, around := range map[string]string{"": "", "/m": "a ", "/r": "a "} {
		m, chain, own := a, around+"b ", "/b"
		switch prefix {
		case "":
			m = b
		case "/r":
			chain, own = around+"r ", "/r"
		}
		wantOutcomes(t, m, exchanges{
			{prefix + "/x", chain + "c GET /x"},
			{"PUT " + prefix + "/x", chain + "c c 405 GET, HEAD, OPTIONS"},
			{prefix + "/none", chain + "c c 404"},
			{prefix + "/x/", chain + "c => " + prefix + "/x"},
			{prefix + own, chain + "GET " + own},
			{"PUT " + prefix + own, chain + "c c 404"},
		})
	}
}

// unwrapper is a handler that says what it wraps.
type unwrapper struct{ http.Handler }

func (u unwrapper) Unwrap() http.Handler { return u.Handler }

// mountWrappers wrap a mounted Mux, as middleware and the structs of programs do.
var mountWrappers = map[string]func(h http.Handler) http.Handler{
	"alone":      func(h http.Handler) http.Handler { return h },
	"middleware": func(h http.Handler) http.Handler { return http.HandlerFunc(h.ServeHTTP) },
	"a struct":   func(h http.Handler) http.Handler { return struct{ http.Handler }{h} },
	"unwrapped":  func(h http.Handler) http.Handler { return unwrapper{h} },
	"copies the request": func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r.Clone(r.Context())) })
	},
	"strips slashes": middleware.StripSlashes,
}

// A mounted Mux routes below the prefix, whatever wraps it, three levels deep, at
// several prefixes of several Muxes and hosts, in each mode.
func TestMountWrapped(t *testing.T) {
	for name, wrapped := range mountWrappers {
		for _, mode := range modes {
			root, mid, sub := newMux(mode.pooled), newMux(mode.pooled), newMux(mode.pooled)
			root.NotFound, root.MethodNotAllowed = tell("root 404"), allowed("root 405") // and those of the Muxes below it
			show := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Pattern, " "); values(w, r) }
			sub.Handle("POST /tree/", http.HandlerFunc(show))
			sub.Handle("PUT,BREW h.org/host/{h}", http.HandlerFunc(show))
			sub.GETFast("/fast/:f", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
				fmt.Fprint(w, r.Pattern, " ")
				fastValues(w, r, ps)
			})
			sub.Group("/g").With(trace("w")).ANY("/*rest", show)
			sub.GET("/", show)
			sub.GET("/users/:id", show)
			sub.Group("/in/:g").GET("/x", show)
			sub.Route("/own", func(g *muxmaster.Group) { g.GET("/x", show) })
			mid.Mount("/:v/sub", wrapped(sub))
			mid.GET("/plain", show)
			mid.GET("/:v/sub/users/me", show) // more specific, beside the mount
			root.Mount("/api", wrapped(mid))
			root.Host("{tenant}.h.com").Mount("/again", wrapped(sub))
			root.Mount("/third", wrapped(sub))
			wants(t, root, exchanges{
				{"/api/plain", "GET /api/plain "},
				{"POST /api/1/sub/tree/x/y", `POST /api/:v/sub/tree/ v="1"`}, {"POST /api/1/sub/tree", "307 /api/1/sub/tree/"},
				{"BREW h.org/api/1/sub/host/2", `PUT,BREW h.org/api/:v/sub/host/{h} v="1" h="2"`}, {"PUT /api/1/sub/host/2", "root 404"},
				{"/api/1/sub/fast/2", `GET /api/:v/sub/fast/:f v="1" f="2"`},
				{"BREW /api/1/sub/g/x/y", `w /api/:v/sub/g/*rest v="1" rest="/x/y"`},
				{"/api/1/sub/users/me", `GET /api/:v/sub/users/me v="1"`},
				{"/api/1/sub", `GET /api/:v/sub v="1"`},
				{"/api/1/sub/users/a%2Fb", `GET /api/:v/sub/users/:id v="1" id="a/b"`},
				{"HEAD /api/1/sub/users/5", `GET /api/:v/sub/users/:id v="1" id="5"`},
				{"/api/1/sub/in/2/x", `GET /api/:v/sub/in/:g/x v="1" g="2"`},
				{"PUT /api/1/sub/users/5", "root 405 GET, HEAD, OPTIONS"},
				{"OPTIONS /api/1/sub/users/5", "204 GET, HEAD, OPTIONS"},
				{"/api/1/sub/none", "root 404"}, {"/api/1/sub/own/none", "root 404"}, {"/api/none", "root 404"}, {"/none", "root 404"},
				{"/api/1/sub/in/2//x", "307 /api/1/sub/in/2/x"},
				{"/third/users/5", `GET /third/users/:id id="5"`},
				{"t1.h.com/again/users/5", `GET {tenant}.h.com/again/users/:id tenant="t1" id="5"`},
				{"t1.h.com/again/none", "root 404"}, {"t1.h.com/third", "GET /third "}, {"h.com/again/users/5", "root 404"},
			}, name, mode.name)
			if name != "strips slashes" {
				wants(t, root, exchanges{{"/api/1/sub/users/5/", "307 /api/1/sub/users/5"}, {"/api/1/sub/", `GET /api/:v/sub v="1"`}}, name, mode.name)
			}
			sub.GET("/late/:x", show)
			wants(t, root, exchanges{{"/api/1/sub/late/2", `GET /api/:v/sub/late/:x v="1" x="2"`}, {"/third/late/2", `GET /third/late/:x x="2"`}}, name, mode.name)
			wants(t, sub, exchanges{{"/users/5", `GET /users/:id id="5"`}, {"/api/1/sub/users/5", "404"}}, name, mode.name)
			must(root.Update(func(m *muxmaster.Mux) error { m.NotFound = tell("new 404"); return m.Remove("/third") }))
			wants(t, root, exchanges{{"/api/1/sub/none", "new 404"}, {"/third/users/5", "new 404"}}, name, mode.name)
		}
	}
}

// The short way to a Mux below a static prefix serves what the long way does, which a
// wrapper forces, whatever else the outer Mux has.
func TestMountShortcut(t *testing.T) {
	requests := strings.Fields("/api/users /api/users/1 /api/users/own /api/users/1/x /api /api/ /api/users/ /api//users /api/../users /API/users " +
		"/api/in/users /api/in/users/1 /api/none /other/users /other/users/1 /api/a%2Fb /api/v1/x /api/v1 /")
	for _, outer := range strings.Split("GET /none;GET /api/users/own;GET /api/users/;GET /api/users;POST /api/users/:y;GET /:x/users/:y;GET /:x/users;GET /a:x/users;"+
		"GET /api/:y;GET /*all;GET /:x/*all;POST /api/*all;GET /api/v1/*all;GET /{x:a.*}/users/1;GET /api/{y...}/x;Mount /api/users;Mount /:x;Mount /api/in;Handle GET h.com/api/users;GET /api/", ";") {
		var muxes [2]*muxmaster.Mux
		for i, wrapped := range []wrapper{func(h http.Handler) http.Handler { return h }, func(h http.Handler) http.Handler { return http.HandlerFunc(h.ServeHTTP) }} {
			m, sub, in := muxmaster.New(), muxmaster.New(), muxmaster.New()
			addTo(m, outer, pathAnd)
			for _, x := range []*muxmaster.Mux{sub, in} {
				addTo(x, "GET /|GET /users|GET /users/:id|GET /:v/x", func(string) http.HandlerFunc {
					return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Pattern, " "); values(w, r) }
				})
			}
			m.Mount("/api", wrapped(sub))
			m.Mount("/v1", wrapped(sub))
			if !strings.HasSuffix(outer, "/in") {
				sub.Mount("/in", wrapped(in))
			}
			muxes[i] = m
		}
		for _, method := range []string{"GET ", "HEAD ", "POST ", "OPTIONS ", "BREW ", "GET h.com"} {
			for _, path := range requests {
				short, long := send(t, muxes[0], method+path).brief(), send(t, muxes[1], method+path).brief()
				if short != long {
					t.Errorf("beside %s, %s%s: %q, and %q behind a wrapper", outer, method, path, short, long)
				}
			}
		}
	}
}

// The short way goes around neither middleware that returns a Mux, nor a Route that has
// no routes.
func TestMountShortcutIsNoWayAround(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	add(sub, "GET /users|GET /in/x")
	m.With(func(next http.Handler) http.Handler {
		guard := muxmaster.New()
		guard.Use(trace("login"))
		guard.Mount("/", next)
		return guard
	}).Mount("/admin", sub)
	m.With(func(http.Handler) http.Handler { return tagged("other") }).Mount("/replaced", tell("original"))
	m.Mount("/api", sub)
	m.Route("/api/in", func(g *muxmaster.Group) { g.Use(trace("closed")) })
	wantOutcomes(t, m, exchanges{{"/admin/users", "login GET /users"}, {"/replaced/x", "other other 404"}, {"/api/users", "GET /users"}, {"/api/in/x", "closed"}})
}

// A handler below a mount may choose from any number of Muxes. Each is compiled once.
func TestMountOfManyMuxes(t *testing.T) {
	var muxes []*muxmaster.Mux
	for range 100 {
		m := muxmaster.New()
		add(m, "GET /x")
		muxes = append(muxes, m)
	}
	m, next := muxmaster.New(), 0
	m.Mount("/m", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next++
		muxes[next%len(muxes)].ServeHTTP(w, r)
	}))
	r, w := request(t, "GET", "/m/x"), &discard{http.Header{}}
	for range muxes {
		wants(t, m, exchanges{{"/m/x", "GET /x"}})
	}
	if n := testing.AllocsPerRun(len(muxes), func() { m.ServeHTTP(w, r) }); n > 20 { // 11 where values are set with SetPathValue
		t.Errorf("a request takes %v allocations", n)
	}
}

// A method Unwrap may use the Mux that its handler is mounted on.
func TestMountUnwrapUsesTheMux(t *testing.T) {
	m := muxmaster.New()
	m.Name("x").GET("/x", tell("x"))
	m.Mount("/in", unwrapsWith(func() { m.URL("x") }))
	outer := muxmaster.New()
	outer.Mount("/m", m)
	wants(t, outer, exchanges{{"/m/x", "x"}})
}

type unwrapsWith func()

func (unwrapsWith) ServeHTTP(http.ResponseWriter, *http.Request) {}
func (f unwrapsWith) Unwrap() http.Handler                       { f(); return nil }

// Handlers of a mounted Mux can pass requests to it again, with the whole path or
// without the prefix.
func TestMountedMuxServesAgain(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	add(sub, "GET /x")
	sub.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Method = "GET"
		sub.ServeHTTP(w, r)
	})
	sub.Group("/g/:g").NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/api/1/x"
		sub.ServeHTTP(w, r)
	})
	sub.Mount("/old", http.StripPrefix("/api/1/old", sub))
	m.Mount("/api/:v", sub)
	wants(t, m, exchanges{{"POST /api/1/x", "GET /x"}, {"/api/1/g/2/none", "GET /x"}, {"/api/1/old/x", "GET /x"}})
}

// Behind StripPrefix, a mounted Mux serves the path that is left, also if that begins
// with the prefix. So does one that isn't mounted but called by a route, or as
// NotFound.
func TestMountStripped(t *testing.T) {
	m, sub, other := muxmaster.New(), muxmaster.New(), muxmaster.New()
	add(sub, "GET /|GET /x|GET /api/x")
	m.Mount("/api", http.StripPrefix("/api", sub))
	m.Handle("/handled/", sub)
	m.Mount("/other", other)
	other.NotFound = sub
	m.Mount("/hidden", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path, r.URL.RawPath = "/x", ""
		sub.ServeHTTP(w, r)
	}))
	m.Mount("/part/:v", http.StripPrefix("/part", sub))
	m.Mount("/moved", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/new" + strings.TrimPrefix(r.URL.Path, "/moved")
		sub.ServeHTTP(w, r)
	}))
	m.Mount("/:tenant", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/"+r.PathValue("tenant")), "/v1")
		r.URL.Path = cmp.Or(path, "/")
		sub.ServeHTTP(w, r)
	}))
	mid, in := muxmaster.New(), muxmaster.New()
	add(in, "GET /")
	mid.Mount("/in", http.HandlerFunc(in.ServeHTTP))
	m.Mount("/mid", http.StripPrefix("/mid", mid))
	root := muxmaster.New()
	root.Mount("/", http.HandlerFunc(mid.ServeHTTP))
	wants(t, root, exchanges{{"/in", "GET /"}, {"/in/", "GET /"}})
	add(sub, "GET /handled/y|GET /other/y|GET /1/y|GET /new/y|GET /new")
	wants(t, m, exchanges{
		{"/acme", "GET /"}, {"/acme/", "GET /"}, {"/acme/x", "GET /x"}, {"/acme/v1/x", "GET /x"}, {"/mid/in", "GET /"}, {"/mid/in/", "GET /"},
		{"/part/1/y", "GET /1/y"}, {"/moved/y", "GET /new/y"}, {"/moved", "GET /new"},
		{"/api/", "GET /"}, {"/api/x", "GET /x"}, {"/api/api/x", "GET /api/x"}, {"/api/api", "404"},
		{"/handled/y", "GET /handled/y"}, {"/other/y", "GET /other/y"}, {"/other/x", "404"}, {"/hidden/z", "GET /x"},
	})
}

// If a route that is registered later has the name of a parameter in the prefix, its
// own value is the one that handlers see.
func TestMountNameTwiceLater(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.Mount("/x/:id", sub)
	sub.GET("/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("id")) })
	wants(t, m, exchanges{{"/x/1/2", "2"}})
	needsNesting(t)
	sub.GETFast("/fast/:id", fastValues)
	wants(t, m, exchanges{{"/x/1/fast/2", `id="2"`}})
}

// Muxes that call each other by handlers that don't show it serve paths of any length.
func TestMountCircle(t *testing.T) {
	a, b := muxmaster.New(), muxmaster.New()
	a.Mount("/b", http.HandlerFunc(b.ServeHTTP))
	b.Mount("/a", http.HandlerFunc(a.ServeHTTP))
	add(a, "GET /x")
	wants(t, a, exchanges{{"/b/a/b/a/x", "GET /x"}, {strings.Repeat("/b/a", 500) + "/x", "404"}})
}

// A handler can serve clones of a request, although the request says where it was.
func TestMountAgain(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.Mount("/a", sub)
	sub.Mount("/b", http.HandlerFunc(values))
	r := request(t, "GET", "/a/b/x")
	for range 2 {
		if got := ask(m, r.Clone(r.Context())); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
	}
}
