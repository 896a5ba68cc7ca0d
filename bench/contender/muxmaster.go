package contender

import (
	"io"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func init() {
	if Safe {
		register(Muxmaster("muxmaster safe", false, false))
		return
	}
	register(Muxmaster("muxmaster", false, false))
	register(Muxmaster("muxmaster pooled", true, false))
	register(Muxmaster("muxmaster fast", false, true))
	register(Muxmaster("muxmaster fast pooled", true, true))
}

// Muxmaster returns a contender of ours.
func Muxmaster(name string, pooled, fast bool) Contender {
	c := Contender{
		Name: name, Module: "github.com/seed-1954dcaa/muxmaster", Classes: []Class{Native, Stdlib}, Ours: true,
		Style:          "func(http.ResponseWriter, *http.Request), r.PathValue",
		DirtiesRequest: Safe, // SetPathValue leaves values in the request
		New:            func(middleware int) Router { return newMuxmaster(middleware, pooled, fast) },
	}
	if fast {
		c.Classes, c.Style = []Class{Native}, "func(http.ResponseWriter, *http.Request, muxmaster.Params)"
	}
	return c
}

func newMuxmaster(middleware int, pooled, fast bool) Router {
	mux := muxmaster.New()
	mux.PoolRequestBundle = pooled
	mux.PoolFastParams = pooled
	for range middleware {
		if fast {
			mux.UseFast(muxmasterPassOn)
		} else {
			mux.Use(passOn)
		}
	}
	handle := map[string]func(string, muxmaster.FastHandler){
		"GET": mux.GETFast, "POST": mux.POSTFast, "PUT": mux.PUTFast, "DELETE": mux.DELETEFast,
	}
	return Router{mux, func(method, pattern string, h *Handler) {
		if !fast {
			mux.Method(method, pattern, pathValue(h))
			return
		}
		handle[method](pattern, muxmasterFast(h))
	}, nil}
}

func muxmasterFast(h *Handler) muxmaster.FastHandler {
	nothing := func(http.ResponseWriter, *http.Request, muxmaster.Params) {}
	return pick(h, nothing, func(name string) (read, write, report func(http.ResponseWriter, *http.Request, muxmaster.Params)) {
		return func(_ http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { use(ps.Get(name)) },
			func(w http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { io.WriteString(w, ps.Get(name)) },
			func(_ http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { h.Hit(ps.Get) }
	})
}

func muxmasterPassOn(next muxmaster.FastHandler) muxmaster.FastHandler {
	return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { next(w, r, ps) }
}
