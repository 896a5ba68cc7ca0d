// Package before is the service on chi.
package before

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

var articles = map[string]string{"1": "On Rooms", "2": "On Doors"}

// Routes returns the service's handler.
func Routes() http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.RequestID, middleware.Recoverer)
	r.Use(middleware.Timeout(10 * time.Second))
	r.Get("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "articles") })
	r.Route("/articles", func(r chi.Router) {
		r.Get("/", list)
		r.Route("/{id:[0-9]+}", func(r chi.Router) {
			r.Use(load)
			r.Get("/", show)
			r.With(writer).Delete("/", remove)
		})
	})
	r.Get("/files/*", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, chi.URLParam(r, "*")) })
	r.Mount("/admin", admin())
	return r
}

func admin() http.Handler {
	r := chi.NewRouter()
	r.Use(writer)
	r.Get("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "admin") })
	r.Get("/users/{name}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, chi.URLParam(r, "name")) })
	return r
}

type key struct{}

// load stores the article in the request's context.
func load(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		title, ok := articles[chi.URLParam(r, "id")]
		if !ok {
			http.Error(w, "no such article", http.StatusNotFound)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, title)))
	})
}

// writer rejects requests of other users than writers.
func writer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer writer" {
			http.Error(w, "writers only", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func list(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, len(articles), " articles") }

func show(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Context().Value(key{})) }

func remove(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }
