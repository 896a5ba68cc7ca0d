// Package mounted has routes that another package may mount below a prefix with parameters.
package mounted

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func Handler() http.Handler {
	mux := muxmaster.New()
	mux.GET("/users/:user", func(w http.ResponseWriter, r *http.Request) {
		_ = r.PathValue("user")
		_ = r.PathValue("tenant") // of the prefix, perhaps
		_ = r.PathValue("uesr")   // want `did you mean "user"\?`
	})
	return mux
}

func Routes(g *muxmaster.Group) {
	g.GET("/teams/:team", func(w http.ResponseWriter, r *http.Request) {
		_ = r.PathValue("tenant")
		_ = r.PathValue("teem") // want `did you mean "team"\?`
	})
}

func unexported() http.Handler {
	mux := muxmaster.New()
	mux.GET("/users/:user", func(w http.ResponseWriter, r *http.Request) {
		_ = r.PathValue("tenant") // want `they have \["user"\]`
	})
	return mux
}

var _ = unexported
