package muxmaster_test

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// This file compares the router with the reference: random routes, in two
// orders, and random requests near them.

// holdMux compares the Mux with the reference for one input.
func holdMux(t *testing.T, routes, requests []byte) {
	c := trietest.Choices(routes)
	registration, ref := trietest.Registration(c.Pick(3)), refMux{redirectSlash: c.Pick(2) == 0, redirectCase: c.Pick(2) == 0}
	pooled := c.Pick(2) == 1
	ref.routes = c.Routes(registration, 40)
	mux, kept := ref.build(t, pooled, false)
	outer := mounted(mux, len(routes))

	shuffled := refMux{redirectSlash: ref.redirectSlash, redirectCase: ref.redirectCase, routes: slices.Clone(kept.routes)}
	rand.New(rand.NewPCG(uint64(len(routes)), 7)).Shuffle(len(shuffled.routes), func(i, j int) {
		shuffled.routes[i], shuffled.routes[j] = shuffled.routes[j], shuffled.routes[i]
	})
	mux2, _ := shuffled.build(t, pooled, true)
	stable := kept.routes.Ordered()

	c = requests
	for c.More() {
		method := trietest.Of(&c, trietest.RequestMethods)
		host := trietest.Of(&c, trietest.RequestHosts)
		query := []string{"", "?q=/../x"}[c.Pick(2)]
		target := c.Target(kept.routes)
		r, err := readRequest(host, method, target+query)
		if err != nil {
			continue
		}
		escaped := wirePath(r)
		got := ask(mux, r)
		if wrong := kept.check(method, host, escaped, query, got); wrong != "" {
			t.Errorf("%s %s%s: %q, %s\nroutes: %q", method, host, target, got.brief(), wrong, kept.routes.Patterns())
		}
		asked, _ := readRequest(host, method, target+query)
		if _, pattern := mux.Handler(asked); got.status == 200 && pattern != r.Pattern {
			t.Errorf("Handler(%s %s%s): %q, served by %q\nroutes: %q", method, host, target, pattern, r.Pattern, kept.routes.Patterns())
		}
		if wrong := leadsNowhere(mux, method, host, target+query); wrong != "" {
			t.Errorf("%s %s%s: %s\nroutes: %q", method, host, target+query, wrong, kept.routes.Patterns())
		}
		if c.Pick(4) == 0 { // not always, because it parses all patterns again
			e := mux.Explain(method, "http://"+host+escaped+query)
			if wrong := kept.explained(e, host, escaped, r.Pattern, got); wrong != "" {
				t.Errorf("Explain(%s %s%s): %s\nroutes: %q", method, host, target, wrong, kept.routes.Patterns())
			}
		}
		// The Mux answers alike below a mount.
		if r, err := readRequest(host, method, "/p/q"+target+query); err == nil && method != "CONNECT" && trietest.SplitPath(target).Clean() && !wirepath.DotInside(wirepath.Decode(target)) {
			want, below := got, ask(outer, r)
			if want.location != "" {
				want.location, want.body, below.body = "/p/q"+want.location, "", "" // the body has the location
			}
			if below != want {
				t.Errorf("%s %s%s: %q, but below mount %d %q\nroutes: %q", method, host, target, want.brief(), len(routes), below.brief(), kept.routes.Patterns())
			}
		}
		r2, _ := readRequest(host, method, target+query)
		got2 := ask(mux2, r2)
		if wrong := shuffled.check(method, host, escaped, query, got2); wrong != "" {
			t.Errorf("%s %s%s: %q, %s\nroutes: %q", method, host, target, got2.brief(), wrong, shuffled.routes.Patterns())
		}
		if stable {
			name := func(m refMux, a answer) string {
				var k int
				var vals []string
				if a.status == 200 && parseServed(a.body, &k, &vals) {
					return fmt.Sprintf("%s %q", m.routes[k].Pattern(), vals)
				}
				return a.brief()
			}
			if a, b := name(kept, got), name(shuffled, got2); a != b {
				t.Errorf("%s %s%s: %s, but %s with the routes in another order\nroutes: %q", method, host, target, a, b, kept.routes.Patterns())
			}
		}
	}
}

