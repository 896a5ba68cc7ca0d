// Package recycling has handlers that can't run on an engine with Recycle.
package recycling

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/engine"
	"go.elastic.co/apm/module/apmhttp/v2"
	"google.golang.org/grpc"
)

func serve(h http.Handler) {
	s := engine.New(&http.Server{Handler: http.TimeoutHandler(h, time.Second, "")}) // want `http.TimeoutHandler returns while its handler still runs`
	s.Recycle = true
}

func routes(h http.Handler) *muxmaster.Mux {
	mux := muxmaster.New()
	mux.Handle("/slow", http.TimeoutHandler(h, time.Second, "")) // want `http.TimeoutHandler returns`
	rpc := grpc.NewServer()
	mux.Handle("/apm", apmhttp.Wrap(h))                // want `apmhttp.Wrap uses the headers after its handler returned`
	mux.Handle("/rpc/", rpc)                           // want `a grpc.Server uses the request after it returned`
	mux.POST("/rpc", rpc.ServeHTTP)                    // want `a grpc.Server uses the request`
	_ = &http.Server{Handler: rpc}                     // want `a grpc.Server uses the request`
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler()) // want `a mcp.StreamableHTTPHandler uses the request`
	mux.Handle("/sse", server.NewSSEServer())          // want `a server.SSEServer uses the request`
	return mux
}

func limit(h http.Handler) http.Handler {
	timeout := http.TimeoutHandler // want `http.TimeoutHandler returns`
	return timeout(h, time.Second, "")
}

func later(c *gin.Context) {
	c = c.Copy() // want `Copy of a gin.Context doesn't copy the request`
	go func() { _ = c.Request.URL.Path }()
}

// No reports below.

func right(h http.Handler) http.Handler { return http.MaxBytesHandler(h, 1<<20) }
