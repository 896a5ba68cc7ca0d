// Command peers serves the handler of package conform, with fasthttp on its first
// argument, an address, and with net/http on the second.
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/seed-1954dcaa/muxmaster/internal/conform"
)

func main() {
	handler := http.HandlerFunc(conform.Handler)
	go func() { log.Fatal(http.ListenAndServe(os.Args[2], handler)) }()
	log.Fatal(fasthttp.ListenAndServe(os.Args[1], fasthttpadaptor.NewFastHTTPHandler(handler)))
}
