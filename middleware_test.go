package muxmaster_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// trace is middleware that writes its name before calling the handler.
func trace(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s ", name)
			next.ServeHTTP(w, r)
		})
	}
}

func traceFast(name string) muxmaster.FastMiddleware {
	return func(next muxmaster.FastHandler) muxmaster.FastHandler {
		return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
			fmt.Fprintf(w, "%s ", name)
			next(w, r, ps)
		}
	}
}

// trail returns the order in which the middleware of a response ran.
func trail(t testing.TB, h http.Handler, method, target string) string {
	t.Helper()
	body := ask(h, request(t, method, target)).body
	body, _, _ = strings.Cut(body, "404 page")
	body, _, _ = strings.Cut(body, "Method Not")
	body, _, _ = strings.Cut(body, "<a href")
	return strings.TrimSpace(body)
}

func TestMiddlewareOrder(t *testing.T) {
	m, fm := muxmaster.New(), muxmaster.New()
	for _, m := range []*muxmaster.Mux{m, fm} {
		m.Pre(trace("pre1"), trace("pre2"))
		m.Pre(trace("pre3"))
	}
	fm.UseFast(traceFast("fast1"), traceFast("fast2"))
	fastHandler := func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { fmt.Fprint(w, "h") }
	fm.GETFast("/fast/:x", fastHandler)
	fg := fm.Group("/fg")
	fg.UseFast(traceFast("fast3"))
	fg.GETFast("/:x", fastHandler)
	fg.Group("/in").GETFast("/:x", fastHandler)
	g := m.Group("/g")
	g.Use(trace("g1"), trace("g2"))
	g.GET("/a", tell("h"))
	gg := g.Group("/gg")
	gg.Use(trace("gg"))
	gg.GET("/:x", tell("h"))
	gg.With(trace("w1"), trace("w2")).GET("/w", tell("h"))
	gg.With(trace("w3")).Group("/in").GET("/x", tell("h"))
	gg.Handle("POST /hh", tell("h"))
	m.With(trace("w")).GET("/w", tell("h"))
	m.Route("/r", func(g *muxmaster.Group) {
		g.Use(trace("r"))
		g.GET("", tell("h"))
		g.GET("/x", tell("h"))
		g.Route("/s", func(g *muxmaster.Group) { g.GET("/y", tell("h")) })
	})
	m.GET("/plain", tell("h"))
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/plain", "h"},
		{"GET", "/fast/1", "fast1 fast2 h"},
		{"GET", "/fg/1", "fast1 fast2 fast3 h"},
		{"GET", "/fg/in/1", "fast1 fast2 fast3 h"},
		{"GET", "/g/a", "g1 g2 h"},
		{"HEAD", "/g/a", "g1 g2 h"},
		{"GET", "/g/gg/1", "g1 g2 gg h"},
		{"GET", "/g/gg/w", "g1 g2 gg w1 w2 h"},
		{"GET", "/g/gg/in/x", "g1 g2 gg w3 h"},
		{"POST", "/g/gg/hh", "g1 g2 gg h"},
		{"GET", "/w", "w h"},
		{"GET", "/r", "r h"},
		{"GET", "/r/x", "r h"},
		{"GET", "/r/s/y", "r h"},
		{"GET", "/none", ""},
		{"POST", "/plain", ""},
		{"GET", "/plain/", ""},
	} {
		m := m
		if strings.HasPrefix(c.want, "fast") {
			m = fm
		}
		if got, want := trail(t, m, c.method, c.target), strings.TrimSpace("pre1 pre2 pre3 "+c.want); got != want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, want)
		}
	}
}

