package main

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

// Handlers in variables, and middleware that a function makes.

type service struct{ mux *muxmaster.Mux }

func init() {
	s := &service{muxmaster.New()}
	h := s.methodValue
	s.mux.GET("/value/:id", h)
	key := requires("key")
	s.mux.Handle("/made/{key}", key(http.HandlerFunc(behindMade)))
	s.get("/get/:id", s.given)
	for _, e := range []entry{{"/table/:id", inTable}} {
		s.mux.GET(e.path, e.handler)
	}
	http.ListenAndServe(":0", s.mux)
}

func (s *service) methodValue(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("uid")) // want `did you mean "id"\?`
}

func requires(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			use(r.PathValue("kex")) // want `did you mean "key"\?`
			next.ServeHTTP(w, r)
		})
	}
}

func behindMade(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("part")) // want `they have \["key"\]`
}

// No reports below: the patterns aren't constant.

func (s *service) get(path string, h http.HandlerFunc) { s.mux.GET("/api/:version"+path, h) }

func (s *service) given(w http.ResponseWriter, r *http.Request) { use(r.PathValue("version")) }

type entry struct {
	path    string
	handler http.HandlerFunc
}

func inTable(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x")) }
