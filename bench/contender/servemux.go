package contender

import (
	"net/http"
	"strings"
)

func init() {
	register(Contender{
		Name: "http.ServeMux", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request)", New: newServeMux, Param: "{%s}", Rest: "{%s...}",
	})
}

func newServeMux(middleware int) Router {
	mux := http.NewServeMux()
	return Router{wrap(mux, middleware), func(method, pattern string, h *Handler) {
		if strings.HasSuffix(pattern, "/") {
			pattern += "{$}"
		}
		mux.HandleFunc(method+" "+pattern, pathValue(h))
	}, nil}
}
