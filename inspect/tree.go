package inspect

import "strings"

// A branch is a prefix in the tree of routes that the page and PrintTree show. The
// script of the page gets the rows that are on the screen first as JSON.
type branch struct {
	Label    string      `json:"label"`  // the segments after the prefix of the branch around it
	Prefix   string      `json:"prefix"` // host and path
	Scopes   []scopeNote `json:"scopes"`
	Count    int         `json:"count"` // of the routes below
	Open     bool        `json:"open"`  // its rows are shown at first
	Rows     []any       `json:"rows"`  // *Route, or *branch if it has children or scopes
	routes   []*Route
	children []*branch
	byLabel  map[string]*branch
}

// A scopeNote is a Group, also of a host, or a mounted Mux, and the middleware that it
// adds.
type scopeNote struct {
	Kind       string   `json:"kind"`
	Middleware []string `json:"middleware"`
}

func shownRoutes(all []Route) (shown []*Route) {
	for i := range all {
		shown = append(shown, &all[i])
	}
	return shown
}

// newTree returns the tree of the routes: a branch for each segment, except that
// a branch that holds nothing but another is one with that.
func newTree(routes []*Route) *branch {
	root := prefixes(routes)
	root.Count = len(routes)
	root.join(scopeNotes(routes))
	return root
}

// prefixes returns the tree of the routes with a branch for each segment.
func prefixes(routes []*Route) *branch {
	root := &branch{}
	for _, r := range routes {
		b := root
		for label := range labels(r.Host, r.Pattern) {
			child := b.byLabel[label]
			if child == nil {
				child = &branch{Label: label, Prefix: b.Prefix + label}
				if b.byLabel == nil {
					b.byLabel = map[string]*branch{}
				}
				b.byLabel[label] = child
				b.children = append(b.children, child)
			}
			b = child
			b.Count++
		}
		b.routes = append(b.routes, r)
	}
	return root
}

// labels yields the host and the segments of a pattern, each segment with its
// slash. A slash inside braces doesn't separate segments.
func labels(host, path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if host != "" && !yield(host) {
			return
		}
		for len(path) > 1 {
			end, depth := 1, 0
			for ; end < len(path) && (path[end] != '/' || depth > 0); end++ {
				switch path[end] {
				case '{':
					depth++
				case '}':
					depth--
				}
			}
			if label := path[:end]; label != "/" && label != "/{$}" && !yield(label) {
				return
			}
			path = path[end:]
		}
	}
}

// scopeNotes returns the Groups and mounted Muxes of the routes by their prefixes.
func scopeNotes(routes []*Route) map[string][]scopeNote {
	notes := map[string][]scopeNote{}
	for _, r := range routes {
		rest := r.Middleware
	scopes:
		for _, s := range r.Scopes {
			names := rest[:clamp(s.Middleware, len(rest))]
			rest = rest[len(names):]
			if s.Kind == "with" || s.Prefix == "" && s.Kind != "host" {
				continue
			}
			for _, known := range notes[r.Host+s.Prefix] {
				if known.Kind == s.Kind {
					continue scopes
				}
			}
			notes[r.Host+s.Prefix] = append(notes[r.Host+s.Prefix], scopeNote{s.Kind, names})
		}
	}
	return notes
}

// join sets the scopes and the rows of branches, and merges those without scopes
// with their only child.
func (b *branch) join(scopes map[string][]scopeNote) {
	for _, r := range b.routes {
		b.Rows = append(b.Rows, r)
	}
	for _, c := range b.children {
		c.Scopes = scopes[c.Prefix]
		for len(c.children) == 1 && len(c.routes) == 0 && len(c.Scopes) == 0 {
			c.children[0].Label = c.Label + c.children[0].Label
			c = c.children[0]
			c.Scopes = scopes[c.Prefix]
		}
		c.join(scopes)
		if len(c.children) > 0 || len(c.Scopes) > 0 {
			b.Rows = append(b.Rows, c)
		} else {
			b.Rows = append(b.Rows, c.Rows...)
		}
	}
}

// room is the number of rows that are shown at first, at most.
const room = 250

// unfold opens branches level by level, as long as there is room for their rows. It
// removes the other rows.
func (b *branch) unfold() {
	left := room - len(b.Rows)
	b.Rows = b.Rows[:min(len(b.Rows), room)]
	for level := b.branches(); len(level) > 0; {
		var next []*branch
		for _, c := range level {
			left -= len(c.Rows)
			next = append(next, c.branches()...)
		}
		for _, c := range level {
			if c.Open = left >= 0; !c.Open {
				c.Rows = []any{}
			}
		}
		level = next
	}
}

// branches returns the rows that are branches.
func (b *branch) branches() (list []*branch) {
	for _, row := range b.Rows {
		if c, ok := row.(*branch); ok {
			list = append(list, c)
		}
	}
	return list
}

// everywhere returns the middleware around every route, or "".
func everywhere(routes []*Route) string {
	for _, r := range routes {
		if !r.Fast && len(r.Scopes) > 0 && r.Scopes[0].Middleware > 0 {
			return chain(r.Middleware[:clamp(r.Scopes[0].Middleware, len(r.Middleware))])
		}
	}
	return ""
}

// chain returns the names of middleware, outermost first.
func chain(middleware []string) string {
	var b strings.Builder
	for i, name := range middleware {
		if i > 0 {
			b.WriteString(" → ")
		}
		b.WriteString(ShortName(name))
	}
	return b.String()
}

// unseen returns the middleware of a route that no row of a prefix shows: that of
// With, and of Groups without a prefix of their own.
func (r *Route) unseen() (names []string) {
	rest, prefix := r.Middleware, ""
	for i, s := range r.Scopes {
		n := clamp(s.Middleware, len(rest))
		if i > 0 && s.Kind != "host" && (s.Kind == "with" || s.Prefix == prefix) {
			names = append(names, rest[:n]...)
		}
		rest, prefix = rest[n:], s.Prefix
	}
	return names
}
