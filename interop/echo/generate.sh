#!/usr/bin/env bash
# Writes the Go code of echo.proto. It needs protoc (Debian: protobuf-compiler).
set -euo pipefail
cd "$(dirname "$0")"

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
version() { (cd .. && go list -m -f '{{.Version}}' "$1"); }
export GOBIN=$bin
go install "google.golang.org/protobuf/cmd/protoc-gen-go@$(version google.golang.org/protobuf)"
go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
go install "connectrpc.com/connect/cmd/protoc-gen-connect-go@$(version connectrpc.com/connect)"
go install "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway@$(version github.com/grpc-ecosystem/grpc-gateway/v2)"

PATH=$bin:$PATH protoc \
	--go_out=. --go_opt=paths=source_relative \
	--go-grpc_out=. --go-grpc_opt=paths=source_relative \
	--connect-go_out=. --connect-go_opt=paths=source_relative \
	--grpc-gateway_out=. --grpc-gateway_opt=paths=source_relative,grpc_api_configuration=gateway.yaml \
	echo.proto
