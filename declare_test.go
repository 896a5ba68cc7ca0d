package muxmaster_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

// early is a handler of middleware that must run before routing.
type early struct{ http.Handler }

func (early) RunsBeforeRouting() {}

// A registration that was meant otherwise is refused, with a text that says what
// to write. Afterwards, nothing was registered.
func TestHandleRefuses(t *testing.T) {
	before := func(next http.Handler) http.Handler { return early{next} }
	for _, c := range []struct {
		name string
		do   func(m *muxmaster.Mux)
		want string // part of the panic's text
	}{
		{"list without a space", func(m *muxmaster.Mux) { m.Handle("GET,/a", tell("")) }, `"GET," is the host of this pattern; write a space`},
		{"lower case", func(m *muxmaster.Mux) { m.Handle("get /users", tell("")) }, "the method get is written GET"},
		{"lower case in a list", func(m *muxmaster.Mux) { m.Method("GET,post", "/users", tell("")) }, "the method post is written POST"},
		{"lower case host", func(m *muxmaster.Mux) { m.Handle("get/users", tell("")) }, `"get" is the host`},
		{"path as method", func(m *muxmaster.Mux) { m.Method("/x", "/x", tell("")) }, "the first argument is a method or a list of methods, as in GET,POST"},
		{"star in a segment", func(m *muxmaster.Mux) { m.GET("/src2*filepath", values) }, "as in /src2/*filepath; a literal * is written %2A"},
		{"method in a path", func(m *muxmaster.Mux) { m.GET("GET /users", values) }, `the verb methods take a path alone: "/users"; Handle takes "GET /users"`},
		{"no slash", func(m *muxmaster.Mux) { m.GET("users", values) }, "the path must begin with /"},
		{"open bracket", func(m *muxmaster.Mux) { m.GET("/{id:[0-9}", values) }, "because a [ in its expression isn't"},
		{"plain under UseFast", func(m *muxmaster.Mux) { m.UseFast(traceFast("")); m.GET("/x", values) }, "register it with HandleFast or a verb method"},
		{"mounted plain under UseFast", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			sub.GET("/x", values)
			m.UseFast(traceFast(""))
			m.Mount("/s", sub)
		}, "of UseFast"},
		{"plain on a Mux mounted under UseFast", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.UseFast(traceFast(""))
			m.Mount("/s", sub)
			sub.GET("/x", values)
		}, "of UseFast"},
		{"fast on a Mux mounted under Use", func(m *muxmaster.Mux) {
			sub := muxmaster.New()
			m.Use(trace(""))
			m.Mount("/s", sub)
			sub.GETFast("/x", fastValues)
		}, "a fast route would bypass the middleware"},
		{"early middleware", func(m *muxmaster.Mux) { m.Use(before); m.GET("/x", values) }, "has no effect in Use, because it changes the path before routing; use Pre"},
		{"early middleware around 404s", func(m *muxmaster.Mux) { m.Use(before); get(t, m, "GET", "/x") }, "use Pre"},
		{"mounted Group", func(m *muxmaster.Mux) { m.Mount("/x", m.Group("/g")) }, "a Group cannot be mounted"},
		{"Mount within itself", func(m *muxmaster.Mux) { sub := muxmaster.New(); sub.Mount("/x", m); m.Mount("/y", sub) }, "cannot be mounted within itself"},
	} {
		m := muxmaster.New()
		text := panics(func() { c.do(m) })
		if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, c.want) {
			t.Errorf("%s: panicked with %q, want %q", c.name, text, c.want)
		}
		for r := range m.Routes() {
			t.Errorf("%s: there is a route %v", c.name, r)
		}
	}
	m := muxmaster.New()
	m.GET("/first", values)
	if text := panics(func() { m.Use(trace("")) }); !strings.Contains(text, `after the route "GET /first" was registered (at `) || !strings.Contains(text, "declare_test.go:") || !strings.Contains(text, "With") {
		t.Errorf("Use after a route: panicked with %q", text)
	}
	m.Pre(before) // it changes nothing in Pre
	get(t, m, "GET", "/first")
}

