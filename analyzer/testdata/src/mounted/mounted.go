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
		_ = r.PathValue("tenant") // may be a parameter of the prefix
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

// Exported is a mux that another package can mount.
var Exported = muxmaster.New()

func init() {
	Exported.GET("/jobs/:id", func(w http.ResponseWriter, r *http.Request) {
		_, _ = r.PathValue("id"), r.PathValue("uid")
		_ = r.PathValue("ID") // want `did you mean "id"\?`
	})
}

// A Server can be mounted as well.
type Server struct{ mux *muxmaster.Mux }

func NewServer() *Server {
	s := &Server{mux: muxmaster.New()}
	s.mux.GET("/jobs/:job", func(w http.ResponseWriter, r *http.Request) { _ = r.PathValue("tenant") })
	return s
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }
