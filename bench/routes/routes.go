// Package routes holds the route sets that the suite loads into every router:
// real APIs as text files, one `METHOD pattern` a line, and generated sets of
// any size.
//
// Patterns are written with `:name` for one segment and `*name` for the rest of
// the path. Each contender translates them into its own language.
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

// Set is a list of routes under a name.
type Set struct {
	Name   string
	Routes []Route
}

// Load reads the embedded set of that file name without its extension
// ("github"). It panics on a name that there isn't and on a line that it can't
// read, since the files are part of the program.
func Load(name string) Set {
	data, err := files.ReadFile(name + ".txt")
	if err != nil {
		panic("routes: no set " + name + ": " + err.Error())
	}
	set := Set{Name: name}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		method, pattern, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(pattern, "/") {
			panic(fmt.Sprintf("routes: set %s: want `METHOD /pattern`, got %q", name, line))
		}
		set.Routes = append(set.Routes, Route{method, pattern})
	}
	return set
}

// segments of the pattern without the leading slash; "/" has one empty segment.
func (r Route) segments() []string { return strings.Split(r.Pattern[1:], "/") }

// Names lists the parameters in pattern order, a catch-all last.
func (r Route) Names() []string {
	var names []string
	for _, s := range r.segments() {
		if s != "" && (s[0] == ':' || s[0] == '*') {
			names = append(names, s[1:])
		}
	}
	return names
}

// CatchAll tells whether the pattern ends in `*name`.
func (r Route) CatchAll() bool { return strings.Contains(r.Pattern, "/*") }

// Translate rewrites the pattern: param and rest are formats with one %s for
// the name, as in "{%s}" and "{%s...}".
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

// Path builds a request path with one value per parameter, in pattern order. A
// catch-all's value may contain slashes and is given without its leading one.
func (r Route) Path(values ...string) string {
	segs := r.segments()
	for i, s := range segs {
		if s != "" && (s[0] == ':' || s[0] == '*') {
			segs[i], values = values[0], values[1:]
		}
	}
	return "/" + strings.Join(segs, "/")
}

// NamedPath is a request path in which each value is its parameter's name. The
// public routing suite requests the patterns themselves, colons included, which
// some routers compare as literals; with the colons off, figures stay
// comparable with the published ones and every router has to match.
func (r Route) NamedPath() string { return r.Path(r.Names()...) }
