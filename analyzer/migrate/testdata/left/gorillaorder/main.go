// In gorilla/mux, the first route that matches wins; in muxmaster, the most specific.
package main

import (
	"fmt"
	"net/http"

	"github.com/gorilla/mux"
)

func main() {
	r := mux.NewRouter()
	r.HandleFunc("/users/me", get).Methods("GET")
	r.HandleFunc("/users/{id}", get)
	r.HandleFunc("/users/you", get)                                 // left: the earlier route in line 14
	r.HandleFunc("/users/{name}", get).Methods("PUT")               // left: in muxmaster, the route for the method wins
	r.HandleFunc("/users/{id}/posts", get).Methods("GET")           // fine
	r.HandleFunc("/users/{name}/posts", get).Methods("GET", "POST") // left: line 17 registers the same route: the old router uses the first one
	r.HandleFunc("/users/{name}/new", get).Methods("POST")          // fine
	r.HandleFunc("/n/{id:[0-9]+}", get)                             // fine
	r.HandleFunc("/n/12", get)                                      // left: the earlier route in line 20
	r.HandleFunc("/n/x", get)                                       // fine
	r.HandleFunc("/w/{word:\\w+}", get)                             // fine
	r.HandleFunc("/s/{path:\\S+}", get)                             // left: may match a slash
	r.HandleFunc("/{not:[^x]+}", get)                               // left: may match a slash
	r.PathPrefix("/app/").HandlerFunc(get)                          // fine
	r.HandleFunc("/app/login", get)                                 // left: the earlier route in line 26
	r.Handle("/handler", &handler{}).Methods("GET")                 // fine
	r.Handle("/func", http.HandlerFunc(get)).Methods("GET", "POST") // fine
	s := r.PathPrefix("/sub").Subrouter()
	s.HandleFunc("/users/{id}", get)
	if s != nil {
		r.Use(tag) // left: this router may already have some
	}
	later(s)
	http.ListenAndServe(":3333", r)
}

func later(s *mux.Router) {
	s.Use(tag) // left: this router may already have some
}

type handler struct{}

func (*handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

func tag(next http.Handler) http.Handler { return next }

func get(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r) // left: Vars: use r.PathValue(name)
	other := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, vars["id"])
	})
	other(w, r)
}

func set(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r) // left: Vars: use r.PathValue(name)
	r = new(http.Request)
	fmt.Fprintln(w, vars["id"])
}

func copied(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r)
	r = r.WithContext(r.Context())
	fmt.Fprintln(w, vars["id"])
}
