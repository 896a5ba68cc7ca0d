package muxmaster_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// This file compares the router with the reference where routes are in Groups
// and in Muxes that are mounted, at any depth: which middleware runs, and who
// answers what no route serves.

// A refScope is a Mux or a Group.
type refScope struct {
	name       string
	parent     *refScope // the scope around; for a mounted Mux, where it is mounted
	mux        bool
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

// covers reports whether the path is at or below the scope's prefix.
func (s *refScope) covers(p trietest.Path) bool {
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

// A scopedMux is a refMux whose routes belong to scopes. A mounted Mux is two
// routes more, for its prefix and for what is below it; owner says whose.
type scopedMux struct {
	refMux
	scopes []*refScope
	scope  []*refScope // of each route
	owner  []*refScope // nil, or the Mux that owns a subtree
}

func (m *scopedMux) add(rt trietest.Route, scope, owner *refScope) {
	m.routes, m.scope, m.owner = append(m.routes, rt), append(m.scope, scope), append(m.owner, owner)
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
		s := refScope{parent: parent, mux: c.Pick(2) == 0, segs: slices.Clone(parent.segs), own: 1 + c.Pick(2)}
		for range s.own {
			s.segs = append(s.segs, trietest.Of(c, scopeSegs))
		}
		if slices.ContainsFunc(m.scopes, func(o *refScope) bool {
			return (trietest.Route{Segs: o.segs}).Shape() == (trietest.Route{Segs: s.segs}).Shape()
		}) {
			continue // two scopes of one prefix have a test of their own
		}
		prefix := written(s.segs[len(parent.segs):], fmt.Sprint("s", len(m.scopes), "_"))
		if !s.mux {
			s.real = parent.real.Group(prefix)
			newScope(s)
			continue
		}
		sub := bare(c.Pick(2) == 0)
		s.real = sub
		owner := newScope(s)
		parent.real.Mount(prefix, sub)
		m.add(trietest.Route{Segs: s.segs, Later: 2}, nil, owner)
		m.add(trietest.Route{Segs: s.segs, End: trietest.All, Later: 2}, nil, owner)
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
	rt := trietest.Route{Method: []string{"GET", "GET", "POST", "", "HEAD", "OPTIONS", "PUT"}[c.Pick(7)], Segs: slices.Clone(s.segs), Verb: true}
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
	_, group := s.real.(*muxmaster.Group)
	if path == "" && !group {
		path, rt.End = "/", trietest.Slash
	}
	conflict := slices.ContainsFunc(m.routes, func(o trietest.Route) bool { return o.Later == 0 && o.Conflicts(rt) })
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
		fmt.Fprintf(&b, "%s%s at %q\n", s.chain(), kind, written(s.segs, ""))
	}
	for i, rt := range m.routes {
		if m.scope[i] != nil {
			fmt.Fprintf(&b, "%d: %s %s %q end %d\n", i, m.scope[i].name, rt.Method, written(rt.Segs, ""), rt.End)
		}
	}
	return b.String()
}

// finds is find, for one route, and -1 for none.
func (m *scopedMux) finds(method string, p trietest.Path) int {
	if found := m.routes.Find(method, "h", p); len(found) > 0 {
		return found[0]
	}
	return -1
}

// check returns an error if a response is wrong.
func (m *scopedMux) check(method string, p trietest.Path, got answer) string {
	k := m.finds(method, p)
	if k >= 0 && m.owner[k] == nil {
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
		if served != want || !m.routes[k].Holds("h", p, vals) {
			return fmt.Sprintf("want %sand route %d, not %d with %q", chain, want, served, vals)
		}
		return ""
	}
	var owner *refScope
	if k >= 0 {
		owner = m.owner[k]
	}
	allow := ""
	var list []string
	serves := func(method string) bool { j := m.finds(method, p); return j >= 0 && m.owner[j] == nil }
	for _, method := range allowOrder {
		if serves(method) {
			list = append(list, method)
		}
	}
	if len(list) > 0 || serves("OPTIONS") {
		allow = strings.Join(append(list, "OPTIONS"), ", ")
	}
	// The deepest scope within the owner that covers the path answers. A Group
	// of the Mux around that is deeper than the owner's prefix may do it as
	// well.
	var answerers []*refScope
	for _, around := range []bool{false, true} {
		var deepest []*refScope
		for _, s := range m.scopes {
			inside := owner == nil || s.within(owner)
			if !s.covers(p) || inside == around || around && (s.mux || len(s.segs) <= len(owner.segs)) {
				continue
			}
			if len(deepest) > 0 && len(deepest[0].segs) < len(s.segs) {
				deepest = nil
			}
			if len(deepest) == 0 || len(deepest[0].segs) == len(s.segs) {
				deepest = append(deepest, s)
			}
		}
		answerers = append(answerers, deepest...)
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
func (m *scopedMux) checkRedirect(method, target string, got answer) string {
	p, depth := trietest.SplitPath(target), 0
	if k := m.finds(method, p); k >= 0 && m.owner[k] == nil {
		mountedThere := func(s *refScope) bool { return s.mux && s.covers(p) && !m.scope[k].within(s) }
		if !slices.ContainsFunc(m.scopes, mountedThere) { // a mount may answer for what is below it
			depth = len(m.scope[k].segs)
		}
	}
	var wants []string
	for _, s := range m.scopes {
		if s.covers(p) && len(s.segs) >= depth {
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
		target := b.String()
		got := ask(mux, request(t, method, target))
		if wrong := cmp.Or(m.check(method, trietest.SplitPath(target), got), m.explained(mux.Explain(method, target), got)); wrong != "" {
			t.Errorf("%s %s: %d %q Allow %q, %s\n%s", method, target, got.status, got.body, got.allow, wrong, &m)
			return
		}
		i := c.Pick(len(target))
		unclean := target[:i] + []string{"//", "/./", "/x/../", "/%2e/"}[c.Pick(4)] + strings.TrimPrefix(target[i:], "/")
		if target[i] != '/' {
			continue
		}
		got = ask(mux, request(t, method, unclean))
		if wrong := m.checkRedirect(method, target, got); wrong != "" {
			t.Errorf("%s %s: %d %q Location %q, %s\n%s", method, unclean, got.status, got.body, got.location, wrong, &m)
			return
		}
	}
}

func TestReferenceOfScopes(t *testing.T) { trietest.Random(t, 300, 150, holdScopes) }
func FuzzScopes(f *testing.F)            { trietest.Fuzz(f, holdScopes) }
