package muxmaster

import (
	"fmt"
	"io/fs"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
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
	http.Handler // serves a request with any route of the Mux

	// Handle registers h for a net/http pattern: [METHOD[,METHOD…] ][HOST]/PATH.
	// TryHandle returns an error where the others panic.
	Handle(pattern string, h http.Handler)
	HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request))
	TryHandle(pattern string, h http.Handler) error
	HandleFast(pattern string, h FastHandler)

	// GET registers h for GET and HEAD requests to path, and the other verb methods
	// for their method. ANY is for every method, and Method for a list such as
	// "GET,POST". A trailing slash matches only itself.
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
	ANY(path string, h http.HandlerFunc)
	Method(methods, path string, h http.Handler)

	// GETFast and the others register a FastHandler, for code written for httprouter.
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

	// Use adds middleware for the routes registered afterwards, UseRoute middleware
	// that is made for one route, and UseFast for the fast routes.
	Use(mw ...func(http.Handler) http.Handler)
	UseRoute(mw ...func(route Route, next http.Handler) http.Handler)
	UseFast(mw ...FastMiddleware)

	// These return or pass a Group: with middleware, with a prefix, with a prefix
	// that it owns, for a host, whose routes have a name, or whose routes carry a
	// value.
	With(mw ...func(http.Handler) http.Handler) *Group
	Group(prefix string) *Group
	Route(prefix string, fn func(*Group))
	Host(pattern string) *Group
	Name(name string) *Group
	Annotate(key, value any) *Group

	// Mount serves prefix and everything below it with h, and ServeSPA with a
	// single-page application. ServeFiles serves the files of fsys for a path that
	// ends in a catch-all.
	Mount(prefix string, h http.Handler)
	ServeFiles(path string, fsys fs.FS)
	ServeSPA(prefix string, fsys fs.FS)

	registersOn() *scope
}

func (m *scope) registersOn() *scope { return m }

var (
	_ Router = (*Mux)(nil)
	_ Router = (*Group)(nil)
)

// Handle registers h for a net/http pattern: [METHOD[,METHOD…] ][HOST]/PATH.
// Patterns that http.ServeMux accepts have the same meaning; docs/patterns.md
// lists the exceptions. Handle panics if the pattern is invalid, h is nil, or
// the pattern conflicts with that of another route. After a panic, nothing was
// registered.
func (m *scope) Handle(pattern string, h http.Handler) { must(m.add(pattern, h, 0)) }

// HandleFunc is like Handle but takes a function.
func (m *scope) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	must(m.add(pattern, http.HandlerFunc(h), 0))
}

// TryHandle is like Handle but returns an error instead of panicking. If it
// returns an error, nothing was registered. The error for a conflict names both
// patterns with the file and line of their registration.
func (m *scope) TryHandle(pattern string, h http.Handler) error { return m.add(pattern, h, 0) }

// HandleFast is like Handle but takes a FastHandler.
func (m *scope) HandleFast(pattern string, h FastHandler) { must(m.add(pattern, fastHandler(h), 0)) }

// Method registers h for a method, or for a comma-separated list such as
// "GET,POST". The path has the same syntax and meaning as with [Router.GET].
// Use Method for handlers that are not functions.
func (m *scope) Method(methods, path string, h http.Handler) {
	switch {
	case methods == "":
		must(fmt.Errorf("muxmaster: Method for path %q: the method is missing; use ANY for every method", path))
	case strings.Contains(methods, "/"):
		must(fmt.Errorf("muxmaster: Method %q for path %q: the first argument is a method or a list of methods, as in GET,POST", methods, path))
	}
	m.verb(strings.ReplaceAll(methods, ", ", ","), path, h)
}

// GET registers h for GET requests to path, and for HEAD requests unless path
// has a HEAD route. A path with a trailing slash matches only itself, not the
// paths below it. In a Group, the Group's prefix is prepended to path. GET
// panics if path is invalid, h is nil, or the route conflicts with another one.
// After a panic, nothing was registered.
func (m *scope) GET(path string, h http.HandlerFunc) { m.verb(http.MethodGet, path, h) }

// HEAD registers h for HEAD requests, like [Router.GET].
func (m *scope) HEAD(path string, h http.HandlerFunc) { m.verb(http.MethodHead, path, h) }

// POST registers h for POST requests, like [Router.GET].
func (m *scope) POST(path string, h http.HandlerFunc) { m.verb(http.MethodPost, path, h) }

