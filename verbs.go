package muxmaster

import "net/http"

// The verb methods register a handler for one method and path. A path that ends
// in a slash is only itself. They panic if the path is no pattern, the handler is
// nil, or the method already has a route of that shape; nothing is registered
// then. In a Group, the path follows the group's prefix.

// GET registers h for GET requests, and for HEAD where that has no route of its
// own.
func (s *scope) GET(path string, h http.HandlerFunc)     { s.verb(http.MethodGet, path, h) }
func (s *scope) HEAD(path string, h http.HandlerFunc)    { s.verb(http.MethodHead, path, h) }
func (s *scope) POST(path string, h http.HandlerFunc)    { s.verb(http.MethodPost, path, h) }
func (s *scope) PUT(path string, h http.HandlerFunc)     { s.verb(http.MethodPut, path, h) }
func (s *scope) PATCH(path string, h http.HandlerFunc)   { s.verb(http.MethodPatch, path, h) }
func (s *scope) DELETE(path string, h http.HandlerFunc)  { s.verb(http.MethodDelete, path, h) }
func (s *scope) OPTIONS(path string, h http.HandlerFunc) { s.verb(http.MethodOptions, path, h) }
func (s *scope) CONNECT(path string, h http.HandlerFunc) { s.verb(http.MethodConnect, path, h) }
func (s *scope) TRACE(path string, h http.HandlerFunc)   { s.verb(http.MethodTrace, path, h) }

// QUERY registers h for the safe method with a body of
// draft-ietf-httpbis-safe-method-w-body.
func (s *scope) QUERY(path string, h http.HandlerFunc) { s.verb("QUERY", path, h) }

// ANY registers h for every method, custom ones included. A route for the exact
// method wins over it.
func (s *scope) ANY(path string, h http.HandlerFunc) { s.verb("", path, h) }

// GETFast is GET for a fast handler.
func (s *scope) GETFast(path string, h FastHandler)   { s.verb(http.MethodGet, path, fastHandler(h)) }
func (s *scope) HEADFast(path string, h FastHandler)  { s.verb(http.MethodHead, path, fastHandler(h)) }
func (s *scope) POSTFast(path string, h FastHandler)  { s.verb(http.MethodPost, path, fastHandler(h)) }
func (s *scope) PUTFast(path string, h FastHandler)   { s.verb(http.MethodPut, path, fastHandler(h)) }
func (s *scope) PATCHFast(path string, h FastHandler) { s.verb(http.MethodPatch, path, fastHandler(h)) }
func (s *scope) DELETEFast(path string, h FastHandler) {
	s.verb(http.MethodDelete, path, fastHandler(h))
}
func (s *scope) OPTIONSFast(path string, h FastHandler) {
	s.verb(http.MethodOptions, path, fastHandler(h))
}
func (s *scope) CONNECTFast(path string, h FastHandler) {
	s.verb(http.MethodConnect, path, fastHandler(h))
}
func (s *scope) TRACEFast(path string, h FastHandler) { s.verb(http.MethodTrace, path, fastHandler(h)) }

// QUERYFast is QUERY for a fast handler.
func (s *scope) QUERYFast(path string, h FastHandler) { s.verb("QUERY", path, fastHandler(h)) }

// ANYFast is ANY for a fast handler.
func (s *scope) ANYFast(path string, h FastHandler) { s.verb("", path, fastHandler(h)) }
