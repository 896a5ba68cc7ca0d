package contender

import (
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
)

func init() {
	register(Contender{
		Name: "chi", Module: "github.com/go-chi/chi/v5", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), chi.URLParam", Load: loadChi,
	})
}

func loadChi(s Spec) http.Handler {
	router := chi.NewRouter()
	for range s.Middleware {
		router.Use(passOn)
	}
	for id, route := range s.Routes {
		router.MethodFunc(route.Method, route.Translate("{%s}", "*%.0s"), chiHandler(s, id))
	}
	return router
}

func chiHandler(s Spec, id int) http.HandlerFunc {
	name := firstOr(s, id, "*")
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(chi.URLParam(r, name)) }
	case Write:
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, chi.URLParam(r, name)) }
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, withRest(func(name string) string { return chi.URLParam(r, name) }, "*"))
		}
	}
	return returnAtOnce
}
