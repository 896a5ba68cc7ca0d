package muxmaster

import (
	"io/fs"
	"net/http"
)

// A Router registers routes. [Mux] and [Group] implement it. A function that
// registers routes should take a Router, so that it works with both:
//
//	func users(r muxmaster.Router, db *sql.DB) {
//		r.GET("/", list(db))
//		r.POST("/", create(db))
//	}
//
//	users(mux.Group("/users"), db)
//
// Mux and Group document the methods in detail. Router has an unexported
// method, so that later releases can add methods; other packages cannot
// implement it.
type Router interface {
	// ServeHTTP serves a request with any route of the Mux.
	http.Handler

	// Handle registers h for a net/http pattern: [METHOD[,METHOD…]
	// ][HOST]/PATH.
	Handle(pattern string, h http.Handler)
	// HandleFunc is like Handle but takes a function.
	HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request))
	// TryHandle is like Handle but returns an error instead of panicking.
	TryHandle(pattern string, h http.Handler) error
	// HandleFast is like Handle but takes a FastHandler.
	HandleFast(pattern string, h FastHandler)
	// Method registers h for one or more methods, such as "GET,POST", and a
	// path, as GET does.
	Method(methods, path string, h http.Handler)

	// GET registers h for GET and HEAD requests to path. A trailing slash
	// matches only itself. The other verb methods do the same for their method.
	GET(path string, h http.HandlerFunc)
	HEAD(path string, h http.HandlerFunc)
	POST(path string, h http.HandlerFunc)
	PUT(path string, h http.HandlerFunc)
	PATCH(path string, h http.HandlerFunc)
	DELETE(path string, h http.HandlerFunc)
	OPTIONS(path string, h http.HandlerFunc)
	CONNECT(path string, h http.HandlerFunc)
	TRACE(path string, h http.HandlerFunc)
	QUERY(path string, h http.HandlerFunc)
	// ANY registers h for every method.
	ANY(path string, h http.HandlerFunc)

	// GETFast is like GET but takes a FastHandler. The others do the same for
	// their method.
	GETFast(path string, h FastHandler)
	HEADFast(path string, h FastHandler)
	POSTFast(path string, h FastHandler)
	PUTFast(path string, h FastHandler)
	PATCHFast(path string, h FastHandler)
	DELETEFast(path string, h FastHandler)
	OPTIONSFast(path string, h FastHandler)
	CONNECTFast(path string, h FastHandler)
	TRACEFast(path string, h FastHandler)
	QUERYFast(path string, h FastHandler)
	ANYFast(path string, h FastHandler)

	// Use adds middleware for the routes registered afterwards.
	Use(mw ...func(http.Handler) http.Handler)
	// UseFast adds middleware for the fast routes registered afterwards.
	UseFast(mw ...FastMiddleware)
	// With returns a Group with the same prefix and additional middleware.
	With(mw ...func(http.Handler) http.Handler) *Group
	// Group returns a Group with the given prefix.
	Group(prefix string) *Group
	// Route calls fn with a new Group with the given prefix.
	Route(prefix string, fn func(*Group))

	// Mount serves prefix and everything below it with h.
	Mount(prefix string, h http.Handler)
	// ServeFiles serves the files of fsys for a path that ends in a catch-all.
	ServeFiles(path string, fsys fs.FS)
	// ServeSPA serves a single-page application at and below prefix.
	ServeSPA(prefix string, fsys fs.FS)

	registersOn() *scope
}

func (s *scope) registersOn() *scope { return s }

var (
	_ Router = (*Mux)(nil)
	_ Router = (*Group)(nil)
)
