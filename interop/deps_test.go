package interop

import (
	_ "connectrpc.com/connect"
	_ "github.com/99designs/gqlgen/graphql/handler"
	_ "github.com/99designs/gqlgen/graphql/handler/testserver"
	_ "github.com/alexedwards/scs/goredisstore"
	_ "github.com/aws/aws-lambda-go/events"
	_ "github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
	_ "github.com/danielgtaylor/huma/v2/adapters/humago"
	_ "github.com/go-chi/httprate-redis"
	_ "github.com/graph-gophers/graphql-go/relay"
	_ "github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	_ "github.com/markbates/goth/gothic"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/redis/go-redis/v9"
	_ "google.golang.org/grpc/interop"
	_ "google.golang.org/grpc/interop/grpc_testing"
)
