package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Middleware is called when a route is registered and when its scope's answers
// are made, never for a request: what it makes then may be expensive.
func TestMiddlewareIsNotMadeForRequests(t *testing.T) {
	for _, mode := range modes {
		m, sub := newMux(mode.pooled), newMux(mode.pooled)
		made := 0
		counting := func(next http.Handler) http.Handler { made++; return next }
		m.Pre(counting)
		m.Use(counting)
		g := m.Group("/g")
		g.Use(counting)
		sub.Use(counting)
		m.Mount("/s", sub)
		for _, r := range []muxmaster.Router{m, g, sub, m.Group("/w").With(counting)} {
			add(r, "GET /x|GET /p/:id|Handle /tree/")
		}
		targets := []string{"/x", "/p/1", "/tree/x", "/none", "//x", "/tree", "/x/", "/p/a%2Fb"}
		rounds := func() {
			for _, prefix := range []string{"", "/g", "/s"} {
				for _, target := range targets {
					for _, method := range []string{"GET", "POST", "OPTIONS"} {
						ask(m, request(t, method, prefix+target))
					}
				}
			}
		}
		rounds()
		before := made
		if rounds(); made != before {
			t.Errorf("%s: requests made middleware %d times", mode.name, made-before)
		}
	}
}

// limiter returns middleware that lets one request through at a time, whichever
// of the handlers around which it stands.
func limiter() func(http.Handler) http.Handler {
	room := make(chan struct{}, 1)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case room <- struct{}{}:
				defer func() { <-room }()
				next.ServeHTTP(w, r)
			default:
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
	}
}

// State created outside of the call is shared by all routes and responses of
// the scope, as the limiters of most packages do it.
func TestMiddlewareShares(t *testing.T) {
	for name, c := range map[string]struct {
		setup  func(m *muxmaster.Mux) muxmaster.Router // the scope under the limit
		prefix string
		with   bool // covers routes alone, no answers of its own
	}{
		"Mux":   {func(m *muxmaster.Mux) muxmaster.Router { m.Use(limiter()); return m }, "", false},
		"Pre":   {func(m *muxmaster.Mux) muxmaster.Router { m.Pre(limiter()); return m }, "", false},
		"Group": {func(m *muxmaster.Mux) muxmaster.Router { g := m.Group("/g"); g.Use(limiter()); return g }, "/g", false},
		"With":  {func(m *muxmaster.Mux) muxmaster.Router { return m.With(limiter()) }, "", true},
		"inner": {func(m *muxmaster.Mux) muxmaster.Router { g := m.Group("/g"); g.Use(limiter()); return g.Group("/in") }, "/g/in", false},
		"mounted": {func(m *muxmaster.Mux) muxmaster.Router {
			sub := muxmaster.New()
			sub.Use(limiter())
			m.Mount("/s", sub)
			return sub
		}, "/s", false},
		"mounted, Pre": {func(m *muxmaster.Mux) muxmaster.Router {
			sub := muxmaster.New()
			sub.Pre(limiter())
			m.Mount("/s", sub)
			return sub
		}, "/s", false},
		"around a mount": {func(m *muxmaster.Mux) muxmaster.Router {
			sub := muxmaster.New()
			m.Use(limiter())
			m.Mount("/s", sub)
			return sub
		}, "/s", false},
	} {
		m := muxmaster.New()
		scope := c.setup(m)
		entered, leave := make(chan bool), make(chan bool)
		scope.GET("/block", func(http.ResponseWriter, *http.Request) { entered <- true; <-leave })
		add(scope, "GET /static|GET /param/:id|Handle POST /tree/|Mount /mount")
		add(scope.Group("/deep").With(func(h http.Handler) http.Handler { return h }), "GET /x")
		targets := [][2]string{{"GET", "/static"}, {"HEAD", "/static"}, {"GET", "/param/1"}, {"POST", "/tree/x"}, {"GET", "/deep/x"}, {"GET", "/mount/x"}, {"GET", "/late"}}
		if !c.with {
			targets = append(targets, [][2]string{{"GET", "/none"}, {"PUT", "/static"}, {"OPTIONS", "/static"}, {"GET", "/static/"}, {"POST", "/tree"}, {"GET", "//x"}, {"GET", "/deep/none"}, {"GET", "//static"}}...)
		}
		ask(m, request(t, "GET", c.prefix+"/none")) // and a route after the first request
		add(scope, "GET /late")
		done := make(chan bool)
		go func() {
			m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", c.prefix+"/block", nil))
			close(done)
		}()
		<-entered
		for _, q := range targets {
			if got := get(t, m, q[0], c.prefix+q[1]); got != "503" {
				t.Errorf("%s: %s %s while another request has the only place: got %s", name, q[0], c.prefix+q[1], got)
			}
		}
		close(leave)
		<-done
		for _, q := range targets {
			if got := get(t, m, q[0], c.prefix+q[1]); got == "503" {
				t.Errorf("%s: %s %s when the place is free again: got 503", name, q[0], c.prefix+q[1])
			}
		}
	}
}

// Middleware sees each request's own pattern and values, and ends in the
// request's own handler, also in requests within requests, and with a copy of
// the request.
func TestSharedMiddlewareKeepsRequestsApart(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "<%s %s", muxmaster.RoutePattern(r), r.PathValue("id"))
				if r.Header.Get("Inner") == "" {
					again := httptest.NewRequest("GET", "/g/in/9", nil)
					again.Header.Set("Inner", "1")
					m.ServeHTTP(w, again)
				}
				next.ServeHTTP(w, r.WithContext(r.Context()))
				fmt.Fprint(w, ">")
			})
		})
		g := m.Group("/g")
		g.Use(trace("g"))
		inner := g.Group("/in")
		inner.GET("/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "in ", r.PathValue("id")) })
		m.GET("/a/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a ", r.PathValue("id")) })
		m.GET("/b", tell("b"))
		const in = "</g/in/:id 9g in 9>"
		for _, c := range [][2]string{
			{"/a/1", "</a/:id 1" + in + "a 1>"},
			{"/b", "</b " + in + "b>"},
			{"/g/in/2", "</g/in/:id 2" + in + "g in 2>"},
			{"/g/none", "< " + in + "g >"}, // the response has started, so the 404 adds nothing,
		} {
			if got := ask(m, request(t, "GET", c[0])).body; got != c[1] {
				t.Errorf("%s: %s: got %q, want %q", mode.name, c[0], got, c[1])
			}
		}
	}
}
