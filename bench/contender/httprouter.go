package contender

import (
	"io"
	"net/http"

	"github.com/julienschmidt/httprouter"
)

func init() {
	const module = "github.com/julienschmidt/httprouter"
	register(Contender{
		Name: "httprouter", Module: module, Classes: []Class{Native},
		Style: "func(http.ResponseWriter, *http.Request, httprouter.Params)", New: newHTTPRouter,
	})
	register(Contender{
		Name: "httprouter (HandlerFunc)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ParamsFromContext", New: newHTTPRouterPlain,
	})
}

type httprouterHandler = func(http.ResponseWriter, *http.Request, httprouter.Params)

func newHTTPRouter(middleware int) Router {
	router := httprouter.New()
	nothing := func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	return Router{router, func(method, pattern string, h *Handler) {
		handle := pick(h, nothing, func(name string) (read, write, report httprouterHandler) {
			return func(_ http.ResponseWriter, _ *http.Request, ps httprouter.Params) { use(ps.ByName(name)) },
				func(w http.ResponseWriter, _ *http.Request, ps httprouter.Params) { io.WriteString(w, ps.ByName(name)) },
				func(_ http.ResponseWriter, _ *http.Request, ps httprouter.Params) { h.Hit(ps.ByName) }
		})
		for range middleware {
			next := handle
			handle = func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) { next(w, r, ps) }
		}
		router.Handle(method, pattern, handle)
	}, nil}
}

func newHTTPRouterPlain(middleware int) Router {
	router := httprouter.New()
	return Router{router, func(method, pattern string, h *Handler) {
		handler := plainWith(h, func(r *http.Request, name string) string {
			return httprouter.ParamsFromContext(r.Context()).ByName(name)
		})
		router.Handler(method, pattern, wrap(http.HandlerFunc(handler), middleware))
	}, nil}
}
