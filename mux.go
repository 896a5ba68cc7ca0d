package muxmaster

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Mux is a router: an [http.Handler] that serves each request by the handler of
// the route that matches it. Make one with [New].
//
// Its fields are read when the first request arrives; what is set later has no
// effect. Routes may be registered at any time and from any goroutine, and
// take effect for the requests that start afterwards.
type Mux struct {
	scope

	// PoolRequestBundle recycles the storage of path values on http.Handler
	// routes, so that a request allocates nothing. In exchange, a handler
	// must not read path values from its request after it has returned: a
	// request kept for longer answers "", and the race detector reports the
	// read. A copy made of it, by WithContext or Clone, has no such guard.
	PoolRequestBundle bool

	// PoolFastParams recycles the Params of fast routes. In exchange, a
	// FastHandler must not use them after it has returned.
	PoolFastParams bool

	// RedirectTrailingSlash redirects /x/ to /x or back, where only the
	// other one has a route for the method. It concerns routes of the verb
	// methods; those of Handle and its kin follow net/http's rule, that /x is
	// redirected to /x/ where /x/ has a route, and never the other way.
	RedirectTrailingSlash bool

	// NotFound and MethodNotAllowed answer requests that no route matches, or
	// none for the method. Allow is set before MethodNotAllowed runs. If
	// nil, the answers are those of net/http.
	NotFound         http.Handler
	MethodNotAllowed http.Handler

	// ErrorHandler answers the requests for which a HandlerFuncE returned an
	// error. If nil, see [HandlerFuncE].
	ErrorHandler func(http.ResponseWriter, *http.Request, error)

	pre  []func(http.Handler) http.Handler
	live atomic.Pointer[live] // nil: to be built for the next request
	set  routeSet

	building sync.Mutex // held to make live
	fields   *fields    // as the first request found them
	mark     byte       // its address tells whose path values a request holds
}

// New returns a Mux without routes, that redirects trailing slashes.
func New() *Mux {
	m := &Mux{RedirectTrailingSlash: true}
	m.scope.mux = m
	return m
}

// routing is the compiled routes of a Mux. It is immutable.
type routing struct {
	base     tree             // routes without a host
	hosts    map[string]*tree // nil without any
	customs  map[string]method
	methods  uint16 // of all trees, as maxMarks
	maxMarks int
	unusual  bool // no request can be served in the usual way
}

// live is what requests are served from. A registration leads to a new one.
type live struct {
	mux *Mux
	*fields
	*routing
	entry    http.Handler // Pre middleware around the routing; nil without any
	fallback http.Handler // Use middleware around what no route serves
}

// ServeHTTP serves r by the route that matches it. It is the way of every
// request; what leaves it, at the first branch of serve, is a request by host, of
// the method CONNECT or with an escaped path that cannot be taken as it is, and
// at the second, one that no route matches.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l := m.live.Load()
	if l == nil {
		l = m.build()
	}
	if l.entry != nil {
		l.entry.ServeHTTP(w, r)
		return
	}
	l.serve(w, r)
}

// fewMarks is how many values a route has at the most for the usual way; with
// more, clearing the room for their marks would cost every request.
const fewMarks = 8

func (l *live) serve(w http.ResponseWriter, r *http.Request) {
	u := r.URL
	if l.unusual || u.RawPath != "" || u.Path == "" || u.Path[0] != '/' || r.Method == http.MethodConnect {
		l.serveUnusual(w, r)
		return
	}
	var marks [fewMarks]mark
	s := search{path: u.Path, text: u.Path, marks: marks[:]}
	rt := l.base.find(&s, l.method(r.Method))
	if rt == nil || s.redirects(rt) {
		l.fail(w, r)
		return
	}
	l.deliver(w, r, rt, &s)
}

// method returns the number of a request's method.
func (l *routing) method(name string) method {
	if name == http.MethodGet {
		return methodGET
	}
	if m := standardMethod(name); m != methodUnknown {
		return m
	}
	if m, ok := l.customs[name]; ok {
		return m
	}
	return methodUnknown
}

// deliver hands the request to its route's handler, with the values that s has
// marked.
func (l *live) deliver(w http.ResponseWriter, r *http.Request, rt *route, s *search) {
	r.Pattern = rt.pattern
	switch {
	case rt.names == nil:
		dropValues(r, l.mux)
		if rt.flags&fastRoute != 0 {
			rt.handler.(fastHandler)(w, r, nil)
			return
		}
		serveBy(rt.handler, w, r)

	case rt.flags&fastRoute != 0:
		if l.poolParams {
			b := getParams(s.n)
			s.params(b.ps, rt.names)
			rt.names.setParams(r, b.ps)
			rt.handler.(fastHandler)(w, r, b.ps)
			rt.names.clearValues(r)
			b.release()
			return
		}
		ps := make(Params, s.n)
		s.params(ps, rt.names)
		rt.names.setParams(r, ps)
		rt.handler.(fastHandler)(w, r, ps)

	case l.poolValues:
		b := getValues(s.n)
		s.values(b.vals)
		rt.names.setValues(r, b.vals)
		serveBy(rt.handler, w, r)
		rt.names.clearValues(r)
		b.release()

	default:
		vals := make([]string, s.n)
		s.values(vals)
		rt.names.setValues(r, vals)
		serveBy(rt.handler, w, r)
	}
}

