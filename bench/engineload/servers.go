// Package engineload compares HTTP servers under load. Each server runs in a
// separate process on one processor. Real sockets and interleaved rounds are
// used. It measures the CPU time of the server's process per request, and
// requests per second.
//
// Servers with plain handlers run the same http.Handler; the others do the same
// work with their native handlers.
package engineload

import (
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

// A Server is a contender.
type Server struct {
	Name  string
	Plain bool // serves http.Handlers
	Serve func(net.Listener) error
}

// Servers are the contenders. The others are compared with the first.
var Servers = []Server{
	{"net/http", true, func(l net.Listener) error { return http.Serve(l, plain) }},
	{"muxmaster/engine", true, func(l net.Listener) error { return engine.New(&http.Server{Handler: plain}).Serve(l) }},
	{"muxmaster/engine, Recycle", true, func(l net.Listener) error {
		s := engine.New(&http.Server{Handler: plain})
		s.Recycle = true
		return s.Serve(l)
	}},
	{"fasthttp, adapted", true, func(l net.Listener) error {
		return fasthttp.Serve(l, fasthttpadaptor.NewFastHTTPHandler(plain))
	}},
	{"nbio", true, func(l net.Listener) error {
		logging.SetLevel(logging.LevelNone)
		return nbhttp.NewEngine(nbhttp.Config{
			Network: "tcp",
			Addrs:   []string{l.Addr().String()},
			Listen:  func(string, string) (net.Listener, error) { return l, nil },
			NPoller: 1, // as many as processors
			Handler: plain,
			// Run handlers in the event loop, where nbio is fastest if they
			// never wait.
			ServerExecutor: func(f func()) { f() },
		}).Start()
	}},
	{"fasthttp", false, func(l net.Listener) error { return fasthttp.Serve(l, native) }},
	{"fiber", false, func(l net.Listener) error { return fasthttp.Serve(l, fiberApp().Handler()) }},
}

const hello = "Hello, World!"

// document is a JSON document of 1 KB.
var document = `{"items":[` + strings.Repeat(`{"id":12345,"name":"somebody"},`, 32) + `{"id":1,"name":"last"}]}`

var plain http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/json":
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, document)
	case "/echo":
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(b)
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, hello)
	}
})

func native(c *fasthttp.RequestCtx) {
	switch string(c.Path()) {
	case "/json":
		c.SetContentType("application/json")
		c.WriteString(document)
	case "/echo":
		c.SetContentType("application/octet-stream")
		c.Write(c.PostBody())
	default:
		c.SetContentType("text/plain; charset=utf-8")
		c.WriteString(hello)
	}
}

func fiberApp() *fiber.App {
	app := fiber.New()
	app.Get("/json", func(c fiber.Ctx) error {
		c.Set("Content-Type", "application/json")
		return c.SendString(document)
	})
	app.Post("/echo", func(c fiber.Ctx) error {
		c.Set("Content-Type", "application/octet-stream")
		return c.Send(c.Body())
	})
	app.Get("/hello", func(c fiber.Ctx) error {
		c.Set("Content-Type", "text/plain; charset=utf-8")
		return c.SendString(hello)
	})
	return app
}
