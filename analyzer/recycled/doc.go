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
//   - A *grpc.Server as an http.Handler: a goroutine of its own reads the
//     request after the handler returned.
//
// Package retain reports handlers that keep a request themselves.
package recycled
