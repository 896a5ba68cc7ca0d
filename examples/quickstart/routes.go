package main

import (
	"embed"
	"io/fs"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

//go:embed static
var static embed.FS

// newMux returns a Mux with all routes.
func newMux(notes *store) *muxmaster.Mux {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // the directory is embedded above
	}

	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer, middleware.RequestID)
	mux.Use(middleware.SetHeader("Content-Security-Policy", "default-src 'self'"))

	mux.GET("/", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "index.html") })
	mux.ServeFiles("/static/*filepath", files)
	mux.Mount("/debug/routes", inspect.Handler(mux)) // a page for clients on this machine

	h := handlers{notes}
	mux.GET("/events", h.events) // not below /api, where requests have a timeout
	api := mux.Group("/api")
	api.Use(middleware.NoCache, middleware.Timeout(10*time.Second))
	api.GET("/notes", problem.Handler(h.list))
	api.POST("/notes", problem.Handler(h.create))
	api.GET("/notes/{id:[0-9]+}", problem.Handler(h.show))
	api.GET("/notes/{id:[0-9]+}.txt", problem.Handler(h.text))
	api.PUT("/notes/{id:[0-9]+}", problem.Handler(h.update))
	api.DELETE("/notes/{id:[0-9]+}", problem.Handler(h.remove))
	return mux
}
