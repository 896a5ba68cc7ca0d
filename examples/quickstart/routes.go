package main

import (
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
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
	mux.NotFound = failure(http.StatusNotFound, "there is nothing here")
	mux.MethodNotAllowed = failure(http.StatusMethodNotAllowed, "the Allow header lists the methods of this path")
	mux.ErrorHandler = respondError

	mux.Pre(middleware.Logger, middleware.Recoverer, middleware.RequestID)
	mux.Use(middleware.SetHeader("Content-Security-Policy", "default-src 'self'"))

	mux.GET("/", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "index.html") })
	mux.ServeFiles("/static/*filepath", files)
	mux.Mount("/debug/routes", mux.DebugHandler()) // a page for clients on this machine

	h := handlers{notes}
	mux.GET("/events", h.events) // not below /api, where requests have a timeout
	api := mux.Group("/api")
	api.Use(middleware.NoCache, middleware.Timeout(10*time.Second))
	api.Method("GET", "/notes", muxmaster.HandlerFuncE(h.list))
	api.Method("POST", "/notes", muxmaster.HandlerFuncE(h.create))
	api.Method("GET", "/notes/{id:[0-9]+}", muxmaster.HandlerFuncE(h.show))
	api.Method("GET", "/notes/{id:[0-9]+}.txt", muxmaster.HandlerFuncE(h.text))
	api.Method("PUT", "/notes/{id:[0-9]+}", muxmaster.HandlerFuncE(h.update))
	api.Method("DELETE", "/notes/{id:[0-9]+}", muxmaster.HandlerFuncE(h.remove))
	return mux
}

// failure returns a handler that responds with an error in the format of the
// service.
func failure(code int, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		muxmaster.JSON(w, code, map[string]string{"error": text})
	})
}

// respondError gets the errors that handlers return. It sends errors with a
// status to the client, and logs all others.
func respondError(w http.ResponseWriter, r *http.Request, err error) {
	code, text := http.StatusInternalServerError, "the service failed"
	var known interface{ StatusCode() int }
	if errors.As(err, &known) && known.StatusCode() < 500 {
		code, text = known.StatusCode(), err.Error()
	} else {
		slog.ErrorContext(r.Context(), "request failed", "error", err, "pattern", r.Pattern, "id", middleware.GetRequestID(r.Context()))
	}
	failure(code, text).ServeHTTP(w, r)
}
