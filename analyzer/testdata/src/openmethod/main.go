// Command openmethod registers routes with methods that aren't constant, so its
// routes are not all known.
package main

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func h(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusSeeOther) }

func main() {
	mux := muxmaster.New()
	mux.GET("/", h)
	get := func(methods, path string) { mux.Method(methods, path, http.HandlerFunc(h)) }
	get("GET", "/a")
	http.ListenAndServe(":8080", mux)
}
