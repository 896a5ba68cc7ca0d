package contender

import (
	"github.com/go-chi/chi/v5"
)

func init() {
	register(Contender{
		Name: "chi", Module: "github.com/go-chi/chi/v5", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), chi.URLParam", New: newChi, Param: "{%s}", Rest: "*%.0s", Splat: "*",
	})
}

func newChi(middleware int) Router {
	router := chi.NewRouter()
	for range middleware {
		router.Use(passOn)
	}
	return Router{router, func(method, pattern string, h *Handler) {
		router.MethodFunc(method, pattern, plainWith(h, chi.URLParam))
	}, nil}
}
