package muxmaster_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
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
// served and routes are inspected.
func TestGroupsWhileServing(t *testing.T) {
	m := muxmaster.New()
	m.Use(trace("m"))
	page := m.DebugHandlerFor(func(*http.Request) bool { return true })
	targets := []string{"/none", "/g1/none", "/g2/x/1", "/m3/x", "/m3/none", "//x"}
	var done atomic.Bool
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := w; !done.Load(); i++ {
				r := httptest.NewRequest("GET", targets[i%len(targets)], nil)
				ask(m, r)
				switch i % 5 {
				case 0:
					m.Explain("GET", r.URL.Path)
				case 1:
					m.PrintRoutes(io.Discard)
				case 2:
					m.Handler(r)
				case 3:
					ask(page, httptest.NewRequest("GET", "/routes.json", nil))
				case 4:
					m.OpenAPI("title", "1", nil)
				}
			}
		})
	}
	for i := range 100 {
		g := m.Group(fmt.Sprintf("/g%d", i))
		g.Use(trace("g"))
		g.UseFast(func(h muxmaster.FastHandler) muxmaster.FastHandler { return h })
		g.GET("/x/:id", values)
		sub := muxmaster.New()
		m.Mount(fmt.Sprintf("/m%d", i), sub)
		sub.Use(trace("s"))
		sub.Group("/in").Use(trace("in"))
		sub.GET("/x", values)
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
		for _, mux := range []*muxmaster.Mux{m, sub} {
			wg.Go(func() { ask(mux, httptest.NewRequest("GET", "/x/1", nil)) })
			wg.Go(func() { mux.Handler(httptest.NewRequest("GET", "/x/1", nil)) })
			wg.Go(func() { mux.Handler(httptest.NewRequest("GET", "/rest/1", nil)) })
			wg.Go(func() { mux.Explain("GET", "/x/1") })
			wg.Go(func() { mux.PrintRoutes(io.Discard) })
		}
		wg.Wait()
	}
}
