package muxmaster

import "net/http"

// A FastHandler serves a request and receives the path values as an argument.
// UseFast adds middleware for fast handlers; middleware of Use cannot wrap
// them.
type FastHandler func(http.ResponseWriter, *http.Request, Params)

// A FastMiddleware wraps a FastHandler. Add it with UseFast.
type FastMiddleware func(FastHandler) FastHandler

// fastHandler makes a FastHandler an http.Handler, so that a route can hold it.
type fastHandler FastHandler

// ServeHTTP calls h for callers that know only an http.Handler, such as Pre
// middleware.
func (h fastHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h(w, r, PathParams(r))
}
