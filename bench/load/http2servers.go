package load

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

var pages = []string{helloPath, jsonPath, echoPath, downloadPath}

// HTTP2Servers lists the servers; the others are compared with the first. They
// have the same names as HTTP/1.1 servers. Recycle isn't safe with grpc-go.
var HTTP2Servers = []HTTPServer{
	{Name: "net/http", Handler: "plain", Paths: append(pages, connectPath, grpcPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2(l, http2Server(conf), conf) }},
	{Name: "engine", Handler: "plain", Ours: true, Paths: append(pages, connectPath, grpcPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2Engine(l, conf, false) }},
	{Name: "engine, recycling", Handler: "plain", Ours: true, Paths: append(pages, connectPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2Engine(l, conf, true) }},
	{Name: "hertz", Handler: "native", Paths: []string{helloPath, jsonPath}, serve: serveHertz},
	{Name: "grpc-go's own server", Handler: "native", Paths: []string{grpcPath}, serve: serveGRPC},
}

// certificate returns the certificate of package httptest.
func certificate() tls.Certificate {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return s.TLS.Certificates[0]
}

// http2Server returns a server for pages and calls.
func http2Server(conf *tls.Config) *http.Server {
	mux := plainHandler()
	mux.Handle(connectHandler())
	mux.Handle(grpcService+"*rest", grpcServer())
	srv := &http.Server{Handler: mux, TLSConfig: conf, Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP2(conf != nil)
	srv.Protocols.SetUnencryptedHTTP2(conf == nil)
	return srv
}

// serveHTTP2 serves with net/http's server or the engine.
func serveHTTP2(l net.Listener, srv interface {
	Serve(net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
}, conf *tls.Config) error {
	if conf != nil {
		return srv.ServeTLS(l, "", "")
	}
	return srv.Serve(l)
}

func serveHTTP2Engine(l net.Listener, conf *tls.Config, recycle bool) error {
	s := engine.New(http2Server(conf))
	s.Recycle = recycle
	return serveHTTP2(l, s, conf)
}

func serveGRPC(l net.Listener, conf *tls.Config) error {
	if conf != nil {
		return grpcServer(grpc.Creds(credentials.NewTLS(conf))).Serve(l)
	}
	return grpcServer().Serve(l)
}
