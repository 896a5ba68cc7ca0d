// Package subject builds a Mux for package race. Package against copies it
// twice, once for each version of the router, so it uses only the API that all
// versions have.
package subject

import (
	"io"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/bench/against/race"
)

// Load builds a Mux. It is a [race.Side].
func Load(s race.Spec) http.Handler {
	mux := muxmaster.New()
	mux.PoolRequestBundle = s.Pooled
	mux.PoolFastParams = s.Pooled
	for range s.Middleware {
		mux.Use(passOn)
	}
	for _, route := range s.Routes {
		switch {
		case route.Method != http.MethodGet:
			mux.Handle(route.Method+" "+route.Pattern, plain(s.Work, route.First))
		case s.Fast:
			mux.GETFast(route.Pattern, fast(s.Work, route.First))
		default:
			mux.GET(route.Pattern, plain(s.Work, route.First))
		}
	}
	return mux
}

func plain(work race.Work, name string) http.HandlerFunc {
	switch work {
	case race.Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(r.PathValue(name)) }
	case race.Write:
		return func(w http.ResponseWriter, r *http.Request) {
			v := r.PathValue(name)
			use(v)
			io.WriteString(w, v)
		}
	}
	return func(http.ResponseWriter, *http.Request) {}
}

func fast(work race.Work, name string) muxmaster.FastHandler {
	switch work {
	case race.Read:
		return func(_ http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { use(ps.Get(name)) }
	case race.Write:
		return func(w http.ResponseWriter, _ *http.Request, ps muxmaster.Params) {
			v := ps.Get(name)
			use(v)
			io.WriteString(w, v)
		}
	}
	return func(http.ResponseWriter, *http.Request, muxmaster.Params) {}
}

// use panics if there is no value.
func use(value string) {
	if value == "" {
		panic("against: no value for the handler's parameter")
	}
}

func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}
