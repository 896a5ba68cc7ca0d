package muxmaster

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file answers the requests that no route serves: redirects, 404, 405 and
// OPTIONS. The way there is through the middleware of Use, so that nothing is
// said about a path before, say, a login was checked; what the answer is, is
// decided behind it.

// build makes what requests are served from.
func (m *Mux) build() *live {
	m.building.Lock()
	defer m.building.Unlock()
	if l := m.live.Load(); l != nil {
		return l
	}
	if m.fields == nil {
		m.fields = m.readFields(&fields{})
	}
	// Middleware is made without the lock on registrations: it may register.
	entry, fallback := m.chains(m.fields)
	registering.Lock()
	defer registering.Unlock()
	l := &live{
		mux:      m,
		fields:   m.fields,
		routing:  *m.set.compile(m),
		entry:    entry,
		fallback: fallback,
	}
	l.apart = l.unusual || entry != nil
	if l.poolValues {
		l.recycle |= hasNames
	}
	if l.poolParams {
		l.recycle |= fastRoute
	}
	m.set.done = &l.routing
	m.live.Store(l)
	return l
}

// current returns what a request is served from that is on its way already.
func (m *Mux) current() *live {
	if l := m.live.Load(); l != nil {
		return l
	}
	return m.build()
}

// A fields holds what the fields of a Mux were when its first request arrived.
type fields struct {
	poolValues, poolParams bool
	redirectSlash          bool
	notFound, notAllowed   http.Handler // nil for the defaults
}

// readFields returns m's fields; handlers that are nil are those of the Mux around.
func (m *Mux) readFields(around *fields) *fields {
	f := &fields{m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash, m.NotFound, m.MethodNotAllowed}
	if f.notFound == nil {
		f.notFound = around.notFound
	}
	if f.notAllowed == nil {
		f.notAllowed = around.notAllowed
	}
	return f
}

// chains returns the routing inside the middleware of Pre, nil without any, and
// the answers of this file inside that of Use.
func (m *Mux) chains(f *fields) (entry, fallback http.Handler) {
	fallback = wrapAll("Use", m.use, &unmatched{m, f, newBelow(m, f, "", m.set.mounts)})
	if len(m.pre) > 0 {
		entry = wrapAll("Pre", m.pre, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.current().serve(w, r) }))
	}
	return entry, fallback
}

func wrapAll(method string, mws []func(http.Handler) http.Handler, h http.Handler) http.Handler {
	for _, mw := range slices.Backward(mws) {
		if h = mw(h); isNil(h) {
			panic(fmt.Sprintf("muxmaster: %s: the middleware %s returned nil", method, funcName(mw)))
		}
	}
	return h
}

// fail answers a request that no route serves.
func (l *live) fail(w http.ResponseWriter, r *http.Request) {
	r.Pattern = ""
	dropValues(r, l.mux)
	l.fallback.ServeHTTP(w, r)
}

// unmatched answers what no route of a Mux serves.
type unmatched struct {
	mux    *Mux
	fields *fields
	below  *below
}

func (u *unmatched) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l := u.mux.current()
	if u.below != nil {
		if h := u.below.find(r); h != nil {
			h.ServeHTTP(w, r)
			return
		}
	}
	l.answer(w, r, u.fields)
}

// An outcome is what happens to a request that no route serves. All zero, it is
// a 404.
type outcome struct {
	location string // where to redirect it
	pattern  string // of the route there
	allow    string // the methods that its path has routes for
}

func (l *live) answer(w http.ResponseWriter, r *http.Request, f *fields) {
	switch o := l.decide(r, f); {
	case o.location != "":
		r.Pattern = o.pattern
		http.Redirect(w, r, o.location, http.StatusTemporaryRedirect)
	case o.allow == "" && f.notFound != nil:
		f.notFound.ServeHTTP(w, r)
	case o.allow == "":
		plainError(w, "404 page not found\n", http.StatusNotFound, "")
	case r.Method == http.MethodOptions:
		w.Header()["Allow"] = []string{o.allow}
		w.WriteHeader(http.StatusNoContent)
	case f.notAllowed != nil:
		w.Header()["Allow"] = []string{o.allow}
		f.notAllowed.ServeHTTP(w, r)
	default:
		plainError(w, "Method Not Allowed\n", http.StatusMethodNotAllowed, o.allow)
	}
}

