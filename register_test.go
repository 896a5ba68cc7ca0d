package muxmaster_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// A failed registration has no effect, and doesn't use up numbers for custom
// methods.
func TestFailedRegistrationsUseUpNothing(t *testing.T) {
	var list []string
	for i := range 300 {
		list = append(list, fmt.Sprint("M", i))
	}
	m := muxmaster.New()
	muxmaster.New().Mount("/sub", m)
	m.GET("/taken", tell("taken"))
	if err := m.TryHandle(strings.Join(list, ",")+" /x", tell("")); err == nil {
		t.Fatal("300 custom methods: no error")
	}
	for i := range 300 {
		if err := m.TryHandle(fmt.Sprintf("N%d,GET /taken", i), tell("")); err == nil {
			t.Fatal("a conflict: no error")
		}
	}
	for i := range trie.MaxCustom {
		if err := m.TryHandle(fmt.Sprintf("L%d /x", i), tell("served")); err != nil {
			t.Fatalf("custom method %d after failures: %v", i, err)
		}
		if i%50 == 0 {
			get(t, m, "GET", "/")
		}
	}
	for _, pattern := range []string{"ONE-MORE /y", "GET,ONE-MORE /y"} {
		if err := m.TryHandle(pattern, tell("")); err == nil || !strings.Contains(err.Error(), "too many custom methods (limit 243)") {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	must(m.Remove("L7 /x"))
	for i := range 300 { // methods of removed routes don't count
		must(m.TryHandle(fmt.Sprintf("M%d,L0 /z", i), tell("")))
		must(errors.Join(m.Remove(fmt.Sprintf("M%d /z", i)), m.Remove("L0 /z")))
	}
	must(m.TryHandle("ONE-MORE,L0 /y", tell("served")))
	wants(t, m, exchanges{{"L0 /x", "served"}, {"L242 /x", "served"}, {"ONE-MORE /y", "served"}})
}

// Inspecting routes before the first request doesn't freeze the fields.
func TestIntrospectionLeavesTheFieldsOpen(t *testing.T) {
	for name, look := range map[string]func(m *muxmaster.Mux){
		"Print":   func(m *muxmaster.Mux) { inspect.Print(io.Discard, m) },
		"Explain": func(m *muxmaster.Mux) { _ = m.Explain("GET", "/none").String() },
		"Handler": func(m *muxmaster.Mux) { m.Handler(request(t, "GET", "/none")) },
	} {
		m, sub := muxmaster.New(), muxmaster.New()
		add(m, "GET /x/:id")
		m.Mount("/sub", sub)
		g := m.Group("/g")
		look(m)
		m.NotFound, m.MethodNotAllowed, m.RedirectTrailingSlash = tell("404 set"), tell("405 set"), false
		sub.NotFound, g.NotFound = tell("sub 404 set"), tell("group 404 set")
		wants(t, m, exchanges{{"/none", "404 set"}, {"PUT /x/1", "405 set"}, {"/x/1/", "404 set"}, {"/sub/x", "sub 404 set"}, {"/g/x", "group 404 set"}}, name)
		m.NotFound = tell("404 set too late") // the first request has read the fields
		add(m, "GET /y")
		wants(t, m, exchanges{{"/none", "404 set"}}, name)
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

// Concurrent registrations lose no routes.
func TestRegisterConcurrently(t *testing.T) {
	m := muxmaster.New()
	var wg sync.WaitGroup
	var conflicts atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				m.GET(fmt.Sprintf("/g%d/%d/:id", g, i), values)
				if m.TryHandle(fmt.Sprintf("/same/%d", i), http.HandlerFunc(values)) != nil {
					conflicts.Add(1)
				}
			}
		})
	}
	wg.Wait()
	for g := range 8 {
		for i := range 50 {
			if got := get(t, m, "GET", fmt.Sprintf("/g%d/%d/x", g, i)); got != `id="x"` {
				t.Fatalf("/g%d/%d/x: got %s", g, i, got)
			}
		}
	}
	if n := conflicts.Load(); n != 7*50 {
		t.Errorf("%d conflicts, want %d", n, 7*50)
	}
}

// Groups and mounted Muxes with middleware can be added while requests are
// served and routes are inspected. Each registration changes the responses at
// once, and for good.
func TestGroupsWhileServing(t *testing.T) {
	m := muxmaster.New()
	m.Use(trace("m"))
	page := inspect.HandlerFor(m, netip.MustParsePrefix("192.0.2.0/24"))
	targets := []struct {
		target    string
		responses []string // in the order of the registrations
	}{
		{"/none", []string{"m "}},
		{"/g1/none", []string{"m ", "m g "}},
		{"/g2/x/1", []string{"m ", "m g ", `m g id="1"`}},
		{"/m3/x", []string{"m ", "m s ", "m s x"}},
		{"/m3/none", []string{"m ", "m s "}},
		{"//x", []string{"m "}},
	}
	var done atomic.Bool
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			seen := make([]int, len(targets)) // the latest response to each target
			for i, after := w, 0; after <= len(targets); i++ {
				if done.Load() {
					after++
				}
				k := i % len(targets)
				c := targets[k]
				r := httptest.NewRequest("GET", c.target, nil)
				got := ask(m, r).body
				n := slices.Index(c.responses, got)
				if last := len(c.responses) - 1; n < seen[k] || after > 0 && n != last {
					t.Errorf("%s: got %q after %q; in the end %q", c.target, got, c.responses[seen[k]], c.responses[last])
					return
				}
				seen[k] = n
				switch i % 5 {
				case 0:
					m.Explain("GET", r.URL.Path)
				case 1:
					inspect.Print(io.Discard, m)
				case 2:
					m.Handler(r)
				case 3:
					if a := ask(page, httptest.NewRequest("GET", "/routes.json", nil)); a.status != 200 {
						t.Errorf("routes.json: %s", a.brief())
					}
				case 4:
					inspect.OpenAPI(m, inspect.Document{})
				}
			}
		})
	}
	for i := range 100 {
		g := m.Group(fmt.Sprintf("/g%d", i))
		g.Use(trace("g"))
		g.GET("/x/:id", values)
		sub := muxmaster.New()
		m.Mount(fmt.Sprintf("/m%d", i), sub)
		sub.Use(trace("s"))
		sub.Group("/in").Use(trace("in"))
		sub.GET("/x", tell("x"))
	}
	done.Store(true)
	wg.Wait()
}