// leadsNowhere follows redirects, and says where they go on for more than two
// steps.
func leadsNowhere(mux *muxmaster.Mux, method, host, target string) string {
	way := []string{target}
	for {
		r, err := readRequest(host, method, target)
		if err != nil {
			return fmt.Sprintf("redirected to what is no request target: %q", way)
		}
		a := ask(mux, r)
		if a.status != 307 {
			return ""
		}
		if target = a.location; slices.Contains(way, target) || len(way) > 2 {
			return fmt.Sprintf("redirected on and on: %q", append(way, target))
		}
		way = append(way, target)
	}
}

// wirePath is the path of r as it came.
func wirePath(r *http.Request) string {
	if r.URL.RawPath != "" {
		return r.URL.RawPath
	}
	return r.URL.EscapedPath()
}

// explained says where an explanation does not tell what happened to the
// request.
func (m refMux) explained(e muxmaster.Explanation, host, escaped, pattern string, got answer) string {
	status := e.Status
	if e.Route != nil {
		status = 200
		if p := e.Route.Pattern; !strings.HasSuffix(pattern, p) {
			return fmt.Sprintf("it names %q, served by %q", p, pattern)
		}
	}
	if status != got.status || e.Location != got.location || e.Allow != got.allow {
		return fmt.Sprintf("it says %d %q %q", status, e.Location, e.Allow)
	}
	if len(e.Candidates) != len(m.routes) {
		return fmt.Sprintf("%d candidates of %d routes", len(e.Candidates), len(m.routes))
	}
	path := trietest.SplitPath(escaped)
	if e.Method == "CONNECT" || !path.Clean() {
		return ""
	}
	for _, c := range e.Candidates {
		// A verb method's /x/ and that of Handle look alike here.
		known, yes, no := false, false, false
		for _, rt := range m.routes {
			if rt.Method == c.Method && rt.Host == c.Host && rt.Path() == c.Pattern {
				known = true
				_, hostOK := trietest.HostValues(rt.Host, host)
				matches := hostOK && rt.Serving(e.Method) >= 0 && rt.Matches(path)
				yes, no = yes || matches, no || !matches
			}
		}
		if says := c.Reason == "" || strings.HasPrefix(c.Reason, "matches"); !known || says && !yes || !says && !no {
			return fmt.Sprintf("the candidate %v: %q, a route: %v, matches: %v", c.Route, c.Reason, known, yes)
		}
	}
	return ""
}

func TestReference(t *testing.T) { trietest.Random(t, 250, 150, holdMux) }
func FuzzMatch(f *testing.F)     { trietest.Fuzz(f, holdMux) }

// This file compares the router with the reference where routes are in Groups
// and in Muxes that are mounted, at any depth: which middleware runs, and who
// answers what no route serves.

// A refScope is a Mux or a Group, which Host may have made.
type refScope struct {
	name       string
	parent     *refScope // the scope around; for a mounted Mux, where it is mounted
	mux        bool
	host       string             // of it or a scope around; "" for every one
	segs       []trietest.Segment // of its whole prefix
	own        int                // how many of them are its own
	notFound   bool
	notAllowed bool
	real       muxmaster.Router
}

var scopeSegs = []trietest.Segment{
	trietest.Literal("a"), trietest.Literal("b"), trietest.Literal("a"),
	trietest.NewSegment("{p#}", trietest.Param),
	trietest.NewSegment("{p#:[0-9]+}", trietest.Expr("[0-9]+")),
	trietest.NewSegment("a{p#}", trietest.Text("a"), trietest.Param),
	trietest.NewSegment("a%2Fb", trietest.Text("a/b")),
}

var scopeHosts = []string{"", "", "", "", "a.x", "{h}.x"}

var scopePathSegs = []string{"a", "b", "1", "ab", "c", "a%2Fb", "%61", "22"}

// written is the text of segments whose parameters are named after a scope.
func written(segs []trietest.Segment, tag string) string {
	var b strings.Builder
	for i, s := range segs {
		b.WriteString("/" + strings.ReplaceAll(s.Written, "#", fmt.Sprint(tag, i)))
	}
	return b.String()
}

// chain returns the output of the middleware around the scope.
func (s *refScope) chain() string {
	if s.parent == nil {
		return s.name + " "
	}
	return s.parent.chain() + s.name + " "
}

// within reports whether s is other or inside of it.
func (s *refScope) within(other *refScope) bool {
	return s == other || s.parent != nil && s.parent.within(other)
}

// covers reports whether a request is for the scope's host, and at or below its
// prefix.
func (s *refScope) covers(host string, p trietest.Path) bool {
	if _, ok := trietest.HostValues(s.host, host); !ok {
		return false
	}
	rt := trietest.Route{Segs: s.segs, End: trietest.All}
	return rt.Matches(p) || trietest.Route{Segs: s.segs}.Matches(p)
}

