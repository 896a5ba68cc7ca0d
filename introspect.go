package muxmaster

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Route describes a registered route.
type Route struct {
	Method     string   // "" for every method
	Host       string   // "" for every host
	Pattern    string   // the path part of the pattern
	Handler    string   // name of the handler's function or type
	File       string   // where it was registered
	Line       int      //
	Fast       bool     // a FastHandler
	Middleware []string // names of the middleware around it, outermost first
}

// String returns the route as a line of a table: method, host and path, handler,
// and where it was registered.
func (r Route) String() string {
	return fmt.Sprintf("%-7s %s  %s  %s:%d", cmp.Or(r.Method, "*"), r.Host+r.Pattern, r.Handler, r.File, r.Line)
}

// Routes returns the routes of m, those of Muxes mounted on it included, ordered
// by host, path and method; a route for several methods is one for each. It sees
// the routes as they are when it is called.
func (m *Mux) Routes() iter.Seq[Route] {
	rts, methods := m.snapshot()
	return func(yield func(Route) bool) {
		for i, rt := range rts {
			if !yield(m.describe(rt, methods[i])) {
				return
			}
		}
	}
}

// snapshot returns all routes in the order of Routes, and their methods.
func (m *Mux) snapshot() (rts []route, methods []string) {
	registering.Lock()
	defer registering.Unlock()
	for _, t := range m.set.compile(m).trees() {
		rts = append(rts, t.routes...)
	}
	slices.SortStableFunc(rts, func(a, b route) int {
		return cmp.Or(strings.Compare(a.host(), b.host()), strings.Compare(a.pathText(), b.pathText()), cmp.Compare(a.method, b.method))
	})
	// A path with a trailing slash stands in both tables of its tree.
	rts = slices.CompactFunc(rts, func(a, b route) bool { return a.seq == b.seq && a.method == b.method })
	for _, rt := range rts {
		methods = append(methods, m.set.methodName(rt.method))
	}
	return rts, methods
}

// host returns the host of the route's pattern as it was registered.
func (rt *route) host() string {
	head := rt.pattern[:rt.path]
	return head[strings.LastIndexAny(head, " \t")+1:]
}

func (m *Mux) describe(rt route, method string) Route {
	registering.Lock()
	inner, ok := m.set.inner[rt.seq]
	registering.Unlock()
	if !ok {
		inner = rt.handler
	}
	d := Route{Method: method, Host: rt.host(), Pattern: rt.pathText(), Handler: handlerName(inner), Fast: rt.flags&fastRoute != 0}
	d.File, d.Line = location(rt.pc)
	for s := rt.scope; s != nil; s = s.parent {
		var names []string
		if d.Fast {
			for _, mw := range s.fast {
				names = append(names, funcName(mw))
			}
		} else {
			for _, mw := range s.use {
				names = append(names, funcName(mw))
			}
		}
		d.Middleware = append(names, d.Middleware...)
	}
	return d
}

func handlerName(h http.Handler) string {
	switch h := h.(type) {
	case *errorHandler:
		return funcName(h.f)
	}
	return funcName(h)
}

// An Explanation says which route serves a request, and why no other one does.
type Explanation struct {
	Method   string
	Target   string
	Route    *Route // nil if no route matches
	Status   int    // of the answer if no route serves: 404, 405, 204 for OPTIONS, or a redirect's; 0 if one does
	Location string // of a redirect
	Allow    string // of a 405 or an OPTIONS answer
	// Candidates are all routes in the order of their precedence for this
	// request, each with what rules it out: "" for the one that serves it.
	Candidates []Candidate
}

// A Candidate is a route as an [Explanation] sees it.
type Candidate struct {
	Route
	Reason string
}

// Explain tells how m would route a request of the method for the target, a path
// with or without a query, or a URL with a host. It runs no middleware.
func (m *Mux) Explain(method, target string) Explanation {
	e := Explanation{Method: method, Target: target}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		e.Status = http.StatusBadRequest
		return e
	}
	r := &http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}}
	l := m.peek()
	s := l.newSearch()
	won := l.match(&s, r)
	if won != nil && s.redirects(won) {
		won = nil
	}
	if won == nil {
		o := l.decide(r, l.fields)
		e.Location, e.Allow = o.location, o.allow
		switch {
		case o.location != "":
			e.Status = http.StatusTemporaryRedirect
		case o.allow == "":
			e.Status = http.StatusNotFound
		case method == http.MethodOptions:
			e.Status = http.StatusNoContent
		default:
			e.Status = http.StatusMethodNotAllowed
		}
	}
	rts, methods := m.snapshot()
	for i, rt := range rts {
		c := Candidate{Route: m.describe(rt, methods[i])}
		if won != nil && rt.seq == won.seq && rt.method == won.method {
			route := c.Route
			e.Route = &route
		} else {
			c.Reason = ruledOut(&rt, methods[i], r, won)
		}
		e.Candidates = append(e.Candidates, c)
	}
	slices.SortStableFunc(e.Candidates, func(a, b Candidate) int { return cmp.Compare(a.rank(), b.rank()) })
	return e
}

