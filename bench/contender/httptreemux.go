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
		Style: "func(http.ResponseWriter, *http.Request, map[string]string)", Load: loadHTTPTreeMux,
	})
	register(Contender{
		Name: "httptreemux (ContextMux)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ContextParams", Load: loadHTTPTreeMuxContext,
	})
}

func loadHTTPTreeMux(s Spec) http.Handler {
	router := httptreemux.New()
	for range s.Middleware {
		router.UseHandler(passOn)
	}
	for id, route := range s.Routes {
		router.Handle(route.Method, route.Pattern, httptreemuxHandler(s, id))
	}
	return router
}

func httptreemuxHandler(s Spec, id int) httptreemux.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, _ *http.Request, ps map[string]string) { use(ps[name]) }
	case Write:
		return func(w http.ResponseWriter, _ *http.Request, ps map[string]string) { io.WriteString(w, ps[name]) }
	case Report:
		return func(_ http.ResponseWriter, _ *http.Request, ps map[string]string) {
			report(s, id, func(name string) string { return ps[name] })
		}
	}
	return httptreemuxReturn
}

func httptreemuxReturn(http.ResponseWriter, *http.Request, map[string]string) {}

func loadHTTPTreeMuxContext(s Spec) http.Handler {
	router := httptreemux.NewContextMux()
	for range s.Middleware {
		router.UseHandler(passOn)
	}
	for id, route := range s.Routes {
		router.Handle(route.Method, route.Pattern, httptreemuxStdlib(s, id))
	}
	return router
}

func httptreemuxStdlib(s Spec, id int) http.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(httptreemux.ContextParams(r.Context())[name]) }
	case Write:
		return func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, httptreemux.ContextParams(r.Context())[name])
		}
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, func(name string) string { return httptreemux.ContextParams(r.Context())[name] })
		}
	}
	return returnAtOnce
}
