package muxmaster

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
)

// This file has what declaring a route needs: parsing its pattern, finding
// conflicts, and wrapping its handler in middleware.

// parse parses the text of a route with these flags, by the rules of the verb methods
// if they have trie.Verb. The text of a mount and of the root of a Group is a prefix.
func parse(text string, flags trie.Flags) (p *pattern.Pattern, err error) {
	form := text
	switch prefix := strings.TrimSuffix(text, "/"); {
	case flags&groupRoot != 0:
		form = prefix + "/{$}"
	case flags&trie.Owns != 0:
		form = prefix + "/"
	}
	if flags&trie.Verb == 0 {
		p, err = pattern.Parse(form)
	} else {
		p, err = pattern.ParsePath(form)
	}
	if err != nil {
		return nil, fmt.Errorf("muxmaster: pattern %q: %w", text, err)
	}
	return p, nil
}

// parsePrefix parses a prefix, which may be empty, behind a host, which may be
// empty, too.
func parsePrefix(host, prefix string) (*pattern.Pattern, error) {
	text := host + prefix
	if prefix == "" {
		text += "/"
	}
	p, err := pattern.ParsePath("GET " + text) // CONNECT allows unclean paths, GET does not
	if err != nil {
		return nil, err
	}
	if prefix == "" {
		p.Text, p.Path, p.End = host, "", pattern.Exact
	} else if p.End != pattern.Exact {
		return nil, fmt.Errorf("a prefix cannot end in a catch-all, {$} or an empty segment")
	}
	p.Text, p.Methods = host+prefix, nil
	return p, nil
}

// parse returns the parsed pattern of r, and keeps it until r is compiled.
func (r *route) parse() *pattern.Pattern {
	p := r.parsed.Load()
	if p == nil {
		var err error
		p, err = parse(r.pattern, r.flags)
		must(err) // it was parsed before
		r.parsed.Store(p)
	}
	return p
}

