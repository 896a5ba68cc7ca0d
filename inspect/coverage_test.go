package inspect_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// covered returns a Mux with routes of each kind. use is its middleware.
func covered(use ...func(http.Handler) http.Handler) *muxmaster.Mux {
	m, sub := muxmaster.New(), muxmaster.New()
	m.Use(use...)
	m.GET("/a", show)
	m.GET("/users/:id", show)
	m.Method("POST,PUT", "/users/:id", http.HandlerFunc(show))
	m.ANY("/any", show)
	m.GET("/any", show)
	m.Handle("GET example.com/host/", http.HandlerFunc(show))
	m.GET("/moves", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusFound) })
	m.GET("/panics", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	inner := http.NewServeMux() // sets Request.Pattern of the same request
	inner.HandleFunc("/inner/x", show)
	m.Mount("/inner", inner)
	m.Group("/g").GET("/", show)
	sub.GET("/x", show)
	m.Mount("/sub", sub)
	return m
}

// serve sends a request and ignores a panic.
func serve(h http.Handler, method, target string) {
	defer func() { recover() }()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, target, nil))
}

func TestCoverage(t *testing.T) {
	plain := covered()
	inside, outside := inspect.NewCoverage(plain), inspect.NewCoverage(plain)
	for _, c := range []struct {
		name string
		cov  *inspect.Coverage
		h    http.Handler
	}{
		{"in Use", inside, covered(inside.Handler)},
		{"around the Mux", outside, outside.Handler(plain)},
	} {
		for _, step := range []struct {
			request string
			want    string // the route that is counted, "" for none
		}{
			{"GET /a", "GET /a"},
			{"HEAD /a", "GET /a"},
			{"POST /a", ""},
			{"OPTIONS /a", ""},
			{"GET /a/", ""}, // a redirect
			{"GET //a", ""},
			{"GET /none", ""},
			{"GET /users/1", "GET /users/:id"},
			{"PUT /users/1", "PUT /users/:id"},
			{"POST /users/1", "POST /users/:id"},
			{"GET /any", "GET /any"},
			{"DELETE /any", "/any"},
			{"GET http://example.com/host/x", "GET example.com/host/"},
			{"GET /moves", "GET /moves"},
			{"GET /panics", "GET /panics"},
			{"GET /g", "GET /g"},
			{"GET /g/", "GET /g"},
			{"GET /sub/x", "GET /sub/x"},
		} {
			method, target, _ := strings.Cut(step.request, " ")
			serve(c.h, method, target) // the next one is counted by what this one left
			before := c.cov.Routes()
			serve(c.h, method, target)
			var got []string
			for i, u := range c.cov.Routes() {
				if u.Hits != before[i].Hits {
					got = append(got, strings.TrimSpace(u.Method+" "+u.Host+u.Pattern))
				}
				if (u.Hits == 0) != u.Last.IsZero() || u.Hits > 0 && time.Since(u.Last).Abs() > time.Hour {
					t.Errorf("%s: %v: %d hits, the last at %v", c.name, u.Route, u.Hits, u.Last)
				}
			}
			if step.want == "" && len(got) > 0 || step.want != "" && !slices.Equal(got, []string{step.want}) {
				t.Errorf("%s, %s: counted %q, want %q", c.name, step.request, got, step.want)
			}
		}
	}
	// A mounted handler that sets the pattern: only middleware knows the route.
	serve(covered(inside.Handler), "GET", "/inner/x")
	unused := fmt.Sprint(inside.Unused())
	if strings.Contains(unused, "/inner") {
		t.Errorf("not used: %s", unused)
	}
}

// TestCoverageOfEqualTexts checks that routes with the same text are counted
// apart: a path that ends in a slash and all below it, and the root of a Group and
// its bare prefix.
func TestCoverageOfEqualTexts(t *testing.T) {
	routes := func(mw ...func(http.Handler) http.Handler) *muxmaster.Mux {
		m := muxmaster.New()
		m.Use(mw...)
		h := func(http.ResponseWriter, *http.Request) {}
		m.Handle("GET /x/", http.HandlerFunc(h))
		m.GET("/x/", h)
		g := m.Group("/g")
		g.GET("/", h)
		g.GET("", h)
		return m
	}
	plain := routes()
	inside, outside := inspect.NewCoverage(plain), inspect.NewCoverage(plain)
	for _, c := range []struct {
		cov *inspect.Coverage
		h   http.Handler
	}{{inside, routes(inside.Handler)}, {outside, outside.Handler(plain)}} {
		for i, target := range []string{"/x/", "/x/y", "/g", "/g/"} {
			if n := len(c.cov.Unused()); n != 4-i {
				t.Errorf("%d routes are unused after %d requests", n, i)
			}
			serve(c.h, "GET", target)
		}
	}
}

