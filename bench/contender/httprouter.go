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
		Style: "func(http.ResponseWriter, *http.Request, httprouter.Params)", Load: loadHTTPRouter,
	})
	register(Contender{
		Name: "httprouter (HandlerFunc)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ParamsFromContext", Load: loadHTTPRouterStdlib,
	})
}

func loadHTTPRouter(s Spec) http.Handler {
	router := httprouter.New()
	for id, route := range s.Routes {
		h := httprouterHandle(s, id)
		for range s.Middleware {
			h = httprouterPassOn(h)
		}
		router.Handle(route.Method, route.Pattern, h)
	}
	return router
}

func httprouterHandle(s Spec, id int) httprouter.Handle {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, _ *http.Request, ps httprouter.Params) { use(ps.ByName(name)) }
	case Write:
		return func(w http.ResponseWriter, _ *http.Request, ps httprouter.Params) { io.WriteString(w, ps.ByName(name)) }
	case Report:
		return func(_ http.ResponseWriter, _ *http.Request, ps httprouter.Params) { report(s, id, ps.ByName) }
	}
	return httprouterReturn
}

func httprouterReturn(http.ResponseWriter, *http.Request, httprouter.Params) {}

func httprouterPassOn(next httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) { next(w, r, ps) }
}

func loadHTTPRouterStdlib(s Spec) http.Handler {
	router := httprouter.New()
	for id, route := range s.Routes {
		var h http.Handler = httprouterStdlib(s, id)
		for range s.Middleware {
			h = passOn(h)
		}
		router.Handler(route.Method, route.Pattern, h)
	}
	return router
}

func httprouterStdlib(s Spec, id int) http.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) {
			use(httprouter.ParamsFromContext(r.Context()).ByName(name))
		}
	case Write:
		return func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, httprouter.ParamsFromContext(r.Context()).ByName(name))
		}
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, httprouter.ParamsFromContext(r.Context()).ByName)
		}
	}
	return returnAtOnce
}
