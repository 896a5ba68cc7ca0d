package guard

import (
	"net/http"
	"os"

	"github.com/seed-1954dcaa/muxmaster"
)

func login(next http.Handler) http.Handler     { return next }
func h(w http.ResponseWriter, r *http.Request) {}

func files() {
	mux := muxmaster.New()
	files := http.FileServerFS(os.DirFS("public"))
	mux.Handle("/", files)
	mux.Handle("/.git/", http.NotFoundHandler())      // want `this guard stands beside the file server of "/" at guard.go:\d+`
	mux.With(login).Handle("/private/", files)        // want `put the guard around the whole file server`
	mux.Handle("GET /secret/{path...}", login(files)) // want `put the guard`
	mux.GET("/hidden/*path", http.NotFound)           // want `put the guard`
}

func mounted() {
	mux := muxmaster.New()
	mux.Mount("/files", http.StripPrefix("/files", http.FileServer(http.Dir("public"))))
	mux.Mount("/files/private", login(http.StripPrefix("/files", http.FileServer(http.Dir("public"))))) // want `put the guard`
}

// No reports below.

func right() {
	mux := muxmaster.New()
	mux.Handle("/", http.FileServerFS(os.DirFS("public")))
	mux.Handle("/static/", http.FileServerFS(os.DirFS("static"))) // other files
	mux.With(login).GET("/api/users", h)
	mux.With(login).Handle("/api/", http.HandlerFunc(h))
	mux.Handle("/favicon.ico", http.NotFoundHandler())

	other := muxmaster.New()
	other.Handle("/.git/", http.NotFoundHandler())

	all := muxmaster.New()
	all.With(login).Handle("/files/", http.FileServerFS(os.DirFS("public")))
	all.With(login).Handle("/files/more/", http.FileServerFS(os.DirFS("public")))
}
