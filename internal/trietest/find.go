package trietest

import (
	"cmp"
	"slices"
)

// Routes are routes in the order of their registration.
type Routes []Route

// Find returns the indexes of the routes that may serve the request: one, or
// several if the order between them isn't specified. Among the routes that
// match host, path and method, first the host decides, then the path, then the
// method.
func (rs Routes) Find(method, host string, p Path) (found []int) {
	hosts, first := map[string][]int{}, 1<<11
	for i, rt := range rs {
		if _, ok := HostValues(rt.Host, host); ok && rt.Serving(method) >= 0 && rt.Matches(p) {
			hosts[hostShape(rt.Host)] = append(hosts[hostShape(rt.Host)], i)
			first = min(first, HostRank(rt.Host))
		}
	}
	for _, c := range hosts {
		if HostRank(rs[c[0]].Host) == first {
			found = append(found, rs.best(method, p, c, 0)...)
		}
	}
	return found
}

// rank returns the precedence of segment i of a route; lower is tried first.
func (rt Route) rank(i int) int {
	if i >= len(rt.Segs) {
		if rt.End == All {
			return 1 << 20
		}
		return 0
	}
	seg := rt.Segs[i]
	switch {
	case seg.IsLiteral():
		return 0
	case len(seg.Parts) > 1:
		texts := 0
		for _, p := range seg.Parts {
			texts += len(p.Text)
		}
		return 1<<10 - texts
	case seg.Parts[0].Expr != "":
		return constrained
	case seg.IsMulti():
		return multi
	}
	return 1 << 12
}

const (
	constrained = 1 << 11
	multi       = 1 << 19
)

// best selects from the candidates c, which are routes of one host with equal
// first i segments.
func (rs Routes) best(method string, p Path, c []int, i int) []int {
	if i > len(rs[c[0]].Segs) { // one path
		return []int{slices.MinFunc(c, func(a, b int) int {
			return cmp.Or(rs[a].Serving(method)-rs[b].Serving(method), rs[a].Later-rs[b].Later)
		})}
	}
	first := rs[slices.MinFunc(c, func(a, b int) int { return rs[a].rank(i) - rs[b].rank(i) })].rank(i)
	alike := map[string][]int{}
	for _, k := range c {
		if rt := rs[k]; rt.rank(i) == first {
			shape := rt.shape(min(i+1, len(rt.Segs)))
			alike[shape] = append(alike[shape], k)
		}
	}
	// Different constraints in the same position are tried in the order of
	// registration.
	if first == constrained && len(alike) > 1 {
		host := hostShape(rs[c[0]].Host)
		for _, rt := range rs {
			if hostShape(rt.Host) == host && i < len(rt.Segs) {
				if group, ok := alike[rt.shape(i+1)]; ok {
					return rs.best(method, p, group, i+1)
				}
			}
		}
	}
	var all []int
	for _, group := range alike {
		if first == multi {
			group = rs.longest(p, group)
		}
		all = append(all, rs.best(method, p, group, i+1)...)
	}
	return all
}

// longest selects the candidates whose catch-all inside the path has the longest
// value.
func (rs Routes) longest(p Path, c []int) (longest []int) {
	least := len(p)
	for _, k := range c {
		switch read, _ := rs[k].read(p); {
		case len(read) < least:
			longest, least = []int{k}, len(read)
		case len(read) == least:
			longest = append(longest, k)
		}
	}
	return longest
}

// Ordered reports whether the order of registration doesn't matter, because
// there are no different constraints in the same position.
func (rs Routes) Ordered() bool {
	expr := ""
	for _, rt := range rs {
		for _, s := range rt.Segs {
			for _, p := range s.Parts {
				if p.Expr != "" && expr != "" && p.Expr != expr {
					return false
				}
				expr = cmp.Or(p.Expr, expr)
			}
		}
	}
	return true
}

// Patterns returns the patterns of the routes with these indexes, or of all
// routes if there are no indexes.
func (rs Routes) Patterns(indexes ...int) (patterns []string) {
	if indexes == nil {
		for i := range rs {
			indexes = append(indexes, i)
		}
	}
	for _, i := range indexes {
		patterns = append(patterns, rs[i].Pattern())
	}
	return patterns
}
