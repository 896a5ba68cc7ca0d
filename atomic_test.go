package muxmaster_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// A failed registration has no effect, and doesn't use up numbers for custom
// methods.
func TestFailedRegistrationsUseUpNothing(t *testing.T) {
	var list []string
	for i := range 300 {
		list = append(list, fmt.Sprint("M", i))
	}
	m := muxmaster.New()
	m.GET("/taken", tell("taken"))
	if err := m.TryHandle(strings.Join(list, ",")+" /x", tell("")); err == nil {
		t.Fatal("300 custom methods: no error")
	}
	for i := range 300 {
		if err := m.TryHandle(fmt.Sprintf("N%d,GET /taken", i), tell("")); err == nil {
			t.Fatal("a conflict: no error")
		}
	}
	for i := range 200 {
		if err := m.TryHandle(fmt.Sprintf("L%d /x", i), tell("served")); err != nil {
			t.Fatalf("custom method %d after failures: %v", i, err)
		}
		if i%50 == 0 {
			get(t, m, "GET", "/")
		}
	}
	for _, c := range [][2]string{{"L0", "served"}, {"L199", "served"}, {"GET", "405"}} {
		if got := get(t, m, c[0], "/x"); !strings.HasPrefix(got, c[1]) {
			t.Errorf("%s: got %.60s, want %s", c[0], got, c[1])
		}
	}
}

// Inspecting routes before the first request doesn't freeze the fields.
func TestIntrospectionLeavesTheFieldsOpen(t *testing.T) {
	for name, look := range map[string]func(m *muxmaster.Mux){
		"Routes":  func(m *muxmaster.Mux) { m.Routes()(func(muxmaster.Route) bool { return true }) },
		"Print":   func(m *muxmaster.Mux) { inspect.Print(&bytes.Buffer{}, m) },
		"Explain": func(m *muxmaster.Mux) { _ = m.Explain("GET", "/none").String() },
		"Handler": func(m *muxmaster.Mux) { m.Handler(request(t, "GET", "/none")) },
	} {
		m := muxmaster.New()
		m.GET("/x/:id", tell("x"))
		sub := muxmaster.New()
		m.Mount("/sub", sub)
		g := m.Group("/g")
		look(m)
		m.NotFound, m.MethodNotAllowed, m.RedirectTrailingSlash = tell("404 set"), tell("405 set"), false
		sub.NotFound = tell("sub 404 set")
		g.NotFound = tell("group 404 set")
		for _, c := range [][3]string{
			{"GET", "/none", "404 set"}, {"PUT", "/x/1", "405 set"}, {"GET", "/x/1/", "404 set"}, {"GET", "/sub/x", "sub 404 set"}, {"GET", "/g/x", "group 404 set"},
		} {
			if got := ask(m, request(t, c[0], c[1])).body; got != c[2] {
				t.Errorf("after %s: %s %s: got %q, want %q", name, c[0], c[1], got, c[2])
			}
		}
	}
}

// Groups and middleware added after the first request apply to later routes.
func TestGroupsMadeWhileServing(t *testing.T) {
	m := tagged("m")
	add(m, "GET /x")
	if got := outcome(t, m, "h", "GET", "/g/none"); got != "m m 404" {
		t.Errorf("before the Group: got %q", got)
	}
	g := m.Group("/g")
	if got := outcome(t, m, "h", "GET", "/g/none"); got != "m m 404" {
		t.Errorf("before its middleware: got %q", got)
	}
	g.Use(trace("g"))
	if got := outcome(t, m, "h", "GET", "/g/none"); got != "m g m 404" {
		t.Errorf("after Use: got %q", got)
	}
	in := g.Group("/in")
	in.Use(trace("in"))
	add(in, "GET /x")
	for _, c := range [][3]string{
		{"GET", "/g/in/x", "m g in GET /x"}, {"GET", "/g/in/none", "m g in m 404"}, {"PUT", "/g/in/x", "m g in m 405 GET, HEAD, OPTIONS"}, {"GET", "/g/none", "m g m 404"}, {"GET", "/g//in/x", "m g in => /g/in/x"},
	} {
		if got := outcome(t, m, "h", c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: got %q, want %q", c[0], c[1], got, c[2])
		}
	}
	sub := tagged("s")
	m.Mount("/s", sub)
	if got := outcome(t, m, "h", "GET", "/s/none"); got != "m s s 404" {
		t.Errorf("mounted while serving: got %q", got)
	}
	sg := sub.Group("/g")
	sg.Use(trace("sg"))
	if got := outcome(t, m, "h", "GET", "/s/g/none"); got != "m s sg s 404" {
		t.Errorf("a Group of a mounted Mux, made while serving: got %q", got)
	}
}

// A panic in a middleware function at registration releases all locks, and a
// middleware function can register routes.
func TestMiddlewareThatPanicsOrRegisters(t *testing.T) {
	m := muxmaster.New()
	calls := 0
	m.Use(func(next http.Handler) http.Handler {
		if calls++; calls == 1 {
			panic("not yet")
		}
		return next
	})
	if got := panics(func() { get(t, m, "GET", "/none") }); got != "not yet" {
		t.Errorf("the first request: panicked with %q", got)
	}
	if got := get(t, m, "GET", "/none"); got != "404" {
		t.Errorf("the second request: got %s", got)
	}
	late := muxmaster.New()
	once := false
	late.Use(func(next http.Handler) http.Handler {
		if !once {
			once = true
			late.GET("/registered", tell("registered"))
		}
		return next
	})
	get(t, late, "GET", "/none")
	if got := get(t, late, "GET", "/registered"); got != "registered" {
		t.Errorf("registered by middleware: got %s", got)
	}
}

// Middleware that Use adds while a route is being wrapped never misses it: the
// middleware wraps the route, the registration is refused, or Use is.
func TestUseBesideARegistration(t *testing.T) {
	for name, register := range map[string]func(g *muxmaster.Group){
		"route":                  func(g *muxmaster.Group) { g.GET("/x", tell("x")) },
		"route of a Group":       func(g *muxmaster.Group) { g.Group("/x").GET("/", tell("x")) },
		"mount":                  func(g *muxmaster.Group) { g.Mount("/x", tell("x")) },
		"mount of a Mux":         func(g *muxmaster.Group) { s := muxmaster.New(); s.GET("/", tell("x")); g.Mount("/x", s) },
		"route of a mounted one": func(g *muxmaster.Group) { s := muxmaster.New(); g.Mount("/x", s); s.GET("/", tell("x")) },
	} {
		m := muxmaster.New()
		g := m.Group("/g")
		wrapping, used := make(chan bool), make(chan bool)
		var once sync.Once
		m.Use(func(next http.Handler) http.Handler {
			once.Do(func() { close(wrapping); <-used })
			return next
		})
		var text string
		go func() {
			defer close(used)
			<-wrapping
			text = panics(func() { g.Use(trace("late")) })
		}()
		refused := panics(func() { register(g) })
		var got string
		if refused == "" {
			got = get(t, m, "GET", "/g/x") // compiles, which calls the middleware of m at the latest
		}
		<-used
		if text == "" && got != "late x" && !strings.Contains(refused, "middleware was added to its scope while it was registered") {
			t.Errorf("%s: got %q, the registration panicked with %q", name, got, refused)
		}
	}
}
