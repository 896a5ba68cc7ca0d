package load

import (
	"context"
	"encoding/binary"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// The services of connect-go and grpc-go return the message of the call. Both
// get the same calls, in the gRPC protocol.
const (
	connectPath = "/bench.Connect/Echo"
	grpcService = "/bench.GRPC/"
	grpcPath    = grpcService + "Echo"
)

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
