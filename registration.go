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
)

// This file is the way of a route: Handle and its kin parse the pattern, register
// wraps the handler into its middleware, and commit adds it to the tables of its
// Mux and of those that it is mounted on: to all of them or none. The verb
// methods in verbs.go come this way too.

// A scope is where routes are registered: a prefix and middleware. Mux and Group
// embed one, so that the registration methods are written once.
type scope struct {
	mux          *Mux   // its table holds the routes
	settings     *Mux   // its fields apply: mux or, for a scope of a mounted Mux, that one
	parent       *scope // the scope around this one; nil for the Mux's own
	group        *Group // with a prefix of its own; nil for others
	prefix       string // of every path, without a trailing slash
	use          []func(http.Handler) http.Handler
	fast         []FastMiddleware
	hasRoutes    atomic.Bool              // a route was registered here or further in
	fallback     atomic.Pointer[fallback] // see makeFallback
	expandedFrom *scope                   // the scope of a mounted Mux that this one is for; else nil
	ownsPrefix   bool                     // no route from outside serves what is below the prefix
	region       int                      // see trie.Fallback
}

// requireNew panics if the Mux of s was not made by New.
func (s *scope) requireNew() {
	if s.mux == nil {
		panic("muxmaster: the Mux was not made by New; write mux := muxmaster.New()")
	}
}

// A registration is a route on its way into a table.
type registration struct {
	pattern   *pattern.Pattern
	scope     *scope
	unwrapped http.Handler // without its middleware
	handler   http.Handler // inside its middleware
	site      uintptr      // who registered it
	flags     trie.Flags
	mode      mode
}

// Handle registers h for a pattern of net/http: [METHOD[,METHOD…] ][HOST]/PATH.
// What http.ServeMux accepts means the same here; docs/patterns.md lists the
// differences. It panics where TryHandle returns an error.
func (s *scope) Handle(pattern string, h http.Handler) { s.must(s.handle(pattern, h)) }

// HandleFunc registers h like Handle.
func (s *scope) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	s.must(s.handle(pattern, http.HandlerFunc(h)))
}

// TryHandle registers h like Handle. If the pattern is invalid, h is nil, or the
// pattern conflicts with that of another route, it returns an error and registers
// nothing. For a conflict the error names both patterns with file and line.
func (s *scope) TryHandle(pattern string, h http.Handler) error { return s.handle(pattern, h) }

// HandleFast registers a fast handler like Handle.
func (s *scope) HandleFast(pattern string, h FastHandler) {
	s.must(s.handle(pattern, fastHandler(h)))
}

// Method registers h for a method, or for a list such as "GET,POST", with the
// rules of GET. Use it for handlers that are not functions, a [HandlerFuncE]
// above all.
func (s *scope) Method(methods, path string, h http.Handler) {
	if methods == "" {
		s.must(fmt.Errorf("muxmaster: Method for path %q: the method is missing; use ANY for every method", path))
	}
	s.verb(strings.ReplaceAll(methods, ", ", ","), path, h)
}

// handle registers what Handle and its kin are given.
func (s *scope) handle(text string, h http.Handler) error {
	s.requireNew()
	head, path := text, ""
	if i := strings.IndexByte(text, '/'); i >= 0 {
		head, path = text[:i], text[i:]
	} else if s.prefix == "" || text != "" && strings.TrimRight(text, " \t") == text {
		_, err := pattern.Parse(text) // says what is missing
		if err == nil {
			err = errors.New("the path must begin with /")
		}
		return fmt.Errorf("muxmaster: pattern %q: %w", text, err)
	}
	return s.add(head, path, h, 0, path == "/{$}")
}

// verb registers what the verb methods are given.
func (s *scope) verb(methods, path string, h http.Handler) {
	s.requireNew()
	head := methods
	if methods != "" {
		head += " "
		if strings.ContainsAny(methods, " \t") {
			s.must(fmt.Errorf("muxmaster: pattern %q: methods are separated by commas alone", head+path))
		}
	}
	if path != "" && path[0] != '/' || path == "" && s.prefix == "" {
		s.must(fmt.Errorf("muxmaster: pattern %q: the path must begin with /", head+path))
	}
	s.must(s.add(head, path, h, trie.Verb, path == "/" || path == "/{$}"))
}

