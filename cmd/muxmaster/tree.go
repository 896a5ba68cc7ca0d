package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/terminal"
)

// A node is a prefix in the tree of paths.
type node struct {
	text     string // segments, each with its slash
	children []*node
	routes   []inspect.Route // with exactly this path
	kind     string          // of the scope with this prefix: group or mount
}

// printTree prints the routes as a tree. The common prefix of several routes is
// printed above them, and the rest of their paths is indented:
//
//	/api  group: requireLogin
//	  /users       GET   users.list    users.go:12
//	               POST  users.create  users.go:13
//	  /users/{id}  GET   users.show    users.go:14
func printTree(w io.Writer, routes []inspect.Route) error {
	var hosts []string
	roots := map[string]*node{}
	for _, r := range routes {
		root := roots[r.Host]
		if root == nil {
			root = &node{text: r.Host}
			roots[r.Host] = root
			hosts = append(hosts, r.Host)
		}
		root.add(segments(r.Pattern), r)
		for _, s := range r.Scopes {
			if n := root.find(segments(s.Prefix)); n != nil && n != root && (s.Kind == "group" || s.Kind == "mount") {
				n.kind = s.Kind
			}
		}
	}
	var rows []row
	for _, host := range hosts {
		root := roots[host]
		root.join()
		shared := common(root.all())
		if host != "" || len(shared) > 0 {
			rows = append(rows, row{path: cmp.Or(host, "every route"), note: names(shared)})
		}
		rows = root.rows(rows, 0, shared)
	}
	return printRows(w, rows)
}

// segments splits a path before its slashes, but not inside braces.
func segments(path string) (all []string) {
	depth, from := 0, 0
	for i := range len(path) {
		switch path[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if depth == 0 && i > from {
				all = append(all, path[from:i])
				from = i
			}
		}
	}
	if from < len(path) {
		all = append(all, path[from:])
	}
	return all
}

func (n *node) add(path []string, r inspect.Route) {
	if len(path) == 0 {
		n.routes = append(n.routes, r)
		return
	}
	i := slices.IndexFunc(n.children, func(c *node) bool { return c.text == path[0] })
	if i < 0 {
		i = len(n.children)
		n.children = append(n.children, &node{text: path[0]})
	}
	n.children[i].add(path[1:], r)
}

func (n *node) find(path []string) *node {
	if len(path) == 0 {
		return n
	}
	for _, c := range n.children {
		if c.text == path[0] {
			return c.find(path[1:])
		}
	}
	return nil
}

// join merges a node without routes with its only child.
func (n *node) join() {
	for _, c := range n.children {
		for len(c.children) == 1 && len(c.routes) == 0 && c.kind == "" {
			next := c.children[0]
			*c = node{c.text + next.text, next.children, next.routes, next.kind}
		}
		c.join()
	}
}

// all returns the routes of a node and its descendants.
func (n *node) all() []inspect.Route {
	all := slices.Clone(n.routes)
	for _, c := range n.children {
		all = append(all, c.all()...)
	}
	return all
}

// common returns the outermost middleware that all routes have in common.
func common(routes []inspect.Route) []string {
	shared := routes[0].Middleware
	for _, r := range routes {
		n := 0
		for n < len(shared) && n < len(r.Middleware) && shared[n] == r.Middleware[n] {
			n++
		}
		shared = shared[:n]
	}
	return shared
}

// A row is a line of the tree: a route, or a prefix with a note or several
// lines below it.
type row struct {
	depth      int
	path, note string
	route      *inspect.Route
}

// rows adds the lines for the children of a node. Middleware in outer was
// printed above.
func (n *node) rows(rows []row, depth int, outer []string) []row {
	for _, c := range n.children {
		shared := outer
		note := c.kind
		if len(c.children) > 0 || len(c.routes) > 1 || note != "" {
			shared = common(c.all())
			if mw := names(shared[len(outer):]); mw != "" {
				note = strings.TrimPrefix(note+": "+mw, ": ")
			}
		}
		first := c.text
		if note != "" || len(c.routes) == 0 {
			rows = append(rows, row{depth: depth, path: c.text, note: note})
			first = ""
		}
		for _, r := range c.routes {
			rows = append(rows, row{depth, first, names(r.Middleware[len(shared):]), &r})
			first = ""
		}
		rows = c.rows(rows, depth+1, shared)
	}
	return rows
}

func names(middleware []string) string {
	var short []string
	for _, name := range middleware {
		short = append(short, shortName(name))
	}
	return strings.Join(short, ", ")
}

func printRows(w io.Writer, rows []row) error {
	color := terminal.Colored(w)
	var pathWidth, methodWidth, handlerWidth int
	for _, r := range rows {
		if r.route != nil {
			pathWidth = max(pathWidth, 2*r.depth+len([]rune(r.path)))
			methodWidth = max(methodWidth, len(methodCell(r.route.Method, false)))
			handlerWidth = max(handlerWidth, len([]rune(shortName(r.route.Handler))))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		path := strings.Repeat("  ", r.depth) + printable.Replace(r.path)
		if r.route == nil {
			b.WriteString(strings.TrimRight(path+"  "+r.note, " ") + "\n")
			continue
		}
		width := methodWidth
		if color {
			width += len(terminal.Method("GET")) - len("GET")
		}
		fmt.Fprintf(&b, "%-*s  %-*s  %-*s  %s", pathWidth, path, width, methodCell(r.route.Method, color), handlerWidth,
			shortName(r.route.Handler), place(r.route.File, r.route.Line))
		if r.note != "" {
			fmt.Fprintf(&b, "  %s", r.note)
		}
		if r.route.Warning != "" {
			fmt.Fprintf(&b, "  ! %s", printable.Replace(r.route.Warning))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
