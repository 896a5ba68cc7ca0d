package trie

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A wildHost is a host with parameters, and the tree of its routes.
type wildHost[P any] struct {
	labels []pattern.HostLabel
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
		slices.CompareFunc(a.labels, b.labels, func(x, y pattern.HostLabel) int {
			return cmp.Or(cmp.Compare(x.Kind(), y.Kind()), strings.Compare(x.Text, y.Text))
		}),
	)
}

// HasHosts reports whether any route has a host. If not, all routes are in
// Base.
func (t *Table[P]) HasHosts() bool { return t.hosts != nil || t.wildHosts != nil }

// Find returns the route for the path and method of s and a host. If it returns
// nil, no route serves the request; s then has the methods allowed for the path
// and the fallback.
func (t *Table[P]) Find(s *Search[P], host string) *Route[P] {
	s.reset()
	if t.HasHosts() && host != "" {
		full := host
		host = pattern.Host(host)
		tree := t.hosts[host]
		if s.connect {
			tree = cmp.Or(t.hosts[pattern.HostPort(full)], tree)
		}
		if tree != nil {
			if rt := tree.find(s); rt != nil {
				return rt
			}
		}
		for i := range t.wildHosts {
			if h := &t.wildHosts[i]; pattern.MatchLabels(h.labels, host, s.Vals) {
				s.N = pattern.NamedLabels(h.labels)
				if rt := h.tree.find(s); rt != nil {
					return rt
				}
			}
		}
		s.N = 0
	}
	return t.Base.find(s)
}

// FindFallback sets the fallback of s as if no route matched its path.
func (t *Table[P]) FindFallback(s *Search[P], host string) {
	s.probe = true
	t.Find(s, host)
	s.probe = false
}

// Allow returns the value of the Allow header after Find returned nil: the
// methods that have a route for the path. It returns "" if there are none.
func (t *Table[P]) Allow(s *Search[P]) string {
	if s.allowed.empty() {
		return ""
	}
	var buf [64]byte
	list := buf[:0]
	for m := GET; m < OPTIONS; m++ {
		if s.allowed.has(m) || m == HEAD && s.allowed.has(GET) {
			list = append(append(list, methodNames[m]...), ", "...)
		}
	}
	if len(t.custom) > 0 {
		for _, name := range slices.Sorted(maps.Keys(t.custom)) {
			if s.allowed.has(t.custom[name]) {
				list = append(append(list, name...), ", "...)
			}
		}
	}
	return string(append(list, methodNames[OPTIONS]...))
}

// Routes returns all routes, ordered by host, path and method.
func (t *Table[P]) Routes() []*Route[P] {
	all := t.All()
	slices.SortFunc(all, func(a, b *Route[P]) int {
		return cmp.Or(strings.Compare(a.host(), b.host()), strings.Compare(a.Path(), b.Path()), cmp.Compare(a.Method, b.Method))
	})
	return all
}

// All is like Routes but unordered.
func (t *Table[P]) All() []*Route[P] {
	var all []*Route[P]
	add := func(tree *Tree[P]) {
		for i := range tree.routes {
			all = append(all, &tree.routes[i])
		}
	}
	add(t.Base)
	for _, tree := range t.hosts {
		add(tree)
	}
	for _, h := range t.wildHosts {
		add(h.tree)
	}
	return all
}

// host returns the host as it was registered.
func (rt *Route[P]) host() string { return rt.Head()[strings.LastIndexAny(rt.Head(), " \t")+1:] }
