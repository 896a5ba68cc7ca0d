//go:build !muxmaster_safe && !race

package muxmaster_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Allocations of the router for one request.
func TestAllocations(t *testing.T) {
	nop := func(w http.ResponseWriter, r *http.Request) {}
	nopFast := func(http.ResponseWriter, *http.Request, muxmaster.Params) {}
	reads := func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("p0") == "" {
			panic("no value")
		}
	}
	five := "/five/:p0/:p1/:p2/:p3/:p4"
	twenty, twentyPath := "/twenty", "/twenty"
	for i := range 20 {
		twenty += fmt.Sprint("/:p", i)
		twentyPath += fmt.Sprint("/", i)
	}
	for _, c := range []struct {
		name   string
		pooled bool
		method string
		target string
		want   float64
	}{
		{"static", false, "GET", "/static", 0},
		{"static", true, "GET", "/static", 0},
		{"static HEAD", false, "HEAD", "/static", 0},
		{"static with a host", false, "GET", "/host", 0},
		{"static with Handle", false, "GET", "/handle", 0},
		{"below a slash", false, "GET", "/tree/x/y/z", 0},
		{"below a slash", true, "GET", "/tree/x/y/z", 0},
		{"1 parameter", false, "GET", "/one/12345", 1},
		{"1 parameter", true, "GET", "/one/12345", 0},
		{"1 parameter, any method", true, "BREW", "/any/1", 0},
		{"1 parameter, HEAD", true, "HEAD", "/one/12345", 0},
		{"1 parameter, escaped", true, "GET", "/one/a%20b", 0},
		{"1 parameter, escaped slash", true, "GET", "/one/a%2Fb", 2},
		{"1 parameter with a host", true, "GET", "/hosted/1", 0},
		{"1 constrained parameter", false, "GET", "/num/12345", 1},
		{"1 constrained parameter", true, "GET", "/num/12345", 0},
		{"text and parameter", true, "GET", "/v1.2/x", 0},
		{"catch-all", false, "GET", "/all/a/b/c", 1},
		{"catch-all", true, "GET", "/all/a/b/c", 0},
		{"long path", false, "GET", "/all/" + strings.Repeat("x", 300), 1},
		{"long path", true, "GET", "/all/" + strings.Repeat("x", 300), 1},
		{"5 parameters", false, "GET", "/five/1/2/3/4/5", 1},
		{"5 parameters", true, "GET", "/five/1/2/3/4/5", 0},
		{"20 parameters", false, "GET", twentyPath, 1},
		{"20 parameters", true, "GET", twentyPath, 0},
		{"fast static", false, "GET", "/faststatic", 0},
		{"fast, 1 parameter", false, "GET", "/fast/1", 1},
		{"fast, 1 parameter", true, "GET", "/fast/1", 0},
		{"fast, 20 parameters", true, "PUT", twentyPath, 0},
		{"404", false, "GET", "/none", 1},
		{"404", true, "GET", "/one/1/2", 1},
		{"405", false, "POST", "/one/1", 2},
		{"backtracking", true, "GET", "/" + strings.Repeat("a/", 30) + "z", 1},
	} {
		m := newMux(c.pooled)
		m.GET("/static", nop)
		m.Handle("/handle", http.HandlerFunc(nop))
		m.Handle("/tree/", http.HandlerFunc(nop))
		m.GET("/one/:p0", reads)
		m.ANY("/any/:p0", reads)
		m.GET("/num/{p0:[0-9]+}", reads)
		m.GET("/v{p0}.{p1}/x", reads)
		m.GET("/all/*p0", reads)
		m.GET(five, reads)
		if strings.HasPrefix(c.name, "20") || strings.HasPrefix(c.name, "fast, 20") {
			m.GET(twenty, reads)
			m.PUTFast(twenty, nopFast)
		}
		m.GETFast("/faststatic", nopFast)
		m.GETFast("/fast/:p0", nopFast)
		if strings.Contains(c.name, "host") { // it turns off the fast match
			m.Handle("example.com/host", http.HandlerFunc(nop))
			m.Handle("example.com/hosted/{p0}", http.HandlerFunc(reads))
		}
		w, r := &discard{http.Header{}}, request(t, c.method, c.target)
		m.ServeHTTP(w, r)
		if got := testing.AllocsPerRun(200, func() { m.ServeHTTP(w, r) }); got > c.want {
			t.Errorf("%s, pooled %v: %v allocations, want at most %v", c.name, c.pooled, got, c.want)
		}
	}
}

