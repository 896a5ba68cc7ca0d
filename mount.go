package muxmaster

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// This file mounts handlers. A mount is a route for a prefix and everything below it.
// If its handler is a Mux, or calls one, that Mux serves the request by a view: a
// program of its routes with the prefix in front. The request tells the Mux where it is
// mounted:
//
//	outer  Mount("/api", logging(sub))   routes /api/users/5 to the mount, and marks the
//	                                     request with its point
//	sub    GET("/users/:id", show)       finds the point, and its view at /api there,
//	                                     which has the route GET /api/users/:id

// Mount registers h for prefix and everything below it, for every method. Routes of
// this Mux with a more specific pattern take precedence. h serves the prefix itself
// without a redirect, and it sees the unchanged path; use [http.StripPrefix] to remove
// the prefix. The middleware of the scope is called once for the mount.
//
// If h is a *Mux, or a handler that calls one, such as a Mux in middleware or in a
// struct, the Mux serves all requests at or below the prefix as if its routes had the
// prefix in front, including those registered later: r.Pattern, path values and
// redirects include it. It writes its own 404, 405 and OPTIONS responses,
// inside its middleware; where it has no NotFound or MethodNotAllowed, those of this
// Mux apply. If a handler around it has removed or replaced the prefix, it serves the
// request as it is. Path values are pooled only if both Muxes enable it. [Mux.Routes],
// [Mux.Explain] and [Mux.URL] find the routes of h if it is a *Mux, or has a method
// Unwrap() http.Handler that leads to one; such a handler is listed as middleware.
//
// Mount panics if prefix is not a valid path or has a catch-all, if something is
// mounted there, if h is nil, a *Group, this Mux or one that has it mounted, or if a
// route of h has a parameter of the same name as prefix.
func (m *scope) Mount(prefix string, h http.Handler) {
	fail := func(format string, args ...any) {
		panic(fmt.Sprintf("muxmaster: Mount %q: ", prefix) + fmt.Sprintf(format, args...))
	}
	if isNil(h) {
		fail("the handler is nil")
	}
	if prefix == "" || prefix[0] != '/' {
		fail("the path must begin with /")
	}
	full, _ := m.join(prefix)
	text := m.host + cmp.Or(full, "/")
	p, err := parse(text, trie.Owns)
	must(err)
	if g, ok := h.(*Group); ok {
		g.target()
		fail("a Group cannot be mounted, because its routes belong to its Mux; mount a Mux made by New")
	}
	if sub := muxIn(h); sub != nil {
		sub = sub.target()
		switch {
		case p.Multi() >= 0: // which of several values would be its prefix?
			fail("the prefix of a Mux cannot have a catch-all; use Group")
		case sub.reaches(m.target(), 0):
			fail("a Mux cannot be mounted within itself")
		case sub.copyOf != nil:
			fail("the Mux that Update passes cannot be mounted before Update has returned")
		}
		for r := range sub.Routes() {
			if q, err := parse(r.Pattern, trie.Verb); err == nil {
				for _, name := range q.Names() {
					if slices.Contains(p.Names(), name) {
						fail("the parameter %q is also one of the route %q", name, r.Pattern)
					}
				}
			}
		}
	}
	must(m.register(h, trie.Owns, text))
}

// muxIn returns the Mux that h is or wraps, or nil.
func muxIn(h http.Handler) *Mux {
	for range 100 { // a wrapper may wrap itself
		switch x := h.(type) {
		case *Mux:
			return x
		case *Group:
			return x.target()
		case wrapper:
			h = x.Unwrap()
		default:
			return nil
		}
	}
	return nil
}

// A wrapper is a handler that may be a login around a mounted Mux.
type wrapper interface{ Unwrap() http.Handler }

// wrappers returns the handlers around the Mux that r mounts, as middleware.
func (r *route) wrappers() (c chain) {
	x, ok := r.original.(wrapper)
	for ok {
		c = append(c, &step{x})
		x, ok = x.Unwrap().(wrapper)
	}
	return c
}

// maxDepth bounds how deep Muxes can be mounted in each other, because handlers
// that aren't known to call a Mux can make a circle of them.
const maxDepth = 32

