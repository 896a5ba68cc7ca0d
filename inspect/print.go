package inspect

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/terminal"
)

// Print writes the routes of m to w as a table with the columns method, host and
// path, handler, and file and line. File names are relative to the working
// directory if that is shorter. If w is a terminal, the methods are colored,
// unless the environment variable NO_COLOR is set.
func Print(w io.Writer, m *muxmaster.Mux) error {
	return PrintRoutes(w, listRoutes(m))
}

// PrintRoutes is like [Print] for the routes of [Examine] or of a routes.json, with
// their notes and warnings.
func PrintRoutes(w io.Writer, routes []Route) error {
	t := newTable(w)
	for i := range routes {
		r := &routes[i]
		t.row(r, r.Host+r.Pattern, false, nil)
	}
	t.Flush()
	_, err := io.WriteString(w, t.text.String())
	return err
}

// PrintTree is like [PrintRoutes], but writes a tree. The common prefix of several
// routes is in a line above them, with the Group, Route or mounted Mux that has it
// and the middleware that this adds, and the rest of their paths is indented:
//
//	/api  group + main.requireLogin
//	  /users       GET   users.list    users.go:12
//	  /users       POST  users.create  users.go:13
//	  /users/{id}  GET   users.show    users.go:14
func PrintTree(w io.Writer, routes []Route) error {
	t := newTable(w)
	shown := shownRoutes(routes)
	var above [][]string // for each route, the lines above it
	var heads []string
	if names := everywhere(shown); names != "" {
		heads = []string{"every route  + " + names}
	}
	var write func(b *branch, indent string)
	write = func(b *branch, indent string) {
		for _, row := range b.Rows {
			switch row := row.(type) {
			case *Route:
				text := row.Host + row.Pattern
				t.row(row, indent+text[max(0, min(len(b.Prefix), strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/'))):], true, row.unseen())
				above, heads = append(above, heads), nil
			case *branch:
				head := indent + row.Label
				for _, s := range row.Scopes {
					head += "  " + s.Kind
					if len(s.Middleware) > 0 {
						head += " + " + chain(s.Middleware)
					}
				}
				heads = append(heads, head)
				write(row, indent+"  ")
			}
		}
	}
	write(newTree(shown), "")
	t.Flush()
	var b strings.Builder
	lines := strings.SplitAfter(t.text.String(), "\n")
	for i, list := range above {
		for _, head := range list {
			b.WriteString(printable.Replace(head) + "\n")
		}
		b.WriteString(lines[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A table is a table of routes.
type table struct {
	*tabwriter.Writer
	text  strings.Builder
	color bool
	dir   string // the working directory
}

func newTable(w io.Writer) *table {
	t := &table{color: terminal.Colored(w)}
	t.dir, _ = os.Getwd()
	t.Writer = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	return t
}

// row writes a row. In a tree, the path is in front of the method.
func (t *table) row(r *Route, path string, tree bool, middleware []string) {
	first, second := terminal.Method(r.Method, t.color), printable.Replace(path)
	if tree {
		first, second = second, first
	}
	file := r.File
	if rel, err := filepath.Rel(t.dir, file); err == nil && len(rel) < len(file) {
		file = rel
	}
	rest := fmt.Sprint(file, ":", r.Line)
	if tree && r.Mount {
		rest += "  mount"
	}
	if len(middleware) > 0 {
		rest += "  + " + chain(middleware)
	}
	if len(r.Notes) > 0 {
		rest += "  [" + strings.Join(r.Notes, ", ") + "]"
	}
	if r.Warning != "" {
		rest += "  ! " + r.Warning
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", first, second, printable.Replace(ShortName(r.Handler)), printable.Replace(rest))
}
