// Package main mounts a Mux by a function, which may do anything before it calls it.
package main

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func main() {
	mux, users := muxmaster.New(), muxmaster.New()
	users.GET("/:user", func(w http.ResponseWriter, r *http.Request) {
		_ = r.PathValue("org")
		_ = r.PathValue("id") // want `they have \["org" "user"\]`
	})
	mux.Mount("/orgs/:org", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { users.ServeHTTP(w, r) }))
	http.ListenAndServe(":0", mux)
}
