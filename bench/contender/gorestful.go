package contender

import (
	"io"

	"github.com/emicklei/go-restful/v3"
)

func init() {
	register(Contender{
		Name: "go-restful", Module: "github.com/emicklei/go-restful/v3", Classes: []Class{Native},
		Style: "func(*restful.Request, *restful.Response)", New: newGoRestful, Param: "{%s}", Rest: "{%s:*}",
		NotStdlib: "its handlers take *restful.Request",
	})
}

type goRestfulHandler = func(*restful.Request, *restful.Response)

func newGoRestful(middleware int) Router {
	container := restful.NewContainer()
	container.Router(restful.CurlyRouter{})
	for range middleware {
		container.Filter(func(r *restful.Request, w *restful.Response, chain *restful.FilterChain) {
			chain.ProcessFilter(r, w)
		})
	}
	service := new(restful.WebService)
	nothing := func(*restful.Request, *restful.Response) {}
	return Router{container, func(method, pattern string, h *Handler) {
		service.Route(service.Method(method).Path(pattern).To(pick(h, nothing, func(name string) (read, write, report goRestfulHandler) {
			return func(r *restful.Request, _ *restful.Response) { use(r.PathParameter(name)) },
				func(r *restful.Request, w *restful.Response) { io.WriteString(w, r.PathParameter(name)) },
				func(r *restful.Request, _ *restful.Response) { h.Hit(r.PathParameter) }
		})))
	}, func() { container.Add(service) }}
}
