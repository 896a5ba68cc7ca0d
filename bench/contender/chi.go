package contender

import (
	"io"
	"net/http"

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
		router.MethodFunc(method, pattern, pick(h, returnAtOnce, func(name string) (read, write, report plain) {
			return func(_ http.ResponseWriter, r *http.Request) { use(chi.URLParam(r, name)) },
				func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, chi.URLParam(r, name)) },
				func(_ http.ResponseWriter, r *http.Request) {
					h.Hit(func(name string) string { return chi.URLParam(r, name) })
				}
		}))
	}, nil}
}
