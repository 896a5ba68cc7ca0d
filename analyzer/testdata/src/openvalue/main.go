// Command openvalue registers a route by a method value, so its routes are not all
// known.
package main

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func h(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusSeeOther) }

func main() {
	mux := muxmaster.New()
	mux.GET("/", h)
	get := mux.GET
	get("/a", h)
	http.ListenAndServe(":8080", mux)
}