// answerer is the name of the scope whose NotFound or MethodNotAllowed is used.
func (s *refScope) answerer(has func(*refScope) bool) string {
	for !has(s) {
		s = s.parent
	}
	return s.name
}

// in returns the Mux that s is or belongs to.
func (s *refScope) in() *refScope {
	for !s.mux {
		s = s.parent
	}
	return s
}

// A scopedMux is a refMux whose routes belong to scopes. A mounted Mux is two
// routes of the scope around, for its prefix and for what is below it.
type scopedMux struct {
	refMux
	scopes  []*refScope
	scope   []*refScope // of each route
	mounted []*refScope // the Mux that a route mounts, or nil
}

func (m *scopedMux) add(rt trietest.Route, scope, mounted *refScope) {
	m.routes, m.scope, m.mounted = append(m.routes, rt), append(m.scope, scope), append(m.mounted, mounted)
}

// grow makes scopes and routes of the choices, in both routers. Between them it
// asks the real one, which then has to add to what it has compiled.
func (m *scopedMux) grow(t *testing.T, c *trietest.Choices) *muxmaster.Mux {
	newScope := func(s refScope) *refScope {
		s.name = fmt.Sprint("s", len(m.scopes))
		s.notFound = s.mux || c.Pick(2) == 0
		s.notAllowed = s.mux || c.Pick(2) == 0
		m.scopes = append(m.scopes, &s)
		s.real.Use(trace(s.name))
		return &s
	}
	bare := func(pooled bool) *muxmaster.Mux {
		mux := newMux(pooled)
		mux.RedirectTrailingSlash = false
		return mux
	}
	root := bare(c.Pick(2) == 0)
	newScope(refScope{mux: true, real: root})
	for range 1 + c.Pick(5) {
		parent := trietest.Of(c, m.scopes)
		s := refScope{parent: parent, mux: c.Pick(2) == 0, host: parent.host, segs: slices.Clone(parent.segs), own: 1 + c.Pick(2)}
		if host := trietest.Of(c, scopeHosts); host != "" && s.host == "" {
			s.host, s.mux, s.own = host, false, 0
		}
		for range s.own {
			s.segs = append(s.segs, trietest.Of(c, scopeSegs))
		}
		if slices.ContainsFunc(m.scopes, func(o *refScope) bool {
			return o.host == s.host && (trietest.Route{Segs: o.segs}).Shape() == (trietest.Route{Segs: s.segs}).Shape()
		}) {
			continue // two scopes of one prefix have a test of their own
		}
		prefix := written(s.segs[len(parent.segs):], fmt.Sprint("s", len(m.scopes), "_"))
		switch {
		case s.own == 0:
			s.real = parent.real.Host(s.host)
			newScope(s)
			continue
		case !s.mux:
			s.real = parent.real.Group(prefix)
			newScope(s)
			continue
		}
		sub := bare(c.Pick(2) == 0)
		s.real = sub
		mounted := newScope(s)
		parent.real.Mount(prefix, sub)
		m.add(trietest.Route{Host: s.host, Segs: s.segs, Later: 2}, parent, mounted)
		m.add(trietest.Route{Host: s.host, Segs: s.segs, End: trietest.All}, parent, mounted)
	}
	for _, s := range m.scopes {
		name := s.name
		answer := func(kind string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, kind, name) })
		}
		var notFound, notAllowed http.Handler
		if s.notFound {
			notFound = answer("404 ")
		}
		if s.notAllowed {
			notAllowed = answer("405 ")
		}
		switch real := s.real.(type) {
		case *muxmaster.Mux:
			real.NotFound, real.MethodNotAllowed = notFound, notAllowed
		case *muxmaster.Group:
			real.NotFound, real.MethodNotAllowed = notFound, notAllowed
		}
	}
	for c.More() && len(m.routes) < 60 {
		m.route(t, c, root)
		if c.Pick(4) == 1 {
			ask(root, request(t, "GET", "/"))
		}
	}
	return root
}