// TestCoverageRemembersRoutes checks that requests of one path with several routes
// are counted apart, however they alternate, and that counting allocates nothing.
func TestCoverageRemembersRoutes(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
	routes := func(m *muxmaster.Mux) *muxmaster.Mux {
		m.Method("POST,PUT,PURGE", "/x", http.HandlerFunc(h))
		m.GET("/x", h)
		m.ANY("/x", h)
		for i := range 100 {
			m.GET(fmt.Sprint("/", i), h)
		}
		return m
	}
	plain := routes(muxmaster.New())
	inside, outside := inspect.NewCoverage(plain), inspect.NewCoverage(plain)
	used := muxmaster.New()
	used.Use(inside.Handler)
	for name, c := range map[string]struct {
		cov *inspect.Coverage
		h   http.Handler
	}{"in Use": {inside, routes(used)}, "around the Mux": {outside, outside.Handler(plain)}} {
		var requests []*http.Request
		want := map[string]uint64{}
		const rounds = 100
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PURGE", "DELETE", "PATCH"} {
			requests = append(requests, httptest.NewRequest(method, "/x", nil))
			switch method {
			case "HEAD":
				method = "GET"
			case "DELETE", "PATCH":
				method = ""
			}
			want[method+"/x"] += 1 + rounds
		}
		for i := range 100 {
			requests = append(requests, httptest.NewRequest("GET", fmt.Sprint("/", i), nil))
			want[fmt.Sprint("GET/", i)] = 1 + rounds
		}
		w := nothing{}
		allocs := testing.AllocsPerRun(rounds, func() {
			for _, r := range requests {
				r.Pattern = ""
				c.h.ServeHTTP(w, r)
			}
		})
		if allocs > 0 {
			t.Errorf("%s: %v allocations for %d requests", name, allocs, len(requests))
		}
		for _, u := range c.cov.Routes() {
			if u.Hits != want[u.Method+u.Pattern] {
				t.Errorf("%s: %s %s has %d hits, want %d", name, u.Method, u.Pattern, u.Hits, want[u.Method+u.Pattern])
			}
		}
	}
}

// TestCoverageOfLaterRoutes checks that routes are counted that are registered
// after NewCoverage, and that counters stay.
func TestCoverageOfLaterRoutes(t *testing.T) {
	m := muxmaster.New()
	m.GET("/a", show)
	c := inspect.NewCoverage(m)
	h := c.Handler(m)
	serve(h, "GET", "/a")
	m.GET("/b", show)
	serve(h, "GET", "/b")
	serve(h, "GET", "/a")
	m.GET("/c", show)
	var got []string
	for _, u := range c.Routes() {
		got = append(got, fmt.Sprint(u.Pattern, u.Hits))
	}
	if want := []string{"/a2", "/b1", "/c0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestCoverageOfForeignPatterns checks that patterns of other routers take no
// unbounded memory, and make no difference.
func TestCoverageOfForeignPatterns(t *testing.T) {
	m := muxmaster.New()
	n := 0
	m.Mount("/x", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n++; r.Pattern = fmt.Sprint("/foreign/", n) }))
	c := inspect.NewCoverage(m)
	h := c.Handler(m)
	for range 3000 {
		serve(h, "GET", "/x/")
	}
	if len(c.Unused()) != 1 {
		t.Errorf("not used: %v", c.Unused())
	}
}

func TestCoveragePrint(t *testing.T) {
	m := muxmaster.New()
	c := inspect.NewCoverage(m)
	var b strings.Builder
	if share, err := c.Print(&b); share != 1 || err != nil || b.String() != "0 of 0 routes (100%) were used\n" {
		t.Errorf("got %v, %v, %q", share, err, b.String())
	}
	m.GET("/a", show)
	m.ANY("/b", show)
	m.GET("/c", show)
	m.Mount("/debug/routes", c.Page()) // doesn't count
	serve(c.Handler(m), "GET", "/a")
	b.Reset()
	share, err := c.Print(&b)
	if math.Abs(share-1./3) > 1e-9 || err != nil || !strings.HasPrefix(b.String(), "1 of 3 routes (33%) were used; not used:\n  *    /b  ") || strings.Count(b.String(), "\n") != 3 {
		t.Errorf("got %v, %v, %q", share, err, b.String())
	}
	if list := c.Unused(); len(list) != 2 {
		t.Errorf("not used: %v", list)
	}
}

// TestCoverageConcurrent checks that no request is lost, whatever processors
// serve them.
func TestCoverageConcurrent(t *testing.T) {
	c := inspect.NewCoverage(covered())
	m := covered(c.Handler)
	const each = 2000
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r := httptest.NewRequest("GET", "/users/1", nil)
			for range each {
				m.ServeHTTP(nothing{}, r)
			}
		})
		wg.Go(func() { c.Unused() })
	}
	wg.Wait()
	for _, u := range c.Routes() {
		if u.Method == "GET" && u.Pattern == "/users/:id" && u.Hits != 8*each {
			t.Errorf("%d hits, want %d", u.Hits, 8*each)
		}
	}
}

// nothing is a writer that discards everything.
type nothing struct{}

func (nothing) Header() http.Header         { return nil }
func (nothing) Write(p []byte) (int, error) { return len(p), nil }
func (nothing) WriteHeader(int)             {}

// BenchmarkCoverage measures requests that aren't counted, and that are: in
// middleware of Use, and around the Mux.
func BenchmarkCoverage(b *testing.B) {
	c := inspect.NewCoverage(covered())
	for name, h := range map[string]http.Handler{"none": covered(audit), "use": covered(c.Handler), "around": c.Handler(covered())} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest("GET", "/a", nil)
			for b.Loop() {
				r.Pattern = ""
				h.ServeHTTP(nothing{}, r)
			}
		})
	}
}