// method returns the method of r, or "" for every method.
func (r *route) method() string {
	if list := r.parse().Methods; list != nil {
		return list[r.nth]
	}
	return ""
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

// routeName returns the name of the routes of l, or "".
func (l *level) routeName() string {
	for ; l.inline; l = l.parent {
		if l.label != nil && l.label.name != "" {
			return l.label.name
		}
	}
	return ""
}

// An index finds routes.
type index struct {
	byKey  map[routeKey]*route
	names  map[string][]*route // the methods of a list share a name
	custom map[string]int      // number of routes, by custom method
}

// A routeKey is what routes that conflict have in common.
type routeKey struct{ method, shape string }

func (r *route) key() routeKey { return routeKey{r.method(), r.parse().Shape()} }

// add adds r, or returns an error if it can't be added.
func (x *index) add(r *route) error {
	key, name, method := r.key(), r.level.routeName(), r.method()
	if q := x.byKey[key]; q != nil {
		return fmt.Errorf("muxmaster: %s conflicts with %s: they match the same requests", r.registered(), q.registered())
	}
	for _, q := range x.names[name] {
		if q.order != r.order || q.level != r.level {
			return fmt.Errorf("muxmaster: %s has the name %q of %s", r.registered(), name, q.registered())
		}
	}
	if trie.IsCustom(method) {
		if x.custom[method] == 0 && len(x.custom) >= trie.MaxCustom {
			return fmt.Errorf("muxmaster: pattern %q: too many custom methods (limit %d)", r.pattern, trie.MaxCustom)
		}
		x.custom[method]++
	}
	if name != "" {
		x.names[name] = append(x.names[name], r)
	}
	x.byKey[key] = r
	return nil
}

func (x *index) remove(r *route) {
	delete(x.byKey, r.key())
	if name := r.level.routeName(); name != "" {
		x.names[name] = slices.DeleteFunc(slices.Clone(x.names[name]), func(q *route) bool { return q == r })
		if len(x.names[name]) == 0 {
			delete(x.names, name)
		}
	}
	method := r.method()
	if x.custom[method]--; x.custom[method] <= 0 {
		delete(x.custom, method)
	}
}

// indexed returns the index of d.
func (d *declared) indexed() *index {
	if d.index == nil {
		d.index = &index{make(map[routeKey]*route, len(d.routes)), map[string][]*route{}, map[string]int{}}
		for _, r := range d.routes {
			_ = d.index.add(r) // it was added before
		}
	}
	return d.index
}

// clone returns a copy that can be changed. Its index is made when it is needed, in
// less time than Update takes to compile.
func (d *declared) clone() declared {
	c := *d
	c.routes, c.empty, c.index = slices.Clone(d.routes), maps.Clone(d.empty), nil
	return c
}

// add adds the routes of one registration, or nothing if one of them conflicts with
// another one, or if there are too many custom methods.
func (d *declared) add(routes []*route) error {
	x := d.indexed()
	for i, r := range routes {
		if err := x.add(r); err != nil {
			for _, r := range routes[:i] {
				x.remove(r)
			}
			return err
		}
	}
	d.routes, d.used = append(d.routes, routes...), true
	for l := routes[0].level; l.parent != nil; l = l.parent {
		l.used = true
	}
	return nil
}

func (d *declared) remove(r *route) {
	d.indexed().remove(r)
	at := slices.Index(d.routes, r)
	d.routes = slices.Delete(d.routes, at, at+1)
}

// chain returns the middleware around the routes of a level.
func (d *declared) chain(l *level) chain {
	if l.parent == nil {
		return d.middleware
	}
	return slices.Concat(d.chain(l.parent), l.middleware)
}

// first says which of the routes was registered first on a level, or inside it.
func (d *declared) first(l *level) string {
	for _, r := range d.routes {
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
// faster, because Params are a copy of the values. UseFast adds middleware for
// fast handlers; middleware of Use cannot wrap them.
type FastHandler func(http.ResponseWriter, *http.Request, Params)

// A FastMiddleware wraps a FastHandler. Add it with UseFast.
type FastMiddleware func(FastHandler) FastHandler

// fastHandler makes a FastHandler an http.Handler, so that a route can hold it.
type fastHandler FastHandler

// ServeHTTP calls h for callers that know only an http.Handler, such as Pre
// middleware.
func (h fastHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h(w, r, PathParams(r)) }

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

// A middleware is a function that With, Pre and Use, UseRoute, or UseFast add.
type middleware interface {
	func(http.Handler) http.Handler | func(Route, http.Handler) http.Handler | FastMiddleware
}

// steps returns the middleware that a method was given. It panics if a function
// is nil.
func steps[F middleware](method string, mw []F) (c chain) {
	for _, f := range mw {
		if reflect.ValueOf(f).IsNil() {
			panic("muxmaster: " + method + ": the middleware is nil")
		}
		c = append(c, &step{f})
	}
	return c
}

// check returns an error if the middleware cannot wrap a handler.
func (c chain) check(fast bool, text string) error {
	for _, s := range c {
		_, forFast := s.fn.(FastMiddleware)
		switch {
		case fast && !forFast:
			return fmt.Errorf("muxmaster: pattern %q: a fast route would bypass the middleware %s of Use; "+
				"register it with Handle, or the middleware with Pre or, as FastMiddleware, UseFast", text, wrapped.Name(s.fn))
		case !fast && forFast:
			return fmt.Errorf("muxmaster: pattern %q: the route would bypass the middleware %s of UseFast; "+
				"register it with HandleFast or a verb method such as GETFast, or the middleware with Use", text, wrapped.Name(s.fn))
		}
	}
	return nil
}

// wrap returns the handler of a route in the middleware. pre says that the
// middleware runs before routing. The caller must not hold a lock.
func (c chain) wrap(route Route, h http.Handler, pre bool) (http.Handler, error) {
	for _, s := range slices.Backward(c) {
		switch f := s.fn.(type) {
		case func(http.Handler) http.Handler:
			h = f(h)
		case func(Route, http.Handler) http.Handler:
			h = f(route, h)
		case FastMiddleware:
			if fast, ok := h.(fastHandler); ok { // else h responds to unmatched requests
				h = fastHandler(f(FastHandler(fast)))
			}
		}
		if isNil(h) {
			return nil, fmt.Errorf("the middleware %s returned nil", wrapped.Name(s.fn))
		}
		if _, early := h.(interface{ RunsBeforeRouting() }); early && !pre {
			return nil, fmt.Errorf("the middleware %s has no effect in Use, because it changes the path before routing; use Pre", wrapped.Name(s.fn))
		}
	}
	return h, nil
}

// wrapOnce returns h in the middleware, from place if it is there. It calls the
// middleware only for the first request that needs it, and when the middleware has
// changed.
func wrapOnce(place *atomic.Pointer[wrapping], c chain, h http.Handler, method string) http.Handler {
	w := place.Load()
	for w == nil || !slices.Equal(w.chain, c) {
		place.CompareAndSwap(w, &wrapping{chain: c})
		w = place.Load()
	}
	if made := w.made.Load(); made != nil {
		return *made
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.made.Load() == nil {
		made, err := c.wrap(Route{}, h, method == "Pre")
		if err != nil {
			panic(fmt.Sprintf("muxmaster: %s: %v", method, err))
		}
		w.made.Store(&made)
	}
	return *w.made.Load()
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
