package muxmaster

import (
	"net/http"
	"slices"
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
	// read. What WithContext returns has no such guard; a Clone needs none.
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
	base    tree             // routes without a host
	hosts   map[string]*tree // nil without any
	customs map[string]method
	methods uint16 // of all trees, as most
	most    int
	get     method // for GET requests, see served
	unusual bool   // no request can be served in the usual way
}

// live is what requests are served from. A registration leads to a new one.
type live struct {
	mux *Mux
	*fields
	routing
	recycle  routeFlags   // whose values are pooled: hasNames with poolValues, fastRoute with poolParams
	apart    bool         // no request goes the usual way
	entry    http.Handler // Pre middleware around the routing; nil without any
	fallback http.Handler // Use middleware around what no route serves
}

// ServeHTTP serves r by the route that matches it.
//
// It is the way of every request, and straight for a GET of a route without
// parameters, and for one with parameters whose values are pooled. Others go on in
// serveFast and serveOwn. What is not found at once, or is unusual, serveAny
// serves.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l := m.live.Load()
	if l == nil {
		l = m.build()
	}
	u := r.URL
	if l.apart || u.RawPath != "" {
		l.serveApart(w, r)
		return
	}
	path := u.Path
	if st := &l.base.static; st.mayHold(path) {
		if here, rt := st.find(&l.base, path); here != 0 {
			if rt.method != methodGET || r.Method != http.MethodGet {
				l.serveHere(w, r, here)
				return
			}
			r.Pattern = rt.pattern
			if routed(r) {
				dropValues(r, l.mux)
			}
			// Most handlers are functions; the call through ServeHTTP is saved.
			if f, ok := rt.handler.(http.HandlerFunc); ok {
				f(w, r)
			} else {
				rt.call(w, r)
			}
			return
		}
	}
	if l.recycle == 0 {
		l.serveOwn(w, r, path)
		return
	}
	code := l.get
	if r.Method != http.MethodGet {
		code = l.method(r.Method)
	}
	b := bundles.Get().(*bundle)
	rt := l.base.quick(l.base.root, path, &b.values, code)
	if rt == nil {
		l.fit(b)
		l.serveAny(w, r, b)
		return
	}
	if rt.flags&l.recycle != hasNames {
		l.serveFast(w, r, rt, b)
		return
	}
	vals := b.vals[:b.n]
	if !rt.setFirst(r, vals) {
		rt.names.setValues(r, vals)
		r.Pattern = rt.pattern
	}
	if f, ok := rt.handler.(http.HandlerFunc); ok {
		f(w, r)
	} else {
		rt.handler.ServeHTTP(w, r)
	}
	if !rt.names.clearOwn(r) {
		rt.names.clearValues(r)
	}
	retire(r)
	for i := len(vals) - 1; i >= 0; i-- {
		vals[i] = ""
	}
	b.n = 0
	bundles.Put(b)
}

// serveApart is ServeHTTP for requests that take another way than most.
func (l *live) serveApart(w http.ResponseWriter, r *http.Request) {
	if l.entry != nil {
		l.entry.ServeHTTP(w, r)
	} else {
		l.serve(w, r)
	}
}

// serve is what the middleware of Pre surrounds.
func (l *live) serve(w http.ResponseWriter, r *http.Request) {
	if l.unusual || r.URL.RawPath != "" {
		l.serveAny(w, r, l.bundle())
	} else if here, _ := l.base.static.findAny(&l.base, r.URL.Path); here != 0 {
		l.serveHere(w, r, here)
	} else if l.recycle != 0 {
		l.serveAny(w, r, l.bundle())
	} else {
		l.serveOwn(w, r, r.URL.Path)
	}
}

// serveHere serves a request for a path without parameters, whose routes begin at
// here.
func (l *live) serveHere(w http.ResponseWriter, r *http.Request, here leaf) {
	if rt := l.base.at(here, l.method(r.Method)); rt != nil {
		l.deliver(w, r, rt)
	} else {
		l.serveAny(w, r, l.bundle())
	}
}

// serveFast goes on with the route that b has found, if it is a fast one whose
// Params are pooled.
func (l *live) serveFast(w http.ResponseWriter, r *http.Request, rt *route, b *bundle) {
	if rt.flags&l.recycle == 0 {
		l.finish(w, r, rt, b)
		return
	}
	ps, vals := b.ps[:b.n], b.vals[:b.n]
	rt.names.fill(ps, vals)
	if !rt.setFirst(r, interleaved(ps)) {
		rt.names.setParams(r, ps)
		r.Pattern = rt.pattern
	}
	rt.handler.(fastHandler)(w, r, ps)
	if !rt.names.clearOwn(r) {
		rt.names.clearValues(r)
	}
	retire(r)
	for i := len(ps) - 1; i >= 0; i-- {
		ps[i].Value, vals[i] = "", ""
	}
	b.n = 0
	bundles.Put(b)
}

