// Package middleware is a kit of HTTP middleware for any router. Each one is a
// func(http.Handler) http.Handler, or a function that returns one, and needs
// nothing but net/http.
//
//	every request              Logger  Observe  Recoverer  RealIP  RequestID
//	                           CleanPath  StripSlashes
//	a service or a part of it  Timeout  BodyLimit  Throttle
//	a group or one route       BasicAuth  SetHeader  NoCache
//
// This is also the order in which to nest them, the first one outermost.
//
// Wrong arguments panic when a middleware is made, with a message that says
// what to do instead. Every middleware is safe for concurrent use.
//
// # Error answers
//
// BasicAuth, BodyLimit, Recoverer, Throttle and Timeout answer requests
// themselves. They do so with [problem.Write]: plain text, unless the service
// has chosen another form for all its error answers, such as JSON.
//
// # The request
//
// Some middleware change the request that they are given, as [http.ServeMux]
// sets its Pattern, so that those outside see what was learnt inside: RealIP
// sets RemoteAddr, RequestID the context, BodyLimit the Body, NoCache the
// Header. CleanPath and StripSlashes change the path of its URL, which shallow
// copies of the request share. They all do so before they call the next
// handler, and none writes into the request's maps.
//
// Timeout gives the handler a copy of the request with another context. When
// the handler has returned, it copies back what the router and the handler set:
// pattern, path values, parsed forms. So a Logger outside of it knows the
// pattern, and net/http finds the temporary files of a multipart form that it
// has to remove.
//
// # The response
//
// Logger, Observe and Timeout wrap the writer, and so do StripSlashes and
// Recoverer where they have to. Flush, Hijack, ReadFrom (sendfile) and
// [http.ResponseController] keep working. One wrapper serves all of them.
package middleware
