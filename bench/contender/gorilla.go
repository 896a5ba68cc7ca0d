package contender

import (
	"io"
	"net/http"

	"github.com/gorilla/mux"
)

func init() {
	register(Contender{
		Name: "gorilla/mux", Module: "github.com/gorilla/mux", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), mux.Vars", Load: loadGorilla,
	})
}

func loadGorilla(s Spec) http.Handler {
	router := mux.NewRouter()
	for range s.Middleware {
		router.Use(passOn)
	}
	for id, route := range s.Routes {
		router.HandleFunc(route.Translate("{%s}", "{%s:.*}"), gorillaHandler(s, id)).Methods(route.Method)
	}
	return router
}

func gorillaHandler(s Spec, id int) http.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(mux.Vars(r)[name]) }
	case Write:
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, mux.Vars(r)[name]) }
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, func(name string) string { return mux.Vars(r)[name] })
		}
	}
	return returnAtOnce
}
