package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// A request is matched and answered by one snapshot of the routes. Middleware
// that registers a route while the request is on its way shows it without a
// race: the request still gets a 404, the next one the route.
func TestOneRequestOneSnapshot(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "BREW"} {
		for _, path := range []string{"/late", "/late/:id", "/late/*rest"} {
			for name, setup := range map[string]func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) (scope muxmaster.Router, prefix string){
				"Use": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) (muxmaster.Router, string) {
					m.Use(mw)
					return m, ""
				},
				"Group": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) (muxmaster.Router, string) {
					g := m.Group("/g")
					g.Use(mw)
					return g, "/g"
				},
				"mounted": func(m *muxmaster.Mux, mw func(http.Handler) http.Handler) (muxmaster.Router, string) {
					sub := muxmaster.New()
					sub.Use(mw)
					m.Mount("/m", sub)
					return sub, "/m"
				},
			} {
				m, other := muxmaster.New(), muxmaster.New()
				var once sync.Once
				scope, prefix := setup(m, func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						once.Do(func() { other.ANY(path, tell("late")) })
						next.ServeHTTP(w, r)
					})
				})
				scope.Mount("/in", other)
				target := prefix + "/in" + strings.NewReplacer(":id", "1", "*rest", "x").Replace(path)
				first, second := get(t, m, method, target), get(t, m, method, target)
				if first != "404" || second != "late" {
					t.Errorf("%s, ANY %s: %s %s: got %s, then %s, want 404, then late", name, path, method, target, first, second)
				}
			}
		}
	}
}

// A route for another method that comes in between makes no 405 of a 404
// either.
func TestOneRequestOneSnapshotOfMethods(t *testing.T) {
	for _, method := range []string{"GET", "OPTIONS"} {
		m, sub := muxmaster.New(), muxmaster.New()
		var once sync.Once
		m.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				once.Do(func() { sub.POST("/x", tell("late")); sub.GET("/x/y/", tell("late")) })
				next.ServeHTTP(w, r)
			})
		})
		m.Mount("/sub", sub)
		if got := get(t, m, method, "/sub/x"); got != "404" {
			t.Errorf("%s: got %s, want 404", method, got)
		}
	}
}

// While routes are registered, a request gets the route or a 404: never a 405
// that allows its own method, a redirect to itself, or a mixture.
func TestRegistrationWhileServing(t *testing.T) {
	const routes = 300
	m, sub := muxmaster.New(), muxmaster.New()
	g := m.Group("/g")
	g.Use(func(next http.Handler) http.Handler { return next })
	m.Mount("/s", sub)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range routes {
			m.GET(fmt.Sprintf("/m/%d", i), tell("m"))
			g.GET(fmt.Sprintf("/%d/:id", i), tell("g"))
			sub.GET(fmt.Sprintf("/%d/{n:[0-9]+}", i), tell("s"))
		}
	})
	for c := range 2 {
		wg.Go(func() {
			for i, stop := 0, false; !stop; i++ {
				select {
				case <-done:
					stop = true // and one more round
				default:
				}
				n := (i*7 + c) % routes
				for _, target := range []string{fmt.Sprintf("/m/%d", n), fmt.Sprintf("/g/%d/x", n), fmt.Sprintf("/s/%d/5", n)} {
					w := httptest.NewRecorder()
					m.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
					if ok := w.Code == 200 || w.Code == 404; !ok || stop && w.Code != 200 {
						t.Errorf("GET %s: %d, Allow %q, Location %q", target, w.Code, w.Header().Get("Allow"), w.Header().Get("Location"))
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// Middleware of Use that changes the path runs behind the match, so what it
// leads to is a 404: never a 405 that allows the request's own method.
func TestUseThatChangesThePath(t *testing.T) {
	strip := func(next http.Handler) http.Handler { return http.StripPrefix("/api", next) }
	inPlace := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/api")
			next.ServeHTTP(w, r)
		})
	}
	change := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Method = r.Header.Get("X-Method")
			next.ServeHTTP(w, r)
		})
	}
	for name, mw := range map[string]func(http.Handler) http.Handler{"StripPrefix": strip, "in place": inPlace} {
		for where, setup := range map[string]func(m *muxmaster.Mux) string{
			"Mux": func(m *muxmaster.Mux) string {
				m.Use(mw)
				add(m, "GET /x|GET /y/:id|ANY /any|GET /slash/")
				return "/api"
			},
			"Group": func(m *muxmaster.Mux) string {
				g := m.Group("/api")
				g.Use(mw)
				add(g, "GET /own")
				add(m, "GET /x|GET /y/:id|ANY /any|GET /slash/")
				return "/api"
			},
			"mounted": func(m *muxmaster.Mux) string {
				sub := muxmaster.New()
				sub.Use(mw)
				m.Mount("/api", sub)
				add(m, "GET /x|GET /y/:id|ANY /any|GET /slash/")
				return "/api"
			},
		} {
			m := muxmaster.New()
			prefix := setup(m)
			for _, method := range []string{"GET", "HEAD"} {
				for _, target := range []string{"/x", "/y/1", "/any"} {
					a := ask(m, request(t, method, prefix+target))
					if slices.Contains(strings.Split(a.allow, ", "), method) || a.status == 405 || a.status != 404 {
						t.Errorf("%s in %s: %s %s%s: got %d, Allow %q", name, where, method, prefix, target, a.status, a.allow)
					}
				}
			}
		}
	}
	// The same for a changed method.
	m := muxmaster.New()
	m.Use(change)
	add(m, "PUT /x")
	r := request(t, "POST", "/x")
	r.Header.Set("X-Method", "PUT")
	if a := ask(m, r); strings.Contains(a.allow, "PUT") && a.status == 405 {
		t.Errorf("a changed method: got %d, Allow %q", a.status, a.allow)
	}
	// Pre is the place to do it.
	pre := muxmaster.New()
	pre.Pre(strip)
	add(pre, "GET /x")
	if got := get(t, pre, "GET", "/api/x"); got != "GET /x" {
		t.Errorf("StripPrefix in Pre: got %s", got)
	}
}

// Middleware of Use that turns a request without a route into one that has a
// route gets a 404, not a 405 with its own method in Allow.
func TestRewrittenBehindRouting(t *testing.T) {
	m := muxmaster.New()
	m.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = "/b/1"
			next.ServeHTTP(w, r)
		})
	})
	m.GET("/b/{id}", tell("b"))
	m.POST("/b/{id}", tell("b"))
	if got, want := get(t, m, "GET", "/a"), "404"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
