// Package middleware is a kit of HTTP middleware that needs nothing but net/http: each is a
// func(http.Handler) http.Handler, or a function that returns one, and serves any router.
//
//	outermost  Logger  Recoverer  RealIP  RequestID  CleanPath  StripSlashes   every request
//	           Timeout  BodyLimit  Throttle                                   a service, or a part of it
//	innermost  BasicAuth  SetHeader  NoCache                                  a group, or one route
//
// All work is done when a middleware is constructed, and what it is given wrong panics there, with a message that says
// what to do instead. Serving only reads. Every middleware is safe for concurrent use.
//
// Some middleware change the request that they are given (RemoteAddr, Header, Body, the context), as [http.ServeMux] sets
// Pattern, so that those outside see what was learnt inside. CleanPath and StripSlashes change the path of its URL, which
// shallow copies of the request share. All do so before they call the next handler, and none writes into the request's
// maps. Timeout needs a request with another context for a while, a copy; when the call is over it hands back what the
// router and the handler noted on the copy: pattern, path values, parsed forms. A Logger outside of it therefore knows the
// pattern, and net/http finds the temporary files of a multipart form that it has to remove.
//
// Where a middleware has to know what was sent, it wraps the writer in a recorder that keeps Flush, Hijack, ReadFrom
// (sendfile) and [http.ResponseController] working. One recorder serves all middleware that stand on top of each other.
package middleware
