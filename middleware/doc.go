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
// Some middleware set fields of the request that they are given (RemoteAddr, URL, Header, Body), as [http.ServeMux] sets
// Pattern, so that those outside see what was learnt inside. None writes through the request's pointers or maps.
// RequestID and Timeout need a request with another context, which net/http makes by copying; when the call is over they
// hand back what the router and the handler noted on the copy: pattern, path values, parsed forms. A Logger outside of
// them therefore knows the pattern, and net/http finds the temporary files of a multipart form that it has to remove.
//
// Where a middleware has to know what was sent, it wraps the writer in a recorder that keeps Flush, Hijack, ReadFrom
// (sendfile) and [http.ResponseController] working. One recorder serves all middleware that stand on top of each other.
package middleware