// Use middleware of a Mux wraps its routes and its responses to unmatched
// requests.
func TestUseWrapsFallbacks(t *testing.T) {
	custom := muxmaster.New()
	for name, m := range map[string]*muxmaster.Mux{"default": muxmaster.New(), "custom": custom} {
		m.Pre(trace("pre"))
		m.Use(trace("use1"), trace("use2"))
		m.GET("/x", tell("h"))
		m.GET("/y/", tell("h"))
		m.Handle("/tree/", tell("h"))
		m.Group("/g").GET("/z", tell("h"))
		want := map[string]string{"/x": "h", "/g/z": "h"}
		if m == custom {
			m.NotFound, m.MethodNotAllowed = tell("nf"), tell("mna")
			want["/none"], want["/g/none"] = "nf", "nf"
		}
		for _, target := range []string{"/x", "/g/z", "/none", "/g/none", "/x/", "/y", "/tree", "//x"} {
			if got, want := trail(t, m, "GET", target), strings.TrimSpace("pre use1 use2 "+want[target]); got != want {
				t.Errorf("%s: GET %s: got %q, want %q", name, target, got, want)
			}
		}
		notAllowed := ""
		if m == custom {
			notAllowed = " mna"
		}
		if got, want := trail(t, m, "POST", "/x"), "pre use1 use2"+notAllowed; got != want {
			t.Errorf("%s: 405: got %q, want %q", name, got, want)
		}
		if got, want := trail(t, m, "OPTIONS", "/x"), "pre use1 use2"; got != want {
			t.Errorf("%s: OPTIONS: got %q, want %q", name, got, want)
		}
	}
}

// Middleware that answers by itself keeps everything behind it from running,
// above all the answers that tell what exists.
func TestUseGuards(t *testing.T) {
	m := muxmaster.New()
	m.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.WriteHeader(401)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	m.GET("/x", tell("x"))
	m.GET("/:a/y/", tell("y"))
	inner := muxmaster.New()
	inner.GET("/z", tell("z"))
	m.Mount("/m", inner)
	for _, c := range [][2]string{{"GET", "/x"}, {"GET", "/x/"}, {"POST", "/x"}, {"OPTIONS", "/x"}, {"GET", "/none"}, {"GET", "//x"}, {"GET", "/1/y"},
		{"GET", "/m/z"}, {"POST", "/m/z"}, {"GET", "/m/none"}, {"OPTIONS", "/m/z"}, {"GET", "/m/z/"}, {"GET", "/%2e"}, {"CONNECT", "/x"}} {
		a := ask(m, request(t, c[0], c[1]))
		if a.status != 401 || a.allow != "" || a.location != "" {
			t.Errorf("%s %s: got %+v, want 401 and nothing else", c[0], c[1], a)
		}
	}
}

// Middleware of Use sees the pattern and the values; it may read them after the
// handler, too.
func TestUseSeesTheMatch(t *testing.T) {
	for _, mode := range modes {
		var log []string
		note := func(when string, r *http.Request) {
			log = append(log, fmt.Sprintf("%s %q %q id=%q/%q", when, r.Pattern, muxmaster.RoutePattern(r), r.PathValue("id"), muxmaster.PathParam(r, "id")))
		}
		m := newMux(mode.pooled)
		m.Pre(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				note("pre", r)
				next.ServeHTTP(w, r)
				if !mode.pooled {
					note("after pre", r)
				}
			})
		})
		g := m.Group("/g")
		g.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				note("use", r)
				next.ServeHTTP(w, r)
				note("after use", r)
			})
		})
		g.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { note("handler", r) })
		m.GETFast("/fast/:id", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { note("handler", r) })
		m.Handle("GET example.com/host/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { note("handler", r) }))
		for _, c := range []struct{ target, pattern, path string }{
			{"/g/users/5", "GET /g/users/:id", "/g/users/:id"},
			{"/fast/5", "GET /fast/:id", "/fast/:id"},
			{"/host/5", "GET example.com/host/{id}", "/host/{id}"},
		} {
			log = nil
			ask(m, request(t, "GET", c.target))
			after := fmt.Sprintf(" %q %q id=\"5\"/\"5\"", c.pattern, c.path)
			want := []string{`pre "" "" id=""/""`}
			if c.target == "/g/users/5" {
				want = append(want, "use"+after, "handler"+after, "after use"+after)
			} else {
				want = append(want, "handler"+after)
			}
			if !mode.pooled {
				want = append(want, "after pre"+after)
			}
			if fmt.Sprint(log) != fmt.Sprint(want) {
				t.Errorf("%s, %s:\n got  %q\n want %q", mode.name, c.target, log, want)
			}
		}
	}
}

// Middleware that passes on a changed copy of the request, as WithContext
// makes, or another ResponseWriter.
func TestMiddlewareThatCopies(t *testing.T) {
	type key struct{}
	for _, mode := range modes {
		m := newMux(mode.pooled)
		copies := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(struct{ http.ResponseWriter }{w}, r.WithContext(context.WithValue(r.Context(), key{}, "v")))
			})
		}
		m.Pre(copies)
		g := m.With(copies, copies)
		g.GET("/x/:id", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.Pattern, " ", r.Context().Value(key{}), " ")
			values(w, r)
		})
		if got, want := get(t, m, "GET", "/x/1"), `GET /x/:id v id="1"`; got != want {
			t.Errorf("%s: got %s, want %s", mode.name, got, want)
		}
	}
}

// Pre middleware can change the method and path that are routed.
func TestPreRewrites(t *testing.T) {
	m := muxmaster.New()
	m.Pre(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if method := r.Header.Get("X-Method"); method != "" {
				r.Method = method
			}
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/v1")
			next.ServeHTTP(w, r)
		})
	})
	m.PUT("/x/:id", values)
	r := request(t, "POST", "/v1/x/1")
	r.Header.Set("X-Method", "PUT")
	if got, want := ask(m, r).brief(), `id="1"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Middleware is made once for a route, not for each request.
func TestMiddlewareIsMadeOnce(t *testing.T) {
	var made, served int
	counts := func(next http.Handler) http.Handler {
		made++
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			served++
			next.ServeHTTP(w, r)
		})
	}
	m := muxmaster.New()
	m.With(counts).GET("/x/:id", values)
	for range 5 {
		get(t, m, "GET", "/x/1")
	}
	if made != 1 || served != 5 {
		t.Errorf("made %d times and served %d, want 1 and 5", made, served)
	}
}

// No route ever escapes a policy in silence.
func TestNoEscapeFromMiddleware(t *testing.T) {
	use, fast := trace("x"), traceFast("x")
	for _, c := range []struct {
		name string
		do   func(m *muxmaster.Mux)
		want string // part of the panic's text
	}{
		{"Use after a route", func(m *muxmaster.Mux) { m.GET("/x", values); m.Use(use) }, "Use"},
		{"Use after Handle", func(m *muxmaster.Mux) { m.Handle("/x", tell("")); m.Use(use) }, "Use"},
		{"Use after a fast route", func(m *muxmaster.Mux) { m.GETFast("/x", fastValues); m.Use(use) }, "Use"},
		{"UseFast after a fast route", func(m *muxmaster.Mux) { m.GETFast("/x", fastValues); m.UseFast(fast) }, "UseFast"},
		{"UseFast after a route", func(m *muxmaster.Mux) { m.GET("/x", values); m.UseFast(fast) }, "UseFast"},
		{"Use after a group's route", func(m *muxmaster.Mux) { m.Group("/g").GET("/x", values); m.Use(use) }, "Use"},
		{"Use after a nested group's route", func(m *muxmaster.Mux) { m.Group("/g").Group("/h").GET("/x", values); m.Use(use) }, "Use"},
		{"UseFast after a group's fast route", func(m *muxmaster.Mux) { m.Group("/g").GETFast("/x", fastValues); m.UseFast(fast) }, "UseFast"},
		{"Use after a With route", func(m *muxmaster.Mux) { m.With(use).GET("/x", values); m.Use(use) }, "Use"},
		{"Use after Mount", func(m *muxmaster.Mux) { m.Mount("/x", tell("")); m.Use(use) }, "Use"},
		{"Use after Mount of a Mux", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/x", values)
			m.Mount("/x", sub)
			m.Use(use)
		}, "Use"},
		{"Use on a mounted Mux with routes", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/x", values)
			m.Mount("/x", sub)
			sub.Use(use)
		}, "Use"},
		{"Use after ServeFiles", func(m *muxmaster.Mux) { m.ServeFiles("/x/*f", fstest.MapFS{}); m.Use(use) }, "Use"},
		{"group Use after its route", func(m *muxmaster.Mux) { g := m.Group("/g"); g.GET("/x", values); g.Use(use) }, "Use"},
		{"group Use after an inner route", func(m *muxmaster.Mux) { g := m.Group("/g"); g.Group("/h").GET("/x", values); g.Use(use) }, "Use"},
		{"group UseFast after its route", func(m *muxmaster.Mux) { g := m.Group("/g"); g.GETFast("/x", fastValues); g.UseFast(fast) }, "UseFast"},
		{"fast route under Use", func(m *muxmaster.Mux) { m.Use(use); m.GETFast("/x", fastValues) }, `"GET /x"`},
		{"HandleFast under Use", func(m *muxmaster.Mux) { m.Use(use); m.HandleFast("/x", fastValues) }, `"/x"`},
		{"fast route under a group's Use", func(m *muxmaster.Mux) { g := m.Group("/g"); g.Use(use); g.GETFast("/x", fastValues) }, "/g/x"},
		{"fast route under an outer group's Use", func(m *muxmaster.Mux) {
			g := m.Group("/g")
			g.Use(use)
			g.Group("/h").GETFast("/x", fastValues)
		}, "/g/h/x"},
		{"fast route under With", func(m *muxmaster.Mux) { m.With(use).GETFast("/x", fastValues) }, `/x"`},
		{"mounting fast routes under Use", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GETFast("/x", fastValues)
			g := m.Group("/g")
			g.Use(use)
			g.Mount("/m", sub)
		}, "/g/m/x"},
		{"fast route of a mounted Mux under Use", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			g := m.Group("/g")
			g.Use(use)
			g.Mount("/m", sub)
			sub.GETFast("/x", fastValues)
		}, "/g/m/x"},
		{"nil in Use", func(m *muxmaster.Mux) { m.Use(nil) }, "nil"},
		{"nil in UseFast", func(m *muxmaster.Mux) { m.UseFast(nil) }, "nil"},
		{"nil in Pre", func(m *muxmaster.Mux) { m.Pre(nil) }, "nil"},
		{"nil in With", func(m *muxmaster.Mux) { m.With(nil) }, "nil"},
		{"middleware that returns nil", func(m *muxmaster.Mux) { m.Use(func(http.Handler) http.Handler { return nil }); m.GET("/x", values) }, "nil"},
		{"fast middleware that returns nil", func(m *muxmaster.Mux) {
			m.UseFast(func(muxmaster.FastHandler) muxmaster.FastHandler { return nil })
			m.GETFast("/x", fastValues)
		}, "nil"},
	} {
		m := muxmaster.New()
		if got := panics(func() { c.do(m) }); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: panicked with %q, want muxmaster: and %q", c.name, got, c.want)
		}
	}
}

