package muxmaster

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
)

// This file registers routes in three steps. Handle and the verb methods parse
// the pattern, register wraps the handler in its middleware, and commit adds
// the route to the tables of its Mux and of all Muxes that it is mounted on, or
// to none of them if there is an error.

// A scope is a prefix and middleware for routes. Mux and Group embed a scope,
// so that they share the registration methods.
type scope struct {
	mux          *Mux   // the Mux whose table holds the routes
	settings     *Mux   // the Mux whose fields apply: mux, or the mounted Mux that the scope comes from
	parent       *scope // the enclosing scope; nil for the Mux's own
	group        *Group // the Group of this scope, if it has a prefix of its own; else nil
	prefix       string // prepended to every path; has no trailing slash
	stack        atomic.Pointer[stack]
	hasRoutes    bool                     // a route was registered in this scope or in one inside it; guarded by registering
	fallback     atomic.Pointer[fallback] // made by makeFallback
	expandedFrom *scope                   // for the copy of a mounted Mux's scope, the original; else nil
	ownsPrefix   bool                     // routes of other scopes never serve paths below the prefix
	region       int                      // see trie.Fallback
}

// A stack is the middleware of a scope. It is immutable, because requests may
// have a fallback made while Use is called.
type stack struct {
	use  []func(http.Handler) http.Handler
	fast []FastMiddleware
}

// requireNew panics if the Mux of s was not created by New, or was copied.
func (s *scope) requireNew() {
	if s.mux == nil {
		panic("muxmaster: the Mux was not made by New; write mux := muxmaster.New(), and for a Group mux.Group(prefix)")
	}
	if s.parent == nil && s != &s.mux.scope {
		panic("muxmaster: the Mux was copied; use the *Mux that muxmaster.New returned")
	}
}

// A registration is a route that is about to be added to a table.
type registration struct {
	pattern   *pattern.Pattern
	scope     *scope
	unwrapped http.Handler // without middleware
	handler   http.Handler // wrapped in its middleware
	site      uintptr      // program counter of the registering call
	flags     trie.Flags
	mode      mode
	wrapped   int // middlewareCount when it was wrapped
}

// Handle registers h for a net/http pattern: [METHOD[,METHOD…] ][HOST]/PATH.
// Patterns that http.ServeMux accepts have the same meaning; docs/patterns.md
// lists the exceptions. Handle panics if the pattern is invalid, h is nil, or
// the pattern conflicts with that of another route. After a panic, nothing was
// registered.
func (s *scope) Handle(pattern string, h http.Handler) { s.must(s.handle(pattern, h)) }

// HandleFunc is like Handle but takes a function.
func (s *scope) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	s.must(s.handle(pattern, http.HandlerFunc(h)))
}

// TryHandle is like Handle but returns an error instead of panicking. If it
// returns an error, nothing was registered. The error for a conflict names both
// patterns with the file and line of their registration.
func (s *scope) TryHandle(pattern string, h http.Handler) error { return s.handle(pattern, h) }

// HandleFast is like Handle but takes a FastHandler.
func (s *scope) HandleFast(pattern string, h FastHandler) {
	s.must(s.handle(pattern, fastHandler(h)))
}

// Method registers h for a method, or for a comma-separated list such as
// "GET,POST". The path has the same syntax and meaning as with [Router.GET].
// Use Method for handlers that are not functions.
func (s *scope) Method(methods, path string, h http.Handler) {
	if methods == "" {
		s.must(fmt.Errorf("muxmaster: Method for path %q: the method is missing; use ANY for every method", path))
	}
	s.verb(strings.ReplaceAll(methods, ", ", ","), path, h)
}

// handle implements Handle, HandleFunc, TryHandle and HandleFast.
func (s *scope) handle(text string, h http.Handler) error {
	s.requireNew()
	head, path := text, ""
	if i := strings.IndexByte(text, '/'); i >= 0 {
		head, path = text[:i], text[i:]
	} else if s.prefix == "" || text != "" && strings.TrimRight(text, " \t") == text {
		_, err := pattern.Parse(text) // for its error
		if err == nil {
			err = errors.New("the path must begin with /")
		}
		return fmt.Errorf("muxmaster: pattern %q: %w", text, err)
	}
	return s.add(head, path, h, 0, path == "/{$}")
}

// verb implements the verb methods and Method.
func (s *scope) verb(methods, path string, h http.Handler) {
	s.requireNew()
	head := methods
	if methods != "" {
		head += " "
		if strings.ContainsAny(methods, " \t") {
			s.must(fmt.Errorf("muxmaster: pattern %q: separate methods with commas only", head+path))
		}
	}
	if path != "" && path[0] != '/' || path == "" && s.prefix == "" {
		s.must(fmt.Errorf("muxmaster: pattern %q: the path must begin with /", head+path))
	}
	s.must(s.add(head, path, h, trie.Verb, path == "/" || path == "/{$}"))
}

