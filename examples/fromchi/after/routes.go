// Package after is the service on muxmaster.
package after

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

var articles = map[string]string{"1": "On Rooms", "2": "On Doors"}

// Routes returns the service's handler.
func Routes() http.Handler {
	r := muxmaster.New()
	r.Use(middleware.RequestID, middleware.Recoverer)
	r.Use(middleware.Timeout(10 * time.Second))
	r.GET("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "articles") })
	r.Route("/articles", func(r *muxmaster.Group) {
		r.GET("/", list)
		r.Route("/{id:[0-9]+}", func(r *muxmaster.Group) {
			r.Use(load)
			r.GET("/", show)
			r.With(writer).DELETE("/", remove)
		})
	})
	r.GET("/files/{rest...}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("rest")) })
	r.Mount("/admin", admin())
	return r
}

func admin() http.Handler {
	r := muxmaster.New()
	r.Use(writer)
	r.GET("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "admin") })
	r.GET("/users/{name}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("name")) })
	return r
}

type key struct{}

// load stores the article in the request's context.
func load(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		title, ok := articles[r.PathValue("id")]
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