// Use is allowed if only other scopes have routes.
func TestUseOfASeparateScope(t *testing.T) {
	m := muxmaster.New()
	m.GET("/before", tell("h"))
	g := m.Group("/g")
	g.Use(trace("g"))
	g.Use(trace("g'"))
	g.GET("/x", tell("h"))
	h := m.Group("/h")
	h.UseFast(traceFast("f"))
	h.GETFast("/x", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { fmt.Fprint(w, "h") })
	for _, c := range [][2]string{{"/before", "h"}, {"/g/x", "g g' h"}, {"/h/x", "f h"}} {
		if got := get(t, m, "GET", c[0]); got != c[1] {
			t.Errorf("%s: got %q, want %q", c[0], got, c[1])
		}
	}
}

// Use comes in time as long as there is no route, even if there were requests.
func TestUseAfterA404(t *testing.T) {
	m := muxmaster.New()
	get(t, m, "GET", "/x")
	m.Use(trace("use"))
	if got, want := trail(t, m, "GET", "/x"), "use"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	m.Pre(trace("pre"))
	if got, want := trail(t, m, "GET", "/x"), "pre use"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A refused registration leaves the scope as it was.
func TestUseAfterARefusedRoute(t *testing.T) {
	m := muxmaster.New()
	panics(func() { m.GET("/:", values) })
	panics(func() { m.GET("/x", nil) })
	if err := m.TryHandle("/{", tell("")); err == nil {
		t.Error("TryHandle took a bad pattern")
	}
	if text := panics(func() { m.Use(trace("use")) }); text != "" {
		t.Errorf("Use: %s", text)
	}
	m.GET("/x", tell("h"))
	if got := get(t, m, "GET", "/x"); got != "use h" {
		t.Errorf("got %q", got)
	}
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

// Pre middleware that can't be made leaves no way around it: each request fails
// until it can.
func TestPreThatFails(t *testing.T) {
	m, tries := muxmaster.New(), 0
	m.Pre(func(next http.Handler) http.Handler {
		if tries++; tries == 2 {
			panic("not yet")
		}
		if tries < 2 {
			return nil
		}
		return trace("guard")(next)
	})
	m.GET("/x", tell("x"))
	for _, want := range []string{"returned nil", "not yet"} {
		if got := panics(func() { ask(m, request(t, "GET", "/x")) }); !strings.Contains(got, want) {
			t.Errorf("got %q, want a panic with %q", got, want)
		}
	}
	if got := get(t, m, "GET", "/x"); got != "guard x" {
		t.Errorf("got %s, want guard x", got)
	}
}

// Middleware may list and register routes while it is made, also for the routes
// of a mounted Mux.
func TestMiddlewareThatRegisters(t *testing.T) {
	for name, use := range map[string]func(m *muxmaster.Mux, mw func(http.Handler) http.Handler){
		"a route": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			m.With(mw).GET("/x", tell("x"))
		},
		"a mounted Mux with routes": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			sub := muxmaster.New()
			sub.GET("/", tell("x"))
			m.With(mw).Mount("/x", sub)
		},
		"a route of a mounted Mux": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			sub, between := muxmaster.New(), muxmaster.New()
			m.With(mw).Mount("/", between)
			between.Mount("/x", sub)
			sub.GET("/", tell("x"))
		},
		"what no route serves": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) {
			m.GET("/x", tell("x"))
			m.Group("/g").Use(mw)
			ask(m, request(t, "GET", "/g/none"))
		},
	} {
		m, n := muxmaster.New(), 0
		use(m, func(next http.Handler) http.Handler {
			n++
			other := muxmaster.New()
			other.GET(fmt.Sprintf("/%d", n), tell("made"))
			m.Mount("/made", other)
			inspect.Print(io.Discard, m)
			return next
		})
		if got := get(t, m, "GET", "/x"); got != "x" {
			t.Errorf("%s: got %s, want x", name, got)
		}
		if got := get(t, m, "GET", "/made/1"); n == 0 || got != "made" {
			t.Errorf("%s: made %d times, got %s, want made", name, n, got)
		}
	}
}

