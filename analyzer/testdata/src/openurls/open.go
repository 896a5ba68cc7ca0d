// Package openurls has a mux to which other packages may add routes.
package openurls

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func Routes() *muxmaster.Mux {
	mux := muxmaster.New()
	mux.GET("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusSeeOther) })
	return mux
}