// route adds a route to a scope.
func (m *scopedMux) route(t *testing.T, c *trietest.Choices, root *muxmaster.Mux) {
	s := trietest.Of(c, m.scopes)
	rt := trietest.Route{Method: []string{"GET", "GET", "POST", "", "HEAD", "OPTIONS", "PUT"}[c.Pick(7)], Host: s.host, Segs: slices.Clone(s.segs), Verb: true}
	for range c.Pick(3) {
		rt.Segs = append(rt.Segs, trietest.Of(c, scopeSegs))
	}
	own := rt.Segs[len(s.segs):]
	path := written(own, fmt.Sprintf("r%d_", len(m.routes)))
	switch c.Pick(4) {
	case 0:
		path, rt.End = path+"/", trietest.Slash
	case 1:
		path, rt.End, rt.Named = path+"/{rest...}", trietest.All, true
	}
	if path == "" && len(s.segs) == len(s.in().segs) { // no Group with a prefix
		path, rt.End = "/", trietest.Slash
	}
	conflict := false
	for i, o := range m.routes {
		conflict = conflict || o.Later == 0 && m.scope[i].in() == s.in() && o.Conflicts(rt)
	}
	text := panics(func() {
		if rt.Method == "" {
			s.real.ANY(path, serves(len(m.routes)))
		} else {
			s.real.Method(rt.Method, path, serves(len(m.routes)))
		}
	})
	if (text != "") != conflict {
		t.Fatalf("%s.%s(%q): panic %q, conflict expected: %v\n%s", s.name, rt.Method, path, text, conflict, m)
	}
	if conflict {
		return
	}
	m.add(rt, s, nil)
	if len(own) == 0 && rt.End == trietest.Slash && len(s.segs) > 0 { // its root serves the bare prefix
		bare := rt
		bare.End, bare.Later = trietest.Exact, 1
		m.add(bare, s, nil)
		m.routes[len(m.routes)-1].Ending = fmt.Sprint(len(m.routes) - 2) // which handler
	}
}

func (m *scopedMux) String() string {
	var b strings.Builder
	for _, s := range m.scopes {
		kind := "Group"
		if s.mux {
			kind = "Mux"
		}
		fmt.Fprintf(&b, "%s%s at %q\n", s.chain(), kind, s.host+written(s.segs, ""))
	}
	for i, rt := range m.routes {
		if m.mounted[i] == nil {
			fmt.Fprintf(&b, "%d: %s %s %q end %d\n", i, m.scope[i].name, rt.Method, rt.Host+written(rt.Segs, ""), rt.End)
		}
	}
	return b.String()
}

// finds returns the route for a request to a Mux, or -1, and the Mux mounted there that
// has it, or responds.
func (m *scopedMux) finds(at *refScope, method, host string, p trietest.Path) (k int, in *refScope) {
	var own trietest.Routes
	var numbers []int
	for i, rt := range m.routes {
		if m.scope[i].in() == at {
			own, numbers = append(own, rt), append(numbers, i)
		}
	}
	found := own.Find(method, host, p)
	if len(found) == 0 {
		return -1, at
	}
	k = numbers[found[0]]
	if m.mounted[k] != nil {
		return m.finds(m.mounted[k], method, host, p)
	}
	return k, at
}

// check returns an error if a response is wrong.
func (m *scopedMux) check(method, host string, p trietest.Path, got answer) string {
	k, in := m.finds(m.scopes[0], method, host, p)
	if k >= 0 {
		chain, served := m.scope[k].chain(), 0
		body, ok := strings.CutPrefix(got.body, chain)
		var vals []string
		if got.status != 200 || !ok || !parseServed(body, &served, &vals) {
			return fmt.Sprintf("want %sand route %d", chain, k)
		}
		want := k
		if m.routes[k].Later == 1 {
			fmt.Sscan(m.routes[k].Ending, &want)
		}
		if served != want || !m.routes[k].Holds(host, p, vals) {
			return fmt.Sprintf("want %sand route %d, not %d with %q", chain, want, served, vals)
		}
		return ""
	}
	allow := ""
	var list []string
	serves := func(method string) bool { j, _ := m.finds(in, method, host, p); return j >= 0 }
	for _, method := range allowOrder {
		if serves(method) {
			list = append(list, method)
		}
	}
	if len(list) > 0 || serves("OPTIONS") {
		allow = strings.Join(append(list, "OPTIONS"), ", ")
	}
	// The deepest scope of the Mux that covers the path answers, and of several the one
	// with the most specific host.
	var answerers []*refScope
	for _, s := range m.scopes {
		if s.in() != in || !s.covers(host, p) {
			continue
		}
		closer := -1
		if len(answerers) > 0 {
			closer = cmp.Or(cmp.Compare(len(answerers[0].segs), len(s.segs)), cmp.Compare(trietest.HostRank(s.host), trietest.HostRank(answerers[0].host)))
		}
		if closer < 0 {
			answerers = nil
		}
		if closer <= 0 {
			answerers = append(answerers, s)
		}
	}
	var wants []string
	for _, s := range answerers {
		want := s.chain() + "405 " + s.answerer(func(s *refScope) bool { return s.notAllowed })
		switch {
		case allow == "":
			want = s.chain() + "404 " + s.answerer(func(s *refScope) bool { return s.notFound })
		case method == "OPTIONS":
			want = s.chain()
		}
		if got.body == want && got.allow == allow {
			return ""
		}
		wants = append(wants, want)
	}
	return fmt.Sprintf("want one of %q, Allow %q", wants, allow)
}

