package inspect

import (
	"fmt"
	"slices"
	"strings"
)

// A column holds one field of all routes, each different value once. The script of
// the page gets columns: they have a tenth of the size of routes.json, which names
// the fields of each route, its middleware and its files.
type column struct {
	Values []any
	Index  []int // for each route, where its value is in Values
}

// columns returns the fields of the routes that the page uses, by their names in
// routes.json.
func columns(routes []*Route) map[string]column {
	all := map[string]column{
		"Method":        newColumn(routes, func(r *Route) string { return r.Method }, nil),
		"Host":          newColumn(routes, func(r *Route) string { return r.Host }, nil),
		"Pattern":       newColumn(routes, func(r *Route) string { return r.Pattern }, nil),
		"Handler":       newColumn(routes, func(r *Route) string { return r.Handler }, nil),
		"File":          newColumn(routes, func(r *Route) string { return r.File }, nil),
		"Line":          newColumn(routes, func(r *Route) int { return r.Line }, nil),
		"Fast":          newColumn(routes, func(r *Route) bool { return r.Fast }, nil),
		"Below":         newColumn(routes, func(r *Route) bool { return r.Below }, nil),
		"Mount":         newColumn(routes, func(r *Route) bool { return r.Mount }, nil),
		"Guard":         newColumn(routes, func(r *Route) string { return r.Guard }, nil),
		"Warning":       newColumn(routes, func(r *Route) string { return r.Warning }, nil),
		"Example":       newColumn(routes, func(r *Route) string { return r.Example }, nil),
		"ExampleMethod": newColumn(routes, func(r *Route) string { return r.ExampleMethod }, nil),
		"Middleware":    newColumn(routes, func(r *Route) string { return strings.Join(r.Middleware, "\n") }, func(r *Route) any { return r.Middleware }),
		"Scopes":        newColumn(routes, scopesKey, func(r *Route) any { return r.Scopes }),
	}
	if slices.ContainsFunc(routes, func(r *Route) bool { return r.Use != nil }) {
		all["Hits"] = newColumn(routes, func(r *Route) uint64 { return r.Hits }, nil)
		all["Last"] = newColumn(routes, func(r *Route) int64 { return r.Last.Unix() }, func(r *Route) any { return r.Last })
	}
	return all
}

// newColumn returns a column of a field of the routes. key is the same for equal
// values. It is the value if value is nil.
func newColumn[K comparable](routes []*Route, key func(*Route) K, value func(*Route) any) column {
	c := column{Values: []any{}, Index: make([]int, len(routes))}
	known := map[K]int{}
	var last K
	at := -1
	for i, r := range routes {
		if k := key(r); at < 0 || k != last { // often the same as for the route before
			n, ok := known[k]
			if !ok {
				n = len(c.Values)
				known[k] = n
				if value == nil {
					c.Values = append(c.Values, k)
				} else {
					c.Values = append(c.Values, value(r))
				}
			}
			last, at = k, n
		}
		c.Index[i] = at
	}
	return c
}

func scopesKey(r *Route) string {
	var b strings.Builder
	for _, s := range r.Scopes {
		fmt.Fprintf(&b, "%s %s %d\n", s.Kind, s.Prefix, s.Middleware)
	}
	return b.String()
}
