package contender

import (
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
		mux.Register(method, pattern, http.HandlerFunc(plainWith(h, bone.GetValue)))
	}, nil}
}
