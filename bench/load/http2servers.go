package load

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

var pages = []string{helloPath, jsonPath, echoPath, downloadPath}

// HTTP2Servers lists the servers; the others are compared with the first. They
// have the same names as HTTP/1.1 servers. Recycle isn't safe with grpc-go.
var HTTP2Servers = []HTTPServer{
	{Name: "net/http", Handler: "plain", Paths: append(pages, connectPath, grpcPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveOver(l, http2Server(conf), conf) }},
	{Name: "engine", Handler: "plain", Ours: true, Paths: append(pages, connectPath, grpcPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2Engine(l, conf, false) }},
	{Name: "engine, recycling", Handler: "plain", Ours: true, Paths: append(pages, connectPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2Engine(l, conf, true) }},
	{Name: "hyper", Handler: "Rust", Paths: pages, Program: "cargo", serve: hyperServer("http2")},
	{Name: "h2o", Handler: "C, files", Paths: []string{helloPath, jsonPath, downloadPath}, Program: "h2o", serve: serveH2O},
	{Name: "grpc-go's own server", Handler: "native", Paths: []string{grpcPath}, serve: serveGRPC},
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

func serveHTTP2Engine(l net.Listener, conf *tls.Config, recycle bool) error {
	s := engine.New(http2Server(conf))
	s.Recycle = recycle
	return serveOver(l, s, conf)
}

func serveGRPC(l net.Listener, conf *tls.Config) error {
	if conf != nil {
		return grpcServer(grpc.Creds(credentials.NewTLS(conf))).Serve(l)
	}
	return grpcServer().Serve(l)
}

// message is the body of a call and of its response: a message of 100 bytes
// with its length before it.
var message = func() string {
	b, err := proto.Marshal(wrapperspb.String(strings.Repeat("x", 100)))
	if err != nil {
		panic(err)
	}
	return string(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(b)))) + string(b)
}()

func connectHandler() (path string, h http.Handler) {
	return connectPath, connect.NewUnaryHandler(connectPath,
		func(_ context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
			return connect.NewResponse(r.Msg), nil
		})
}

// grpcServer returns a grpc.Server with the service that generated code would
// register.
func grpcServer(options ...grpc.ServerOption) *grpc.Server {
	s := grpc.NewServer(options...)
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: strings.Trim(grpcService, "/"),
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Echo", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			m := new(wrapperspb.StringValue)
			return m, decode(m)
		}}},
	}, nil)
	return s
}
