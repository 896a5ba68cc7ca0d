package muxmaster

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
)

// This file has what declaring a route needs: parsing its pattern, finding
// conflicts, and wrapping its handler in middleware.

// live returns the Mux of s, or if an Update passed that and succeeded, the Mux
// of the Update. It panics if the Mux was not created by New, or was copied.
func (m *scope) live() *Mux {
	if m.mux == nil {
		panic("muxmaster: the Mux was not made by New; write mux := muxmaster.New(), and for a Group mux.Group(prefix)")
	}
	if m.parent == nil && m != &m.mux.scope {
		panic("muxmaster: the Mux was copied; use the *Mux that muxmaster.New returned")
	}
	if u := m.mux.draft; u != nil && u.done.Load() {
		return u.mux
	}
	return m.mux
}

func must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

// registrations numbers the registrations of all Muxes. Two constraints at the
// same place are tried in this order.
var registrations atomic.Uint32

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

// parsePrefix parses a prefix, which may be empty.
func parsePrefix(prefix string) (*pattern.Pattern, error) {
	if prefix == "" {
		return new(pattern.Pattern), nil
	}
	p, err := pattern.ParsePath("GET " + prefix) // CONNECT allows unclean paths, GET does not
	if err == nil && p.End != pattern.Exact {
		err = fmt.Errorf("a prefix cannot end in a catch-all, {$} or an empty segment")
	}
	return p, err
}

// parse sets the parsed pattern of r, unless r has it.
func (r *route) parse() error {
	if r.parsed != nil {
		return nil
	}
	text := r.pattern
	if r.root == bareSlash {
		text += "/{$}"
	}
	p, err := parse(text, r.flags)
	if err == nil {
		r.parsed, r.key = p, trie.ShapeKey(p, r.method)
	}
	return err
}

func location(pc uintptr) (file string, line int) {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame.File, frame.Line
}

// registered says what was registered where.
func (r *route) registered() string {
	file, line := location(r.site)
	return fmt.Sprintf("pattern %q (registered at %s:%d)", r.pattern, file, line)
}

// byOrder compares routes by the order of their registration.
func byOrder(a, b *route) int {
	return cmp.Or(int(int32(a.order-b.order)), strings.Compare(a.key, b.key))
}

// routeName returns the name of the routes of l, or "".
func (l *level) routeName() string {
	for l.name == "" && l.inline {
		l = l.parent
	}
	return l.name
}

func newRouteSet() *routeSet { return &routeSet{names: map[string][]*route{}} }

func (s *routeSet) clone() *routeSet { return &routeSet{s.shapes.Clone(), maps.Clone(s.names)} }

func (s *routeSet) add(routes []*route) {
	for _, r := range routes {
		s.shapes.Add(r.key, r.method, r)
		if name := r.level.routeName(); name != "" {
			s.names[name] = append(slices.Clip(s.names[name]), r) // clones share the slice
		}
	}
}

func (s *routeSet) remove(gone map[*route]bool) {
	for r := range gone {
		s.shapes.Remove(r.key, r.method)
		if name := r.level.routeName(); name != "" {
			s.names[name] = slices.DeleteFunc(slices.Clone(s.names[name]), func(q *route) bool { return q == r })
		}
	}
}

// check returns an error if one of the routes conflicts with a route of the set
// that isn't gone.
func (s *routeSet) check(routes []*route, gone map[*route]bool) error {
	var few [4]string
	methods := few[:0]
	for _, r := range routes {
		if q, ok := s.shapes.Find(r.key); ok && !gone[q] {
			return fmt.Errorf("muxmaster: %s conflicts with %s: they match the same requests", r.registered(), q.registered())
		}
		name := r.level.routeName()
		for _, q := range s.names[name] {
			if !gone[q] && (q.order != r.order || q.mount != r.mount) {
				return fmt.Errorf("muxmaster: %s has the name %q of %s", r.registered(), name, q.registered())
			}
		}
		methods = append(methods, r.method)
	}
	if err := s.shapes.Room(methods); err != nil {
		return fmt.Errorf("muxmaster: pattern %q: %w", routes[0].pattern, err)
	}
	return nil
}

// A chain is the middleware around the routes of a level, the innermost first.
type chain []middleware

