package muxmaster

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A scope is where routes are registered: a Mux or a Group. It is what both
// embed, so that the registration methods are written once.
type scope struct {
	mux    *Mux
	parent *scope // the scope around this one; nil for a Mux's own
	prefix string // of every path, without a trailing slash
	use    []func(http.Handler) http.Handler
	fast   []FastMiddleware
	used   atomic.Bool // a route was registered here or in a scope within
}

// A registration is a route before it is compiled.
type registration struct {
	pattern *pattern.Pattern
	handler http.Handler // inside its middleware
	inner   http.Handler // outside of it
	scope   *scope
	pc      uintptr
	seq     uint32
	flags   routeFlags
	next    *registration // of the same shape
}

// A routeSet is what a Mux has registered. Compiled, it is let go: the compiled
// routes hold all that is needed to make it again, should a registration follow.
type routeSet struct {
	regs    []*registration
	shapes  map[string]*registration // for conflicts
	inner   map[uint32]http.Handler  // handlers inside middleware, by seq; for their names
	customs map[string]method
	seq     uint32
	done    *routing                    // compiled
	keep    bool                        // a registration came after compilation; expect more
	mounted atomic.Pointer[[]*mounting] // where the Mux is mounted
	mounts  []*mounting                 // what is mounted on it
}

// A mounting is a Mux under a prefix of a scope.
type mounting struct {
	scope  *scope
	prefix string // with the scope's
	sub    *Mux
	scopes map[*scope]*scope // see inside
}

// registering guards the route sets of all Muxes: a registration on a mounted Mux
// changes several.
var registering sync.Mutex

// Handle registers h for a pattern of net/http, [METHOD[,METHOD…] ][HOST]/PATH.
// What http.ServeMux accepts means the same here; docs/patterns.md lists the
// differences. It panics where [Mux.TryHandle] returns an error.
func (s *scope) Handle(pattern string, h http.Handler) {
	s.must(s.handle(pattern, h))
}

// HandleFunc registers h like Handle.
func (s *scope) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	s.must(s.handle(pattern, http.HandlerFunc(h)))
}

// TryHandle registers h like Handle. It returns an error, and registers nothing,
// if the pattern is invalid, h is nil, or the pattern conflicts with another one;
// the error then names both, with file and line.
func (s *scope) TryHandle(pattern string, h http.Handler) error {
	return s.handle(pattern, h)
}

// HandleFast registers a fast handler like Handle.
func (s *scope) HandleFast(pattern string, h FastHandler) {
	s.must(s.handle(pattern, fastHandler(h)))
}

// verb registers what a verb method is given; for every method if that is "".
func (s *scope) verb(method, path string, h http.Handler) {
	p, err := s.parseVerb(method, path)
	if err != nil {
		s.must(err)
	}
	s.must(s.register([]*registration{{pattern: p, inner: h, scope: s, pc: caller(), flags: verbRoute}}))
}

func (s *scope) parseVerb(method, path string) (*pattern.Pattern, error) {
	text := path
	if method != "" {
		text = method + " " + path
	}
	if path != "" && path[0] != '/' || path == "" && s.prefix == "" {
		return nil, fmt.Errorf("muxmaster: pattern %q: the path must begin with /", text)
	}
	if s.prefix != "" {
		text = s.prefix + path
		if method != "" {
			text = method + " " + text
		}
	}
	return parse(text, verbRoute)
}

// parse parses a route's pattern as it was registered.
func parse(text string, flags routeFlags) (p *pattern.Pattern, err error) {
	if flags&verbRoute == 0 {
		p, err = pattern.Parse(text)
	} else if method, path, ok := strings.Cut(text, " "); ok && text[0] != '/' {
		p, err = pattern.ParsePath(method, path)
	} else {
		p, err = pattern.ParsePath("", text)
	}
	if err == nil && len(text)-len(p.Path) > 0xFFFF {
		err = errors.New("methods and host are longer than 65535 bytes")
	}
	if err != nil {
		return nil, fmt.Errorf("muxmaster: pattern %q: %w", text, err)
	}
	p.Text = text
	return p, nil
}

