// Package teams passes routers to another package.
package teams

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Routes returns a router to mount.
func Routes() http.Handler {
	r := chi.NewRouter()
	r.Get("/{team}/members", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "members of", chi.URLParam(r, "team")) })
	return r
}

// Register registers on the router of another package.
func Register(r chi.Router, prefix string) {
	r.Get(prefix+"/count", Count)
}

// Count responds with the number of teams.
func Count(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, 3) }
