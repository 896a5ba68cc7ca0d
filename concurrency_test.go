package muxmaster_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// Routes can be registered while requests are served. They serve later
// requests, and earlier routes continue to work.
func TestRegisterWhileServing(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.GET("/fixed/:id", values)
		sub := muxmaster.New()
		m.Mount("/sub", sub)
		const routes, workers = 60, 4
		var registered atomic.Int64
		var done atomic.Bool
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := 0; !done.Load() || i == 0; i++ {
					want := fmt.Sprintf(`id="%d-%d"`, w, i)
					r := httptest.NewRequest("GET", fmt.Sprintf("/fixed/%d-%d", w, i), nil)
					if got := ask(m, r).brief(); got != want {
						t.Errorf("got %s, want %s", got, want)
						return
					}
					if n := registered.Load(); n > 0 {
						k := int64(i) % n
						for target, want := range map[string]string{
							fmt.Sprintf("/r%d/x", k): `id="x"`, fmt.Sprintf("/s%d", k): ``, fmt.Sprintf("/sub/m%d/x", k): `id="x"`,
						} {
							if got := ask(m, httptest.NewRequest("GET", target, nil)).brief(); got != want {
								t.Errorf("%s: got %s, want %s", target, got, want)
								return
							}
						}
					}
					ask(m, httptest.NewRequest("POST", "/fixed/1", nil))
					ask(m, httptest.NewRequest("GET", "/none/1", nil))
					m.Handler(httptest.NewRequest("GET", "/s1", nil))
				}
			})
		}
		for i := range routes {
			m.GET(fmt.Sprintf("/r%d/:id", i), values)
			m.HandleFast(fmt.Sprintf("/s%d", i), fastValues)
			sub.GET(fmt.Sprintf("/m%d/:id", i), values)
			m.TryHandle("/fixed/{", http.HandlerFunc(values))
			m.TryHandle(fmt.Sprintf("BREW%d host%d/x", i%50, i), http.HandlerFunc(values))
			registered.Store(int64(i + 1))
		}
		done.Store(true)
		wg.Wait()
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

// A handler can register a route and use it.
func TestRegisterInAHandler(t *testing.T) {
	m := muxmaster.New()
	m.GET("/add/:name", func(w http.ResponseWriter, r *http.Request) {
		m.GET("/added/"+r.PathValue("name"), values)
		m.ServeHTTP(w, httptest.NewRequest("GET", "/added/"+r.PathValue("name"), nil))
		fmt.Fprint(w, r.PathValue("name"))
	})
	if got := get(t, m, "GET", "/add/x"); got != "x" {
		t.Errorf("got %s", got)
	}
	if got := get(t, m, "GET", "/added/x"); got != "" {
		t.Errorf("got %s", got)
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

// The first requests and inspections of the routes run concurrently.
func TestFirstRequestsTogether(t *testing.T) {
	for range 100 {
		m, sub := muxmaster.New(), muxmaster.New()
		m.Pre(trace("m"))
		m.GET("/x/:id", values)
		m.POST("/rest/*rest", values)
		sub.Pre(trace("s"))
		m.Mount("/s", sub)
		var wg sync.WaitGroup
		for _, c := range []struct {
			mux             *muxmaster.Mux
			response, route string
		}{
			{m, `m id="1"`, "GET /x/:id"},
			{sub, "s ", ""},
		} {
			check := func(what string, ask func() string, want string) {
				wg.Go(func() {
					if got := ask(); got != want {
						t.Errorf("%s: got %q, want %q", what, got, want)
					}
				})
			}
			handler := func(target string) func() string {
				return func() string {
					_, pattern := c.mux.Handler(httptest.NewRequest("GET", target, nil))
					return pattern
				}
			}
			check("GET /x/1", func() string { return ask(c.mux, httptest.NewRequest("GET", "/x/1", nil)).body }, c.response)
			check("Handler of /x/1", handler("/x/1"), c.route)
			check("Handler of /rest/1", handler("/rest/1"), "")
			check("Explain", func() string {
				if route := c.mux.Explain("GET", "/x/1").Route; route != nil {
					return route.Method + " " + route.Pattern
				}
				return ""
			}, c.route)
		}
		wg.Wait()
	}
}