// PUT registers h for PUT requests, like [Router.GET].
func (m *scope) PUT(path string, h http.HandlerFunc) { m.verb(http.MethodPut, path, h) }

// PATCH registers h for PATCH requests, like [Router.GET].
func (m *scope) PATCH(path string, h http.HandlerFunc) { m.verb(http.MethodPatch, path, h) }

// DELETE registers h for DELETE requests, like [Router.GET].
func (m *scope) DELETE(path string, h http.HandlerFunc) { m.verb(http.MethodDelete, path, h) }

// OPTIONS registers h for OPTIONS requests, like [Router.GET]. If a path has
// routes but none for OPTIONS, the Mux responds with 204 and an Allow header.
func (m *scope) OPTIONS(path string, h http.HandlerFunc) { m.verb(http.MethodOptions, path, h) }

// CONNECT registers h for CONNECT requests, like [Router.GET]. Paths of CONNECT
// requests are not cleaned before matching. A request for host:port has no path,
// so no route matches it, and the response is 404.
func (m *scope) CONNECT(path string, h http.HandlerFunc) { m.verb(http.MethodConnect, path, h) }

// TRACE registers h for TRACE requests, like [Router.GET].
func (m *scope) TRACE(path string, h http.HandlerFunc) { m.verb(http.MethodTrace, path, h) }

// QUERY registers h for QUERY requests, like [Router.GET]. QUERY is a safe
// method with a request body (RFC 10008).
func (m *scope) QUERY(path string, h http.HandlerFunc) { m.verb("QUERY", path, h) }

// ANY registers h for every method, including custom ones, like [Router.GET]. A
// route with the same path and a specific method takes precedence.
func (m *scope) ANY(path string, h http.HandlerFunc) { m.verb("", path, h) }

// GETFast is GET for a fast handler: see [FastHandler], which isn't faster than an
// http.HandlerFunc.
func (m *scope) GETFast(path string, h FastHandler) { m.fast(http.MethodGet, path, h) }

// HEADFast is HEAD for a fast handler.
func (m *scope) HEADFast(path string, h FastHandler) { m.fast(http.MethodHead, path, h) }

// POSTFast is POST for a fast handler.
func (m *scope) POSTFast(path string, h FastHandler) { m.fast(http.MethodPost, path, h) }

// PUTFast is PUT for a fast handler.
func (m *scope) PUTFast(path string, h FastHandler) { m.fast(http.MethodPut, path, h) }

// PATCHFast is PATCH for a fast handler.
func (m *scope) PATCHFast(path string, h FastHandler) { m.fast(http.MethodPatch, path, h) }

// DELETEFast is DELETE for a fast handler.
func (m *scope) DELETEFast(path string, h FastHandler) { m.fast(http.MethodDelete, path, h) }

// OPTIONSFast is OPTIONS for a fast handler.
func (m *scope) OPTIONSFast(path string, h FastHandler) { m.fast(http.MethodOptions, path, h) }

// CONNECTFast is CONNECT for a fast handler.
func (m *scope) CONNECTFast(path string, h FastHandler) { m.fast(http.MethodConnect, path, h) }

// TRACEFast is TRACE for a fast handler.
func (m *scope) TRACEFast(path string, h FastHandler) { m.fast(http.MethodTrace, path, h) }

// QUERYFast is QUERY for a fast handler.
func (m *scope) QUERYFast(path string, h FastHandler) { m.fast("QUERY", path, h) }

// ANYFast is ANY for a fast handler.
func (m *scope) ANYFast(path string, h FastHandler) { m.fast("", path, h) }

// verb implements the verb methods and Method.
func (m *scope) verb(methods, path string, h http.Handler) {
	m.target()
	text := path
	if methods != "" {
		text = methods + " " + path
		if strings.ContainsAny(methods, " \t") {
			must(fmt.Errorf("muxmaster: pattern %q: separate methods with commas only", text))
		}
	}
	if path != "" && path[0] != '/' || path == "" && m.prefix == "" {
		must(fmt.Errorf("muxmaster: pattern %q: the path must begin with /%s", text, pathAdvice(path)))
	}
	must(m.add(text, h, trie.Verb))
}

// fast implements the verb methods for fast handlers.
func (m *scope) fast(method, path string, h FastHandler) { m.verb(method, path, fastHandler(h)) }

