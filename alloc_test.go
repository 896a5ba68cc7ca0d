//go:build !muxmaster_safe && !race

package muxmaster_test

import (
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// idle is a ResponseWriter that allocates nothing.
type idle struct{ h http.Header }

func (w *idle) Header() http.Header               { return w.h }
func (w *idle) Write(b []byte) (int, error)       { return len(b), nil }
func (w *idle) WriteString(s string) (int, error) { return len(s), nil }
func (w *idle) WriteHeader(int)                   {}

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
		{"405", false, "POST", "/one/1", 5},
		{"backtracking", true, "GET", "/" + strings.Repeat("a/", 30) + "z", 1},
	} {
		m := newMux(c.pooled)
		m.GET("/static", nop)
		m.Handle("example.net/host", http.HandlerFunc(nop))
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
		if strings.Contains(c.name, "host") {
			m.Handle("example.com/host", http.HandlerFunc(nop))
			m.Handle("example.com/hosted/{p0}", http.HandlerFunc(reads))
		}
		w, r := &idle{http.Header{}}, request(t, c.method, c.target)
		m.ServeHTTP(w, r)
		if got := testing.AllocsPerRun(200, func() { m.ServeHTTP(w, r) }); got > c.want {
			t.Errorf("%s, pooled %v: %v allocations, want at most %v", c.name, c.pooled, got, c.want)
		}
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
		w, r := &idle{http.Header{}}, request(t, "GET", target)
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

// Backtracking allocates nothing at any depth.
func TestBacktrackingAllocatesNothing(t *testing.T) {
	for _, depth := range []int{8, 100} {
		m, target := adversary(depth)
		m.PoolRequestBundle = true
		w, r := &idle{http.Header{}}, request(t, "GET", target)
		m.ServeHTTP(w, r)
		if got := testing.AllocsPerRun(50, func() { m.ServeHTTP(w, r) }); got > 1 {
			t.Errorf("%d levels: %v allocations for a 404", depth, got)
		}
		r = request(t, "GET", target+"/end")
		if got := testing.AllocsPerRun(50, func() { m.ServeHTTP(w, r) }); got > 0 {
			t.Errorf("%d levels: %v allocations", depth, got)
		}
	}
}
