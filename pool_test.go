package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// With pooling, PathValue of a request returns "" after its handler returned.
func TestStaleRequest(t *testing.T) {
	m := newMux(true)
	var kept []*http.Request
	keep := func(w http.ResponseWriter, r *http.Request) { kept = append(kept, r) }
	m.GET("/a/:x/:y", keep)
	m.GETFast("/f/:x/:y", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { keep(w, r) })
	m.GET("/panic/:x/:y", func(w http.ResponseWriter, r *http.Request) {
		keep(w, r)
		panic(http.ErrAbortHandler)
	})
	for i := range 50 {
		for _, target := range []string{"/a/1/2", "/f/3/4"} {
			ask(m, request(t, "GET", fmt.Sprintf("%s%d", target, i)))
			for _, r := range kept {
				if !muxmaster.FastPathValues() { // nothing is recycled then: the values are the request's own
					if want := path.Base(r.URL.Path); r.PathValue("y") != want {
						t.Fatalf("%s: a stale request has y=%q", r.URL, r.PathValue("y"))
					}
					continue
				}
				if x, y := r.PathValue("x"), muxmaster.PathParam(r, "y"); x != "" || y != "" || len(muxmaster.PathParams(r)) > 0 {
					t.Fatalf("%s: a stale request has x=%q y=%q %v", r.URL, x, y, muxmaster.PathParams(r))
				}
			}
		}
	}
	// A handler that panics leaves nothing wrong behind for the next ones.
	for range 20 {
		panics(func() { ask(m, request(t, "GET", "/panic/5/6")) })
		mine := newMux(true)
		mine.GET("/:a/:b", values)
		if got, want := get(t, mine, "GET", "/1/2"), `a="1" b="2"`; got != want {
			t.Fatalf("after a panic: got %s, want %s", got, want)
		}
	}
}

// A clone made while the handler runs keeps its values.
func TestClonesLast(t *testing.T) {
	m := newMux(true)
	var kept []*http.Request
	keep := func(w http.ResponseWriter, r *http.Request) { kept = append(kept, r.Clone(r.Context())) }
	m.GET("/a/:x/:y", keep)
	m.GETFast("/f/:x/:y", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { keep(w, r) })
	for i := range 50 {
		ask(m, request(t, "GET", fmt.Sprintf("/a/a%d/%d", i, i)))
		ask(m, request(t, "GET", fmt.Sprintf("/f/f%d/%d", i, i)))
	}
	for i, r := range kept {
		want := fmt.Sprintf("%c%d %d", "af"[i%2], i/2, i/2)
		if got := r.PathValue("x") + " " + r.PathValue("y"); got != want {
			t.Errorf("clone %d: got %q, want %q", i, got, want)
		}
	}
}

// Concurrent and nested requests never see each other's values.
func TestPoolHammer(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		check := func(r *http.Request, n int) {
			id := r.Header.Get("X-Id")
			ps := muxmaster.PathParams(r)
			if len(ps) != n {
				t.Errorf("%s: %d values, want %d", r.URL, len(ps), n)
			}
			for i, p := range ps {
				if want := fmt.Sprintf("%s-%d", id, i); p.Value != want || r.PathValue(p.Key) != want {
					t.Errorf("%s: %s=%q/%q, want %q", r.URL, p.Key, p.Value, r.PathValue(p.Key), want)
				}
			}
		}
		const most = 20
		for n := 1; n <= most; n++ {
			path := fmt.Sprint("/", n)
			for i := range n {
				path += fmt.Sprint("/:p", i)
			}
			m.GET(path, func(w http.ResponseWriter, r *http.Request) {
				check(r, n)
				if n > 1 { // another request within this one
					id := r.Header.Get("X-Id") + "i"
					m.ServeHTTP(httptest.NewRecorder(), hammerRequest(id, n-1))
				}
				check(r, n)
			})
			m.POSTFast(path, func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
				for i, p := range ps {
					if want := fmt.Sprintf("%s-%d", r.Header.Get("X-Id"), i); p.Value != want {
						t.Errorf("%s: %s=%q, want %q", r.URL, p.Key, p.Value, want)
					}
				}
				check(r, n)
			})
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 150 {
					r := hammerRequest(fmt.Sprintf("%d.%d", g, i), 1+i%most)
					if i%3 == 0 {
						r.Method = "POST"
					}
					m.ServeHTTP(httptest.NewRecorder(), r)
					if got := r.PathValue("p0"); (got != "") == (mode.pooled && muxmaster.FastPathValues()) {
						t.Errorf("%s: after the request p0=%q", mode.name, got)
					}
				}
			})
		}
		wg.Wait()
	}
}

func hammerRequest(id string, n int) *http.Request {
	path := fmt.Sprint("/", n)
	for i := range n {
		path += fmt.Sprintf("/%s-%d", id, i)
	}
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("X-Id", id)
	return r
}