// handle registers what Handle and its kin are given.
func (s *scope) handle(text string, h http.Handler) error {
	p, err := parse(text, 0)
	if err != nil {
		return err
	}
	if s.prefix != "" {
		text = text[:len(text)-len(p.Path)] + s.prefix + p.Path
		if p, err = parse(text, 0); err != nil {
			return err
		}
	}
	return s.register([]*registration{{pattern: p, inner: h, scope: s, pc: caller()}})
}

func (s *scope) must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

// caller returns where, outside of this package, the running call began.
func caller() uintptr {
	var pcs [8]uintptr
	n := runtime.Callers(3, pcs[:])
	for _, pc := range pcs[:n] {
		if !within(pc) {
			return pc
		}
	}
	return pcs[0]
}

// within reports whether pc is in this package's own files.
func within(pc uintptr) bool {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return strings.HasPrefix(frame.Function, packagePath+".") && !strings.HasSuffix(frame.File, "_test.go")
}

const packagePath = "github.com/seed-1954dcaa/muxmaster"

func location(pc uintptr) (file string, line int) {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame.File, frame.Line
}

// register adds routes to the scope's Mux and to those it is mounted on: all of
// them or, with an error, none.
func (s *scope) register(regs []*registration) error {
	for _, reg := range regs {
		if isNil(reg.inner) {
			return fmt.Errorf("muxmaster: pattern %q: the handler is nil", reg.pattern.Text)
		}
		if _, fast := reg.inner.(fastHandler); fast {
			reg.flags |= fastRoute
		}
		h := reg.inner
		if f, ok := h.(HandlerFuncE); ok {
			h = &errorHandler{f, s.mux}
		}
		var err error
		if reg.handler, err = s.wrap(reg, h); err != nil {
			return err
		}
	}
	registering.Lock()
	defer registering.Unlock()
	all, err := s.everywhere(regs)
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

// wrap returns h inside the scope's middleware and that of the scopes around it,
// the outermost scope's first.
func (s *scope) wrap(reg *registration, h http.Handler) (http.Handler, error) {
	for ; s != nil; s = s.parent {
		if reg.flags&fastRoute == 0 {
			for _, mw := range slices.Backward(s.use) {
				if h = mw(h); isNil(h) {
					return nil, fmt.Errorf("muxmaster: pattern %q: the middleware %s returned nil", reg.pattern.Text, funcName(mw))
				}
			}
			continue
		}
		if len(s.use) > 0 {
			return nil, fmt.Errorf("muxmaster: pattern %q: a fast route would escape the middleware %s of Use; "+
				"register it with Handle, or the middleware with Pre or, as FastMiddleware, UseFast", reg.pattern.Text, funcName(s.use[0]))
		}
		for _, mw := range slices.Backward(s.fast) {
			if h = fastHandler(mw(FastHandler(h.(fastHandler)))); isNil(h) {
				return nil, fmt.Errorf("muxmaster: pattern %q: the fast middleware %s returned nil", reg.pattern.Text, funcName(mw))
			}
		}
	}
	return h, nil
}

// wraps reports whether routes of the scope are in middleware.
func (s *scope) wraps() bool {
	for ; s != nil; s = s.parent {
		if len(s.use)+len(s.fast) > 0 {
			return true
		}
	}
	return false
}

// everywhere returns regs and what they become where the Mux is mounted.
func (s *scope) everywhere(regs []*registration) ([]*registration, error) {
	all := regs
	if mounted := s.mux.set.mounted.Load(); mounted != nil {
		for _, mt := range *mounted {
			outer, err := mt.outer(regs)
			if err != nil {
				return nil, err
			}
			if outer, err = mt.scope.everywhere(outer); err != nil {
				return nil, err
			}
			all = append(all, outer...)
		}
	}
	return all, nil
}

// outer returns registrations of mt.sub as registrations of the Mux around it.
func (mt *mounting) outer(regs []*registration) ([]*registration, error) {
	var outer []*registration
	for _, reg := range regs {
		paths := []string{mt.prefix + reg.pattern.Path}
		if path := reg.pattern.Path; mt.prefix != "" && (path == "/" || path == "/{$}") {
			paths = append(paths, mt.prefix) // the bare prefix, without a redirect
		}
		for _, path := range paths {
			up, err := mt.lift(reg, path)
			if err != nil {
				return nil, err
			}
			outer = append(outer, up)
		}
	}
	return outer, nil
}

// lift returns a registration of mt.sub as one of the Mux around it for the path.
func (mt *mounting) lift(reg *registration, path string) (*registration, error) {
	text := reg.pattern.Text
	p, err := parse(text[:len(text)-len(reg.pattern.Path)]+path, reg.flags)
	if err != nil {
		return nil, err
	}
	up := *reg
	up.pattern, up.next = p, nil
	h := reg.handler
	for _, mw := range slices.Backward(mt.sub.pre) {
		if h = mw(h); isNil(h) {
			return nil, fmt.Errorf("muxmaster: pattern %q: the middleware %s returned nil", text, funcName(mw))
		}
		up.flags &^= fastRoute
	}
	if up.handler, err = mt.scope.wrap(&up, h); err != nil {
		return nil, err
	}
	up.scope = mt.inside(reg.scope)
	return &up, nil
}

// inside returns a scope of the Mux around mt with the middleware of sub, a scope
// of the mounted Mux, that its routes are already in.
func (mt *mounting) inside(sub *scope) *scope {
	if s := mt.scopes[sub]; s != nil {
		return s
	}
	s := &scope{mux: mt.scope.mux, parent: mt.scope}
	for ; sub != nil; sub = sub.parent {
		s.use = append(slices.Clone(sub.use), s.use...)
		s.fast = append(slices.Clone(sub.fast), s.fast...)
	}
	s.use = append(slices.Clone(mt.sub.pre), s.use...)
	if mt.scopes == nil {
		mt.scopes = map[*scope]*scope{}
	}
	mt.scopes[sub] = s
	return s
}

// commit adds registrations to their Muxes' sets, if none conflicts with another.
func commit(regs []*registration) error {
	type place struct {
		mux   *Mux
		shape string
	}
	shapes := make([]string, len(regs))
	added := map[place]*registration{}
	for i, reg := range regs {
		rs := &reg.scope.mux.set
		rs.open()
		shapes[i] = reg.pattern.Shape()
		for q := rs.shapes[shapes[i]]; q != nil; q = q.next {
			if err := conflict(reg, q); err != nil {
				return err
			}
		}
		if err := rs.number(reg.pattern); err != nil {
			return err
		}
		if len(regs) > 1 {
			at := place{reg.scope.mux, shapes[i]}
			for q := added[at]; q != nil; q = q.next {
				if err := conflict(reg, q); err != nil {
					return err
				}
			}
			reg.next, added[at] = added[at], reg
		}
	}
	for i, reg := range regs {
		rs := &reg.scope.mux.set
		reg.next, rs.shapes[shapes[i]] = rs.shapes[shapes[i]], reg
		reg.seq = rs.seq
		rs.seq++
		rs.regs = append(rs.regs, reg)
		if reg.scope.wraps() {
			if rs.inner == nil {
				rs.inner = map[uint32]http.Handler{}
			}
			rs.inner[reg.seq] = reg.inner
		}
		rs.done = nil
		for s := reg.scope; s != nil; s = s.parent {
			s.used.Store(true)
		}
		reg.scope.mux.live.Store(nil)
	}
	return nil
}

func conflict(reg, q *registration) error {
	if _, overlap := pattern.Overlap(reg.pattern, q.pattern); !overlap {
		return nil
	}
	file, line := location(reg.pc)
	other, otherLine := location(q.pc)
	return fmt.Errorf("muxmaster: pattern %q (registered at %s:%d) conflicts with pattern %q (registered at %s:%d): "+
		"they match the same requests", reg.pattern.Text, file, line, q.pattern.Text, other, otherLine)
}

// number gives the pattern's custom methods their numbers.
func (rs *routeSet) number(p *pattern.Pattern) error {
	for _, name := range p.Methods {
		if standardMethod(name) != methodUnknown {
			continue
		}
		if _, ok := rs.customs[name]; ok {
			continue
		}
		m := firstCustom + method(len(rs.customs))
		if m == methodUnknown {
			return fmt.Errorf("muxmaster: pattern %q: a Mux takes %d methods of one's own, and has them", p.Text, len(rs.customs))
		}
		customs := map[string]method{name: m} // requests read the old one
		for k, v := range rs.customs {
			customs[k] = v
		}
		rs.customs = customs
	}
	return nil
}

// open makes the set ready for registrations.
func (rs *routeSet) open() {
	if rs.shapes != nil {
		return
	}
	rs.shapes = map[string]*registration{}
	if rs.done == nil {
		return
	}
	rs.keep = true
	for _, t := range rs.done.trees() {
		for i := range t.routes {
			rt := &t.routes[i]
			p, err := parse(rt.pattern, rt.flags)
			if err != nil {
				panic(err.Error()) // it was parsed before
			}
			if p.Methods != nil {
				p.Methods = []string{rs.methodName(rt.method)}
			}
			reg := &registration{pattern: p, handler: rt.handler, inner: rt.handler, scope: rt.scope, pc: rt.pc, seq: rt.seq,
				flags: rt.flags & (fastRoute | verbRoute)}
			if h, ok := rs.inner[rt.seq]; ok {
				reg.inner = h
			}
			reg.next, rs.shapes[p.Shape()] = rs.shapes[p.Shape()], reg
			rs.regs = append(rs.regs, reg)
		}
	}
	slices.SortStableFunc(rs.regs, func(a, b *registration) int { return int(int64(a.seq) - int64(b.seq)) })
}

func (rs *routeSet) methodName(m method) string {
	if m < firstCustom {
		return methodNames[m]
	}
	for name, code := range rs.customs {
		if code == m {
			return name
		}
	}
	return ""
}

// compile returns the compiled routes. The caller holds registering.
func (rs *routeSet) compile(m *Mux) *routing {
	if rs.done != nil {
		return rs.done
	}
	base, hosts := newCompiler(m), map[string]*compiler{}
	for _, reg := range rs.regs {
		c := base
		if host := reg.pattern.Host; host != "" {
			if hosts[host] == nil {
				hosts[host] = newCompiler(m)
			}
			c = hosts[host]
		}
		methods := []method{methodAny}
		if reg.pattern.Methods != nil {
			methods = methods[:0]
		}
		for _, name := range reg.pattern.Methods {
			code := standardMethod(name)
			if code == methodUnknown {
				code = rs.customs[name]
			}
			methods = append(methods, code)
		}
		c.add(reg, methods)
	}
	done := &routing{base: *base.finish(), customs: rs.customs}
	for host, c := range hosts {
		if done.hosts == nil {
			done.hosts = map[string]*tree{}
		}
		done.hosts[host] = c.finish()
	}
	for _, t := range done.trees() {
		done.methods |= t.methods
		done.most = max(done.most, t.most)
	}
	done.get = done.served(methodGET)
	done.unusual = done.hosts != nil || done.base.static.whole || !direct
	rs.done = done
	if !rs.keep {
		rs.regs, rs.shapes = nil, nil
	}
	return done
}

// trees returns all trees, that without a host first.
func (rt *routing) trees() []*tree {
	all := []*tree{&rt.base}
	for _, host := range slices.Sorted(maps.Keys(rt.hosts)) {
		all = append(all, rt.hosts[host])
	}
	return all
}
