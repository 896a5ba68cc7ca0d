package server_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// BenchmarkServe measures the cost of the limits per request over one
// keep-alive connection, compared to net/http and to the engine without this
// package.
func BenchmarkServe(b *testing.B) {
	h := http.HandlerFunc(hello)
	ours := func(onEngine bool) func(net.Listener) {
		return func(ln net.Listener) {
			s := server.New("", h)
			s.Log, s.Engine = discardLog, onEngine
			s.Serve(context.Background(), ln)
		}
	}
	for _, c := range []struct {
		name  string
		serve func(net.Listener)
	}{
		{"nethttp", func(ln net.Listener) { (&http.Server{Handler: h}).Serve(ln) }},
		{"server", ours(false)},
		{"engine", func(ln net.Listener) { engine.New(&http.Server{Handler: h}).Serve(ln) }},
		{"serverOnEngine", ours(true)},
	} {
		b.Run(c.name, func(b *testing.B) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer ln.Close()
			go c.serve(ln)
			nc, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer nc.Close()
			response := make([]byte, 4096)
			for b.Loop() {
				if _, err := io.WriteString(nc, headHello); err != nil {
					b.Fatal(err)
				}
				if n, err := nc.Read(response); err != nil || string(response[n-5:n]) != "hello" {
					b.Fatalf("%q, %v", response[:n], err)
				}
			}
		})
	}
}
