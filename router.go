package muxmaster

import (
	"io/fs"
	"net/http"
)

// A Router is where routes are registered: a [Mux] or a [Group]. Write functions
// that register routes for a Router, so that they work with both:
//
//	func users(r muxmaster.Router, db *sql.DB) {
//		r.GET("/", list(db))
//		r.POST("/", create(db))
//	}
//
//	users(mux.Group("/users"), db)
//
// The methods are those of Mux and Group; their comments there say more. Only
// this package implements Router, so that methods can be added to it.
type Router interface {
	// ServeHTTP serves a request with any route of the Mux.
	http.Handler

	// Handle registers h for a pattern of net/http:
	// [METHOD[,METHOD…] ][HOST]/PATH.
	Handle(pattern string, h http.Handler)
	// HandleFunc is Handle for a function.
	HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request))
	// TryHandle is Handle that returns an error instead of panicking.
	TryHandle(pattern string, h http.Handler) error
	// HandleFast is Handle for a fast handler.
	HandleFast(pattern string, h FastHandler)
	// Method registers h for a list of methods, with the rules of GET.
	Method(methods, path string, h http.Handler)

	// GET registers h for one method and one path, and for HEAD. A path that
	// ends in a slash is only itself. The other verb methods work alike.
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

	// GETFast registers a fast handler. The others work alike.
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

	// Use adds middleware around the routes that are registered afterwards.
	Use(mw ...func(http.Handler) http.Handler)
	// UseFast adds middleware around fast routes.
	UseFast(mw ...FastMiddleware)
	// With returns a Group with the same prefix and more middleware.
	With(mw ...func(http.Handler) http.Handler) *Group
	// Group returns a Group for a prefix.
	Group(prefix string) *Group
	// Route calls fn with a new Group for a prefix.
	Route(prefix string, fn func(*Group))

	// Mount lets h serve the prefix and everything below it.
	Mount(prefix string, h http.Handler)
	// ServeFiles serves files below a path that ends in a catch-all.
	ServeFiles(path string, fsys fs.FS)
	// ServeSPA serves a single-page application below a prefix.
	ServeSPA(prefix string, fsys fs.FS)

	registersOn() *scope
}

func (s *scope) registersOn() *scope { return s }

var (
	_ Router = (*Mux)(nil)
	_ Router = (*Group)(nil)
)
