package load

import (
	"io"
	"net"
	"net/http"

	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/engine"
)

// HTTPServer is a server that is compared with net/http's.
type HTTPServer struct {
	Name    string
	Handler string // "plain" for http.Handler, "native" for the server's own
	Ours    bool
	Serve   func(net.Listener) error // responds to GET /some/page/123 with 123
}

// HTTPServers lists the servers; the others are compared with the first. Those
// with plain handlers serve plainHandler().
var HTTPServers = []HTTPServer{
	{Name: "net/http", Handler: "plain", Serve: func(l net.Listener) error { return http.Serve(l, plainHandler()) }},
	{Name: "engine", Handler: "plain", Ours: true, Serve: func(l net.Listener) error { return newEngine(false).Serve(l) }},
	{Name: "engine, recycling", Handler: "plain", Ours: true, Serve: func(l net.Listener) error { return newEngine(true).Serve(l) }},
	{Name: "fasthttp, adapted", Handler: "plain", Serve: func(l net.Listener) error {
		return fasthttp.Serve(l, fasthttpadaptor.NewFastHTTPHandler(plainHandler()))
	}},
	{Name: "fasthttp", Handler: "native", Serve: serveFastHTTP},
	{Name: "fiber v3", Handler: "native", Serve: serveFiber},
}

// newEngine returns a server of package engine.
func newEngine(recycle bool) *engine.Server {
	s := engine.New(&http.Server{Handler: plainHandler()})
	s.Recycle = recycle
	return s
}

// plainHandler returns our router in its default mode.
func plainHandler() http.Handler {
	mux := muxmaster.New()
	mux.GET("/some/page/:id", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) })
	return mux
}

// serveFastHTTP has no router.
func serveFastHTTP(l net.Listener) error {
	const prefix = "/some/page/"
	return fasthttp.Serve(l, func(c *fasthttp.RequestCtx) {
		if path := c.Path(); len(path) > len(prefix) {
			c.Write(path[len(prefix):])
		}
	})
}

func serveFiber(l net.Listener) error {
	app := fiber.New(fiber.Config{CaseSensitive: true, StrictRouting: true})
	app.Get("/some/page/:id", func(c fiber.Ctx) error { return c.SendString(c.Params("id")) })
	return fasthttp.Serve(l, app.Handler())
}
