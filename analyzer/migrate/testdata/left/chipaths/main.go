// Paths and routes that have another meaning in muxmaster, or panic.
package main

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

func main() {
	r := chi.NewRouter()
	r.Get("/{id:[0-9]+}/{name:[^.]+}.json", get) // left: may match a slash before "."
	r.Get("/{kind:news|talk}", get)              // left: write {kind:(news|talk)}
	r.Get("/{kind:(news|talk)}/{price:\\d+\\$}", get)
	r.Get("/{a}{b}", get)           // left: needs text between its parameters
	r.Get("/{id:(?<!x)y}", get)     // left: is not valid RE2
	r.Get("/x/{id}/{id}", get)      // left: is used twice
	r.Get("/<id>", get)             // left: a parameter is written {id}
	r.Get("/a%20b", get)            // left: write %2520
	r.Get("/users/{id}", get)       // the first
	r.Get("/users/{user}", get)     // left: line 20 registers the same route: the old router uses the last one
	r.Post("/users/{user}", get)    // another method
	r.HandleFunc("/users/{x}", get) // left: in muxmaster, the route for the method wins
	r.HandleFunc("/every", get)
	r.Get("/every", get)          // as there
	if len(r.Middlewares()) > 0 { // left: Mux.Middlewares
		r.Get("/branch", get)
	} else {
		r.Get("/branch", get)
	}
	r.Route("/g", func(r chi.Router) {
		r.Get("/users/{id}", get)
		r.Get("/users/{id}", get) // left: line 32 registers the same route
	})
	r.Route("/{id}", func(r chi.Router) {
		r.Get("/x/{id}", get) // left: the prefix /{id} also has a parameter "id"
	})
	r.Group(func(r chi.Router) {
		r.NotFound(get) // left: in a Group, this applies to the whole router
	})
	http.ListenAndServe(":3333", r)
}

func get(w http.ResponseWriter, r *http.Request) {}