// peek returns what decides a request, without the handlers that would serve it;
// unlike a request it leaves the fields of m open.
func (m *Mux) peek() *live {
	if l := m.live.Load(); l != nil {
		return l
	}
	registering.Lock()
	defer registering.Unlock()
	return &live{mux: m, fields: m.readFields(&fields{}), routing: *m.set.compile(m)}
}

// rank puts the winner first, then what matched and lost, then what came close.
func (c Candidate) rank() int {
	switch {
	case c.Reason == "":
		return 0
	case strings.HasPrefix(c.Reason, "matches"):
		return 1
	case strings.HasPrefix(c.Reason, "the method"):
		return 2
	case strings.HasPrefix(c.Reason, "the host"):
		return 4
	}
	return 3
}

// ruledOut says why rt does not serve r. It compares the pattern with the path
// segment by segment, without the tree.
func ruledOut(rt *route, method string, r *http.Request, won *route) string {
	p, err := parse(rt.pattern, rt.flags)
	if err != nil {
		return err.Error()
	}
	if host := pattern.Host(r.Host); p.Host != "" && p.Host != host {
		return fmt.Sprintf("the host %q is not %q", r.Host, p.Host)
	}
	if why := pathMismatch(p, r.URL.EscapedPath()); why != "" {
		return why
	}
	if method != "" && method != r.Method && !(method == http.MethodGet && r.Method == http.MethodHead) {
		return fmt.Sprintf("the method %s is not %s", r.Method, method)
	}
	if won == nil {
		return "matches, but a redirect comes first"
	}
	return fmt.Sprintf("matches too, but %q comes first", won.pattern)
}

// pathMismatch says where the pattern and the escaped path part, "" if they do
// not.
func pathMismatch(p *pattern.Pattern, path string) string {
	for _, seg := range p.Segs {
		if path == "" || path == "/" {
			return fmt.Sprintf("the path ends before %s", segmentText(seg))
		}
		end := strings.IndexByte(path[1:], '/') + 1
		if end == 0 {
			end = len(path)
		}
		text := unescape(path[1:end])
		path = path[end:]
		ok := text != "" && !dots(text)
		switch seg.Kind() {
		case pattern.Literal:
			ok = text == seg[0].Text
		case pattern.Mixed, pattern.Constrained:
			sp := newSpecial(seg)
			s := search{path: text, values: values{vals: make([]string, len(seg))}}
			ok = ok && sp.match(&s, 0, len(text))
		}
		if !ok {
			return fmt.Sprintf("the segment %q is not %s", text, segmentText(seg))
		}
	}
	switch {
	case p.End == pattern.Exact && path == "/":
		return "the path has a trailing slash"
	case p.End == pattern.Exact && path != "":
		return fmt.Sprintf("the path goes on with %s", path)
	case p.End == pattern.Slash && path == "", p.End == pattern.All && path == "":
		return "the path has no slash at its end"
	case p.End == pattern.Slash && path != "/":
		return fmt.Sprintf("the path goes on with %s", path)
	case p.Rest != "" && hasEscapedSlash(path) && dotInside(unescape(path[1:])):
		return fmt.Sprintf("the rest %s has a . or .. behind an escaped slash", path)
	}
	return ""
}

// String returns the explanation as text: the outcome, then the candidates, one a
// line.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", e.Method, e.Target)
	switch {
	case e.Route != nil:
		fmt.Fprintf(&b, "%s by %s (%s:%d)\n", e.Route.Host+e.Route.Pattern, e.Route.Handler, e.Route.File, e.Route.Line)
	case e.Location != "":
		fmt.Fprintf(&b, "%d, to %s\n", e.Status, e.Location)
	case e.Allow != "":
		fmt.Fprintf(&b, "%d, Allow: %s\n", e.Status, e.Allow)
	default:
		fmt.Fprintf(&b, "%d\n", e.Status)
	}
	for _, c := range e.Candidates {
		mark := " "
		if c.Reason == "" {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %-7s %-32s %s\n", mark, cmp.Or(c.Method, "*"), c.Host+c.Pattern, cmp.Or(c.Reason, "serves it"))
	}
	return b.String()
}