// TestRegistrationAllocations counts what registering a route allocates, with its
// share of the tables that the first request builds.
func TestRegistrationAllocations(t *testing.T) {
	const n = 500
	var paths []string
	for i := range n {
		paths = append(paths, fmt.Sprintf("/section%d/:id/part%d", i%20, i))
	}
	h := func(w http.ResponseWriter, r *http.Request) {}
	r := httptest.NewRequest("GET", "/section0/1/part0", nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := muxmaster.New()
	for _, path := range paths {
		m.GET(path, h)
	}
	m.ServeHTTP(nil, r)
	runtime.ReadMemStats(&after)
	allocs, bytes := (after.Mallocs-before.Mallocs)/n, (after.TotalAlloc-before.TotalAlloc)/n
	if allocs > 16 || bytes > 2400 {
		t.Errorf("%d allocations, %d bytes, want at most 16 and 2400", allocs, bytes)
	}
}

// In the default mode, a value costs 16 bytes, because 63 values share an
// allocation of 1,024 bytes. The end of a chunk may remain unused.
func TestBytesPerValue(t *testing.T) {
	for _, c := range []struct {
		params int
		most   uint64
	}{{1, 17}, {2, 34}, {3, 49}, {5, 86}, {20, 342}} {
		m := muxmaster.New()
		pattern, target := "", ""
		for i := range c.params {
			pattern += fmt.Sprint("/:p", i)
			target += fmt.Sprint("/", i)
		}
		m.GET(pattern, func(http.ResponseWriter, *http.Request) {})
		w, r := &discard{http.Header{}}, request(t, "GET", target)
		m.ServeHTTP(w, r)
		const runs = 1000
		got := uint64(math.MaxUint64)
		for range 5 { // other goroutines allocate, too
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range runs {
				m.ServeHTTP(w, r)
			}
			runtime.ReadMemStats(&after)
			got = min(got, (after.TotalAlloc-before.TotalAlloc)/runs)
		}
		if got > c.most {
			t.Errorf("%d parameters: %d B, want at most %d", c.params, got, c.most)
		}
	}
}

// What a Mux keeps alive that has served a request.
func TestRetainedBytes(t *testing.T) {
	nop := func(http.ResponseWriter, *http.Request) {}
	const copies, n = 100, 64
	for _, c := range []struct {
		name string
		add  func(m *muxmaster.Mux, i int)
		most uint64
	}{
		{"nothing", func(*muxmaster.Mux, int) {}, 1600},
		{"routes without parameters", func(m *muxmaster.Mux, i int) { m.GET(fmt.Sprintf("/%02d", i), nop) }, 13_500},
		{"routes with a parameter", func(m *muxmaster.Mux, i int) { m.GET(fmt.Sprintf("/%02d/:id", i), nop) }, 31_800},
		{"routes with parameters of different names", func(m *muxmaster.Mux, i int) { m.GET(fmt.Sprintf("/%02d/:id%02d", i, i), nop) }, 47_800},
		{"Groups with a route", func(m *muxmaster.Mux, i int) { m.Group(fmt.Sprintf("/%02d", i)).GET("/x", nop) }, 72_400},
	} {
		load := func() any {
			m := muxmaster.New()
			for i := range n {
				c.add(m, i)
			}
			ask(m, request(t, "GET", "/none"))
			return m
		}
		got := uint64(math.MaxUint64)
		for range 3 { // other goroutines allocate, too
			keep := make([]any, copies)
			before := liveHeap()
			for i := range keep {
				keep[i] = load()
			}
			got = min(got, (liveHeap()-before)/copies)
			runtime.KeepAlive(keep)
		}
		if got > c.most {
			t.Errorf("a Mux of %d %s needs %d bytes, want at most %d", n, c.name, got, c.most)
		}
	}
}

// liveHeap returns the size of the heap without garbage and pools.
func liveHeap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What kept requests keep alive is bounded: a chunk of values and short paths
// each.
func TestKeptRequests(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		name  string
		n     int
		long  bool
		every int
		most  uint64 // bytes a kept request, beside the request itself
	}{
		{"short paths", n, false, 1, 64},
		{"paths of 8 KB", n / 100, true, 1, 9472 + 512},
		{"one in a hundred", n, false, 100, 1<<10 + 63*48 + 64},
		{"one in a hundred of 8 KB", n / 10, true, 100, 9472 + 512},
	} {
		m := muxmaster.New()
		m.GET("/x/:id", func(http.ResponseWriter, *http.Request) {})
		target := "/x/0123456789"
		if c.long {
			target = "/x/" + strings.Repeat("a", 8<<10)
		}
		kept := make([]*http.Request, 0, c.n/c.every)
		proto := request(t, "GET", target)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		w := &discard{http.Header{}}
		var size uint64
		for i := range c.n {
			r := new(http.Request)
			*r = *proto
			u := *proto.URL
			u.Path = strings.Clone(u.Path)
			r.URL, r.RequestURI = &u, u.Path
			m.ServeHTTP(w, r)
			if i%c.every == 0 {
				kept = append(kept, r)
				size += 512 + 128 // a Request and a URL, by their size classes
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		got := (after.HeapAlloc - min(before.HeapAlloc+size, after.HeapAlloc)) / uint64(len(kept))
		if got > c.most {
			t.Errorf("%s: a kept request keeps %d bytes alive, want at most %d", c.name, got, c.most)
		}
		for _, r := range kept {
			if v := r.PathValue("id"); len(v) != len(target)-3 {
				t.Fatalf("%s: a kept request has the value %q", c.name, v)
			}
		}
	}
}

// A Group that an Update made doesn't keep the routes that there were then.
func TestGroupsOfUpdatesRetainNothingElse(t *testing.T) {
	m := muxmaster.New()
	for i := range 2000 {
		m.GET(fmt.Sprint("/", i), values)
	}
	before := liveHeap()
	const n = 100
	for i := range n {
		must(m.Update(func(m *muxmaster.Mux) error {
			m.Group(fmt.Sprint("/g", i)).GET("/:id", values)
			m.Explain("GET", "/1")
			return nil
		}))
	}
	if after := liveHeap(); after > before+n*16<<10 {
		t.Errorf("a Group keeps %d bytes", (after-before)/n)
	}
	wants(t, m, exchanges{{"/g1/5", `id="5"`}})
}

// TestUpdatesRetainNothing checks that changes that leave the routes as they were
// leave no memory behind, while the Muxes serve.
func TestUpdatesRetainNothing(t *testing.T) {
	remove := func(m *muxmaster.Mux, patterns ...string) {
		for _, p := range patterns {
			must(m.Remove(p))
		}
	}
	service := func() *muxmaster.Mux {
		m := muxmaster.New()
		m.Group("/users").GET("/:id", values)
		return m
	}
	middleware := func(next http.Handler) http.Handler { return next }
	// replaced registers routes, and returns a change that removes and registers them
	// again.
	replaced := func(m *muxmaster.Mux, register func(m *muxmaster.Mux), patterns ...string) (change func(int)) {
		register(m)
		return func(int) {
			must(m.Update(func(m *muxmaster.Mux) error { remove(m, patterns...); register(m); return nil }))
		}
	}
	mounted := func(outer *muxmaster.Mux, prefix string) *muxmaster.Mux {
		sub := service()
		outer.Mount(prefix, sub)
		return sub
	}
	for name, prepare := range map[string]func(outer *muxmaster.Mux) (change func(i int)){
		"a new service is mounted": func(outer *muxmaster.Mux) func(int) {
			return replaced(outer, func(m *muxmaster.Mux) { m.Mount("/api", service()) }, "/api")
		},
		"a new service is mounted in middleware": func(outer *muxmaster.Mux) func(int) {
			return replaced(outer, func(m *muxmaster.Mux) { m.Mount("/api", http.HandlerFunc(service().ServeHTTP)) }, "/api")
		},
		"routes of a mounted Mux": func(outer *muxmaster.Mux) func(int) {
			return replaced(mounted(outer, "/api"), func(m *muxmaster.Mux) { m.With(middleware).Name("x").Annotate("a", 1).GET("/x", values) }, "GET /x")
		},
		"a gateway is mounted": func(outer *muxmaster.Mux) func(int) {
			patterns := []string{"GET /a/{id}", "h.example/b/"}
			return replaced(mounted(outer, "/gateway"), func(m *muxmaster.Mux) {
				for _, p := range patterns {
					m.HandleFunc(p, values)
				}
			}, patterns...)
		},
		"all Groups": func(outer *muxmaster.Mux) func(int) {
			mounted(outer, "/api")
			return replaced(mounted(outer, "/sub"), func(m *muxmaster.Mux) {
				g := m.Group("/g")
				g.Use(middleware)
				g.GET("/x", values)
			}, "GET /g/x")
		},
		"a Group without routes": func(outer *muxmaster.Mux) func(int) {
			return replaced(outer, func(m *muxmaster.Mux) { m.Group("/g").Use(middleware) })
		},
		"a Group and a route, without Update": func(outer *muxmaster.Mux) func(int) {
			return func(int) {
				g := outer.Group("/g")
				g.Use(middleware)
				g.GET("/x", values)
				remove(outer, "GET /g/x")
			}
		},
		"a new outer Mux mounts a shared one": func(*muxmaster.Mux) func(int) {
			shared := service()
			return func(int) {
				outer := muxmaster.New()
				outer.Mount("/api", shared)
				wants(t, outer, exchanges{{"/api/users/1", `id="1"`}})
			}
		},
		"it fails": func(outer *muxmaster.Mux) func(int) {
			mounted(outer, "/api")
			return func(i int) {
				err := outer.Update(func(m *muxmaster.Mux) error {
					mounted(m, "/more")
					if i%2 == 0 {
						return http.ErrAbortHandler
					}
					m.GET("/a/:x", values)
					return m.TryHandle("GET /a/{y}", http.NotFoundHandler())
				})
				if err == nil {
					t.Fatal("no error")
				}
			}
		},
		"a mount, without Update": func(outer *muxmaster.Mux) func(int) {
			shared, sub := service(), service()
			return func(int) {
				for _, m := range []*muxmaster.Mux{muxmaster.New(), outer} {
					m.Mount("/api", shared)
					m.Mount("/sub", sub)
					wants(t, m, exchanges{{"/api/users/1", `id="1"`}, {"/sub/none", "404"}})
					remove(m, "/api", "/sub")
				}
			}
		},
		"a route of a Mux that is only mounted, without Update": func(outer *muxmaster.Mux) func(int) {
			sub := mounted(outer, "/api")
			return func(i int) {
				data := new([1 << 10]byte)
				sub.Name(fmt.Sprint("name", i)).GET("/x", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, data[0]) })
				wants(t, outer, exchanges{{"/api/x", "0"}})
				remove(sub, "GET /x")
			}
		},
	} {
		outer := muxmaster.New()
		outer.GET("/own", values)
		change := prepare(outer)
		run := func(n int) {
			for i := range n {
				change(i)
				for _, path := range []string{"/own", "/api/users/1", "/gateway/a/1", "/sub/g/x", "/none"} {
					r := httptest.NewRequest("GET", path, nil)
					outer.ServeHTTP(httptest.NewRecorder(), r)
					outer.Lookup(r)
				}
			}
		}
		run(200)
		before := liveHeap()
		const n = 1000
		run(n)
		if after := liveHeap(); after > before+32*n {
			t.Errorf("%s: %d bytes a change remain", name, (after-before)/n)
		}
		run(1) // the Muxes live until here
	}
}
