package pattern

import (
	"fmt"
	"go/token"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
)

// An entry is a route at one place.
type entry struct {
	*routes.Route
	place  routes.Place
	listed []muxmaster.Route
}

// A table holds the routes of one mux of the program.
type table struct {
	mux     http.Handler
	entries []entry
	apart   bool // some entries are not on mux, because they conflict
}

// conflicts finds routes that the router refuses beside others, and routes that
// others shadow.
type conflicts struct {
	pass     *analysis.Pass
	together func(a, b *routes.Route) bool
	tables   map[any]*table
	order    []*table           // in the order of the source
	reported map[token.Pos]bool // those in conflicts
}

// add registers e on the mux of its place, and reports it if the program
// certainly registers another route that the router refuses it beside.
func (c *conflicts) add(e entry) {
	t := c.tables[e.place.Root]
	if t == nil {
		t = &table{mux: e.NewMux()}
		c.tables[e.place.Root] = t
		c.order = append(c.order, t)
	}
	refused := e.place.Register(t.mux) != nil
	for _, other := range t.entries {
		if !refused && !t.apart || c.reported[e.Text.Pos()] {
			break
		}
		if other.Route == e.Route || !c.together(other.Route, e.Route) {
			continue
		}
		if pair := e.NewMux(); other.place.Register(pair) == nil && e.place.Register(pair) != nil {
			how := "matches the same requests as"
			if e.Kind == routes.Std {
				how = "conflicts with"
			}
			c.report(e, other, "this pattern panics: it "+how+" %q at %s")
		}
	}
	t.apart = t.apart || refused
	t.entries = append(t.entries, e)
}

// checkShadows reports the routes that others shadow.
func (c *conflicts) checkShadows() {
	for _, t := range c.order {
		for i, a := range t.entries {
			if !slices.ContainsFunc(a.listed, hasWideConstraint) {
				continue
			}
			for j, b := range t.entries {
				if a.Route != b.Route && !c.reported[b.Text.Pos()] && shadows(a.listed, b.listed, i < j) && c.together(a.Route, b.Route) {
					c.report(b, a, "no request reaches this route: %q at %s matches everything that it does")
				}
			}
		}
	}
}

func (c *conflicts) report(e, other entry, format string) {
	c.reported[e.Text.Pos()] = true
	report(c.pass, e.Text, fmt.Sprintf(format, other.Pattern, mux.Position(c.pass.Fset, other.Text.Pos())), hint{})
}

func hasWideConstraint(r muxmaster.Route) bool {
	return slices.ContainsFunc(routes.Segments(r.Pattern), isWide)
}

// shadows reports whether the routes as match all requests for bs first: where
// they differ, as have a constraint that matches every segment, and bs have
// none, or one that is tried later because as are registered first.
func shadows(as, bs []muxmaster.Route, first bool) bool {
	for _, b := range bs {
		if !slices.ContainsFunc(as, func(a muxmaster.Route) bool {
			return a.Host == b.Host && (a.Method == "" || a.Method == b.Method) && shadowsPath(a.Pattern, b.Pattern, first)
		}) {
			return false
		}
	}
	return true
}

func shadowsPath(a, b string, first bool) bool {
	as, bs := routes.Segments(a), routes.Segments(b)
	differ := false
	for i := range as {
		switch {
		case len(as) != len(bs):
			return false
		case shape(as[i]) == shape(bs[i]):
		case isWide(as[i]) && (plain.MatchString(bs[i]) || first && constrained.MatchString(bs[i])):
			differ = true
		default:
			return false
		}
	}
	return differ
}

var (
	plain       = regexp.MustCompile(`^(?::[^{}]+|\{[^{}:.$]+\})$`)
	constrained = regexp.MustCompile(`^\{[^{}:]+:(.*)\}$`)
	name        = regexp.MustCompile(`^[:*{][\pL\d_-]+`)
)

// shape returns the segment without the name of a parameter at its start.
func shape(seg string) string {
	if plain.MatchString(seg) {
		return "{}"
	}
	return name.ReplaceAllStringFunc(seg, func(s string) string { return s[:1] })
}

// isWide reports whether the segment has a constraint that matches every
// segment.
func isWide(seg string) bool {
	m := constrained.FindStringSubmatch(seg)
	if m == nil {
		return false
	}
	switch strings.Trim(m[1], "^$") {
	case ".*", ".+", ".*?", ".+?", "[^/]+", "[^/]*", "(.*)", "(.+)":
		return true
	}
	return false
}
