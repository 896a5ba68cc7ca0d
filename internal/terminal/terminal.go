// Package terminal writes and colors method names in tables of routes.
package terminal

import (
	"cmp"
	"io"
	"os"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
)

// Colored reports whether w is a terminal and the environment permits color:
// NO_COLOR (https://no-color.org) is not set and TERM is not dumb.
func Colored(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0
}

// Method returns a method, or * for "", safe to print, and with escape sequences
// if it is colored. They have the same length for all methods, because
// text/tabwriter counts them as text.
func Method(method string, colored bool) string {
	method = printable.Replace(cmp.Or(method, "*"))
	if !colored {
		return method
	}
	color := "\x1b[35m"
	switch method {
	case "GET", "HEAD", "QUERY":
		color = "\x1b[32m"
	case "POST":
		color = "\x1b[33m"
	case "PUT", "PATCH":
		color = "\x1b[36m"
	case "DELETE":
		color = "\x1b[31m"
	}
	return color + method + "\x1b[0m"
}
