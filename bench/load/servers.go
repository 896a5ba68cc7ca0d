package load

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// HTTPServer is a server that is compared with net/http's.
type HTTPServer struct {
	Name    string
	Handler string // "plain" for http.Handler, "native" for the server's own
	Ours    bool
	HTTP2   bool     // it is also measured over HTTP/2
	Basic   bool     // it is measured only in simple cases
	Paths   []string // of the cases that it serves; nil for all
	Program string   // that must be installed, or ""

	// serve serves the handler and the protocol of an http.Server, over TLS if that
	// has a configuration.
	serve func(net.Listener, *http.Server) error
}

// NetConn is the engine without raw system calls.
const NetConn = "engine, net.Conn"

// HTTPServers lists the servers; the others are compared with the first. Those
// with plain handlers serve plainHandler(); the others do the same work with
// their native handlers. Recycle isn't safe with grpc-go.
var HTTPServers = []HTTPServer{
	{Name: "net/http", Handler: "plain", HTTP2: true, serve: func(l net.Listener, srv *http.Server) error { return serveOver(l, srv, srv.TLSConfig) }},
	{Name: "engine", Handler: "plain", Ours: true, HTTP2: true, serve: func(l net.Listener, srv *http.Server) error { return serveEngine(l, srv, false) }},
	{Name: NetConn, Handler: "plain", Ours: true, Basic: true, serve: func(l net.Listener, srv *http.Server) error { return serveEngine(wrapped{l}, srv, false) }},
	{Name: "engine, recycling", Handler: "plain", Ours: true, HTTP2: true, Paths: append(pages, paramPath, connectPath),
		serve: func(l net.Listener, srv *http.Server) error { return serveEngine(l, srv, true) }},
	{Name: "package server", Handler: "plain", Ours: true, Basic: true, serve: func(l net.Listener, srv *http.Server) error { return serveHardened(l, srv, false) }},
	{Name: "package server, engine", Handler: "plain", Ours: true, serve: func(l net.Listener, srv *http.Server) error { return serveHardened(l, srv, true) }},
	{Name: "fasthttp, adapted", Handler: "plain", Basic: true, serve: func(l net.Listener, srv *http.Server) error {
		return fasthttp.Serve(l, fasthttpadaptor.NewFastHTTPHandler(srv.Handler))
	}},
	{Name: "fasthttp", Handler: "native", serve: func(l net.Listener, srv *http.Server) error {
		if srv.TLSConfig != nil {
			l = tls.NewListener(l, srv.TLSConfig)
		}
		return fasthttp.Serve(l, native)
	}},
	{Name: "fiber v3", Handler: "native", Basic: true, serve: func(l net.Listener, _ *http.Server) error { return fasthttp.Serve(l, fiberApp().Handler()) }},
	{Name: "hyper", Handler: "Rust", HTTP2: true, Paths: append(pages, paramPath), Program: "cargo", serve: serveHyper},
	{Name: "h2o", Handler: "C, files", HTTP2: true, Paths: []string{helloPath, jsonPath, downloadPath, paramPath}, Program: "h2o", serve: serveH2O},
	{Name: "grpc-go's own server", Handler: "native", HTTP2: true, Paths: []string{grpcPath}, serve: serveGRPC},
}

// Entrants returns the names of the servers for a case.
func Entrants(c Case) (names []string) {
	for _, s := range HTTPServers {
		able := s.HTTP2
		if !c.Protocol.HTTP2() {
			able = !s.Basic || c.Simple()
		}
		_, missing := exec.LookPath(s.Program)
		if able && (s.Paths == nil || slices.Contains(s.Paths, c.Path)) && (s.Program == "" || missing == nil) {
			names = append(names, s.Name)
		}
	}
	return names
}

// named returns the function that serves a router with net/http's server, or
// plainHandler with another server, whose name begins with the protocol if that isn't HTTP1.
func named(name string) (serve func(net.Listener) error, err error) {
	protocol, mux := HTTP1, plainHandler()
	for _, p := range []Protocol{HTTPS, H2C, H2TLS} {
		if rest, ok := strings.CutPrefix(name, string(p)+" "); ok {
			protocol, name = p, rest
		}
	}
	srv := &http.Server{Handler: mux, Protocols: protocol.protocols()}
	if protocol.HTTP2() {
		handleCalls(mux)
	}
	if next := map[Protocol]string{HTTPS: "http/1.1", H2TLS: "h2"}[protocol]; next != "" {
		cert, err := certificate()
		if err != nil {
			return nil, err
		}
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{next}}
	}
	for _, s := range HTTPServers {
		if s.Name == name {
			return func(l net.Listener) error { return s.serve(l, srv) }, nil
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

// certificate returns an ECDSA certificate for 127.0.0.1, like that of most servers
// now. With RSA, a handshake takes about twice as long.
func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
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

func serveEngine(l net.Listener, srv *http.Server, recycle bool) error {
	s := engine.New(srv)
	s.Recycle = recycle
	return serveOver(l, s, srv.TLSConfig)
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
func serveHardened(l net.Listener, srv *http.Server, engine bool) error {
	s := server.New("", srv.Handler)
	s.Engine, s.HTTP.TLSConfig = engine, srv.TLSConfig
	return s.Serve(context.Background(), l)
}

// plainHandler returns our router in its default mode.
func plainHandler() *muxmaster.Mux {
	mux := muxmaster.New()
	for _, path := range []string{helloPath, jsonPath, downloadPath} {
		work := works[path]
		mux.GET(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", work.kind)
			io.WriteString(w, work.want)
		})
	}
	mux.POST(echoPath, func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", bytesType)
		w.Write(b)
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
	for _, path := range []string{helloPath, jsonPath} {
		work := works[path]
		app.Get(path, func(c fiber.Ctx) error {
			c.Set("Content-Type", work.kind)
			return c.SendString(work.want)
		})
	}
	app.Post(echoPath, func(c fiber.Ctx) error {
		c.Set("Content-Type", bytesType)
		return c.Send(c.Body())
	})
	app.Get("/some/page/:id", func(c fiber.Ctx) error { return c.SendString(c.Params("id")) })
	return app
}