// plainError is http.Error for less: one allocation for all header values.
func plainError(w http.ResponseWriter, text string, code int, allow string) {
	h := w.Header()
	delete(h, "Content-Length")
	values := &[3]string{"text/plain; charset=utf-8", "nosniff", allow}
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
	if allow != "" {
		h["Allow"] = values[2:3:3]
	}
	w.WriteHeader(code)
	io.WriteString(w, text)
}

// decide finds the outcome for a request without a route.
func (l *live) decide(r *http.Request, f *fields) outcome {
	b := l.bundle()
	defer b.release()
	s := &b.search
	s.setPath(r)
	m := l.method(r.Method)
	path, clean := "", true // the escaped path is seldom needed
	if !s.raw && (r.URL.RawPath != "" || s.path == "" || s.path[0] != '/' || suspect(s.path)) {
		if path, clean = cleanPath(r.URL.EscapedPath()); !clean {
			s.setPath(&http.Request{Method: r.Method, URL: &url.URL{Path: unescape(path), RawPath: path}})
		}
	}
	if s.path == "" || s.path[0] != '/' {
		return outcome{}
	}
	if clean && !l.leads(s, r.Host, f) {
		return outcome{}
	}
	rt := l.matchPath(s, m, r.Host)
	if slash, pattern := l.slashRedirect(s, m, r.Host, rt, f); slash != 0 {
		if path == "" {
			path = r.URL.EscapedPath()
		}
		path, _ = cleanPath(slashed(path, slash)) // CONNECT's is not clean yet
		return outcome{location: withQuery(path, r), pattern: pattern}
	}
	if !clean {
		o := outcome{location: withQuery(path, r)}
		if rt != nil {
			o.pattern = rt.pattern
		}
		return o
	}
	if rt != nil {
		m = methodUnknown // middleware has made it another request
	}
	return outcome{allow: l.allowed(s, r.Host, m)}
}

// leads reports whether there may be a route of whatever method for the path of s,
// or for the path that it would be redirected to. One look spares most requests
// without a route all others.
func (l *live) leads(s *search, host string, f *fields) bool {
	if s.text != "" || s.raw || f.redirectSlash && s.path[len(s.path)-1] == '/' {
		return true // the look would not see all
	}
	found := l.matchPath(s, methodEach, host) != nil || s.slash != nil
	s.slash = nil
	return found
}

func unescape(path string) string {
	if p, err := url.PathUnescape(path); err == nil {
		return p
	}
	return path
}

// slashRedirect reports whether a request is to be redirected to its path with a
// slash behind it (1) or without the one that it has (-1), and to which route. rt
// is what s has found for the path as it is.
func (l *live) slashRedirect(s *search, m method, host string, rt *route, f *fields) (slash int, pattern string) {
	if to := s.slash; to != nil && s.redirects(rt) {
		return 1, to.pattern
	}
	if rt != nil || !f.redirectSlash {
		return 0, ""
	}
	if to := s.slash; to != nil && to.flags&verbRoute != 0 {
		return 1, to.pattern
	}
	if n := len(s.path) - 1; n > 0 && s.path[n] == '/' {
		short := search{path: s.path[:n], text: s.text[:max(len(s.text)-1, 0)], raw: s.raw, values: values{vals: s.vals}}
		if to := l.matchPath(&short, m, host); to != nil && to.flags&verbRoute != 0 {
			return -1, to.pattern
		}
	}
	return 0, ""
}

// redirects reports whether net/http's rule leads away from rt, the route found:
// rt matches only as a catch-all, and before it s met a route of Handle that would
// match the path with a slash behind it as a whole.
func (s *search) redirects(rt *route) bool {
	return s.slash != nil && s.slash.flags&verbRoute == 0 && (rt == nil || rt.flags&catchAll != 0)
}

func slashed(path string, slash int) string {
	if slash > 0 {
		return path + "/"
	}
	return path[:len(path)-1]
}

// withQuery returns path with r's query. The path begins with a slash and not
// with two, so that a Location names no host but the request's own.
func withQuery(path string, r *http.Request) string {
	if r.URL.RawQuery == "" {
		return path
	}
	query := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7F {
			return -1
		}
		return c
	}, r.URL.RawQuery)
	return path + "?" + strings.ReplaceAll(query, "#", "%23") // or it would begin a fragment: RFC 3986 section 3.4
}

