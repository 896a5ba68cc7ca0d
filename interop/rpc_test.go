package interop

import (
	"net/http"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/interop"
	"google.golang.org/grpc/interop/grpc_testing"
)

var rpcRows = []row{
	{library: "connectrpc.com/connect", name: "connect-go", tried: "generated service: Connect, gRPC and gRPC-Web, unary, server streaming and bidirectional, errors, over h2c; Connect unary over HTTP/1.1", run: runConnect, plain: true},
	{library: "google.golang.org/grpc", name: "grpc-go on the same port", tried: "`Handle(\"/grpc.testing.TestService/\", grpcServer)` next to pages: gRPC's own interoperability tests", limit: "Not with the engine's `Recycle`, because `grpc.Server` uses requests after its `ServeHTTP` has returned: `muxvet` reports it.", run: runGRPC, plain: true, retains: true},
	{library: "github.com/grpc-ecosystem/grpc-gateway/v2", name: "grpc-gateway", tried: "generated gateway below `/v1/`: verb suffix, catch-all, server streaming, errors, against a gRPC server", run: runGateway, plain: true},
}

func withH2C(srv *http.Server) {
	srv.Protocols = new(http.Protocols)
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
}

func runGRPC(s *site) {
	srv := grpc.NewServer()
	grpc_testing.RegisterTestServiceServer(srv, interop.NewTestServer())
	s.Cleanup(srv.Stop)
	s.Handle("/grpc.testing.TestService/", srv)
	s.HandleFunc("GET /notes/{id}", sayValue("id"))
	s.start(s, withH2C)
	s.get("200 7", "/notes/7")
	testGRPC(s.T, strings.TrimPrefix(s.url, "http://"))
}
