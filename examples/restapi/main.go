// Command restapi is a REST API for books. Its errors are problem details (RFC
// 9457).
//
//	go run ./examples/restapi
package main

import (
	"context"
	"flag"
	"log"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "where to listen, `host:port`")
	flag.Parse()
	if err := newServer(*addr, newMux(&store{})).Run(context.Background()); err != nil {
		log.Fatal("restapi: ", err)
	}
}

// newServer returns a server whose error responses are all JSON: those for
// errors of handlers, and those of the router, middleware and the server.
func newServer(addr string, h http.Handler) *server.Server {
	s := server.New(addr, h)
	s.ErrorHandler = problem.JSON
	return s
}

func newMux(books *store) *muxmaster.Mux {
	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer, middleware.RequestID)
	handlers{books}.register(mux.Group("/books"))
	return mux
}