// pathAdvice says what to write instead of a path that doesn't begin with a
// slash.
func pathAdvice(path string) string {
	method, rest, ok := strings.Cut(path, " ")
	if _, err := pattern.ParseMethods(method); ok && err == nil && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "/") {
		return fmt.Sprintf("; the verb methods take a path alone: %q; Handle takes %q", strings.TrimLeft(rest, " \t"), path)
	}
	if p, err := pattern.Parse(path); err == nil && p.Host != "" {
		return "; a host belongs to Handle, or to Host, which returns a Group for it"
	}
	return ""
}

// add registers a handler for the pattern text, with the host and prefix of m in
// front of its path.
func (m *scope) add(text string, h http.Handler, flags trie.Flags) error {
	m.target()
	if m.host == "" && m.prefix == "" {
		return m.register(h, flags, text)
	}
	at := strings.IndexByte(text, '/')
	if at < 0 {
		at = len(text)
	}
	path := text[at:]
	p, err := parse(text, flags) // the path alone must be valid too
	missing := path == "" && (text == "" || strings.TrimRight(text, " \t") != text)
	switch {
	case err != nil && !missing:
		return err
	case m.host != "" && p != nil && p.Host != "":
		return fmt.Errorf("muxmaster: pattern %q: the host %q is inside Host(%q); register it on the Mux", text, p.Host, m.host)
	case m.prefix != "" && (path == "/{$}" || path == "/" && flags&trie.Verb != 0): // the root of a Group
		path, flags = "", flags|groupRoot
	}
	return m.register(h, flags, text[:at]+m.host+m.prefix+path)
}

// registrations numbers the registrations of routes and Groups of all Muxes.
var registrations atomic.Uint32

// register declares routes with the handler h, or none of them if there is an
// error. It calls middleware without holding a lock, because middleware may register
// or list routes.
func (m *scope) register(h http.Handler, flags trie.Flags, texts ...string) error {
	text, site, order := texts[0], calledFrom(), registrations.Add(1)
	var routes []*route
	for _, text := range texts {
		p, err := parse(text, flags)
		if err != nil {
			return err
		}
		for i := range max(1, len(p.Methods)) {
			r := &route{pattern: text, nth: uint16(i), level: m.level, site: site, original: h, order: order, flags: flags}
			r.parsed.Store(p)
			routes = append(routes, r)
		}
	}
	if isNil(h) {
		return fmt.Errorf("muxmaster: pattern %q: the handler is nil", text)
	}
	mux := m.lock()
	chain := mux.chain(m.level)
	mux.mu.Unlock()
	_, fast := h.(fastHandler)
	if err := chain.check(fast, text); err != nil {
		return err
	}
	each := slices.ContainsFunc(chain, func(s *step) bool {
		_, ok := s.fn.(func(Route, http.Handler) http.Handler)
		return ok
	})
	for _, r := range routes {
		if !each && r != routes[0] {
			r.handler = routes[0].handler
			continue
		}
		var d Route
		if each {
			d = listed{r, &mux.root}.describe(&mux.root)
		}
		var err error
		if r.handler, err = chain.wrap(d, h, false); err != nil {
			return fmt.Errorf("muxmaster: pattern %q: %w", text, err)
		}
	}
	mux = m.lock()
	defer mux.mu.Unlock()
	if !slices.Equal(mux.chain(m.level), chain) {
		return fmt.Errorf("muxmaster: pattern %q: middleware was added to its scope while it was registered", text)
	}
	if err := mux.declared.add(routes); err != nil {
		return err
	}
	mux.changed()
	return nil
}

// calledFrom returns the program counter of the first call from outside of the
// package: that of a registration method.
func calledFrom() uintptr {
	var pcs [5]uintptr // all calls inside of the package behind register
	list := pcs[:runtime.Callers(3, pcs[:])]
	ownPCs.Lock()
	defer ownPCs.Unlock()
	for _, pc := range list {
		own, known := ownPCs.pcs[pc]
		if !known {
			frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
			own = strings.HasPrefix(frame.Function, ownPath)
			ownPCs.pcs[pc] = own
		}
		if !own {
			return pc
		}
	}
	return list[len(list)-1]
}

// ownPath begins the names of the functions of this package.
var ownPath = reflect.TypeFor[Mux]().PkgPath() + "."

// ownPCs says which program counters are of this package, which takes long to look up.
var ownPCs = struct {
	sync.Mutex
	pcs map[uintptr]bool
}{pcs: map[uintptr]bool{}}
