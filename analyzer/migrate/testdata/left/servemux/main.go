package main

import "net/http"

var zero http.ServeMux // left: declare the variable as *http.ServeMux

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/ok/{id}", get)
	mux.HandleFunc("/a/:id", get)          // left: is literal text in http.ServeMux and has a parameter in muxmaster
	mux.HandleFunc("/v1/notes:batch", get) // left: write : as %3A
	mux.HandleFunc("h:80/v1/{id}:batch", get)
	http.HandleFunc("/default", get)            // left: registers on http.DefaultServeMux
	mux.Handle("/debug/", http.DefaultServeMux) // left: remains a ServeMux
	http.ListenAndServe(":3333", mux)
}

func get(w http.ResponseWriter, r *http.Request) {}