// cleanPath returns an escaped path without its empty, . and .. segments, escaped
// or not, and whether it had none. A trailing slash is kept.
func cleanPath(path string) (clean string, ok bool) {
	if path == "" || path[0] != '/' {
		path = "/" + path
	} else if !hasDotOrDoubleSlash(path) {
		return path, true
	}
	segs := []string{}
	changed := false
	rest, seg, more := path[1:], "", true
	for more {
		seg, rest, more = strings.Cut(rest, "/")
		switch dot := dotSegment(seg); {
		case seg == "":
			changed = changed || more
		case dot == 1:
			changed = true
		case dot == 2:
			changed = true
			segs = segs[:max(len(segs)-1, 0)]
		default:
			segs = append(segs, seg)
		}
	}
	if !changed {
		return path, false // it did not begin with a slash
	}
	clean = "/" + strings.Join(segs, "/")
	if strings.HasSuffix(path, "/") && clean != "/" {
		clean += "/"
	}
	return clean, false
}

func hasDotOrDoubleSlash(path string) bool {
	if strings.IndexByte(path, '.') < 0 && !strings.Contains(path, "//") && strings.IndexByte(path, '%') < 0 {
		return false
	}
	rest, seg, more := path[1:], "", true
	for more {
		seg, rest, more = strings.Cut(rest, "/")
		if seg == "" && more || dotSegment(seg) > 0 {
			return true
		}
	}
	return false
}

// dotSegment returns how many dots, written . or %2e, the segment consists of, 0
// if it has other characters or more than two.
func dotSegment(seg string) (n int) {
	for seg != "" {
		switch {
		case seg[0] == '.':
			seg = seg[1:]
		case len(seg) >= 3 && seg[0] == '%' && seg[1] == '2' && seg[2]|0x20 == 'e':
			seg = seg[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// allowed returns the methods that the path of s has routes for, as an Allow
// header lists them; "" if it has none. There is none for the method not.
func (l *live) allowed(s *search, host string, not method) string {
	try := func(m method) bool {
		s.n, s.slash = 0, nil
		return l.matchPath(s, m, host) != nil || s.redirects(nil)
	}
	var room [64]byte
	list := room[:0]
	add := func(name string) {
		if len(list) > 0 {
			list = append(list, ", "...)
		}
		list = append(list, name...)
	}
	get := false
	for m := methodGET; m < methodOPTIONS; m++ {
		if m == methodHEAD && get || m != not && l.methods&m.class() != 0 && try(m) {
			get = get || m == methodGET
			add(methodNames[m])
		}
	}
	if len(l.customs) > 0 {
		names := make([]string, 0, len(l.customs))
		for name := range l.customs {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if try(l.customs[name]) {
				add(name)
			}
		}
	}
	if len(list) > 0 || try(methodOPTIONS) {
		add(http.MethodOptions)
	}
	return string(list)
}

// below finds the Mux that is mounted where a request's path leads: what no route
// serves there, is answered in that Mux's middleware and as its fields say.
type below struct {
	routing
}

// newBelow returns the answers below the prefixes of mounts, which are themselves
// below prefix; nil without mounts. m is the Mux that routes.
func newBelow(m *Mux, around *fields, prefix string, mounts []*mounting) *below {
	if len(mounts) == 0 {
		return nil
	}
	c := newCompiler(m)
	seen := map[string]bool{}
	for _, mt := range mounts {
		full := prefix + mt.prefix
		f := mt.sub.readFields(around)
		h := wrapAll("Use", mt.sub.use, &unmatched{m, f, newBelow(m, f, full, mt.sub.set.mounts)})
		h = wrapAll("Pre", mt.sub.pre, h)
		for s := mt.scope; s.parent != nil; s = s.parent {
			h = wrapAll("Use", s.use, h)
		}
		for _, text := range []string{full, full + "/"} {
			p, err := pattern.Parse(cmp.Or(text, "/"))
			if err != nil || seen[p.Shape()] {
				continue // two mounted at one place: the first one answers
			}
			seen[p.Shape()] = true
			c.add(&registration{pattern: p, handler: h, scope: mt.scope}, []method{methodAny})
		}
	}
	t := c.finish()
	return &below{routing{base: *t, most: t.most}}
}

func (b *below) find(r *http.Request) http.Handler {
	s := b.newSearch()
	s.setPath(r)
	if s.path == "" || s.path[0] != '/' {
		return nil
	}
	if rt := b.matchPath(&s, methodAny, ""); rt != nil {
		return rt.handler
	}
	return nil
}
