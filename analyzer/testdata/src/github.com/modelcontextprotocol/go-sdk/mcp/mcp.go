// Package mcp has the parts of the MCP SDK's API that the checks use.
package mcp

import "net/http"

type StreamableHTTPHandler struct{}

func NewStreamableHTTPHandler() *StreamableHTTPHandler { return &StreamableHTTPHandler{} }

func (*StreamableHTTPHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {}
