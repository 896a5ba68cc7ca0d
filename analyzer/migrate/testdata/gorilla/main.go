// A service with gorilla/mux, based on the examples in its README.
package main

import (
	"fmt"
	"net/http"

	"github.com/gorilla/mux"
)

func HomeHandler(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "home") }

func ProductsHandler(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "products") }

func ProductHandler(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "product %s\n", mux.Vars(r)["key"])
}

func ArticlesCategoryHandler(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r)
	w.WriteHeader(http.StatusOK)
	fmt.Fprintf(w, "Category: %v\n", vars["category"])
}

func ArticleHandler(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r)
	category, id := vars["category"], vars["id"]
	fmt.Fprintln(w, "article", category, id)
}

func tag(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Tag", "on")
		next.ServeHTTP(w, r)
	})
}

type authentication struct{ users map[string]string }

// Middleware checks the token of a user.
func (a *authentication) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := a.users[r.Header.Get("X-Token")]; !ok {
			http.Error(w, "Forbidden", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func main() {
	r := mux.NewRouter()
	r.HandleFunc("/", HomeHandler)
	r.HandleFunc("/products", ProductsHandler).Methods("GET", "POST").Name("products")
	r.HandleFunc("/products/{key}", ProductHandler).Methods(http.MethodGet)
	r.HandleFunc("/articles/{category}/", ArticlesCategoryHandler)
	r.HandleFunc("/articles/{category}/{id:[0-9]+}", ArticleHandler). // by number
		// and nothing else
		Methods("GET") // only
	r.Path("/path").Methods("PUT").HandlerFunc(HomeHandler)
	r.Handle("/handle", http.RedirectHandler("/", http.StatusFound))
	r.HandleFunc("/notes:batch", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "batch") })
	r.HandleFunc("/star/*all", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "star") })
	r.HandleFunc("/host", HomeHandler).Host("www.example.com").Methods("GET")
	r.PathPrefix("/static/").Handler(http.StripPrefix("/static/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "static", r.URL.Path)
	})))
	r.HandleFunc("/download/{path:.*}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "download", mux.Vars(r)["path"])
	})

	s := r.PathPrefix("/api").Subrouter()
	s.HandleFunc("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "user", mux.Vars(r)["id"])
	})
	auth := &authentication{users: map[string]string{"secret": "me"}}
	s.Use(auth.Middleware)
	posts(s.PathPrefix("/posts").Subrouter())

	r.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "gone", http.StatusNotFound)
	})
	r.Use(mux.MiddlewareFunc(tag))
	http.ListenAndServe(":3333", r)
}

func posts(r *mux.Router) {
	r.HandleFunc("/all", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "posts") })
}
