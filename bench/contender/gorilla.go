package contender

import (
	"io"
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
		router.HandleFunc(pattern, pick(h, returnAtOnce, func(name string) (read, write, report plain) {
			return func(_ http.ResponseWriter, r *http.Request) { use(mux.Vars(r)[name]) },
				func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, mux.Vars(r)[name]) },
				func(_ http.ResponseWriter, r *http.Request) {
					h.Hit(func(name string) string { return mux.Vars(r)[name] })
				}
		})).Methods(method)
	}, nil}
}
