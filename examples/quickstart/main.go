// Command quickstart is a small service: notes over a REST interface, kept in
// memory, saved to a file, with a page to use them in.
//
//	go run ./examples/quickstart
//
// The way of a request: main.go starts the server, routes.go says what serves
// which path, notes.go answers, store.go keeps.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "where to listen, `host:port`")
	file := flag.String("file", "notes.json", "the `file` that keeps the notes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *file, os.Stdout); err != nil {
		log.Fatal("quickstart: ", err)
	}
}

// run serves the notes of a file until ctx ends, and then lets running requests
// finish.
func run(ctx context.Context, addr, file string, out io.Writer) error {
	notes, err := openStore(file)
	if err != nil {
		return err
	}
	mux := newMux(notes)
	srv := server.New(addr, mux)
	ln, err := srv.Listen(ctx) // systemd's socket, if there is one: then no restart loses a request
	if err != nil {
		return err
	}
	printRoutes(out, mux)
	printHints(out, "http://"+ln.Addr().String(), file)
	return srv.Serve(ctx, ln)
}

func printRoutes(out io.Writer, mux *muxmaster.Mux) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for r := range mux.Routes() {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s:%d\n", cmp.Or(r.Method, "any"), r.Pattern, strings.TrimSuffix(filepath.Base(r.Handler), "-fm"), filepath.Base(r.File), r.Line)
	}
	table.Flush()
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