// serveBy saves a HandlerFunc, which most handlers are, the call through its
// method.
func serveBy(h http.Handler, w http.ResponseWriter, r *http.Request) {
	if f, ok := h.(http.HandlerFunc); ok {
		f(w, r)
		return
	}
	h.ServeHTTP(w, r)
}

// values fills in the marked values.
func (s *search) values(vals []string) {
	for i := range vals {
		m := s.marks[i]
		vals[i] = s.text[m.start:m.end]
	}
}

func (s *search) params(ps Params, n *names) {
	for i := range ps {
		m := s.marks[i]
		ps[i] = Param{n.key(i), s.text[m.start:m.end]}
	}
}

// serveUnusual is serve for the other requests.
func (l *live) serveUnusual(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI == "*" {
		// As http.ServeMux does; http.Server answers OPTIONS * by itself.
		if r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var few [4 * fewMarks]mark
	s := search{marks: few[:]}
	if l.maxMarks > len(few) {
		s.marks = make([]mark, l.maxMarks)
	}
	rt := l.match(&s, r)
	if rt == nil || s.redirects(rt) {
		l.fail(w, r)
		return
	}
	l.deliver(w, r, rt, &s)
}

// match finds the route for any request; nil too for one whose path is not
// clean.
func (l *routing) match(s *search, r *http.Request) *route {
	s.setPath(r)
	if s.path == "" || s.path[0] != '/' {
		return nil
	}
	return l.matchPath(s, l.method(r.Method), r.Host)
}

// matchPath finds the route for the path that s is set to.
func (l *routing) matchPath(s *search, m method, host string) *route {
	if l.hosts != nil && host != "" {
		if t := l.hosts[pattern.Host(host)]; t != nil {
			if rt := t.find(s, m); rt != nil {
				return rt
			}
		}
	}
	return l.base.find(s, m)
}

// setPath sets s to the path of r as routes see it: the decoded path, split where
// the escaped one has a slash. Where they split alike, which is but for a %2F,
// the decoded path is all there is to it. Otherwise path has another byte in
// place of the slashes that do not split.
func (s *search) setPath(r *http.Request) {
	s.raw = r.Method == http.MethodConnect
	s.path, s.text = r.URL.Path, r.URL.Path
	if r.URL.RawPath == "" {
		return
	}
	escaped := r.URL.EscapedPath()
	if !hasEscapedSlash(escaped) {
		return
	}
	path := make([]byte, 0, len(s.text))
	for i := 0; i < len(escaped); i++ {
		switch {
		case escaped[i] != '%':
			path = append(path, escaped[i])
			continue
		case isEscapedSlash(escaped[i:]):
			path = append(path, slashInside)
		default:
			path = append(path, s.text[len(path)])
		}
		i += 2
	}
	s.path = string(path)
}

// slashInside stands for a slash that does not split the path. It occurs in no
// UTF-8 text; literals with it are compared with the text itself, see child.
const slashInside = 0xFF

func isEscapedSlash(s string) bool {
	return len(s) >= 3 && s[0] == '%' && s[1] == '2' && s[2]|0x20 == 'f'
}

func hasEscapedSlash(escaped string) bool {
	for {
		i := strings.IndexByte(escaped, '%')
		if i < 0 {
			return false
		}
		if isEscapedSlash(escaped[i:]) {
			return true
		}
		escaped = escaped[i+1:]
	}
}

// Handler returns the handler that would serve r, and the pattern of its route,
// as http.ServeMux does: for a redirect the pattern of the route it leads to, ""
// where no route matches. It changes nothing in r: the handler of a route with
// parameters finds no path values in it.
func (m *Mux) Handler(r *http.Request) (h http.Handler, pattern string) {
	l := m.current()
	var few [fewMarks]mark
	s := search{marks: few[:]}
	if l.maxMarks > len(few) {
		s.marks = make([]mark, l.maxMarks)
	}
	rt := l.match(&s, r)
	if rt == nil || s.redirects(rt) {
		return l.fallback, l.decide(r, l.fields).pattern
	}
	return rt.handler, rt.pattern
}
