package contender

import (
	"io"
	"net/http"

	"github.com/dimfeld/httptreemux/v5"
)

func init() {
	const module = "github.com/dimfeld/httptreemux/v5"
	register(Contender{
		Name: "httptreemux", Module: module, Classes: []Class{Native},
		Style: "func(http.ResponseWriter, *http.Request, map[string]string)", New: newHTTPTreeMux,
	})
	register(Contender{
		Name: "httptreemux (ContextMux)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ContextParams", New: newHTTPTreeMuxContext,
	})
}

type httptreemuxHandler = func(http.ResponseWriter, *http.Request, map[string]string)

func newHTTPTreeMux(middleware int) Router {
	router := httptreemux.New()
	for range middleware {
		router.UseHandler(passOn)
	}
	nothing := func(http.ResponseWriter, *http.Request, map[string]string) {}
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, pick(h, nothing, func(name string) (read, write, report httptreemuxHandler) {
			return func(_ http.ResponseWriter, _ *http.Request, ps map[string]string) { use(ps[name]) },
				func(w http.ResponseWriter, _ *http.Request, ps map[string]string) { io.WriteString(w, ps[name]) },
				func(_ http.ResponseWriter, _ *http.Request, ps map[string]string) {
					h.Hit(func(name string) string { return ps[name] })
				}
		}))
	}, nil}
}

func newHTTPTreeMuxContext(middleware int) Router {
	router := httptreemux.NewContextMux()
	for range middleware {
		router.UseHandler(passOn)
	}
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, plainWith(h, func(r *http.Request, name string) string {
			return httptreemux.ContextParams(r.Context())[name]
		}))
	}, nil}
}