// Middleware functions are called once for each route, mounted or not, and once
// for the responses to unmatched requests, however often routes are compiled.
func TestUseIsCalledOnceForEachRoute(t *testing.T) {
	outer, middle, inner := muxmaster.New(), muxmaster.New(), muxmaster.New()
	calls := map[string]int{}
	count := func(name string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler { calls[name]++; return next }
	}
	outer.Pre(count("outer pre"))
	outer.Use(count("outer"))
	middle.Pre(count("middle pre"))
	middle.Use(count("middle"))
	inner.Use(count("inner"))
	inner.GET("/a", values)
	middle.Mount("/inner", inner)
	middle.GET("/b", values)
	outer.Mount("/middle", middle)
	inner.GET("/c", values)
	for i := range 3 {
		ask(outer, request(t, "GET", "/middle/inner/c"))
		ask(outer, request(t, "GET", "/middle/inner/none"))
		outer.Explain("GET", "/none")
		outer.GET("/d"+strings.Repeat("x", i), values) // compiles again
		if err := outer.Update(func(m *muxmaster.Mux) error { m.GET("/e"+strings.Repeat("x", i), values); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	// Three mounted routes and six more on the outer Mux. Each Mux responds to
	// unmatched requests, inside the middleware of those around it.
	want := map[string]int{"outer pre": 1, "outer": 3 + 6 + 3, "middle pre": 3 + 2, "middle": 3 + 2, "inner": 2 + 1}
	for name, n := range want {
		if calls[name] != n {
			t.Errorf("%s was called %d times, want %d", name, calls[name], n)
		}
	}
}

// A Mux inside http.ServeMux survives its patterns that match too little, Go issue
// 81222.
func TestConnectBehindServeMux(t *testing.T) {
	m := muxmaster.New()
	m.Handle("/{$}", tell("root"))
	m.CONNECT("/:a/:b", values)
	m.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		muxmaster.PathParams(r)
		w.WriteHeader(http.StatusNotFound)
	})
	mux := http.NewServeMux()
	mux.Handle("/{x}/{y}", m)
	mux.Handle("/{x}/{y}/{rest...}", m)
	for _, target := range []string{"//a", "/a//", "//", "/a/b", "/a//b"} {
		r, err := readRequest("h", "CONNECT", target)
		if err != nil {
			t.Fatal(err)
		}
		if text := panics(func() { ask(mux, r) }); text != "" {
			t.Errorf("CONNECT %s: panicked with %q", target, text)
		}
	}
}

// Registering, mounting and listing routes takes time in proportion to what there
// is.
func TestRegistrationSteps(t *testing.T) {
	if os.Getenv("MUXMASTER_FALLBACK") != "" {
		t.Skip("the steps don't depend on how values are delivered")
	}
	h := http.NotFoundHandler()
	text := func(i int) string {
		return "/" + strings.Repeat("ab", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
	}
	hosts := func(n int) *muxmaster.Mux {
		m := muxmaster.New()
		for i := range n {
			m.Handle("GET "+text(i)[1:]+".com/x", h)
		}
		return m
	}
	groups := func(n int) *muxmaster.Mux {
		m := muxmaster.New()
		for i := range n {
			g := m.Group(text(i))
			g.Use(func(next http.Handler) http.Handler { return next })
			g.Handle("GET /x", h)
		}
		return m
	}
	siblings := func(n int) *muxmaster.Mux {
		m := muxmaster.New()
		for i := range n {
			m.Handle("GET /customer-"+text(i)[1:]+"-dashboard-of-all/{id}", h)
		}
		return m
	}
	cases := map[string]steps.Case{}
	for name, build := range map[string]func(n int) *muxmaster.Mux{"hosts": hosts, "Groups": groups, "siblings": siblings} {
		prepared := func(work func(m *muxmaster.Mux)) steps.Case {
			return steps.Case{Grows: true, Small: 60, Prepare: func(n int) func() {
				m := build(n)
				return func() { work(m) }
			}}
		}
		cases["register and compile "+name] = steps.Case{Grows: true, Small: 60, Prepare: func(n int) func() {
			return func() { build(n).Handler(&http.Request{Method: "GET", URL: request(t, "GET", "/").URL}) }
		}}
		cases["Routes with "+name] = prepared(func(m *muxmaster.Mux) { m.Routes()(func(muxmaster.Route) bool { return true }) })
		cases["Explain with "+name] = prepared(func(m *muxmaster.Mux) { m.Explain("GET", "/none/x") })
		cases["Mount with "+name] = prepared(func(m *muxmaster.Mux) { muxmaster.New().Group("/mnt").Mount("/p", m) })
		cases["Update with "+name] = prepared(func(m *muxmaster.Mux) {
			m.Update(func(m *muxmaster.Mux) error { return nil })
		})
	}
	steps.Test(t, ".,./internal/trie,./internal/pattern", cases)
}
