package inspect

// A branch is a prefix in the tree of routes that the page and PrintTree show.
type branch struct {
	label    string // the segments after the prefix of the branch around it
	prefix   string // host and path
	routes   []*Route
	children []*branch
	byLabel  map[string]*branch
	count    int // of the routes below
	warnings int // of these routes
	scopes   []scopeNote
	open     bool // its rows are shown at first
}

// A scopeNote is a Group or a mounted Mux, and the middleware that it adds.
type scopeNote struct {
	kind       string
	middleware []string
}

// shownRoutes returns the routes without the bare prefixes of mounts.
func shownRoutes(all []Route) (shown []*Route) {
	for i := range all {
		if r := &all[i]; r.Below || !r.Mount {
			shown = append(shown, r)
		}
	}
	return shown
}

// newTree returns the tree of the routes: a branch for each segment, except that
// a branch that holds nothing but another is one with that.
func newTree(routes []*Route) *branch {
	root := prefixes(routes)
	root.join(scopeNotes(routes))
	root.unfold()
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
				child = &branch{label: label, prefix: b.prefix + label}
				if b.byLabel == nil {
					b.byLabel = map[string]*branch{}
				}
				b.byLabel[label] = child
				b.children = append(b.children, child)
			}
			b = child
			b.count++
			if r.Warning != "" {
				b.warnings++
			}
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
			if s.Prefix == "" || s.Kind == "with" {
				continue
			}
			for _, known := range notes[r.Host+s.Prefix] {
				if known.kind == s.Kind {
					continue scopes
				}
			}
			notes[r.Host+s.Prefix] = append(notes[r.Host+s.Prefix], scopeNote{s.Kind, names})
		}
	}
	return notes
}

// join sets the scopes of branches, and merges those without with their only child.
func (b *branch) join(scopes map[string][]scopeNote) {
	for i, c := range b.children {
		c.scopes = scopes[c.prefix]
		for len(c.children) == 1 && len(c.routes) == 0 && len(c.scopes) == 0 {
			c.children[0].label = c.label + c.children[0].label
			c = c.children[0]
			c.scopes = scopes[c.prefix]
		}
		b.children[i] = c
		c.join(scopes)
	}
}

// folder reports whether the branch has a row of its own, and its routes below
// that.
func (b *branch) folder() bool { return len(b.children) > 0 || len(b.scopes) > 0 }

// rows calls route and folder for the rows of b, in their order.
func (b *branch) rows(route func(*Route), folder func(*branch)) {
	for _, r := range b.routes {
		route(r)
	}
	for _, c := range b.children {
		if c.folder() {
			folder(c)
			continue
		}
		for _, r := range c.routes {
			route(r)
		}
	}
}

// room is the number of rows that are shown at first, at most, unless a single
// list has more.
const room = 250

// unfold opens branches level by level, as long as there is room for their rows.
func (b *branch) unfold() {
	left := room
	for level := []*branch{b}; len(level) > 0; {
		var next []*branch
		for _, b := range level {
			b.rows(func(*Route) { left-- }, func(c *branch) { left--; next = append(next, c) })
		}
		for _, b := range level {
			b.open = left >= 0
		}
		if left < 0 {
			return
		}
		level = next
	}
}
