package muxmaster

import "net/http"

// GET registers h for GET requests to path, and for HEAD requests unless path
// has a HEAD route. A path with a trailing slash matches only itself, not the
// paths below it. In a Group, the Group's prefix is prepended to path. GET
// panics if path is invalid, h is nil, or the route conflicts with another one.
// After a panic, nothing was registered.
func (s *scope) GET(path string, h http.HandlerFunc) { s.verb(http.MethodGet, path, h) }

// HEAD registers h for HEAD requests, like [Router.GET].
func (s *scope) HEAD(path string, h http.HandlerFunc) { s.verb(http.MethodHead, path, h) }

// POST registers h for POST requests, like [Router.GET].
func (s *scope) POST(path string, h http.HandlerFunc) { s.verb(http.MethodPost, path, h) }

// PUT registers h for PUT requests, like [Router.GET].
func (s *scope) PUT(path string, h http.HandlerFunc) { s.verb(http.MethodPut, path, h) }

// PATCH registers h for PATCH requests, like [Router.GET].
func (s *scope) PATCH(path string, h http.HandlerFunc) { s.verb(http.MethodPatch, path, h) }

// DELETE registers h for DELETE requests, like [Router.GET].
func (s *scope) DELETE(path string, h http.HandlerFunc) { s.verb(http.MethodDelete, path, h) }

// OPTIONS registers h for OPTIONS requests, like [Router.GET]. If a path has
// routes but none for OPTIONS, the Mux responds with 204 and an Allow header.
func (s *scope) OPTIONS(path string, h http.HandlerFunc) { s.verb(http.MethodOptions, path, h) }

// CONNECT registers h for CONNECT requests, like [Router.GET]. Paths of CONNECT
// requests are not cleaned before matching.
func (s *scope) CONNECT(path string, h http.HandlerFunc) { s.verb(http.MethodConnect, path, h) }

// TRACE registers h for TRACE requests, like [Router.GET].
func (s *scope) TRACE(path string, h http.HandlerFunc) { s.verb(http.MethodTrace, path, h) }

// QUERY registers h for QUERY requests, like [Router.GET]. QUERY is a safe
// method with a request body; see draft-ietf-httpbis-safe-method-w-body.
func (s *scope) QUERY(path string, h http.HandlerFunc) { s.verb("QUERY", path, h) }

// ANY registers h for every method, including custom ones, like [Router.GET]. A
// route with the same path and a specific method takes precedence.
func (s *scope) ANY(path string, h http.HandlerFunc) { s.verb("", path, h) }

// GETFast is GET for a fast handler.
func (s *scope) GETFast(path string, h FastHandler) { s.verb(http.MethodGet, path, fastHandler(h)) }

// HEADFast is HEAD for a fast handler.
func (s *scope) HEADFast(path string, h FastHandler) { s.verb(http.MethodHead, path, fastHandler(h)) }

// POSTFast is POST for a fast handler.
func (s *scope) POSTFast(path string, h FastHandler) { s.verb(http.MethodPost, path, fastHandler(h)) }

// PUTFast is PUT for a fast handler.
func (s *scope) PUTFast(path string, h FastHandler) { s.verb(http.MethodPut, path, fastHandler(h)) }

// PATCHFast is PATCH for a fast handler.
func (s *scope) PATCHFast(path string, h FastHandler) { s.verb(http.MethodPatch, path, fastHandler(h)) }

// DELETEFast is DELETE for a fast handler.
func (s *scope) DELETEFast(path string, h FastHandler) {
	s.verb(http.MethodDelete, path, fastHandler(h))
}

// OPTIONSFast is OPTIONS for a fast handler.
func (s *scope) OPTIONSFast(path string, h FastHandler) {
	s.verb(http.MethodOptions, path, fastHandler(h))
}

// CONNECTFast is CONNECT for a fast handler.
func (s *scope) CONNECTFast(path string, h FastHandler) {
	s.verb(http.MethodConnect, path, fastHandler(h))
}

// TRACEFast is TRACE for a fast handler.
func (s *scope) TRACEFast(path string, h FastHandler) { s.verb(http.MethodTrace, path, fastHandler(h)) }

// QUERYFast is QUERY for a fast handler.
func (s *scope) QUERYFast(path string, h FastHandler) { s.verb("QUERY", path, fastHandler(h)) }

// ANYFast is ANY for a fast handler.
func (s *scope) ANYFast(path string, h FastHandler) { s.verb("", path, fastHandler(h)) }
