package muxmaster

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
)

// This file has what declaring a route needs: parsing its pattern, finding
// conflicts, and wrapping its handler in middleware.

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
	if a.order != b.order {
		return int(int32(a.order - b.order))
	}
	return cmp.Compare(a.key, b.key)
}

// routeName returns the name of the routes of l, or "".
func (l *level) routeName() string {
	for ; l != nil; l = l.parent {
		if l.label != nil && l.label.name != "" {
			return l.label.name
		}
		if !l.inline {
			break
		}
	}
	return ""
}

func (s *routeSet) clone() *routeSet {
	return &routeSet{maps.Clone(s.byKey), slices.Clip(s.added), maps.Clone(s.names), maps.Clone(s.custom)}
}

// list returns the routes in the order of their registration.
func (s *routeSet) list() []*route {
	if len(s.byKey) < len(s.added) { // some were removed
		s.added = slices.DeleteFunc(slices.Clone(s.added), func(r *route) bool { return s.byKey[r.key] != r })
	}
	if !slices.IsSortedFunc(s.added, byOrder) { // those of a mounted Mux are older than the mount
		s.added = slices.SortedFunc(slices.Values(s.added), byOrder)
	}
	return s.added
}

func (s *routeSet) add(routes ...*route) {
	if s.byKey == nil {
		s.byKey, s.names, s.custom = map[trie.Key]*route{}, map[string][]*route{}, map[string]int{}
	}
	for _, r := range routes {
		s.byKey[r.key] = r
		s.added = append(s.added, r)
		if name := r.level.routeName(); name != "" {
			s.names[name] = append(slices.Clip(s.names[name]), r) // clones share the slice
		}
		if trie.IsCustom(r.method) {
			s.custom[r.method]++
		}
	}
}

func (s *routeSet) remove(r *route) {
	delete(s.byKey, r.key)
	if name := r.level.routeName(); name != "" {
		s.names[name] = slices.DeleteFunc(slices.Clone(s.names[name]), func(q *route) bool { return q == r })
		if len(s.names[name]) == 0 {
			delete(s.names, name)
		}
	}
	if s.custom[r.method]--; s.custom[r.method] <= 0 {
		delete(s.custom, r.method)
	}
	if len(s.added) > 2*len(s.byKey)+16 { // a mounted Mux may never be compiled, which lists them
		s.list()
	}
}

// check returns an error if one of the routes conflicts with another one of them,
// or with a route of the set, or if there are too many custom methods.
func (s *routeSet) check(routes []*route) error {
	seen := new(routeSet)
	methods := len(s.custom)
	for _, r := range routes {
		if q := cmp.Or(s.byKey[r.key], seen.byKey[r.key]); q != nil {
			return fmt.Errorf("muxmaster: %s conflicts with %s: they match the same requests", r.registered(), q.registered())
		}
		name := r.level.routeName()
		for _, q := range slices.Concat(s.names[name], seen.names[name]) {
			if q.order != r.order || q.level != r.level {
				return fmt.Errorf("muxmaster: %s has the name %q of %s", r.registered(), name, q.registered())
			}
		}
		if trie.IsCustom(r.method) && s.custom[r.method]+seen.custom[r.method] == 0 {
			if methods++; methods > trie.MaxCustom {
				return fmt.Errorf("muxmaster: pattern %q: too many custom methods (limit %d)", r.pattern, trie.MaxCustom)
			}
		}
		if len(routes) > 1 {
			seen.add(r)
		}
	}
	return nil
}

// first says which of the routes was registered first on a level, or inside it.
func (s *routeSet) first(l *level) string {
	for _, r := range s.list() {
		for in := r.level; in != nil; in = in.parent {
			if in == l {
				file, line := location(r.site)
				return fmt.Sprintf("the route %q was registered (at %s:%d)", r.pattern, file, line)
			}
		}
	}
	return "a route was registered (and removed since)"
}

// A FastHandler serves a request and receives the path values as an argument. It
// is for code written for httprouter: an http.Handler that calls r.PathValue is
// faster. UseFast adds middleware for fast handlers; middleware of Use cannot
// wrap them.
type FastHandler func(http.ResponseWriter, *http.Request, Params)

// A FastMiddleware wraps a FastHandler. Add it with UseFast.
type FastMiddleware func(FastHandler) FastHandler

// fastHandler makes a FastHandler an http.Handler, so that a route can hold it.
type fastHandler FastHandler

// ServeHTTP calls h for callers that know only an http.Handler, such as Pre
// middleware.
func (h fastHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h(w, r, PathParams(r))
}