// checkRedirect says what is wrong with the answer to a path that is cleaned to
// target: it comes from inside a scope around the target, and from no further
// out than the route there, or the path tells what only that scope's middleware
// may.
func (m *scopedMux) checkRedirect(method, host, target string, got answer) string {
	p := trietest.SplitPath(target)
	k, in := m.finds(m.scopes[0], method, host, p)
	var wants []string
	for _, s := range m.scopes {
		if s.in() == in && s.covers(host, p) && (k < 0 || len(s.segs) >= len(m.scope[k].segs)) {
			wants = append(wants, s.chain())
		}
	}
	body, _, _ := strings.Cut(got.body, "<a href")
	if got.location != target || !slices.Contains(wants, body) {
		return fmt.Sprintf("want a redirect to %s inside one of %q", target, wants)
	}
	return ""
}

// explained says where an explanation tells another story than the answer.
func (m *scopedMux) explained(e muxmaster.Explanation, got answer) string {
	var served int
	var vals []string
	body := got.body[strings.LastIndexByte(got.body, ' ')+1:]
	if isRoute := parseServed(body, &served, &vals); isRoute != (e.Route != nil) || !isRoute && e.Allow != got.allow {
		return fmt.Sprintf("but Explain says %v", e)
	}
	return ""
}

// holdScopes compares both for one input.
func holdScopes(t *testing.T, routes, requests []byte) {
	c := trietest.Choices(routes)
	var m scopedMux
	mux := m.grow(t, &c)
	c = requests
	for c.More() {
		method := []string{"GET", "GET", "HEAD", "POST", "OPTIONS", "BREW"}[c.Pick(6)]
		var b strings.Builder
		if n := c.Pick(len(m.routes) + len(m.scopes)); n < len(m.routes) {
			for _, s := range m.routes[n].Segs {
				b.WriteString("/" + trietest.Of(&c, s.Fits(scopePathSegs)))
			}
		} else {
			for _, s := range m.scopes[n-len(m.routes)].segs {
				b.WriteString("/" + trietest.Of(&c, s.Fits(scopePathSegs)))
			}
		}
		for range c.Pick(3) {
			b.WriteString("/" + trietest.Of(&c, scopePathSegs))
		}
		if b.Len() == 0 || c.Pick(4) == 1 {
			b.WriteString("/")
		}
		target, host := b.String(), trietest.Of(&c, []string{"h", "a.x", "b.x"})
		got := ask(mux, requestTo(t, host, method, target))
		if wrong := cmp.Or(m.check(method, host, trietest.SplitPath(target), got), m.explained(mux.Explain(method, "http://"+host+target), got)); wrong != "" {
			t.Errorf("%s %s%s: %d %q Allow %q, %s\n%s", method, host, target, got.status, got.body, got.allow, wrong, &m)
			return
		}
		i := c.Pick(len(target))
		unclean := target[:i] + []string{"//", "/./", "/x/../", "/%2e/"}[c.Pick(4)] + strings.TrimPrefix(target[i:], "/")
		if target[i] != '/' {
			continue
		}
		got = ask(mux, requestTo(t, host, method, unclean))
		if wrong := m.checkRedirect(method, host, target, got); wrong != "" {
			t.Errorf("%s %s%s: %d %q Location %q, %s\n%s", method, host, unclean, got.status, got.body, got.location, wrong, &m)
			return
		}
	}
}

func TestReferenceOfScopes(t *testing.T) { trietest.Random(t, 300, 150, holdScopes) }
func FuzzScopes(f *testing.F)            { trietest.Fuzz(f, holdScopes) }

