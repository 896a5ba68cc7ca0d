package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// http.TimeoutHandler returns while its handler still runs, on a copy of the
// request. The handler keeps its values on a route that is not pooled, and on a
// pooled one if the TimeoutHandler is around the Mux, which then has not
// returned.
func TestPoolRequestBundleAndTimeoutHandler(t *testing.T) {
	for name, build := range map[string]func(h http.Handler) (http.Handler, *muxmaster.Mux){
		"route of a Mux that is not pooled": func(h http.Handler) (http.Handler, *muxmaster.Mux) {
			m := newMux(false)
			m.Handle("/t/:id", http.TimeoutHandler(h, time.Millisecond, ""))
			return m, m
		},
		"Use of a Mux that is not pooled": func(h http.Handler) (http.Handler, *muxmaster.Mux) {
			m := newMux(false)
			m.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "") })
			m.Handle("/t/:id", h)
			return m, m
		},
		"around a pooled Mux": func(h http.Handler) (http.Handler, *muxmaster.Mux) {
			m := newMux(true)
			m.Handle("/t/:id", h)
			return http.TimeoutHandler(m, time.Millisecond, ""), m
		},
	} {
		release, got := make(chan bool), make(chan string, 1)
		h, m := build(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.PathValue("id") != "mine" {
				return
			}
			<-release
			got <- r.PathValue("id")
		}))
		m.HandleFunc("/other/:id", func(http.ResponseWriter, *http.Request) {})
		h.ServeHTTP(httptest.NewRecorder(), request(t, "GET", "/t/mine")) // times out
		for i := range 50 {
			h.ServeHTTP(httptest.NewRecorder(), request(t, "GET", fmt.Sprint("/other/", i)))
			h.ServeHTTP(httptest.NewRecorder(), request(t, "GET", fmt.Sprint("/t/", i)))
		}
		close(release)
		if v := <-got; v != "mine" {
			t.Errorf("%s: the handler read %q, want its own value", name, v)
		}
	}
}

// Values are pooled only where every Mux around the route says so.
func TestPoolingOfMountedMuxes(t *testing.T) {
	for _, c := range []struct{ outer, middle, inner, pooled bool }{
		{false, false, false, false}, {true, false, false, false}, {true, true, false, false}, {true, false, true, false},
		{false, true, true, false}, {false, false, true, false}, {true, true, true, true},
	} {
		for _, late := range []bool{false, true} { // registered after it is mounted
			outer, middle, inner := newMux(c.outer), newMux(c.middle), newMux(c.inner)
			var kept *http.Request
			var keptParams muxmaster.Params
			register := func() {
				inner.GET("/keep/:id", func(w http.ResponseWriter, r *http.Request) { kept = r })
				inner.GETFast("/fast/:id", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { keptParams = ps })
			}
			if !late {
				register()
			}
			middle.Mount("/in", inner)
			outer.Group("/g/:v").Mount("/mid", middle)
			if late {
				register()
			}
			outer.GET("/own/:v/:id", func(http.ResponseWriter, *http.Request) {})
			outer.GETFast("/ownfast/:v/:id", func(http.ResponseWriter, *http.Request, muxmaster.Params) {})

			ask(outer, request(t, "GET", "/g/1/mid/in/keep/mine"))
			ask(outer, request(t, "GET", "/g/1/mid/in/fast/mine"))
			for i := range 20 {
				ask(outer, request(t, "GET", fmt.Sprint("/own/other/", i)))
				ask(outer, request(t, "GET", fmt.Sprint("/ownfast/other/", i)))
			}
			pooled := c.pooled && muxmaster.FastPathValues() // else nothing is recycled
			if got := kept.PathValue("id"); pooled && got != "" || !pooled && got != "mine" {
				t.Errorf("%+v, late %v: after its handler returned, a request has id=%q", c, late, got)
			}
			if want := (muxmaster.Params{{Key: "v", Value: "1"}, {Key: "id", Value: "mine"}}); !c.pooled && !slices.Equal(keptParams, want) {
				t.Errorf("%+v, late %v: kept Params are %v", c, late, keptParams)
			}
		}
	}
}

// The fields of a mounted Mux are read when the first request arrives, too.
func TestPoolingFieldOfAMountedMuxIsReadLate(t *testing.T) {
	outer, inner := newMux(true), muxmaster.New()
	var kept *http.Request
	inner.GET("/:id", func(w http.ResponseWriter, r *http.Request) { kept = r })
	outer.Mount("/in", inner)
	inner.PoolRequestBundle, inner.PoolFastParams = true, true
	ask(outer, request(t, "GET", "/in/mine"))
	if got := kept.PathValue("id"); got != "" && muxmaster.FastPathValues() {
		t.Errorf("got %q, want a pooled route", got)
	}
}
