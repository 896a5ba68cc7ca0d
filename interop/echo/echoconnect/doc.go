// Package echoconnect is generated from echo.proto by the plugin of protoc for
// Connect, while TestGenerated runs.
package echoconnect

import _ "connectrpc.com/connect" // the generated code imports it