// Whatever patterns http.ServeMux takes together, a Mux takes too, and answers
// requests alike.

var (
	stdSegs = []trietest.Segment{
		trietest.Literal("a"), trietest.Literal("b"), trietest.Literal("ab"), trietest.Literal("longer-than-sixteen-bytes"),
		trietest.NewSegment("a%2Fb", trietest.Text("a/b")),
		trietest.NewSegment("{p#}", trietest.Param), trietest.NewSegment("{p#}", trietest.Param),
	}
	stdEndings = []struct {
		written string
		end     trietest.End
	}{{"", trietest.Exact}, {"/", trietest.All}, {"/{$}", trietest.Slash}, {"/{rest...}", trietest.All}}
	stdMethods = []string{"", "", "GET", "POST", "HEAD", "OPTIONS", "CONNECT", "BREW"}
	stdHosts   = []string{"", "", "", "example.com", "other.org"}
)

// holdServeMux compares both routers for one input.
func holdServeMux(t *testing.T, routes, requests []byte) {
	std, mux := http.NewServeMux(), newMux(len(routes)%2 == 1)
	var taken trietest.Routes
	hosts := false
	c := trietest.Choices(routes)
	for c.More() && len(taken) < 30 {
		rt := trietest.Route{Method: trietest.Of(&c, stdMethods), Host: trietest.Of(&c, stdHosts)}
		for range c.Pick(4) {
			rt.Segs = append(rt.Segs, trietest.Of(&c, stdSegs))
		}
		e := trietest.Of(&c, stdEndings)
		rt.End, rt.Ending = e.end, e.written
		if rt.Path() == "" {
			continue
		}
		p := rt.Pattern()
		if panics(func() { std.Handle(p, reports(p)) }) != "" {
			continue
		}
		if err := mux.TryHandle(p, reports(p)); err != nil {
			t.Fatalf("%q: http.ServeMux takes it, TryHandle says %v", p, err)
		}
		taken = append(taken, rt)
		hosts = hosts || rt.Host != ""
	}
	patterns := fmt.Sprintf("%q", taken.Patterns())
	c = requests
	for c.More() {
		method := trietest.Of(&c, trietest.RequestMethods)
		host := []string{"example.com", "none.net", "example.com:8080"}[c.Pick(3)]

		query := []string{"", "?q=/../x"}[c.Pick(2)]
		target := c.Target(taken)
		r, err := readRequest(host, method, target+query)
		if err != nil || method == "CONNECT" && (hosts || !trietest.SplitPath(r.URL.EscapedPath()).Clean() || ask(std, r).status == 405) {
			continue // for CONNECT, ServeMux asks another host for some of the answers
		}
		if r.URL.RawPath != "" && r.URL.EscapedPath() != r.URL.RawPath {
			continue // ServeMux then drops what came over the wire
		}
		if strings.Contains(strings.ToLower(target), "%2e") || wirepath.DotInside(wirepath.Decode(target)) || slices.Contains(strings.Split(target, "/"), "%2F") {
			continue // ServeMux takes encoded dots for names, a lone %2F for an end, and lets .. behind %2F into the rest
		}
		compareMuxes(t, std, mux, method+" "+host+" "+target+query, patterns)
	}
}

func TestServeMuxRandom(t *testing.T) { trietest.Random(t, 400, 80, holdServeMux) }
func FuzzServeMux(f *testing.F)       { trietest.Fuzz(f, holdServeMux) }

// wireMux is a router with every kind of route, that counts panics.
func wireMux(pooled bool) (http.Handler, *atomic.Int64) {
	m := newMux(pooled)
	addValues(m, "GET /|GET /users/:id|POST /users/{id}|GET /num/{id:[0-9]+}/x|GET /v{major}.{minor}/x|GET /{name}.json|GET /static/*filepath")
	m.GETFast("/fast/:a/:b/", fastValues)
	addValues(m, "Handle /tree/|Handle host.example/{x}/|CONNECT /c/:x|Handle CONNECT /ct/")
	sub := muxmaster.New()
	sub.GET("/:y", values)
	m.Mount("/sub/:x", sub)
	g := m.Group("/group/:g")
	g.Use(wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set("Group", strconv.Quote(r.PathValue("g")))
		next.ServeHTTP(w, r)
	}))
	addValues(g, "GET /|POST /x/:y/")
	addValues(m, "Handle {tenant}.tenants.example/t/{id}|Handle {sub...}.any.example/t/")
	m.Handle("GET /spa/", http.NotFoundHandler())
	m.ServeFiles("/files/*filepath", files)
	m.ServeSPA("/app", app)
	var panicked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				panicked.Add(1)
				panic(v)
			}
		}()
		m.ServeHTTP(w, r)
	}), &panicked
}

