// Command openservice registers a route whose pattern and handler are the results
// of a call, as generated code of Connect has them, so its routes are not all known.
package main

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func h(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusSeeOther) }

func service() (string, http.Handler) { return "/a", http.HandlerFunc(h) }

func main() {
	mux := muxmaster.New()
	mux.GET("/", h)
	mux.Handle(service())
	http.Handle(service())
	http.ListenAndServe(":8080", mux)
}
