package contender

import (
	"io"
	"net/http"

	"goji.io"
	"goji.io/pat"
	"goji.io/pattern"
)

func init() {
	register(Contender{
		Name: "goji v2", Module: "goji.io", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), pat.Param", Load: loadGoji,
	})
}

func loadGoji(s Spec) http.Handler {
	mux := goji.NewMux()
	for range s.Middleware {
		mux.Use(passOn)
	}
	for id, route := range s.Routes {
		mux.HandleFunc(pat.NewWithMethods(route.Translate(":%s", "*%.0s"), route.Method), gojiHandler(s, id))
	}
	return mux
}

func gojiHandler(s Spec, id int) http.HandlerFunc {
	name := first(s, id)
	if s.Routes[id].CatchAll() && len(s.Routes[id].Names()) == 1 {
		return gojiCatchAll(s, id)
	}
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(pat.Param(r, name)) }
	case Write:
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, pat.Param(r, name)) }
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, func(name string) string {
				if value, ok := r.Context().Value(pattern.Variable(name)).(string); ok {
					return value
				}
				return pattern.Path(r.Context())
			})
		}
	}
	return returnAtOnce
}

// gojiCatchAll reads the rest of the path, which goji doesn't store with the
// named values.
func gojiCatchAll(s Spec, id int) http.HandlerFunc {
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(pattern.Path(r.Context())) }
	case Write:
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, pattern.Path(r.Context())) }
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, func(string) string { return pattern.Path(r.Context()) })
		}
	}
	return returnAtOnce
}
