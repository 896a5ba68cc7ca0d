// Command fromchi serves the same articles twice: with chi on port 8080, and
// with muxmaster on port 8081. Its tests compare the two.
//
//	go run .
package main

import (
	"log"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/examples/fromchi/after"
	"github.com/seed-1954dcaa/muxmaster/examples/fromchi/before"
)

func main() {
	log.Print("before, with chi:      http://localhost:8080/articles/1")
	log.Print("after, with muxmaster: http://localhost:8081/articles/1")
	ended := make(chan error)
	go func() { ended <- http.ListenAndServe("localhost:8080", before.Routes()) }()
	go func() { ended <- http.ListenAndServe("localhost:8081", after.Routes()) }()
	log.Fatal("fromchi: ", <-ended)
}
