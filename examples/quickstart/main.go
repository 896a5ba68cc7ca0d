// Command quickstart is a small notes service with a REST API and a web page.
// main.go has the routes and the server, notes.go the handlers, document.go
// describes the API for OpenAPI, and store.go stores the notes in memory and in a
// file.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

//go:embed static
var static embed.FS

// newMux returns a Mux with all routes.
func newMux(notes *store) *muxmaster.Mux {
	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer, middleware.RequestID)
	mux.Use(middleware.SetHeader("Content-Security-Policy", "default-src 'self'"))
	mux.ServeFiles("/*filepath", static) // /static/style.css and so on
	mux.GET("/", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, static, "static/index.html") })
	mux.Annotate(inspect.Key, document).Mount("/debug/routes", inspect.Handler(mux)) // a page for clients on this machine
	h := handlers{notes}
	mux.With(middleware.NoCache).GET("/events", h.events) // not below /api, where requests have a timeout
	api := mux.Group("/api")
	api.Use(middleware.NoCache, middleware.Timeout(10*time.Second))
	api.Annotate(inspect.Key, listDoc).GET("/notes", problem.Handler(h.list))
	api.Annotate(inspect.Key, addDoc).POST("/notes", problem.Handler(h.create))
	api.Annotate(inspect.Key, showDoc).GET("/notes/{id:int}", problem.Handler(h.show))
	api.Annotate(inspect.Key, removeDoc).DELETE("/notes/{id:int}", problem.Handler(h.remove))
	return mux
}

func main() {
	addr := flag.String("addr", "localhost:8080", "listen on `host:port`")
	file := flag.String("file", "notes.json", "store the notes in `file`")
	delay := flag.Duration("drain-delay", 0, "`time` to continue serving after SIGTERM, while /readyz returns 503")
	flag.Parse()
	ctx, stop := server.NotifyContext(context.Background()) // a second signal terminates the program immediately
	defer stop()
	if err := run(ctx, *addr, *file, *delay, os.Stdout); err != nil {
		log.Fatal("quickstart: ", err)
	}
}

// run serves the notes until ctx ends, and then waits for running requests.
func run(ctx context.Context, addr, file string, drainDelay time.Duration, out io.Writer) error {
	notes, err := openStore(file)
	if err != nil {
		return err
	}
	mux := newMux(notes)
	srv := server.New(addr, mux)
	srv.LivePath, srv.ReadyPath, srv.DrainDelay = "/livez", "/readyz", drainDelay
	srv.ErrorHandler = problem.JSON // all error responses
	ln, err := srv.Listen(ctx)      // systemd's socket if there is one, so that restarts lose no requests
	if err != nil {
		return err
	}
	inspect.Print(out, mux)
	fmt.Fprintf(out, `
The page is %[1]s, its routes are at %[1]s/debug/routes/, the notes are in %[2]s, Ctrl-C stops. Try:

  curl -i %[1]s/api/notes -d '{"text":"buy milk","tags":["home"]}'
  curl '%[1]s/api/notes?tag=home'
  curl -i -X PATCH %[1]s/api/notes/1
`, "http://"+ln.Addr().String(), file)
	return srv.Serve(ctx, ln)
}