// reaches reports whether m is other, or has it mounted.
func (m *Mux) reaches(other *Mux, depth int) bool {
	if m == other || m == other.copyOf {
		return true
	}
	return depth < maxDepth && slices.ContainsFunc(m.mounts(), func(r *route) bool { return r.mux().reaches(other, depth+1) })
}

// mounts returns the routes that mount a Mux.
func (m *Mux) mounts() (list []*route) {
	m = m.lock()
	for _, r := range m.routes {
		if r.flags&trie.Owns != 0 {
			list = append(list, r)
		}
	}
	m.mu.Unlock() // mux calls methods of users
	return slices.DeleteFunc(list, func(r *route) bool { return r.mux() == nil })
}

// mux returns the Mux that r mounts, or nil.
func (r *route) mux() *Mux {
	if r.flags&trie.Owns == 0 {
		return nil
	}
	sub := muxIn(r.original)
	if sub == nil {
		return nil
	}
	return sub.target()
}

// restName is the name of the hidden path value with the path below a mount.
const restName = values.Hidden + "rest"

// at returns the view that serves r: that below the mount that r came from, if the
// path still has its prefix, or else the Mux itself.
func (m *Mux) at(r *http.Request) *view {
	m = m.target()
	pt, rest := m.root.point, ""
	switch mark := values.Mark(r).(type) {
	case *point:
		pt, rest = mark, r.PathValue(restName)
	case *barePoint:
		pt = (*point)(mark)
	case *zone: // NotFound or MethodNotAllowed of m may have called it
		if mark.program.view.mux == m {
			pt = mark.program.view.point
		}
	}
	if pt.outer != nil && pt.outer.mux == m { // m mounts what called it
		pt, rest = pt.outer.point, ""
	}
	if pt.outer == nil {
		return &m.root
	}
	path := r.URL.Path
	head, below := strings.CutSuffix(path, rest)
	switch {
	case pt.prefix.Path == "":
	case strings.HasSuffix(rest, path):
		return &m.root
	case below && pt.leads(head):
	default: // it was changed otherwise
		if _, matched, _ := pt.prefix.Match(wirepath.Clean(wirepath.Escaped(path, r.URL.RawPath))); matched < len(pt.prefix.Segs) {
			return &m.root
		}
	}
	return pt.at(m)
}

// leads reports whether head, the path before what is below the mount, is the prefix,
// as far as comparing texts can tell. It takes less time than Match.
func (pt *point) leads(head string) bool {
	for _, seg := range pt.prefix.Segs {
		if len(head) < 2 || head[0] != '/' {
			return false
		}
		end := strings.IndexByte(head[1:], '/') + 1
		if end == 0 {
			end = len(head)
		}
		switch text := head[1:end]; seg.Kind() {
		case pattern.Plain:
		case pattern.Literal:
			if text != seg[0].Text {
				return false
			}
		default:
			return false
		}
		head = head[end:]
	}
	return head == ""
}

// at returns the view of m at the point.
func (pt *point) at(m *Mux) *view {
	for {
		old := pt.views.Load()
		if i := slices.IndexFunc(*old, func(v *view) bool { return v.mux == m }); i >= 0 {
			return (*old)[i]
		}
		known := *m.views.Load()
		if i := slices.IndexFunc(known, func(v *view) bool { return v.point == pt }); i >= 0 {
			return known[i]
		}
		if pt.prefix.Multi() >= 0 {
			return &m.root
		}
		if pt.depth > maxDepth {
			return &New().root // has no routes
		}
		v := &view{point: pt, mux: m}
		list := append((*old)[max(0, len(*old)-maxViews+1):len(*old):len(*old)], v)
		if pt.views.CompareAndSwap(old, &list) {
			return v
		}
	}
}

// maxViews bounds the views that a point and a Mux keep, for handlers that make Muxes
// for each request, and programs that mount one Mux on many others.
const maxViews = 32

// ended reports whether v is below a mount that has been removed.
func (v *view) ended() bool {
	if v.outer == nil {
		return false
	}
	p := v.outer.program.Load()
	return p == nil || p.points[v.mount] != v.point || v.outer.ended()
}