// serveOwn serves a request for a route with parameters without the pool: the
// values are the request's own. It delivers them as ServeHTTP does, in lines of
// its own that save a call.
func (l *live) serveOwn(w http.ResponseWriter, r *http.Request, path string) {
	m := l.get
	if r.Method != http.MethodGet {
		m = l.method(r.Method)
	}
	var few [fewValues]string
	found := values{vals: few[:]}
	rt := l.base.quick(l.base.root, path, &found, m)
	if rt == nil {
		l.serveAny(w, r, l.bundle())
		return
	}
	if rt.flags&hasNames == 0 {
		l.serveOwnFast(w, r, rt, few[:found.n])
		return
	}
	var vals []string
	if found.n == 1 {
		vals = []string{few[0]} // the same as below for less
	} else {
		vals = make([]string, found.n)
		for i := range vals {
			vals[i] = few[i] // for a few values, faster than copy
		}
	}
	if !rt.setFirst(r, vals) {
		rt.names.setValues(r, vals)
		r.Pattern = rt.pattern
	}
	if f, ok := rt.handler.(http.HandlerFunc); ok {
		f(w, r)
	} else {
		rt.handler.ServeHTTP(w, r)
	}
}

// serveOwnFast is the end of serveOwn for a fast route and one without values.
func (l *live) serveOwnFast(w http.ResponseWriter, r *http.Request, rt *route, vals []string) {
	if rt.names == nil {
		l.deliver(w, r, rt)
	} else {
		l.deliverFast(w, r, rt, rt.names.fill(make(Params, len(vals)), vals))
	}
}

// serveAny serves any request, less fast.
func (l *live) serveAny(w http.ResponseWriter, r *http.Request, b *bundle) {
	if r.RequestURI == "*" {
		b.release()
		// As http.ServeMux does; http.Server answers OPTIONS * by itself.
		if r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	l.finish(w, r, l.match(&b.search, r), b)
}

// finish goes on with the route that b has found, or with none.
func (l *live) finish(w http.ResponseWriter, r *http.Request, rt *route, b *bundle) {
	switch {
	case rt == nil || b.redirects(rt):
		b.release()
		l.fail(w, r)
	case rt.names == nil:
		b.release()
		l.deliver(w, r, rt)
	case rt.flags&fastRoute == 0 && !l.poolValues:
		vals := b.vals[:b.n]
		if direct { // SetPathValue copies them
			vals = slices.Clone(vals)
		}
		rt.names.setValues(r, vals)
		r.Pattern = rt.pattern
		b.release()
		rt.handler.ServeHTTP(w, r)
	case rt.flags&fastRoute == 0:
		rt.names.setValues(r, b.vals[:b.n])
		r.Pattern = rt.pattern
		rt.handler.ServeHTTP(w, r)
		rt.names.clearValues(r)
		retire(r)
		b.release()
	case !l.poolParams:
		ps := rt.names.fill(make(Params, b.n), b.vals)
		b.release()
		l.deliverFast(w, r, rt, ps)
	default:
		l.deliverFast(w, r, rt, rt.names.fill(b.ps[:b.n], b.vals))
		rt.names.clearValues(r)
		retire(r)
		b.release()
	}
}

// deliver hands the request to a route without values.
func (l *live) deliver(w http.ResponseWriter, r *http.Request, rt *route) {
	r.Pattern = rt.pattern
	if hasValues(r) {
		dropValues(r, l.mux)
	}
	rt.call(w, r)
}

// call calls the handler of a route without values.
func (rt *route) call(w http.ResponseWriter, r *http.Request) {
	if rt.flags&fastRoute != 0 {
		rt.handler.(fastHandler)(w, r, nil)
	} else {
		rt.handler.ServeHTTP(w, r)
	}
}

// deliverFast hands the request to a fast route with values.
func (l *live) deliverFast(w http.ResponseWriter, r *http.Request, rt *route, ps Params) {
	rt.names.setParams(r, ps)
	r.Pattern = rt.pattern
	rt.handler.(fastHandler)(w, r, ps)
}

// fill sets ps to the names and the values.
func (n *names) fill(ps Params, vals []string) Params {
	for i := range ps {
		ps[i] = Param{n.key(i), vals[i]}
	}
	return ps
}

// method returns the method whose routes are to be looked for first for a request
// of the method with the name.
func (l *routing) method(name string) method {
	m := standardMethod(name)
	if m < firstCustom && l.methods>>m&1 != 0 { // served would say the same
		return m
	}
	if m == methodUnknown {
		if custom, ok := l.customs[name]; ok {
			m = custom
		}
	}
	return l.served(m)
}

// served returns m or, if there is no route for it, the one that stands in for it.
func (l *routing) served(m method) method {
	switch {
	case l.methods&m.class() != 0:
		return m
	case m == methodHEAD:
		return l.served(methodGET)
	case l.methods&anyClass != 0:
		return methodAny
	}
	return m
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

// newSearch returns a search with room for the values of any route.
func (l *routing) newSearch() search { return search{values: values{vals: make([]string, l.most)}} }

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
	s.path, s.text = r.URL.Path, ""
	if r.URL.RawPath == "" {
		return
	}
	escaped := r.URL.EscapedPath()
	if !hasEscapedSlash(escaped) {
		return
	}
	s.text = s.path
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
	s := l.newSearch()
	rt := l.match(&s, r)
	if rt == nil || s.redirects(rt) {
		return l.fallback, l.decide(r, l.fields).pattern
	}
	return rt.handler, rt.pattern
}
