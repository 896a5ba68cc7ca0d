package load

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v3"
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
	Paths   []string // of the cases that it serves; nil for all
	Basic   bool     // it is measured only in simple cases
	Program string   // that must be installed, or ""

	// serve serves over TLS, or without TLS if the configuration is nil.
	serve func(net.Listener, *tls.Config) error
}

// NetConn is the engine without raw system calls.
const NetConn = "engine, net.Conn"

// HTTPServers lists the servers; the others are compared with the first. Those
// with plain handlers serve plainHandler(); the others do the same work with
// their native handlers.
var HTTPServers = []HTTPServer{
	{Name: "net/http", Handler: "plain", serve: func(l net.Listener, conf *tls.Config) error {
		return serveOver(l, &http.Server{Handler: plainHandler(), TLSConfig: conf}, conf)
	}},
	{Name: "engine", Handler: "plain", Ours: true, serve: func(l net.Listener, conf *tls.Config) error { return serveEngine(l, conf, false) }},
	{Name: NetConn, Handler: "plain", Ours: true, Basic: true, serve: func(l net.Listener, _ *tls.Config) error { return serveEngine(wrapped{l}, nil, false) }},
	{Name: "engine, recycling", Handler: "plain", Ours: true, serve: func(l net.Listener, conf *tls.Config) error { return serveEngine(l, conf, true) }},
	{Name: "package server", Handler: "plain", Ours: true, Basic: true, serve: func(l net.Listener, _ *tls.Config) error { return serveHardened(l, nil, false) }},
	{Name: "package server, engine", Handler: "plain", Ours: true, serve: func(l net.Listener, conf *tls.Config) error { return serveHardened(l, conf, true) }},
	{Name: "fasthttp, adapted", Handler: "plain", Basic: true, serve: func(l net.Listener, _ *tls.Config) error {
		return fasthttp.Serve(l, fasthttpadaptor.NewFastHTTPHandler(plainHandler()))
	}},
	{Name: "fasthttp", Handler: "native", serve: func(l net.Listener, conf *tls.Config) error {
		if conf != nil {
			l = tls.NewListener(l, conf)
		}
		return fasthttp.Serve(l, native)
	}},
	{Name: "fiber v3", Handler: "native", Basic: true, serve: func(l net.Listener, _ *tls.Config) error { return fasthttp.Serve(l, fiberApp().Handler()) }},
	{Name: "hyper", Handler: "Rust", Program: "cargo", serve: hyperServer("http1")},
	{Name: "h2o", Handler: "C, files", Program: "h2o", Paths: []string{helloPath, jsonPath, paramPath}, serve: serveH2O},
}

// Entrants returns the names of the servers for a case.
func Entrants(c Case) (names []string) {
	servers := HTTPServers
	if c.Protocol.HTTP2() {
		servers = HTTP2Servers
	}
	for _, s := range servers {
		_, missing := exec.LookPath(s.Program)
		if (s.Paths == nil || slices.Contains(s.Paths, c.Path)) && (s.Program == "" || missing == nil) && !(s.Basic && !c.Protocol.HTTP2() && !c.Simple()) {
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
	} else if rest, ok := strings.CutPrefix(name, string(HTTPS)+" "); ok {
		name, conf = rest, &tls.Config{Certificates: []tls.Certificate{measure.Certificate()}, NextProtos: []string{"http/1.1"}}
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

// serveOver serves with net/http's server or the engine, over TLS if there is conf.
func serveOver(l net.Listener, srv interface {
	Serve(net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
}, conf *tls.Config) error {
	if conf != nil {
		return srv.ServeTLS(l, "", "")
	}
	return srv.Serve(l)
}

func serveEngine(l net.Listener, conf *tls.Config, recycle bool) error {
	s := engine.New(&http.Server{Handler: plainHandler(), TLSConfig: conf})
	s.Recycle = recycle
	return serveOver(l, s, conf)
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
func serveHardened(l net.Listener, conf *tls.Config, engine bool) error {
	s := server.New("", plainHandler())
	if s.Engine = engine; conf != nil {
		s.HTTP.TLSConfig = conf
	}
	return s.Serve(context.Background(), l)
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
