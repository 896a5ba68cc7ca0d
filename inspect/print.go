package inspect

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/terminal"
)

// Print writes the routes of m to w as a table with the columns method, host and
// path, handler, and file and line. File names are relative to the working
// directory if that is shorter. If w is a terminal, the methods are colored,
// unless the environment variable NO_COLOR is set.
func Print(w io.Writer, m *muxmaster.Mux) error {
	color := terminal.Colored(w)
	dir, _ := os.Getwd()
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for r := range m.Routes() {
		file := r.File
		if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
			file = rel
		}
		method := cmp.Or(r.Method, "*")
		if color {
			method = terminal.Method(method)
		}
		if _, err := fmt.Fprintf(tw, "%s\t%s%s\t%s\t%s:%d\n", method, r.Host, r.Pattern, ShortName(r.Handler), file, r.Line); err != nil {
			return err
		}
	}
	return tw.Flush()
}
