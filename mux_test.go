package muxmaster_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// PathParamAs reads the same values as r.PathValue, so that handlers can be
// tested without a router and used with another one.
func TestPathParamAsWithoutThisRouter(t *testing.T) {
	r := httptest.NewRequest("GET", "/users/7", nil)
	r.SetPathValue("id", "7")
	if id, err := muxmaster.PathParamAs[int](r, "id"); id != 7 || err != nil {
		t.Errorf("after SetPathValue: %d, %v", id, err)
	}
	if got := muxmaster.PathParam(r, "id"); got != "7" {
		t.Errorf("PathParam after SetPathValue: %q", got)
	}
	r.SetPathValue("id", "x")
	var status interface{ StatusCode() int }
	if _, err := muxmaster.PathParamAs[int](r, "id"); !errors.As(err, &status) || status.StatusCode() != 400 {
		t.Errorf("a value that is no number: %v", err)
	}
	if _, err := muxmaster.PathParamAs[int](r, "none"); !errors.As(err, &status) || status.StatusCode() != 500 {
		t.Errorf("a name that isn't there: %v", err)
	}
	std := http.NewServeMux()
	std.HandleFunc("GET /users/{id}/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		id, err := muxmaster.PathParamAs[int](r, "id")
		rest, _ := muxmaster.PathParamAs[string](r, "rest")
		fmt.Fprint(w, id, rest, err)
	})
	wants(t, std, exchanges{{"/users/7/x", "7x<nil>"}})
}

// The zero Mux, and one that was copied, panic with a message that says how to
// create one. So does the zero Group.
func TestZeroMux(t *testing.T) {
	used := muxmaster.New()
	add(used, "GET /x")
	for name, do := range map[string]func(m *muxmaster.Mux){
		"GET":        func(m *muxmaster.Mux) { m.GET("/x", tell("x")) },
		"GETFast":    func(m *muxmaster.Mux) { m.GETFast("/x", fastValues) },
		"Method":     func(m *muxmaster.Mux) { m.Method("GET", "/x", tell("x")) },
		"Handle":     func(m *muxmaster.Mux) { m.Handle("GET /x", tell("x")) },
		"HandleFunc": func(m *muxmaster.Mux) { m.HandleFunc("/x", tell("x")) },
		"TryHandle":  func(m *muxmaster.Mux) { must(m.TryHandle("/x", tell("x"))) },
		"Use":        func(m *muxmaster.Mux) { m.Use(trace("")) },
		"UseFast":    func(m *muxmaster.Mux) { m.UseFast(traceFast("")) },
		"Pre":        func(m *muxmaster.Mux) { m.Pre(trace("")) },
		"Group":      func(m *muxmaster.Mux) { m.Group("/") },
		"Route":      func(m *muxmaster.Mux) { m.Route("/g", func(g *muxmaster.Group) { g.GET("/x", tell("x")) }) },
		"With":       func(m *muxmaster.Mux) { m.With(trace("")) },
		"Mount":      func(m *muxmaster.Mux) { m.Mount("/x", tell("x")) },
		"is mounted": func(m *muxmaster.Mux) { muxmaster.New().Mount("/x", m) },
		"ServeFiles": func(m *muxmaster.Mux) { m.ServeFiles("/x/*f", files) },
		"ServeSPA":   func(m *muxmaster.Mux) { m.ServeSPA("/x", app) },
		"ServeHTTP":  func(m *muxmaster.Mux) { m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil)) },
		"Routes":     func(m *muxmaster.Mux) { m.Routes()(func(muxmaster.Route) bool { return true }) },
		"Lookup":     func(m *muxmaster.Mux) { m.Lookup(httptest.NewRequest("GET", "/x", nil)) },
		"Explain":    func(m *muxmaster.Mux) { m.Explain("GET", "/x") },
		"Handler":    func(m *muxmaster.Mux) { m.Handler(httptest.NewRequest("GET", "/x", nil)) },
	} {
		copied := reflect.New(reflect.TypeFor[muxmaster.Mux]())
		copied.Elem().Set(reflect.ValueOf(used).Elem()) // go vet refuses *used
		for m, want := range map[*muxmaster.Mux]string{new(muxmaster.Mux): "muxmaster.New", copied.Interface().(*muxmaster.Mux): "was copied"} {
			if text := panics(func() { do(m) }); !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, want) {
				t.Errorf("%s: panicked with %q, want a word about %s", name, text, want)
			}
		}
	}
	for name, do := range map[string]func(g *muxmaster.Group){
		"GET":        func(g *muxmaster.Group) { g.GET("/x", tell("x")) },
		"ServeHTTP":  func(g *muxmaster.Group) { get(t, g, "GET", "/x") },
		"is mounted": func(g *muxmaster.Group) { muxmaster.New().Mount("/x", g) },
	} {
		if text := panics(func() { do(new(muxmaster.Group)) }); !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, "mux.Group(prefix)") {
			t.Errorf("%s of a Group: panicked with %q", name, text)
		}
	}
}

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

// Values are pooled only where every Mux around the route says so. The fields are
// read when the first request arrives.
func TestPoolingOfMountedMuxes(t *testing.T) {
	for _, c := range []struct{ outer, middle, inner bool }{
		{false, false, false}, {true, false, false}, {true, true, false}, {true, false, true}, {false, true, true}, {true, true, true},
	} {
		outer, middle, inner := newMux(c.outer), newMux(c.middle), muxmaster.New()
		var kept *http.Request
		var params muxmaster.Params
		inner.GET("/keep/:id", func(w http.ResponseWriter, r *http.Request) { kept = r })
		middle.Mount("/in", inner)
		outer.Group("/g/:v").Mount("/mid", middle)
		inner.GETFast("/fast/:id", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { params = ps })
		outer.GET("/own/:v/:id", serveUsers)
		outer.GETFast("/ownfast/:v/:id", serveFast)
		inner.PoolRequestBundle, inner.PoolFastParams = c.inner, c.inner
		ask(outer, request(t, "GET", "/g/1/mid/in/keep/mine"))
		ask(outer, request(t, "GET", "/g/1/mid/in/fast/mine"))
		for i := range 20 {
			ask(outer, request(t, "GET", fmt.Sprint("/own/other/", i)))
			ask(outer, request(t, "GET", fmt.Sprint("/ownfast/other/", i)))
		}
		pooled := c.outer && c.middle && c.inner
		want := map[bool]string{true: "", false: "mine"}[pooled && muxmaster.FastPathValues()] // else nothing is recycled
		if got := kept.PathValue("id"); got != want {
			t.Errorf("%+v: after its handler returned, a request has id=%q, want %q", c, got, want)
		}
		if want := (muxmaster.Params{{Key: "v", Value: "1"}, {Key: "id", Value: "mine"}}); !pooled && !slices.Equal(params, want) {
			t.Errorf("%+v: kept Params are %v", c, params)
		}
	}
}
