package contender

import (
	"net/http"

	"github.com/gorilla/mux"
)

func init() {
	register(Contender{
		Name: "gorilla/mux", Module: "github.com/gorilla/mux", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), mux.Vars", New: newGorilla, Param: "{%s}", Rest: "{%s:.*}",
	})
}

func newGorilla(middleware int) Router {
	router := mux.NewRouter()
	for range middleware {
		router.Use(passOn)
	}
	return Router{router, func(method, pattern string, h *Handler) {
		router.HandleFunc(pattern, plainWith(h, func(r *http.Request, name string) string { return mux.Vars(r)[name] })).Methods(method)
	}, nil}
}