// add registers a handler for the pattern head+prefix+path. If it is the root of
// a prefix, it serves the bare prefix too.
func (s *scope) add(head, path string, h http.Handler, flags trie.Flags, root bool) error {
	p, err := parse(head+path, flags) // so that a prefix can't mend it
	if path != "" && err != nil {
		return err
	}
	if s.prefix != "" {
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
	return s.register(regs)
}

// parse parses a route's pattern as it was registered.
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

// site returns the place in the program that called a registration method, which
// called skip functions to get here.
func site(skip int) uintptr {
	var pcs [1]uintptr
	runtime.Callers(skip+3, pcs[:])
	return pcs[0]
}

func location(pc uintptr) (file string, line int) {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame.File, frame.Line
}

// register adds routes to the table of the scope's Mux and to those of the Muxes
// that it is mounted on.
func (s *scope) register(regs []*registration) error {
	for _, reg := range regs {
		if isNil(reg.unwrapped) {
			return fmt.Errorf("muxmaster: pattern %q: the handler is nil", reg.pattern.Text)
		}
		if err := reg.wrap(); err != nil {
			return err
		}
	}
	registering.Lock()
	defer registering.Unlock()
	all, err := s.mux.expand(regs)
	if err != nil {
		return err
	}
	return commit(all)
}

func isNil(h http.Handler) bool {
	switch h := h.(type) {
	case nil:
		return true
	case http.HandlerFunc:
		return h == nil
	case HandlerFuncE:
		return h == nil
	case fastHandler:
		return h == nil
	case *Mux:
		return h == nil
	}
	return false
}

// wrap puts the handler into the middleware of its scope and of the scopes
// around it.
func (reg *registration) wrap() error {
	h := reg.unwrapped
	_, fast := h.(fastHandler)
	if f, ok := h.(HandlerFuncE); ok {
		h = &errorHandler{f, reg.scope}
	}
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
	for s := reg.scope; s != nil; s = s.parent {
		pre, use, fastUse := s.middleware()
		if fast && len(use) > 0 {
			return fmt.Errorf("muxmaster: pattern %q: a fast route would escape the middleware %s of Use; "+
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
			fast = false // its ServeHTTP is called from now on
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

// outlivesReturn reports whether h is known to use the request after it has
// returned: http.TimeoutHandler leaves its handler running.
func outlivesReturn(h http.Handler) bool {
	t := reflect.TypeOf(h)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "net/http" && t.Elem().Name() == "timeoutHandler"
}

// commit adds registrations to the tables of their Muxes: all or, with an error,
// none.
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
		m.snapshot.Store(nil)
		for s := reg.scope; s != nil; s = s.parent {
			s.hasRoutes.Store(true)
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
	}
	err := m.routes.Add(reg.pattern, e, reg.flags)
	var c *trie.Conflict[endpoint]
	if errors.As(err, &c) {
		file, line := location(reg.site)
		other, otherLine := location(m.sites[c.With.Payload.seq])
		return fmt.Errorf("muxmaster: pattern %q (registered at %s:%d) conflicts with pattern %q (registered at %s:%d): "+
			"they match the same requests", reg.pattern.Text, file, line, c.With.Pattern, other, otherLine)
	}
	if err != nil {
		return fmt.Errorf("muxmaster: pattern %q: %w", reg.pattern.Text, err)
	}
	m.sites = append(m.sites, reg.site)
	if !reg.keepsHandler() {
		if m.unwrapped == nil {
			m.unwrapped = map[uint32]http.Handler{}
		}
		m.unwrapped[e.seq] = reg.unwrapped
	}
	return nil
}

// keepsHandler reports whether wrap has left the handler as it was.
func (reg *registration) keepsHandler() bool {
	if _, ok := reg.unwrapped.(HandlerFuncE); ok {
		return false
	}
	for s := reg.scope; s != nil; s = s.parent {
		if pre, use, fast := s.middleware(); len(pre)+len(use)+len(fast) > 0 {
			return false
		}
	}
	return true
}

// sharedNames returns the names of a list, the same ones for each route of that
// list until the first request.
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

// poolMode returns unpooled if a Mux whose fields apply to s does not pool routes
// of the mode.
func (s *scope) poolMode(md mode) mode {
	for ; s != nil; s = s.parent {
		if f := s.settings.readSettings(); md&fastRoute == 0 && !f.poolValues || md&fastRoute != 0 && !f.poolParams {
			return unpooled
		}
	}
	return 0
}

// funcName returns the name of a function, or of a handler's type.
func funcName(f any) string {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func {
		return v.Type().String()
	}
	return runtime.FuncForPC(v.Pointer()).Name()
}
