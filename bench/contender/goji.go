package contender

import (
	"net/http"

	"goji.io"
	"goji.io/pat"
	"goji.io/pattern"
)

func init() {
	register(Contender{
		Name: "goji v2", Module: "goji.io", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), pat.Param", New: newGoji, Param: ":%s", Rest: "*%.0s", Splat: "*",
	})
}

func newGoji(middleware int) Router {
	mux := goji.NewMux()
	for range middleware {
		mux.Use(passOn)
	}
	return Router{mux, func(method, path string, h *Handler) {
		mux.HandleFunc(pat.NewWithMethods(path, method), plainWith(h, gojiValue))
	}, nil}
}

// gojiValue returns a value like pat.Param, or the rest of the path for "*".
func gojiValue(r *http.Request, name string) string {
	if name == "*" {
		return pattern.Path(r.Context())
	}
	value, _ := r.Context().Value(pattern.Variable(name)).(string)
	return value
}
