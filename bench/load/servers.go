package load

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// HTTPServer is a server that is compared with net/http's.
type HTTPServer struct {
	Name    string
	Handler string // "plain" for http.Handler, "native" for the server's own
	Ours    bool
	Paths   []string // of the HTTP/2 cases that it serves

	// serve serves over TLS, or without TLS if the configuration is nil. HTTP/1.1
	// servers get none.
	serve func(net.Listener, *tls.Config) error
}

// NetConn is the engine without raw system calls.
const NetConn = "engine, net.Conn"

// HTTPServers lists the servers; the others are compared with the first. Those
// with plain handlers serve plainHandler(); the others do the same work with
// their native handlers.
var HTTPServers = []HTTPServer{
	{Name: "net/http", Handler: "plain", serve: func(l net.Listener, _ *tls.Config) error { return http.Serve(l, plainHandler()) }},
	{Name: "net/http, timeouts", Handler: "plain", serve: serveWithTimeouts},
	{Name: "engine", Handler: "plain", Ours: true, serve: func(l net.Listener, _ *tls.Config) error { return newEngine(false).Serve(l) }},
	{Name: NetConn, Handler: "plain", Ours: true, serve: func(l net.Listener, _ *tls.Config) error { return newEngine(false).Serve(wrapped{l}) }},
	{Name: "engine, recycling", Handler: "plain", Ours: true, serve: func(l net.Listener, _ *tls.Config) error { return newEngine(true).Serve(l) }},
	{Name: "package server", Handler: "plain", Ours: true, serve: func(l net.Listener, _ *tls.Config) error { return serveHardened(l, false) }},
	{Name: "package server, engine", Handler: "plain", Ours: true, serve: func(l net.Listener, _ *tls.Config) error { return serveHardened(l, true) }},
	{Name: "fasthttp, adapted", Handler: "plain", serve: func(l net.Listener, _ *tls.Config) error {
		return fasthttp.Serve(l, fasthttpadaptor.NewFastHTTPHandler(plainHandler()))
	}},
	{Name: "nbio", Handler: "plain", serve: serveNbio},
	{Name: "fasthttp", Handler: "native", serve: func(l net.Listener, _ *tls.Config) error { return fasthttp.Serve(l, native) }},
	{Name: "fiber v3", Handler: "native", serve: func(l net.Listener, _ *tls.Config) error { return fasthttp.Serve(l, fiberApp().Handler()) }},
}

// Entrants returns the names of the servers for a case.
func Entrants(c Case) (names []string) {
	servers := HTTPServers
	if c.Protocol != HTTP1 {
		servers = HTTP2Servers
	}
	for _, s := range servers {
		if c.Protocol == HTTP1 || slices.Contains(s.Paths, c.Path) {
			names = append(names, s.Name)
		}
	}
	return names
}

// named returns the function that serves a router with net/http's server, or
// plainHandler with another server, whose name begins with the protocol if that isn't HTTP1.
func named(name string) (serve func(net.Listener) error, err error) {
	servers, conf := HTTPServers, (*tls.Config)(nil)
	if rest, ok := strings.CutPrefix(name, string(H2C)+" "); ok {
		servers, name = HTTP2Servers, rest
	} else if rest, ok := strings.CutPrefix(name, string(H2TLS)+" "); ok {
		servers, name = HTTP2Servers, rest
		conf = &tls.Config{Certificates: []tls.Certificate{measure.Certificate()}, NextProtos: []string{"h2"}}
	}
	for _, s := range servers {
		if s.Name == name {
			return func(l net.Listener) error { return s.serve(l, conf) }, nil
		}
	}
	c, err := contender.Named(name)
	if err != nil {
		return nil, err
	}
	return func(l net.Listener) error {
		return http.Serve(l, c.Load(contender.Spec{Work: contender.Write, Routes: []routes.Route{{Method: http.MethodGet, Pattern: "/some/page/:id"}}}))
	}, nil
}

// serveWithTimeouts serves with net/http's server and the timeouts that package
// server sets on it.
func serveWithTimeouts(l net.Listener, _ *tls.Config) error {
	http1 := server.New("", plainHandler()).HTTP
	return (&http.Server{
		Handler:           http1.Handler,
		ReadHeaderTimeout: http1.ReadHeaderTimeout,
		ReadTimeout:       http1.ReadTimeout,
		WriteTimeout:      http1.WriteTimeout,
		IdleTimeout:       http1.IdleTimeout,
	}).Serve(l)
}

// newEngine returns a server of package engine.
func newEngine(recycle bool) *engine.Server {
	s := engine.New(&http.Server{Handler: plainHandler()})
	s.Recycle = recycle
	return s
}

// A wrapped listener hides the type of its connections, so that the engine uses
// the methods of net.Conn instead of raw system calls.
type wrapped struct{ net.Listener }

func (l wrapped) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return struct{ net.Conn }{nc}, nil
}

// serveHardened serves with package server, and thus with all its limits.
func serveHardened(l net.Listener, engine bool) error {
	s := server.New("", plainHandler())
	s.Engine = engine
	return s.Serve(context.Background(), l)
}

func serveNbio(l net.Listener, _ *tls.Config) error {
	logging.SetLevel(logging.LevelNone)
	err := nbhttp.NewEngine(nbhttp.Config{
		Network: "tcp",
		Addrs:   []string{l.Addr().String()},
		Listen:  func(string, string) (net.Listener, error) { return l, nil },
		NPoller: 1, // as many as processors
		Handler: plainHandler(),
		// Run handlers in the event loop, where nbio is fastest if they
		// never wait.
		ServerExecutor: func(f func()) { f() },
	}).Start()
	return err
}

// The types of the responses.
const (
	textType  = "text/plain; charset=utf-8"
	jsonType  = "application/json"
	bytesType = "application/octet-stream"
)

// plainHandler returns our router in its default mode.
func plainHandler() *muxmaster.Mux {
	mux := muxmaster.New()
	mux.GET(helloPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", textType)
		io.WriteString(w, hello)
	})
	mux.GET(jsonPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		io.WriteString(w, document)
	})
	mux.POST(echoPath, func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", bytesType)
		w.Write(b)
	})
	mux.GET(downloadPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", bytesType)
		io.WriteString(w, download)
	})
	mux.GET("/some/page/:id", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) })
	return mux
}

// native has no router.
func native(c *fasthttp.RequestCtx) {
	switch path := string(c.Path()); path {
	case jsonPath:
		c.SetContentType(jsonType)
		c.WriteString(document)
	case echoPath:
		c.SetContentType(bytesType)
		c.Write(c.PostBody())
	case downloadPath:
		c.SetContentType(bytesType)
		c.WriteString(download)
	case helloPath:
		c.SetContentType(textType)
		c.WriteString(hello)
	default:
		c.WriteString(path[strings.LastIndexByte(path, '/')+1:])
	}
}

func fiberApp() *fiber.App {
	app := fiber.New(fiber.Config{CaseSensitive: true, StrictRouting: true})
	app.Get(jsonPath, func(c fiber.Ctx) error {
		c.Set("Content-Type", jsonType)
		return c.SendString(document)
	})
	app.Post(echoPath, func(c fiber.Ctx) error {
		c.Set("Content-Type", bytesType)
		return c.Send(c.Body())
	})
	app.Get(helloPath, func(c fiber.Ctx) error {
		c.Set("Content-Type", textType)
		return c.SendString(hello)
	})
	app.Get("/some/page/:id", func(c fiber.Ctx) error { return c.SendString(c.Params("id")) })
	return app
}
