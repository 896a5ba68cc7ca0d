// Package engine serves plain [http.Handler]s over HTTP/1.1 and HTTP/2 with less
// CPU time than net/http. It passes unusual HTTP/1.1 requests to net/http.
//
//	srv := &http.Server{Addr: ":8080", Handler: mux}
//	log.Fatal(engine.New(srv).ListenAndServe())
//
// # How it works
//
// One goroutine serves each HTTP/1.1 connection. The engine serves requests with
// a common form itself: HTTP/1.1 or 1.0, a target that starts with a slash, one
// Host header, a Content-Length, chunks or no body, and no unusual bytes. The
// [http.ResponseWriter] supports everything that net/http's does: flushing,
// streaming, trailers, [http.ResponseController], Hijack and sendfile.
//
// The engine's parser accepts a strict subset of the requests that
// [http.ReadRequest] accepts, with the same result. For all others, an
// [http.Server] takes over the connection, from the start of that request until
// the connection ends. So responses to malformed and rare requests are
// net/http's own. [Server.Stats] counts these connections and the reasons.
//
// Over HTTP/2, handlers run in reused goroutines. The engine serves
// all requests and answers all errors itself, as RFC 9113 requires. net/http
// serves HTTP/2 connections only if srv asks for something that the engine
// doesn't know: a function of another package for "h2" in srv.TLSNextProto, a
// new field of [http.HTTP2Config], or GODEBUG=http2debug=1.
//
// # Retention
//
// By default, handlers can retain the request, its header, URL and context, as
// with net/http. With [Server.Recycle], the engine reuses them after the
// handler returns, which saves more CPU time. In both modes, a ResponseWriter
// must not be used after the handler returns; such calls only log a line.
package engine
