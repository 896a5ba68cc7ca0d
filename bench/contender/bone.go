package contender

import (
	"io"
	"net/http"

	"github.com/go-zoo/bone"
)

func init() {
	register(Contender{
		Name: "bone", Module: "github.com/go-zoo/bone", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), bone.GetValue", Load: loadBone,
	})
}

func loadBone(s Spec) http.Handler {
	mux := bone.New()
	for id, route := range s.Routes {
		mux.Register(route.Method, route.Translate(":%s", "*%.0s"), boneHandler(s, id))
	}
	// bone has no middleware; wrap the mux.
	var h http.Handler = mux
	for range s.Middleware {
		h = passOn(h)
	}
	return h
}

func boneHandler(s Spec, id int) http.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(bone.GetValue(r, name)) }
	case Write:
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, bone.GetValue(r, name)) }
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, func(name string) string { return bone.GetValue(r, name) })
		}
	}
	return returnAtOnce
}
