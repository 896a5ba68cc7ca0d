// Command quickstart is a small notes service with a REST API and a web page.
// It stores the notes in memory and in a file.
//
//	go run ./examples/quickstart
//
// main.go starts the server, routes.go registers the routes, notes.go and
// events.go contain the handlers, and store.go stores the notes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "listen on `host:port`")
	file := flag.String("file", "notes.json", "store the notes in `file`")
	delay := flag.Duration("drain-delay", 0, "`time` to continue serving after SIGTERM, so that the load balancer can notice that /readyz returns 503")
	flag.Parse()
	ctx, stop := server.NotifyContext(context.Background()) // a second signal terminates the program immediately
	defer stop()
	if err := run(ctx, *addr, *file, *delay, os.Stdout); err != nil {
		log.Fatal("quickstart: ", err)
	}
}

// run serves the notes in a file until ctx ends, and then waits for running
// requests.
func run(ctx context.Context, addr, file string, drainDelay time.Duration, out io.Writer) error {
	notes, err := openStore(file)
	if err != nil {
		return err
	}
	mux := newMux(notes)
	srv := server.New(addr, mux)
	srv.LivePath, srv.ReadyPath = "/livez", "/readyz"
	srv.DrainDelay = drainDelay
	srv.ErrorHandler = problem.JSON // all error responses
	ln, err := srv.Listen(ctx)      // systemd's socket if there is one, so that restarts lose no requests
	if err != nil {
		return err
	}
	if err := inspect.Print(out, mux); err != nil {
		return err
	}
	printHints(out, "http://"+ln.Addr().String(), file)
	return srv.Serve(ctx, ln)
}

func printHints(out io.Writer, url, file string) {
	fmt.Fprintf(out, `
The page is %[1]s, the notes are in %[2]s, Ctrl-C stops. Try:

  curl -i %[1]s/api/notes -d '{"text":"buy milk","tags":["home"]}'
  curl '%[1]s/api/notes?tag=home'
  curl %[1]s/api/notes/1
  curl %[1]s/api/notes/1.txt
  curl -X PUT %[1]s/api/notes/1 -d '{"text":"buy oat milk"}'
  curl -i -X PATCH %[1]s/api/notes/1
  curl -i -X DELETE %[1]s/api/notes/1

`, url, file)
}
