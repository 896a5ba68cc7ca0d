package contender

import (
	"io"
	"net/http"

	"github.com/go-zoo/bone"
)

func init() {
	register(Contender{
		Name: "bone", Module: "github.com/go-zoo/bone", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), bone.GetValue", New: newBone, Param: ":%s", Rest: "*%.0s",
	})
}

func newBone(middleware int) Router {
	mux := bone.New()
	return Router{wrap(mux, middleware), func(method, pattern string, h *Handler) {
		mux.Register(method, pattern, http.HandlerFunc(pick(h, returnAtOnce, func(name string) (read, write, report plain) {
			return func(_ http.ResponseWriter, r *http.Request) { use(bone.GetValue(r, name)) },
				func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, bone.GetValue(r, name)) },
				func(_ http.ResponseWriter, r *http.Request) {
					h.Hit(func(name string) string { return bone.GetValue(r, name) })
				}
		})))
	}, nil}
}
