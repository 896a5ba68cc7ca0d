package load

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"github.com/cloudwego/hertz/pkg/app"
	hertz "github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/common/config"
	"github.com/cloudwego/hertz/pkg/common/hlog"
	"github.com/hertz-contrib/http2/factory"
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
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2(l, http2Server(conf), conf) }},
	{Name: "engine", Handler: "plain", Ours: true, Paths: append(pages, connectPath, grpcPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2Engine(l, conf, false) }},
	{Name: "engine, recycling", Handler: "plain", Ours: true, Paths: append(pages, connectPath),
		serve: func(l net.Listener, conf *tls.Config) error { return serveHTTP2Engine(l, conf, true) }},
	{Name: "hertz", Handler: "native", Paths: []string{helloPath, jsonPath}, serve: serveHertz},
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

// serveHertz serves hertz's own handlers over HTTP/2. It opens a listener of its
// own, because hertz does.
func serveHertz(l net.Listener, conf *tls.Config) error {
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	hlog.SetLevel(hlog.LevelFatal)
	options := []config.Option{hertz.WithHostPorts(addr), hertz.WithDisablePrintRoute(true), hertz.WithH2C(true)}
	if conf != nil {
		options = append(options, hertz.WithALPN(true), hertz.WithTLS(conf))
	}
	h := hertz.New(options...)
	h.AddProtocol("h2", factory.NewServerFactory())
	h.GET(helloPath, func(_ context.Context, c *app.RequestContext) {
		c.SetContentType(textType)
		c.WriteString(hello)
	})
	h.GET(jsonPath, func(_ context.Context, c *app.RequestContext) {
		c.SetContentType(jsonType)
		c.WriteString(document)
	})
	return h.Run()
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