// chain returns the middleware of a level and of those around it. The caller
// holds the lock.
func (m *Mux) chain(l *level) (c chain) {
	for ; l != nil; l = l.parent {
		own := l.middleware
		if l.parent == nil {
			own = m.middleware
		}
		if len(own.use)+len(own.fast) > 0 {
			c = append(c, own)
		}
	}
	return c
}

// same reports whether c and d have the same middleware.
func (c chain) same(d chain) bool {
	return slices.EqualFunc(c, d, func(a, b middleware) bool { return a.stamp == b.stamp })
}

// check returns an error if the middleware cannot wrap a handler.
func (c chain) check(fast bool, text string) error {
	for _, mw := range c {
		if fast && len(mw.use) > 0 {
			return fmt.Errorf("muxmaster: pattern %q: a fast route would bypass the middleware %s of Use; "+
				"register it with Handle, or the middleware with Pre or, as FastMiddleware, UseFast", text, wrapped.Name(mw.use[0]))
		}
		if !fast && len(mw.fast) > 0 {
			return fmt.Errorf("muxmaster: pattern %q: the route would bypass the middleware %s of UseFast; "+
				"register it with HandleFast or a verb method such as GETFast, or the middleware with Use", text, wrapped.Name(mw.fast[0]))
		}
	}
	return nil
}

// wrap returns the handler of a route in the middleware.
func (c chain) wrap(h http.Handler, text string) (http.Handler, error) {
	f, fast := h.(fastHandler)
	err := c.check(fast, text)
	if err != nil {
		return nil, err
	}
	for _, mw := range c {
		if fast {
			f, err = wrapFast(mw.fast, f)
		} else {
			h, err = wrapAll(mw.use, h, true)
		}
		if err != nil {
			return nil, fmt.Errorf("muxmaster: pattern %q: %w", text, err)
		}
	}
	if fast {
		return f, nil
	}
	return h, nil
}

// wrapped returns the handler of r in the middleware of its Mux, and the zone of
// that Mux. z is the zone of r. For a mounted route, the first call puts the
// middleware around the mount around the handler.
func (r *route) wrapped(z *zone) (h http.Handler, root *zone, err error) {
	if r.inner == nil {
		for z.level.mux == nil {
			z = z.outer
		}
		return r.handler, z, nil
	}
	if h, z, err = r.inner.wrapped(z); err != nil {
		return nil, nil, err
	}
	pre, c := z.pre, chain(nil)
	for ok := true; ok; ok = z.level.mux == nil {
		z = z.outer
		c = append(c, z.middleware)
	}
	r.mount.wrapping.Lock()
	defer r.mount.wrapping.Unlock()
	if r.handler == nil {
		if len(pre) > 0 {
			if h, err = wrapAll(pre, h, false); err != nil {
				return nil, nil, fmt.Errorf("muxmaster: pattern %q: %w", r.pattern, err)
			}
		}
		if h, err = c.wrap(h, r.pattern); err != nil {
			return nil, nil, err
		}
		r.handler = h
	}
	return r.handler, z, nil
}

// wrapAll wraps h in middleware, the first one outermost. routed says that it
// runs after routing.
func wrapAll(mws []func(http.Handler) http.Handler, h http.Handler, routed bool) (http.Handler, error) {
	for _, mw := range slices.Backward(mws) {
		if h = mw(h); isNil(h) {
			return nil, fmt.Errorf("the middleware %s returned nil", wrapped.Name(mw))
		}
		if _, early := h.(interface{ RunsBeforeRouting() }); early && routed {
			return nil, fmt.Errorf("the middleware %s has no effect in Use, because it changes the path before routing; use Pre", wrapped.Name(mw))
		}
	}
	return h, nil
}

func wrapFast(mws []FastMiddleware, f fastHandler) (fastHandler, error) {
	for _, mw := range slices.Backward(mws) {
		if f = fastHandler(mw(FastHandler(f))); f == nil {
			return nil, fmt.Errorf("the fast middleware %s returned nil", wrapped.Name(mw))
		}
	}
	return f, nil
}

// refuseNil panics if one of the functions that a method was given is nil.
func refuseNil[F any](method string, mw []F) {
	for _, f := range mw {
		if reflect.ValueOf(f).IsNil() {
			panic("muxmaster: " + method + ": the middleware is nil")
		}
	}
}

// or returns h, or other if h is nil.
func or(h, other http.Handler) http.Handler {
	if isNil(h) {
		return other
	}
	return h
}

// isNil reports whether h is nil, or a nil value of a type that is often
// registered.
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
