// Package echo is generated from echo.proto by the plugins of protoc for Go,
// gRPC and grpc-gateway, while TestGenerated runs.
package echo

// The generated code imports these.
import (
	_ "github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	_ "google.golang.org/grpc"
	_ "google.golang.org/protobuf/runtime/protoimpl"
)