// add registers a handler for the pattern head+prefix+path. If root is set and
// s has a prefix, the handler also serves the prefix without a trailing slash.
func (s *scope) add(head, path string, h http.Handler, flags trie.Flags, root bool) error {
	p, err := parse(head+path, flags) // path alone must be valid too
	if path != "" && err != nil {
		return err
	}
	if s.prefix != "" {
		if err == nil {
			p.Recycle()
		}
		if p, err = parse(head+s.prefix+path, flags); err != nil {
			return err
		}
	}
	regs := []*registration{{pattern: p, scope: s, unwrapped: h, site: site(2), flags: flags}}
	if root && s.prefix != "" {
		bare, err := parse(head+s.prefix, flags)
		if err != nil {
			return err
		}
		regs = append(regs, &registration{pattern: bare, scope: s, unwrapped: h, site: regs[0].site, flags: flags | trie.ImpliedBy(p)})
	}
	err = s.register(regs)
	p.Recycle()
	return err
}

// parse parses a pattern, by the rules of the verb methods if flags has
// trie.Verb.
func parse(text string, flags trie.Flags) (p *pattern.Pattern, err error) {
	if flags&trie.Verb == 0 {
		p, err = pattern.Parse(text)
	} else {
		p, err = pattern.ParsePath(text)
	}
	if err != nil {
		return nil, fmt.Errorf("muxmaster: pattern %q: %w", text, err)
	}
	return p, nil
}

func (s *scope) must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

// site returns the program counter of the call of a registration method. skip
// is the number of calls between that method and the caller of site.
func site(skip int) uintptr {
	var pcs [1]uintptr
	runtime.Callers(skip+3, pcs[:])
	return pcs[0]
}

func location(pc uintptr) (file string, line int) {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame.File, frame.Line
}

// register wraps the handlers of regs in middleware and adds the routes to the
// table of the scope's Mux and to those of the Muxes that it is mounted on.
func (s *scope) register(regs []*registration) error {
	for _, reg := range regs {
		if isNil(reg.unwrapped) {
			return fmt.Errorf("muxmaster: pattern %q: the handler is nil", reg.pattern.Text)
		}
	}
	registering.Lock()
	defer registering.Unlock()
	return commitAll(func() ([]*registration, error) { return s.mux.expand(regs) }, s.mux.countOuter)
}

// commitAll wraps and commits the registrations that expand returns. The caller
// must hold registering. It is released while middleware is called, because
// middleware may register or list routes. If version returns something else
// afterwards, or middleware was added, commitAll starts again.
func commitAll(expand func() ([]*registration, error), version func() int) error {
	for {
		before := version()
		regs, err := expand()
		if err == nil {
			err = wrapUnlocked(regs)
		}
		if err != nil {
			return err
		}
		if version() == before && !slices.ContainsFunc(regs, (*registration).outdated) {
			return commit(regs)
		}
	}
}

// wrapUnlocked wraps the handlers that aren't wrapped in all middleware yet,
// without the lock.
func wrapUnlocked(regs []*registration) error {
	registering.Unlock()
	defer registering.Lock()
	for _, reg := range regs {
		if reg.handler == nil || reg.outdated() {
			if err := reg.wrap(); err != nil {
				return err
			}
		}
	}
	return nil
}

// outdated reports whether middleware was added since wrap was called.
func (reg *registration) outdated() bool { return reg.wrapped != reg.scope.middlewareCount() }

// middlewareCount counts the middleware around s.
func (s *scope) middlewareCount() (n int) {
	for ; s != nil; s = s.parent {
		pre, use, fast := s.middleware()
		n += len(pre) + len(use) + len(fast)
	}
	return n
}

func isNil(h http.Handler) bool {
	switch h := h.(type) {
	case nil:
		return true
	case *Mux:
		return h == nil
	case *Group:
		return h == nil
	case *http.ServeMux:
		return h == nil
	}
	v := reflect.ValueOf(h)
	return v.Kind() == reflect.Func && v.IsNil()
}

