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
		Style: "func(http.ResponseWriter, bunrouter.Request) error", Load: loadBunRouter,
	})
	register(Contender{
		Name: "bunrouter (compat)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ParamsFromContext", Load: loadBunRouterCompat,
	})
}

func loadBunRouter(s Spec) http.Handler {
	router := bunrouter.New(bunrouterMiddleware(s)...)
	for id, route := range s.Routes {
		router.Handle(route.Method, route.Pattern, bunrouterHandle(s, id))
	}
	return router
}

func bunrouterMiddleware(s Spec) []bunrouter.Option {
	var options []bunrouter.Option
	for range s.Middleware {
		options = append(options, bunrouter.Use(func(next bunrouter.HandlerFunc) bunrouter.HandlerFunc {
			return func(w http.ResponseWriter, r bunrouter.Request) error { return next(w, r) }
		}))
	}
	return options
}

func bunrouterHandle(s Spec, id int) bunrouter.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r bunrouter.Request) error { use(r.Param(name)); return nil }
	case Write:
		return func(w http.ResponseWriter, r bunrouter.Request) error {
			_, err := io.WriteString(w, r.Param(name))
			return err
		}
	case Report:
		return func(_ http.ResponseWriter, r bunrouter.Request) error { report(s, id, r.Param); return nil }
	}
	return bunrouterReturn
}

func bunrouterReturn(http.ResponseWriter, bunrouter.Request) error { return nil }

func loadBunRouterCompat(s Spec) http.Handler {
	router := bunrouter.New(bunrouterMiddleware(s)...).Compat()
	for id, route := range s.Routes {
		router.Handle(route.Method, route.Pattern, bunrouterCompat(s, id))
	}
	return router
}

func bunrouterCompat(s Spec, id int) http.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) {
			use(bunrouter.ParamsFromContext(r.Context()).ByName(name))
		}
	case Write:
		return func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, bunrouter.ParamsFromContext(r.Context()).ByName(name))
		}
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, bunrouter.ParamsFromContext(r.Context()).ByName)
		}
	}
	return returnAtOnce
}
