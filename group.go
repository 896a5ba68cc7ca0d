package muxmaster

import (
	"fmt"
	"io/fs"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Group is a scope with a prefix and middleware of its own, inside those of the
// Mux or Group it was made from.
type Group struct{ scope }

// Group returns a scope whose paths begin with prefix, which may have parameters.
// It panics if prefix is no path, or ends in a catch-all.
func (s *scope) Group(prefix string) *Group {
	return &Group{scope{mux: s.mux, parent: s, prefix: s.join(prefix)}}
}

// Route calls fn with a new Group.
func (s *scope) Route(prefix string, fn func(*Group)) {
	fn(s.Group(prefix))
}

// With returns a scope with the same prefix and more middleware.
func (s *scope) With(mw ...func(http.Handler) http.Handler) *Group {
	g := &Group{scope{mux: s.mux, parent: s, prefix: s.prefix}}
	g.Use(mw...)
	return g
}

// join returns the scope's prefix with another one behind it, without a trailing
// slash.
func (s *scope) join(prefix string) string {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return s.prefix
	}
	p, err := pattern.ParsePath("GET", prefix)
	if err == nil && p.End != pattern.Exact {
		err = fmt.Errorf("a prefix cannot end in a catch-all or {$}")
	}
	if err == nil {
		p, err = pattern.ParsePath("GET", s.prefix+prefix)
	}
	if err != nil {
		panic(fmt.Sprintf("muxmaster: prefix %q: %v", s.prefix+prefix, err))
	}
	return p.Path
}

// Use wraps the http.Handler routes that are registered afterwards in this scope
// and in those within it: the first one outermost, inside the middleware of the
// scopes around. On a Mux it wraps the 404, 405, OPTIONS and redirect answers
// too. Use panics if a route was registered in the scope before, and registering
// a fast route in a scope under Use does, so no route escapes in silence.
func (s *scope) Use(mw ...func(http.Handler) http.Handler) {
	s.early("Use")
	for _, f := range mw {
		if f == nil {
			panic("muxmaster: Use: the middleware is nil")
		}
	}
	s.use = append(s.use, mw...)
	s.mux.live.Store(nil) // no route yet, but it may have answered 404
}

// UseFast is Use for fast routes.
func (s *scope) UseFast(mw ...FastMiddleware) {
	s.early("UseFast")
	for _, f := range mw {
		if f == nil {
			panic("muxmaster: UseFast: the middleware is nil")
		}
	}
	s.fast = append(s.fast, mw...)
}

func (s *scope) early(method string) {
	if s.used.Load() {
		panic("muxmaster: " + method + " after a route was registered: the route would escape the middleware; call " + method + " first")
	}
}

// Pre adds middleware that runs on every request, before it is routed and outside
// of all other middleware; the first one outermost. It may change the request's
// path or method. Middleware that passes on a copy of the request hides path
// values and pattern from those outside of it.
//
// On a Mux that is mounted on another, Pre middleware runs for the requests of
// its routes, after these were found; it must be added before mounting.
func (m *Mux) Pre(mw ...func(http.Handler) http.Handler) {
	for _, f := range mw {
		if f == nil {
			panic("muxmaster: Pre: the middleware is nil")
		}
	}
	registering.Lock()
	defer registering.Unlock()
	if m.set.mounted.Load() != nil {
		panic("muxmaster: Pre on a Mux that is mounted: its routes would escape the middleware; call Pre before Mount")
	}
	m.pre = append(m.pre, mw...)
	m.live.Store(nil)
}

// Mount lets h serve prefix and everything below it, for every method. h sees the
// path unchanged; compose with http.StripPrefix to strip the prefix.
//
// The routes of a *Mux, those that it has and those that are registered with it
// later, become routes under the prefix: their handlers find the prefix's path
// values too, and pay nothing for being mounted. A route of its root, /, serves
// the bare prefix too. Its NotFound, MethodNotAllowed,
// ErrorHandler and Use middleware go on to serve what is below the prefix.
//
// Mount panics where Handle does.
func (s *scope) Mount(prefix string, h http.Handler) {
	if isNil(h) {
		panic(fmt.Sprintf("muxmaster: Mount %q: the handler is nil", prefix))
	}
	if prefix == "" || prefix[0] != '/' {
		panic(fmt.Sprintf("muxmaster: Mount %q: the prefix must begin with /", prefix))
	}
	full := s.join(prefix)
	if sub, ok := h.(*Mux); ok {
		s.must(s.mount(full, sub))
		return
	}
	var regs []*registration
	for _, text := range []string{full, full + "/"} {
		if text == "" {
			continue // the root: all of it is below
		}
		p, err := parse(text, 0)
		s.must(err)
		regs = append(regs, &registration{pattern: p, inner: h, scope: s, pc: caller()})
	}
	s.must(s.register(regs))
}

// mount makes the routes of sub routes of the scope's Mux.
func (s *scope) mount(prefix string, sub *Mux) error {
	registering.Lock()
	defer registering.Unlock()
	if sub.contains(s.mux) {
		return fmt.Errorf("muxmaster: Mount %q: a Mux cannot be mounted within itself", prefix)
	}
	mt := &mounting{scope: s, prefix: prefix, sub: sub}
	rs := &sub.set
	rs.open()
	outer, err := mt.outer(rs.regs)
	if err == nil {
		if outer, err = s.everywhere(outer); err == nil {
			err = commit(outer)
		}
	}
	if err != nil {
		return err
	}
	var mounted []*mounting
	if old := rs.mounted.Load(); old != nil {
		mounted = slices.Clone(*old)
	}
	mounted = append(mounted, mt)
	rs.mounted.Store(&mounted)
	s.mux.set.mounts = append(s.mux.set.mounts, mt)
	s.mux.live.Store(nil)
	return nil
}

// contains reports whether m is other or has it mounted.
func (m *Mux) contains(other *Mux) bool {
	if m == other {
		return true
	}
	return slices.ContainsFunc(m.set.mounts, func(mt *mounting) bool { return mt.sub.contains(other) })
}

// ServeFiles serves files of fsys for GET and HEAD. The path ends in a catch-all,
// whose value names the file:
//
//	mux.ServeFiles("/static/*filepath", os.DirFS("public"))
//
// Files are served as http.FileServerFS does, with its listings of directories
// that have no index.html, and its redirects.
func (s *scope) ServeFiles(path string, fsys fs.FS) {
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the file system is nil", path))
	}
	p, err := s.parseVerb(http.MethodGet, path)
	s.must(err)
	if p.Rest == "" {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the path must end in a catch-all, as in /static/*filepath", path))
	}
	s.GET(path, fileHandler(p.Rest, fsys))
}

// fileHandler serves the file that the path value named rest names. The file
// server sees the value as the whole path, so its redirects, which are relative,
// lead to where the file is.
func fileHandler(rest string, fsys fs.FS) http.HandlerFunc {
	files := http.FileServerFS(fsys)
	return func(w http.ResponseWriter, r *http.Request) {
		u := *r.URL
		u.Path = "/" + strings.TrimPrefix(r.PathValue(rest), "/")
		u.RawPath = ""
		inner := *r
		inner.URL = &u
		files.ServeHTTP(w, &inner)
	}
}

// funcName returns the name of a function or of a handler's type or function.
func funcName(f any) string {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func {
		return v.Type().String()
	}
	return runtime.FuncForPC(v.Pointer()).Name()
}