// wrap wraps the handler in the middleware of its scope and of the enclosing
// scopes.
func (reg *registration) wrap() error {
	h := reg.unwrapped
	_, fast := h.(fastHandler)
	outlives := outlivesReturn(h)
	apply := func(mws []func(http.Handler) http.Handler) error {
		for _, mw := range slices.Backward(mws) {
			if h = mw(h); isNil(h) {
				return fmt.Errorf("muxmaster: pattern %q: the middleware %s returned nil", reg.pattern.Text, funcName(mw))
			}
			outlives = outlives || outlivesReturn(h)
		}
		return nil
	}
	reg.mode, reg.wrapped = 0, 0
	for s := reg.scope; s != nil; s = s.parent {
		pre, use, fastUse := s.middleware()
		reg.wrapped += len(pre) + len(use) + len(fastUse)
		if fast && len(use) > 0 {
			return fmt.Errorf("muxmaster: pattern %q: a fast route would bypass the middleware %s of Use; "+
				"register it with Handle, or the middleware with Pre or, as FastMiddleware, UseFast", reg.pattern.Text, funcName(use[0]))
		}
		if err := apply(use); err != nil {
			return err
		}
		for _, mw := range slices.Backward(fastUse) {
			if !fast {
				break
			}
			if h = fastHandler(mw(FastHandler(h.(fastHandler)))); isNil(h) {
				return fmt.Errorf("muxmaster: pattern %q: the fast middleware %s returned nil", reg.pattern.Text, funcName(mw))
			}
		}
		if len(pre) > 0 {
			fast = false // Pre middleware calls its ServeHTTP
		}
		if err := apply(pre); err != nil {
			return err
		}
	}
	reg.handler = h
	if fast {
		reg.mode |= fastRoute
	}
	if outlives {
		reg.mode |= unpooled
	}
	return nil
}

// outlivesReturn reports whether h may use the request after it returns:
// http.TimeoutHandler returns while its handler is still running.
func outlivesReturn(h http.Handler) bool {
	t := reflect.TypeOf(h)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "net/http" && t.Elem().Name() == "timeoutHandler"
}

// commit adds all registrations to the tables of their Muxes, or none if it
// returns an error.
func commit(regs []*registration) (err error) {
	for _, reg := range regs {
		if err = reg.scope.mux.insert(reg); err != nil {
			break
		}
	}
	for _, reg := range regs {
		m := reg.scope.mux
		if err != nil {
			m.routes.Undo()
			continue
		}
		m.routes.Commit()
		m.publish(nil)
		for s := reg.scope; s != nil; s = s.parent {
			s.hasRoutes = true
		}
	}
	return err
}

// insert adds a registration to the table of m.
func (m *Mux) insert(reg *registration) error {
	e := endpoint{handler: reg.handler, scope: reg.scope, seq: uint32(len(m.sites)), mode: reg.mode}
	if list := reg.pattern.Names(); len(list) > 0 {
		e.mode |= hasNames
		e.names = m.sharedNames(list, e.mode&fastRoute != 0)
	}
	if m.frozen.Load() != nil {
		e.mode |= reg.scope.poolMode(e.mode)
		if e.pooled() {
			e.names = e.names.InRing()
		}
	}
	err := m.routes.Add(reg.pattern, e, reg.flags)
	if c, ok := err.(*trie.Conflict[endpoint]); ok {
		file, line := location(reg.site)
		other, otherLine := location(m.sites[c.With.Payload.seq])
		return fmt.Errorf("muxmaster: pattern %q (registered at %s:%d) conflicts with pattern %q (registered at %s:%d): "+
			"they match the same requests", reg.pattern.Text, file, line, c.With.Pattern, other, otherLine)
	}
	if err != nil {
		return fmt.Errorf("muxmaster: pattern %q: %w", reg.pattern.Text, err)
	}
	m.slots = max(m.slots, e.slots(len(reg.pattern.Names())))
	m.sites = append(m.sites, reg.site)
	if reg.wrapped > 0 {
		if m.unwrapped == nil {
			m.unwrapped = map[uint32]http.Handler{}
		}
		m.unwrapped[e.seq] = reg.unwrapped
	}
	return nil
}

// sharedNames returns the Names for a list of parameter names. Until the first
// request, routes with equal lists share one Names.
func (m *Mux) sharedNames(list []string, fast bool) *values.Names {
	key := strings.Join(list, "/")
	if fast {
		key += "/"
	}
	n := m.names[key]
	if n == nil {
		n = values.NewNames(m.owner, list, fast)
		if m.frozen.Load() == nil {
			if m.names == nil {
				m.names = map[string]*values.Names{}
			}
			m.names[key] = n
		}
	}
	return n
}

// poolMode returns unpooled if s, or a scope around it, belongs to a Mux whose
// fields don't enable pooling for routes of the mode, and 0 otherwise.
func (s *scope) poolMode(md mode) mode {
	for ; s != nil; s = s.parent {
		if f := s.settings.readSettings(); md&fastRoute == 0 && !f.poolValues || md&fastRoute != 0 && !f.poolParams {
			return unpooled
		}
	}
	return 0
}

// funcName returns the name of f if it is a function, and else of its type.
func funcName(f any) string { return wrapped.Name(f) }
