package main

import (
	"fmt"
	"net/http"

	"github.com/gorilla/mux"
)

func main() {
	r := mux.NewRouter()
	r.HandleFunc("/ok/{id}", get)
	r.HandleFunc("/q", get).Queries("a", "b")                     // left: check the query
	r.HandleFunc("/h", get).Headers("X-A", "b").Methods("GET")    // left: check the headers
	r.HandleFunc("/{a:.*}/b", get)                                // left: matches several segments in the middle of a path
	r.HandleFunc("/a%20b", get)                                   // left: write %2520
	r.HandleFunc("/{a:[a-z/]+}", get)                             // left: may match a slash
	r.Host("{sub:[a-z]+}.example.com").Path("/").HandlerFunc(get) // left: a host can't contain an expression
	r.Methods("GET").PathPrefix("/p").HandlerFunc(get)            // left: end the prefix with a slash
	h := r.Host("www.example.com").Subrouter()                    // left: no host or methods
	h.HandleFunc("/", get)
	url, err := r.Get("name").URL("id", "7") // left: use muxmaster.BuildPath
	fmt.Println(url, err)
	routes(r)
	mw := load()
	routes(r)
	r.Use(mw...)
	http.ListenAndServe(":3333", r)
}

func load() []mux.MiddlewareFunc { return nil }

func routes(r *mux.Router) { r.HandleFunc("/x", get) }

func get(w http.ResponseWriter, r *http.Request) {
	id, ok := mux.Vars(r)["id"] // left: Vars: use r.PathValue(name)
	vars := mux.Vars(r)         // left: Vars: use r.PathValue(name)
	for name := range vars {
		fmt.Fprintln(w, name, id, ok)
	}
}
