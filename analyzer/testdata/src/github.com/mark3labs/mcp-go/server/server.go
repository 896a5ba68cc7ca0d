// Package server has the parts of mcp-go's API that the checks use.
package server

import "net/http"

type SSEServer struct{}

func NewSSEServer() *SSEServer { return &SSEServer{} }

func (*SSEServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {}
