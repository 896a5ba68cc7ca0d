package contender

import (
	"io"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func init() {
	for _, mode := range muxmasterModes {
		register(Contender{
			Name: mode.name, Module: "github.com/seed-1954dcaa/muxmaster", Classes: mode.classes, Style: mode.style, Ours: true,
			DirtiesRequest: muxmasterDirties,
			Load:           func(s Spec) http.Handler { return loadMuxmaster(s, mode.pooled, mode.fast) },
		})
	}
}

type muxmasterMode struct {
	name         string
	pooled, fast bool
	classes      []Class
	style        string
}

const (
	muxmasterStyle     = "func(http.ResponseWriter, *http.Request), r.PathValue"
	muxmasterFastStyle = "func(http.ResponseWriter, *http.Request, muxmaster.Params)"
)

func loadMuxmaster(s Spec, pooled, fast bool) http.Handler {
	mux := muxmaster.New()
	mux.PoolRequestBundle = pooled
	mux.PoolFastParams = pooled
	for range s.Middleware {
		if fast {
			mux.UseFast(muxmasterPassOn)
		} else {
			mux.Use(passOn)
		}
	}
	for id, route := range s.Routes {
		if fast {
			muxmasterHandleFast(mux, route.Method, route.Pattern, muxmasterFast(s, id))
		} else {
			mux.Method(route.Method, route.Pattern, pathValueHandler(s, id, ""))
		}
	}
	return mux
}

func muxmasterHandleFast(mux *muxmaster.Mux, method, pattern string, h muxmaster.FastHandler) {
	switch method {
	case http.MethodGet:
		mux.GETFast(pattern, h)
	case http.MethodPost:
		mux.POSTFast(pattern, h)
	case http.MethodPut:
		mux.PUTFast(pattern, h)
	case http.MethodDelete:
		mux.DELETEFast(pattern, h)
	default:
		panic("contender: no verb method for " + method)
	}
}

func muxmasterFast(s Spec, id int) muxmaster.FastHandler {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { use(ps.Get(name)) }
	case Write:
		return func(w http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { io.WriteString(w, ps.Get(name)) }
	case Report:
		return func(_ http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { report(s, id, ps.Get) }
	}
	return muxmasterReturn
}

func muxmasterReturn(http.ResponseWriter, *http.Request, muxmaster.Params) {}

func muxmasterPassOn(next muxmaster.FastHandler) muxmaster.FastHandler {
	return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { next(w, r, ps) }
}
