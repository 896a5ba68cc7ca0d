// A service with http.ServeMux.
package main

import (
	"fmt"
	"net/http"
)

type app struct{ mux *http.ServeMux }

func main() {
	a := &app{mux: http.NewServeMux()}
	a.routes(a.mux)
	http.ListenAndServe(":3333", a.mux)
}

func (a *app) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "root") })
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "user", r.PathValue("id")) })
	mux.Handle("/files/", http.StripPrefix("/files/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "file", r.URL.Path)
	})))
	const prefix = "/v1"
	mux.HandleFunc("POST "+prefix+"/items", func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		fmt.Fprintln(w, pattern)
	})
}