// wireRequests are sent as they stand, and are seeds of FuzzWire. The answer is
// the first line that is worth telling; "" for whatever net/http's server says.
var wireRequests = []struct{ request, want string }{
	{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "200"},
	{"GET /users/5 HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="5"`},
	{"GET /users/5 HTTP/1.0\r\n\r\n", `200 id="5"`},
	{"GET http://other/users/5 HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="5"`},
	{"GET http://host.example/users HTTP/1.1\r\nHost: a\r\n\r\n", `307 /users/`},
	{"GET http://host.example:80/users/ HTTP/1.1\r\nHost: a\r\n\r\n", `200 x="users"`},
	{"GET http://a//evil.com/ HTTP/1.1\r\nHost: a\r\n\r\n", `307 /evil.com/`},
	{"GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", `307 /`},
	{"GET http://a?x=y HTTP/1.1\r\nHost: a\r\n\r\n", `307 /?x=y`},
	{"GET https://u:p@evil.com/tree HTTP/1.1\r\nHost: a\r\n\r\n", `307 /tree/`},
	{"GET * HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "200"}, // net/http's server answers
	{"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "404"},
	{"CONNECT /c/x HTTP/1.1\r\nHost: a\r\n\r\n", `200 x="x"`},
	{"CONNECT /ct//x HTTP/1.1\r\nHost: a\r\n\r\n", "200"},
	{"CONNECT /ct//../x HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"CONNECT //evil.com/ct HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"get /users/5 HTTP/1.1\r\nHost: a\r\n\r\n", "405"},
	{"GET //evil.com HTTP/1.1\r\nHost: a\r\n\r\n", "307 /evil.com"},
	{"GET /\\evil.com/..// HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET /tree HTTP/1.1\r\nHost: evil.com\r\nX-Forwarded-Host: evil.org\r\nForwarded: host=evil.net\r\n\r\n", "307 /tree/"},
	{"GET /users/%00 HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="\x00"`},
	{"GET /users/\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="\xff\xfe"`},
	{"GET /users/%0D%0AX-Injected:%20y/ HTTP/1.1\r\nHost: a\r\n\r\n", "307 /users/%0D%0AX-Injected:%20y"},
	{"GET /static/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", "307 /etc/passwd"},
	{"GET /static/..;/x HTTP/1.1\r\nHost: a\r\n\r\n", `200 filepath="/..;/x"`},
	{"GET /users/5?a=%zz&;b HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="5"`},
	{"GET /users/5#frag HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET /users/%zz HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"GET users/5 HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"GET x:/users/5 HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET x:users/5 HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET mailto:a@b HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET ://x HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"GET ?x HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: \r\n\r\n", `200 id="5"`},
	{"GET /users/ HTTP/1.1\r\nHost: host.example.:\r\n\r\n", `200 x="users"`},
	{"GET /users/5 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", `200 id="5"`},
	{"GET /users/5 HTTP/1.1\r\nHost: [::1\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: a:b:c\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: :\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: [\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: ]:\r\n\r\n", ``},
	{"GET /sub/1/2 HTTP/1.1\r\nHost: a\r\n\r\n", `200 x="1" y="2"`},
	{"GET /group/a%0D%0Ab/none HTTP/1.1\r\nHost: a\r\n\r\n", `404`},
	{"POST /group/1/x/2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", `307 /group/1/x/2/`},
	{"POST /group//x/%2e%2e/x/2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", `307 /group/x/2`},
	{"GET /t/5 HTTP/1.1\r\nHost: Acme.tenants.example.:80\r\n\r\n", `200 tenant="acme" id="5"`},
	{"GET http://x.y.any.example/t HTTP/1.1\r\nHost: a\r\n\r\n", `307 /t/`},
	{"GET /files/a.txt HTTP/1.1\r\nHost: a\r\n\r\n", `200 text of a`},
	{"GET /files/..%2f..%5Cwire_test.go HTTP/1.1\r\nHost: a\r\n\r\n", `404`},
	{"GET /files//evil.com HTTP/1.1\r\nHost: a\r\n\r\n", `307 /files/evil.com`},
	{"GET /app/a.txt HTTP/1.1\r\nHost: a\r\n\r\n", `200 text of a`},
	{"GET /app/x/y HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n", `200 <!doctype html>index`},
	{"GET /app/\xff HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n", ``},
	{"GET /users/" + strings.Repeat("a", 60000) + " HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="` + strings.Repeat("a", 60000) + `"`},
	{"GET " + strings.Repeat("/", 60000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET " + strings.Repeat("/..", 20000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET " + strings.Repeat("/%2e%2E", 8000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET /static" + strings.Repeat("/a%2Fb", 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n", `200 filepath="` + strings.Repeat("/a/b", 9000) + `"`},
	{"GET /v" + strings.Repeat(".", 60000) + "/x HTTP/1.1\r\nHost: a\r\n\r\n", ""},
	{"GET " + strings.Repeat("/x/..", 12000) + "/evil HTTP/1.1\r\nHost: a\r\n\r\n", "307 /evil"},
}

func TestWire(t *testing.T) {
	for _, mode := range modes {
		h, panicked := wireMux(mode.pooled)
		srv := httptest.NewServer(h)
		for _, c := range wireRequests {
			status, body, location, err := sendRaw(srv.Listener.Addr().String(), c.request)
			short := c.request[:min(len(c.request), 80)]
			if err != nil {
				t.Errorf("%s, %q: %v", mode.name, short, err)
				continue
			}
			got := fmt.Sprint(status)
			if status == 200 && body != "" {
				got += " " + body
			}
			if location != "" {
				got += " " + location
			}
			if c.want != "" && got != c.want {
				t.Errorf("%s, %q: got %.200s, want %.200s", mode.name, short, got, c.want)
			}
			if wrong := wrongLocation("", location); wrong != "" {
				t.Errorf("%s, %q: Location %q %s", mode.name, short, location, wrong)
			}
		}
		srv.Close()
		if n := panicked.Load(); n > 0 {
			t.Errorf("%s: %d panics", mode.name, n)
		}
	}
}

// wrongLocation says what is wrong with the Location of a response to a request for
// an escaped path: it leads to another host or to the same path, or contains line
// breaks. It may be empty.
func wrongLocation(from, location string) string {
	path, _, _ := strings.Cut(location, "?")
	switch {
	case location == "":
		return ""
	case strings.ContainsFunc(location, func(c rune) bool { return c < ' ' || c == 0x7F }) || strings.Contains(path, "\\"):
		return "has a control character or backslash"
	case location[0] != '/' || strings.HasPrefix(location, "//"):
		return "does not begin with one slash"
	}
	base := &url.URL{Scheme: "http", Host: "good.org"}
	to, err := base.Parse(location)
	switch {
	case err != nil:
		return err.Error()
	case to.Host != "good.org" || to.Scheme != "http" || to.User != nil:
		return "leads to " + to.String()
	case to.EscapedPath() == from:
		return "leads to itself"
	}
	return ""
}

// FuzzLocation holds the router to never panic, and to keep Location on its host.
func FuzzLocation(f *testing.F) {
	for _, c := range wireRequests {
		if len(c.request) < 4000 {
			f.Add(c.request)
		}
	}
	for _, target := range append(redirectTargets, "//evil.com/d/x") {
		for _, method := range []string{"GET", "POST", "CONNECT"} {
			f.Add(method + " " + target + " HTTP/1.1\r\nHost: evil.com\r\nX-Forwarded-Host: evil.com\r\n\r\n")
		}
	}
	plain, _ := wireMux(false)
	pooled, _ := wireMux(true)
	f.Fuzz(func(t *testing.T, raw string) {
		for _, h := range []http.Handler{plain, pooled, redirectingMux()} {
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
			if err != nil {
				return
			}
			from := r.URL.EscapedPath()
			w := record(h, r)
			if l := w.Header().Get("Location"); (l != "") != (w.Code == 307) {
				t.Errorf("%q: status %d with Location %q", raw, w.Code, l)
			} else if wrong := wrongLocation(from, l); wrong != "" {
				t.Errorf("%q: Location %q %s", raw, l, wrong)
			}
			if strings.Contains(w.Body.String(), `=""`) && !strings.Contains(w.Body.String(), `filepath`) && !strings.Contains(w.Body.String(), "<!doctype") {
				t.Errorf("%q: an empty value: %s", raw, w.Body)
			}
		}
	})
}
