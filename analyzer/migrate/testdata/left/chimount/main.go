// Routers inside other handlers: chi's routers remove the prefix in any case, ours
// only if they are mounted directly.
package main

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

type server struct{ router chi.Router }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }

func (s *server) serve(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }

type plain struct{}

func (plain) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

func main() {
	r := chi.NewRouter()
	s := &server{router: chi.NewRouter()}
	r.Mount("/ok", sub())
	r.Mount("/handler", asHandler())
	r.Mount("/plain", plain{})
	r.Mount("/files", http.FileServer(http.Dir(".")))
	r.Mount("/stripped", http.StripPrefix("/stripped", sub()))
	r.Mount("/wrapped", wrapped()) // left: mount the router itself
	h := middleware.NoCache(sub())
	r.Mount("/variable", h)                        // left: mount the router itself
	r.Mount("/server", s)                          // left: mount the router itself
	r.Mount("/method", http.HandlerFunc(s.serve))  // left: mount the router itself
	r.Mount("/debug", middleware.Profiler())       // left: mount the router itself
	r.Mount("/two", middleware.NoCache(wrapped())) // left: mount the router itself
	inner := sub()
	r.Mount("/closure", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // left: mount the router itself
		inner.ServeHTTP(w, r)
	}))
	http.ListenAndServe(":3333", r)
}

func sub() chi.Router { return chi.NewRouter() }

func asHandler() http.Handler {
	r := chi.NewRouter()
	return r
}

func wrapped() http.Handler { return middleware.NoCache(sub()) }
