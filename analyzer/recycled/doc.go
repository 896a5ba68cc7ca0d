// Package recycled defines a check for handlers that can't run on an engine
// with Recycle.
//
// # What it reports
//
// In a package that sets engine.Server.Recycle or server.Server.Recycle, or in
// every package with the flag -recycled.all:
//
//   - http.TimeoutHandler, wherever it stands: it returns while its handler
//     still runs, which may then read another client's request.
//     middleware.Timeout waits for the handler.
//   - A *grpc.Server, and of the MCP libraries a *mcp.StreamableHTTPHandler
//     (go-sdk) and a *server.SSEServer (mcp-go), as an http.Handler: their
//     goroutines use the request or its header after the handler returned.
//   - Copy of a *gin.Context, which is meant for goroutines: the copy has the
//     same request.
//
// Package retain reports handlers that keep a request themselves.
package recycled
