package contender

import (
	"io"
	"net/http"

	"github.com/uptrace/bunrouter"
)

func init() {
	const module = "github.com/uptrace/bunrouter"
	register(Contender{
		Name: "bunrouter", Module: module, Classes: []Class{Native},
		Style: "func(http.ResponseWriter, bunrouter.Request) error", New: newBunRouter,
	})
	register(Contender{
		Name: "bunrouter (compat)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ParamsFromContext", New: newBunRouterCompat,
	})
}

type bunrouterHandler = func(http.ResponseWriter, bunrouter.Request) error

func newBunRouter(middleware int) Router {
	router := bunrouter.New(bunrouterMiddleware(middleware)...)
	nothing := func(http.ResponseWriter, bunrouter.Request) error { return nil }
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, pick(h, nothing, func(name string) (read, write, report bunrouterHandler) {
			return func(_ http.ResponseWriter, r bunrouter.Request) error { use(r.Param(name)); return nil },
				func(w http.ResponseWriter, r bunrouter.Request) error {
					_, err := io.WriteString(w, r.Param(name))
					return err
				},
				func(_ http.ResponseWriter, r bunrouter.Request) error { h.Hit(r.Param); return nil }
		}))
	}, nil}
}

func bunrouterMiddleware(n int) []bunrouter.Option {
	var options []bunrouter.Option
	for range n {
		options = append(options, bunrouter.Use(func(next bunrouter.HandlerFunc) bunrouter.HandlerFunc {
			return func(w http.ResponseWriter, r bunrouter.Request) error { return next(w, r) }
		}))
	}
	return options
}

func newBunRouterCompat(middleware int) Router {
	router := bunrouter.New(bunrouterMiddleware(middleware)...).Compat()
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, plainWith(h, func(r *http.Request, name string) string {
			return bunrouter.ParamsFromContext(r.Context()).ByName(name)
		}))
	}, nil}
}
