package contender

import (
	"io"
	"net/http"

	"github.com/emicklei/go-restful/v3"
)

func init() {
	register(Contender{
		Name: "go-restful", Module: "github.com/emicklei/go-restful/v3", Classes: []Class{Native},
		Style: "func(*restful.Request, *restful.Response)", Load: loadGoRestful,
		NotStdlib: "its handlers take *restful.Request",
	})
}

func loadGoRestful(s Spec) http.Handler {
	container := restful.NewContainer()
	container.Router(restful.CurlyRouter{})
	for range s.Middleware {
		container.Filter(func(r *restful.Request, w *restful.Response, chain *restful.FilterChain) {
			chain.ProcessFilter(r, w)
		})
	}
	service := new(restful.WebService)
	for id, route := range s.Routes {
		service.Route(service.Method(route.Method).Path(route.Translate("{%s}", "{%s:*}")).To(goRestfulHandler(s, id)))
	}
	container.Add(service)
	return container
}

func goRestfulHandler(s Spec, id int) restful.RouteFunction {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(r *restful.Request, _ *restful.Response) { use(r.PathParameter(name)) }
	case Write:
		return func(r *restful.Request, w *restful.Response) { io.WriteString(w, r.PathParameter(name)) }
	case Report:
		return func(r *restful.Request, _ *restful.Response) { report(s, id, r.PathParameter) }
	}
	return goRestfulReturn
}

func goRestfulReturn(*restful.Request, *restful.Response) {}