// A fastRoute calls a FastHandler with the path values of its route.
type fastRoute struct {
	handler fastHandler
	names   *values.Names // nil if there are no values
	list    []string      // names as a list; values of outer routers follow in the request
	pooled  bool          // the Params are used again
}

// paramsPool holds Params to use again.
var paramsPool = sync.Pool{New: func() any { return new([values.MaxChunk]Param) }}

func (h *fastRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := len(h.list)
	if n == 0 {
		h.handler(w, r, nil)
		return
	}
	if !h.pooled || n > values.MaxChunk {
		h.handler(w, r, h.params(make(Params, n), r))
		return
	}
	buf := paramsPool.Get().(*[values.MaxChunk]Param)
	ps := h.params(buf[:n], r)
	h.handler(w, r, ps)
	for i := range ps {
		ps[i].Key, ps[i].Value = "", ""
	}
	paramsPool.Put(buf)
}

// params sets ps to the path values of the route.
func (h *fastRoute) params(ps Params, r *http.Request) Params {
	vals := h.names.Values(r)
	if len(vals) != len(ps) {
		return ps[:copy(ps, PathParams(r))]
	}
	for i, v := range vals {
		ps[i] = Param{h.list[i], v}
	}
	return ps
}

// split returns the part that runs before routing, and the rest.
func (c chain) split() (pre, rest chain) {
	i := 0
	for i < len(c) && c[i].pre {
		i++
	}
	return c[:i:i], c[i:]
}

// steps returns the middleware that a method was given. It panics if a function
// is nil.
func steps[F func(http.Handler) http.Handler | FastMiddleware](method string, mw []F) (c chain) {
	for _, f := range mw {
		if reflect.ValueOf(f).IsNil() {
			panic("muxmaster: " + method + ": the middleware is nil")
		}
		switch f := any(f).(type) {
		case func(http.Handler) http.Handler:
			c = append(c, &step{wrap: f, fn: f})
		case FastMiddleware:
			wrap := func(h http.Handler) http.Handler { return fastHandler(f(FastHandler(h.(fastHandler)))) }
			c = append(c, &step{wrap: wrap, fn: f, fast: true})
		}
	}
	return c
}

// check returns an error if the middleware cannot wrap a handler.
func (c chain) check(fast bool, text string) error {
	for _, s := range c {
		switch {
		case fast && !s.fast:
			return fmt.Errorf("muxmaster: pattern %q: a fast route would bypass the middleware %s of Use; "+
				"register it with Handle, or the middleware with Pre or, as FastMiddleware, UseFast", text, wrapped.Name(s.fn))
		case !fast && s.fast:
			return fmt.Errorf("muxmaster: pattern %q: the route would bypass the middleware %s of UseFast; "+
				"register it with HandleFast or a verb method such as GETFast, or the middleware with Use", text, wrapped.Name(s.fn))
		}
	}
	return nil
}

// wrap returns h in the middleware. The caller has checked that it can be wrapped,
// and must not hold a lock.
func (c chain) wrap(h http.Handler) (http.Handler, error) {
	for _, s := range slices.Backward(c) {
		switch f, fast := h.(fastHandler); {
		case fast && s.pre:
			h = http.HandlerFunc(f.ServeHTTP)
		case !fast && s.fast: // h responds to unmatched requests
			continue
		}
		if h = s.wrap(h); isNil(h) {
			return nil, fmt.Errorf("the middleware %s returned nil", wrapped.Name(s.fn))
		}
		if _, early := h.(interface{ RunsBeforeRouting() }); early && !s.pre {
			return nil, fmt.Errorf("the middleware %s has no effect in Use, because it changes the path before routing; use Pre", wrapped.Name(s.fn))
		}
	}
	return h, nil
}

// inside returns the fields that apply to a Mux mounted inside of another one.
func (f fields) inside(outer *fields) *fields {
	f.poolValues, f.poolParams = f.poolValues && outer.poolValues, f.poolParams && outer.poolParams
	return f.or(outer)
}

// or returns f with the handlers of other where f has none.
func (f fields) or(other *fields) *fields {
	f.notFound, f.notAllowed = orElse(f.notFound, other.notFound), orElse(f.notAllowed, other.notAllowed)
	return &f
}

// orElse returns h, or other if h is nil.
func orElse(h, other http.Handler) http.Handler {
	if isNil(h) {
		return other
	}
	return h
}

// isNil reports whether h is nil, or a nil value of a type that is often
// registered.
func isNil(h http.Handler) bool {
	v := reflect.ValueOf(h)
	switch h.(type) {
	case nil:
		return true
	case *Mux, *Group, *http.ServeMux:
		return v.IsNil()
	}
	return v.Kind() == reflect.Func && v.IsNil()
}
