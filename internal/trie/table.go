package trie

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A wildHost is a host with parameters, and the tree of its routes.
type wildHost[P any] struct {
	labels []pattern.Segment
	tree   *Tree[P]
}

// compareWildHosts orders hosts by precedence: first those with more literal
// labels, then those with more labels. Otherwise the first label from the left
// that differs in kind decides: literal, one label, several labels.
func compareWildHosts[P any](a, b wildHost[P]) int {
	literals := func(h wildHost[P]) int { return len(h.labels) - pattern.NamedLabels(h.labels) }
	return cmp.Or(
		cmp.Compare(literals(b), literals(a)),
		cmp.Compare(len(b.labels), len(a.labels)),
		slices.CompareFunc(a.labels, b.labels, func(x, y pattern.Segment) int {
			return cmp.Or(cmp.Compare(x.Kind(), y.Kind()), strings.Compare(x.Shape(), y.Shape()))
		}),
	)
}

// HasHosts reports whether any route has a host. If not, all routes are in
// Base.
func (t *Table[P]) HasHosts() bool { return t.hosts != nil || t.wildHosts != nil }

// Find returns the route for the path and method of s and a host. If it returns
// nil, no route serves the request; s then has the methods allowed for the path
// and the fallback. No route serves a path that isn't clean, or has no slash at its
// beginning.
func (t *Table[P]) Find(s *Search[P], host string) *Route[P] {
	s.reset()
	if !s.Clean || !s.Rooted() {
		return nil
	}
	if t.HasHosts() && host != "" {
		full := host
		host = pattern.Host(host)
		tree := t.hosts[host]
		if s.connect {
			tree = cmp.Or(t.hosts[pattern.HostPort(full)], tree)
		}
		if tree != nil {
			if rt := tree.find(s); rt != nil || s.owned {
				return rt
			}
		}
		for i := range t.wildHosts {
			if h := &t.wildHosts[i]; pattern.MatchLabels(h.labels, host, s.vals()) {
				s.n = pattern.NamedLabels(h.labels)
				if rt := h.tree.find(s); rt != nil || s.owned {
					return rt
				}
			}
		}
		s.n = 0
	}
	return t.Base.find(s)
}

// FindFallback sets the fallback of s as if no route matched its path.
func (t *Table[P]) FindFallback(s *Search[P], host string) {
	s.probe = true
	t.Find(s, host)
	s.probe = false
}

// allowTexts has values of the Allow header, by the methods from GET to QUERY.
var allowTexts [1 << (OPTIONS - GET)]atomic.Pointer[string]

// Allow returns the value of the Allow header after Find returned nil: the
// methods that have a route for the path. It returns "" if there are none.
func (t *Table[P]) Allow(s *Search[P]) string {
	switch {
	case s.allowed.empty():
		return ""
	case s.allowed.custom():
		return t.allow(s)
	}
	cached := &allowTexts[s.allowed[0]>>GET&(1<<(OPTIONS-GET)-1)]
	text := cached.Load()
	if text == nil {
		made := t.allow(s)
		text = &made
		cached.Store(text)
	}
	return *text
}

// allow is Allow for a set that isn't empty.
func (t *Table[P]) allow(s *Search[P]) string {
	var list []string
	for m := GET; m < OPTIONS; m++ {
		if s.allowed.has(m) || m == HEAD && s.allowed.has(GET) {
			list = append(list, pattern.StandardMethods[m-GET])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.custom)) {
		if s.allowed.has(t.custom[name]) {
			list = append(list, name)
		}
	}
	return strings.Join(append(list, "OPTIONS"), ", ")
}

// ByPattern returns all routes by their Pattern.
func (t *Table[P]) ByPattern() map[string][]*Route[P] {
	all := map[string][]*Route[P]{}
	trees := append(slices.Collect(maps.Values(t.hosts)), &t.Base)
	for _, h := range t.wildHosts {
		trees = append(trees, h.tree)
	}
	for _, tree := range trees {
		for i := range tree.routes {
			rt := &tree.routes[i]
			all[rt.Pattern] = append(all[rt.Pattern], rt)
		}
	}
	return all
}
