// Package engine serves plain [http.Handler]s over HTTP/1.1 with less CPU than
// net/http, and leaves everything unusual to net/http.
//
//	srv := &http.Server{Addr: ":8080", Handler: mux}
//	log.Fatal(engine.New(srv).ListenAndServe())
//
// # How it works
//
// A connection is served by one goroutine. The engine reads the head of a
// request and parses it, if it has the ordinary shape: HTTP/1.1 or 1.0, a
// target that starts with a slash, one Host, a Content-Length, chunks or no
// body, and nothing odd in any byte. Such a request is served here. What a
// handler can do with net/http's [http.ResponseWriter] works the same:
// flushing, streaming, trailers, [http.ResponseController], Hijack, sendfile.
//
// The parser accepts a strict subset of what [http.ReadRequest] accepts, with
// the same result. Any other head is handed over: a real [http.Server]
// continues the connection, from the first byte of that request to the end of
// the connection. So the answer to a malformed, rare or ancient request is
// net/http's own. [Server.Stats] counts how often this happens and why.
//
// # Retention
//
// By default a handler may keep the request, its header, URL and context, as
// with net/http. With [Server.Recycle] the engine uses them again after the
// handler has returned, which saves more CPU; see there for the contract. A
// ResponseWriter must not be used after the handler returned in either mode.
// Late calls do nothing but log a line.
package engine
