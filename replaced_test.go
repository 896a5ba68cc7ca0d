package muxmaster_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestLookupReplaced checks that middleware and handlers see the annotations of
// the route that serves the request, if that is removed or replaced meanwhile, and
// not those of a route that would serve it now.
func TestLookupReplaced(t *testing.T) {
	if !muxmaster.FastPathValues() {
		t.Skip("without direct access to memory, equal patterns are the same")
	}
	long := strings.Repeat("x", 300)
	for _, mode := range modes {
		for name, change := range map[string]func(m *muxmaster.Mux, pattern string){
			"removed": func(m *muxmaster.Mux, pattern string) { must(m.Remove(pattern)) },
			"replaced": func(m *muxmaster.Mux, pattern string) {
				must(m.Update(func(m *muxmaster.Mux) error {
					m.NotFound = http.NotFoundHandler()
					if err := m.Remove(pattern); err != nil {
						return err
					}
					return m.Annotate(scopesKey{}, "public").TryHandle(pattern, tell("new"))
				}))
			},
		} {
			for _, c := range [][2]string{
				{"GET /x", "/x"}, {"GET /x/:id", "/x/1"}, {"GET /x/:id", "/x/" + long}, {"PURGE /x/{id}", "PURGE /x/1"}, {"GET example.com/x", "/x"}, {"GET /sub/:v/y", "/sub/1/y"},
			} {
				m, sub := newMux(mode.pooled), newMux(mode.pooled)
				changes := 0
				look := func(w http.ResponseWriter, r *http.Request, of *muxmaster.Mux) {
					route, ok := of.Lookup(r)
					fmt.Fprint(w, route.Value(scopesKey{}), ok, " ")
				}
				m.Use(wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if changes++; changes == 1 {
						change(m, c[0])
						m.GET("/more", tell("more"))
						ask(m, request(t, "GET", "/more"))
						runtime.GC()
					}
					look(w, r, m)
					next.ServeHTTP(w, r)
				}))
				m.Annotate(scopesKey{}, "public").Handle("/{page...}", tell("page"))
				if strings.Contains(c[0], "/sub/") {
					sub.GET("/y", func(w http.ResponseWriter, r *http.Request) { look(w, r, m); look(w, r, sub) })
					m.Annotate(scopesKey{}, "login").Mount("/sub/:v", sub)
				} else {
					m.Annotate(scopesKey{}, "login").HandleFunc(c[0], func(w http.ResponseWriter, r *http.Request) { look(w, r, m); look(w, r, m) })
				}
				method, path := "GET", c[1]
				if before, after, ok := strings.Cut(path, " "); ok {
					method, path = before, after
				}
				if got, want := ask(m, requestTo(t, "example.com", method, path)).body, strings.Repeat("logintrue ", 3); got != want {
					t.Errorf("%s, %s, %.20s: got %q, want %q", mode.name, name, c[0], got, want)
				}
			}
		}
	}
}