// Middleware that changes the path has no effect behind the router, so a route
// with it in Use or With panics, and Pre takes it.
func TestUseRefusesRunsBeforeRouting(t *testing.T) {
	for name, mw := range map[string]func(http.Handler) http.Handler{"CleanPath": middleware.CleanPath, "StripSlashes": middleware.StripSlashes} {
		for where, register := range map[string]func(m *muxmaster.Mux){
			"Use":      func(m *muxmaster.Mux) { m.Use(trace("a"), mw); m.GET("/x", tell("x")) },
			"inside":   func(m *muxmaster.Mux) { m.Use(mw, trace("a")); m.Handle("/x", tell("x")) },
			"With":     func(m *muxmaster.Mux) { m.With(mw).GET("/x", tell("x")) },
			"of Group": func(m *muxmaster.Mux) { g := m.Group("/g"); g.Use(mw); g.GET("/x", tell("x")) },
			"Route":    func(m *muxmaster.Mux) { m.Route("/g", func(g *muxmaster.Group) { g.Use(mw); g.GET("/x", tell("x")) }) },
		} {
			text := panics(func() { register(muxmaster.New()) })
			if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, "middleware."+name) || !strings.Contains(text, "use Pre") {
				t.Errorf("%s, %s: panicked with %q", name, where, text)
			}
		}
		m := muxmaster.New()
		m.Pre(mw)
		m.GET("/x", tell("x"))
		if got := get(t, m, "GET", "/x"); got != "x" {
			t.Errorf("%s in Pre: got %s", name, got)
		}
	}
}
