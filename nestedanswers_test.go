package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// NotFound, MethodNotAllowed and middleware can pass the request to another
// Mux, to an http.ServeMux, or to the same Mux with another path.
func TestAnswersThatRouteOn(t *testing.T) {
	needsNesting(t)
	show := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s ", r.Pattern, muxmaster.RoutePattern(r))
		values(w, r)
	}
	for _, mode := range modes {
		for name, wrap := range map[string]func(m *muxmaster.Mux){
			"plain": func(*muxmaster.Mux) {},
			"Use":   func(m *muxmaster.Mux) { m.Use(func(h http.Handler) http.Handler { return h }) },
			"Pre":   func(m *muxmaster.Mux) { m.Pre(func(h http.Handler) http.Handler { return h }) },
			"copy": func(m *muxmaster.Mux) {
				m.Use(func(h http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r.WithContext(r.Context())) })
				})
			},
			"SetPathValue": func(m *muxmaster.Mux) {
				m.Use(func(h http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						r.SetPathValue("set", "by middleware")
						h.ServeHTTP(w, r)
					})
				})
			},
		} {
			other, std := newMux(mode.pooled), http.NewServeMux()
			other.GET("/other/:a/:b", show)
			other.GETFast("/otherfast/:a", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { show(w, r) })
			std.HandleFunc("/std/{a}/{b}", func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "%s a=%q b=%q", r.Pattern, r.PathValue("a"), r.PathValue("b"))
			})
			m, sub := newMux(mode.pooled), newMux(mode.pooled)
			wrap(m)
			m.GET("/own/:x", show)
			m.GET("/again/:x", func(w http.ResponseWriter, r *http.Request) {
				r.URL.Path = "/own/" + r.PathValue("x")
				m.ServeHTTP(w, r)
			})
			m.GET("/hand/:x/:a", func(w http.ResponseWriter, r *http.Request) {
				r.URL.Path = "/other/1/2"
				other.ServeHTTP(w, r)
			})
			m.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/back" {
					r.URL.Path = "/own/back"
					m.ServeHTTP(w, r)
					return
				}
				if _, pattern := std.Handler(r); pattern != "" {
					std.ServeHTTP(w, r)
					return
				}
				other.ServeHTTP(w, r)
			})
			m.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Method = "GET"
				m.ServeHTTP(w, r)
			})
			g := m.Group("/g/:g")
			g.NotFound = http.StripPrefix("/g/1", other)
			sub.NotFound = http.StripPrefix("/s/2", other)
			m.Mount("/s/:s", sub)
			for _, c := range []struct{ method, target, want string }{
				{"GET", "/own/1", `GET /own/:x /own/:x x="1"`},
				{"POST", "/own/1", `GET /own/:x /own/:x x="1"`},
				{"GET", "/again/1", `GET /own/:x /own/:x x="1"`},
				{"GET", "/back", `GET /own/:x /own/:x x="back"`},
				{"GET", "/other/1/2", `GET /other/:a/:b /other/:a/:b a="1" b="2"`},
				{"GET", "/other/a%2Fb/2", `GET /other/:a/:b /other/:a/:b a="a/b" b="2"`},
				{"GET", "/otherfast/1", `GET /otherfast/:a /otherfast/:a a="1"`},
				{"GET", "/std/1/2", `/std/{a}/{b} a="1" b="2"`},
				{"GET", "/hand/1/2", `GET /other/:a/:b /other/:a/:b a="1" b="2" x="1"`},
				{"GET", "/nowhere", "404"},
			} {
				w := httptest.NewRecorder()
				r := request(t, c.method, c.target)
				m.ServeHTTP(w, r)
				got := answer{status: w.Code, body: w.Body.String()}.brief()
				if got != c.want {
					t.Errorf("%s, %s: %s %s: got %s, want %s", mode.name, name, c.method, c.target, got, c.want)
				}
			}
			// The prefix's values are there, too, behind those of the router
			// that serves.
			for _, c := range [][2]string{
				{"/g/1/other/3/4", `GET /other/:a/:b /other/:a/:b a="3" b="4" g="1"`},
				{"/s/2/other/3/4", `GET /other/:a/:b /other/:a/:b a="3" b="4" s="2"`},
			} {
				got := get(t, m, "GET", c[0])
				if without := c[1][:len(c[1])-len(` g="1"`)]; got != c[1] && got != without {
					t.Errorf("%s, %s: %s: got %s, want %s", mode.name, name, c[0], got, c[1])
				}
			}
		}
	}
}

// Middleware and fallbacks below a prefix with parameters see the values of the
// prefix.
func TestUnmatchedRequestsHaveThePrefixValues(t *testing.T) {
	for _, mode := range modes {
		m, sub := newMux(mode.pooled), newMux(mode.pooled)
		show := func(name string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "%s t=%q pattern=%q", name, r.PathValue("t"), r.Pattern)
			})
		}
		g := m.Group("/g/:t")
		g.NotFound, g.MethodNotAllowed = show("404"), show("405")
		g.GET("/x/:y", tell("x"))
		sub.NotFound, sub.MethodNotAllowed = show("404"), show("405")
		sub.GET("/x/:y", tell("x"))
		sub.GET("/:a/:b/:c/z", tell("z"))
		m.Mount("/m/:t", sub)
		for _, c := range []struct{ method, target, want string }{
			{"GET", "/g/5/none", `404 t="5" pattern=""`},
			{"GET", "/g/a%2Fb/none", `404 t="a/b" pattern=""`},
			{"POST", "/g/5/x/6", `405 t="5" pattern=""`},
			{"GET", "/g/5", `404 t="5" pattern=""`},
			{"GET", "/m/5/none", `404 t="5" pattern=""`},
			{"GET", "/m/a%2Fb/1/2/3/4", `404 t="a/b" pattern=""`},
			{"POST", "/m/5/x/6", `405 t="5" pattern=""`},
			{"GET", "/m/5", `404 t="5" pattern=""`},
		} {
			if got := get(t, m, c.method, c.target); got != c.want {
				t.Errorf("%s: %s %s: got %s, want %s", mode.name, c.method, c.target, got, c.want)
			}
		}
	}
}
