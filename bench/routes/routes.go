// Package routes contains the route sets for the benchmarks: real APIs as text
// files, with one `METHOD pattern` per line, and generated sets of any size.
//
// In patterns, `:name` matches one segment and `*name` the rest of the path.
// Each contender translates them to its own syntax.
package routes

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.txt
var files embed.FS

// Route is one registration: "GET", "/users/:id".
type Route struct {
	Method, Pattern string
}

// Load returns the embedded set with the given file name without extension,
// such as "github". It panics if the file doesn't exist or is malformed,
// because the files are part of the program.
func Load(name string) (routes []Route) {
	data, err := files.ReadFile(name + ".txt")
	if err != nil {
		panic("routes: no set " + name + ": " + err.Error())
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		method, pattern, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(pattern, "/") {
			panic(fmt.Sprintf("routes: set %s: want `METHOD /pattern`, got %q", name, line))
		}
		routes = append(routes, Route{method, pattern})
	}
	return routes
}

// segments returns the segments of the pattern; "/" has one empty segment.
func (r Route) segments() []string { return strings.Split(r.Pattern[1:], "/") }

// Names returns the names of the parameters in pattern order.
func (r Route) Names() []string {
	var names []string
	for _, s := range r.segments() {
		if s != "" && (s[0] == ':' || s[0] == '*') {
			names = append(names, s[1:])
		}
	}
	return names
}

// CatchAll reports whether the pattern ends in `*name`.
func (r Route) CatchAll() bool { return strings.Contains(r.Pattern, "/*") }

// Translate translates the pattern to another syntax. param and rest are
// formats for parameters and catch-alls with one %s for the name, such as
// "{%s}" and "{%s...}".
func (r Route) Translate(param, rest string) string {
	segs := r.segments()
	for i, s := range segs {
		switch {
		case s == "":
		case s[0] == ':':
			segs[i] = fmt.Sprintf(param, s[1:])
		case s[0] == '*':
			segs[i] = fmt.Sprintf(rest, s[1:])
		}
	}
	return "/" + strings.Join(segs, "/")
}

// Path returns a request path with the given values, in pattern order. The
// value of a catch-all may contain slashes and must not start with one.
func (r Route) Path(values ...string) string {
	segs := r.segments()
	for i, s := range segs {
		if s != "" && (s[0] == ':' || s[0] == '*') {
			segs[i], values = values[0], values[1:]
		}
	}
	return "/" + strings.Join(segs, "/")
}

// NamedPath returns a request path in which each value is the parameter's name.
// Published suites request the patterns themselves, including the colons, which
// some routers match as literal text. Without colons, the figures are still
// comparable and every router must match parameters.
func (r Route) NamedPath() string { return r.Path(r.Names()...) }
