package load

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/seed-1954dcaa/muxmaster"
)

// handleCalls adds the handlers of calls.
func handleCalls(mux *muxmaster.Mux) {
	mux.Handle(connectPath, connect.NewUnaryHandler(connectPath,
		func(_ context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
			return connect.NewResponse(r.Msg), nil
		}))
	mux.Handle(grpcService+"*rest", grpcServer())
}

func serveGRPC(l net.Listener, srv *http.Server) error {
	if srv.TLSConfig != nil {
		return grpcServer(grpc.Creds(credentials.NewTLS(srv.TLSConfig))).Serve(l)
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
