// Package terminal colors tables of routes.
package terminal

import (
	"io"
	"os"
)

// Colored reports whether w is a terminal that wants color: not one with NO_COLOR
// (https://no-color.org) or TERM=dumb in its environment.
func Colored(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0
}

// Method returns a method in its color. The escape sequences of all methods have
// the same length, since tables count their bytes.
func Method(method string) string {
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
