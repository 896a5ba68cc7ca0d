//go:debug http2server=0

// This program disables HTTP/2 without an environment variable.
package main

import (
	"fmt"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

func main() { fmt.Println(engine.New(new(http.Server)).ServesHTTP2()) }
