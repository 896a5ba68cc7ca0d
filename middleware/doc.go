// Package middleware provides HTTP middleware for any router. Each middleware
// is a func(http.Handler) http.Handler, or a function that returns one.
//
//	all requests                 Logger  Observe  Recoverer  RealIPFrom  RealIP
//	                             RequestID  CleanPath  StripSlashes
//	a service or parts of it     Timeout  BodyLimit  Throttle
//	a group or a single route    BasicAuth  IdempotencyKey  SetHeader  NoCache
//
// Nest them in this order, the first one outermost. But IdempotencyKey ignores
// the deadline of an outer Timeout, so add the Timeout inside of it.
//
// Functions that return a middleware panic if an argument is invalid. The
// message says what to do instead. All middleware is safe for concurrent use.
//
// # Error responses
//
// BasicAuth, BodyLimit, IdempotencyKey, Recoverer, Throttle and Timeout write
// error responses with [problem.Write]. They are plain text unless the service
// sets another format, such as JSON.
//
// # Changes to the request
//
// Some middleware modifies the request in place, as [http.ServeMux] sets its
// Pattern, so that outer middleware sees the result: RealIPFrom sets RemoteAddr,
// RequestID the context, and NoCache the Header. CleanPath and StripSlashes
// change the path of the URL, which shallow copies of the request share. All of
// this happens before the next handler is called. No middleware writes to the
// request's maps.
//
// Timeout calls the next handler with a copy of the request that has another
// context. BodyLimit does so with another body, unless there is none or, over
// HTTP/1, its length is known. IdempotencyKey does both for requests with a key.
// Afterwards they copy the pattern, the path values, the address and the parsed
// form back to the original request. So an outer Logger sees them, and net/http
// can remove the temporary files of a multipart form.
//
// # Changes to the response
//
// Logger, Observe and Timeout wrap the ResponseWriter; StripSlashes and
// Recoverer do so for some requests. They share one wrapper. Flush, Hijack,
// ReadFrom (sendfile) and [http.ResponseController] keep working. IdempotencyKey
// collects the response to a request with a key, so they don't work inside of it.
package middleware
