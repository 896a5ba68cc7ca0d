// Package contender contains the routers to compare, one file for each. A
// [Contender] registers a list of routes with handlers of the router's own
// type. All handlers do the same small amount of work.
package contender

import (
	"cmp"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Work is what every handler of a loaded router does.
type Work int

const (
	Return Work = iota // return at once
	Read               // look up the first parameter
	Write              // look up the first parameter and write it as the body
	Report             // store route and values in Seen, for Prove
)

// Class groups contenders that are ranked together.
type Class string

const (
	Native Class = "native" // each router's own handler signature
	Stdlib Class = "stdlib" // a plain http.HandlerFunc that can read its parameters
	Floor  Class = "floor"  // no router at all: what is left when routing costs nothing
)

// Spec describes the router to build.
type Spec struct {
	Routes     []routes.Route
	Work       Work
	Middleware int // number of middleware that only call the next handler, in the router's own style
}

// Contender is one router with one type of handler.
type Contender struct {
	Name    string
	Module  string // module path, for the version; "" for the standard library
	Classes []Class
	Style   string // the handler's signature
	Ours    bool

	// Load builds a router. It may panic if the router rejects a route.
	Load func(Spec) http.Handler

	// DirtiesRequest marks adapters that store values in the caller's request.
	// They get a new copy for every request. Otherwise, later requests would
	// reuse the allocations of the first.
	DirtiesRequest bool
	// NotStdlib is the reason why a plain http.HandlerFunc can't read parameters.
	NotStdlib string
}

var registry []Contender

func register(c Contender) { registry = append(registry, c) }

// All returns the contenders sorted by name, ours first.
func All() []Contender {
	all := slices.Clone(registry)
	slices.SortFunc(all, func(a, b Contender) int {
		if a.Ours != b.Ours {
			if a.Ours {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all
}

// Named returns the contender with the given name.
func Named(name string) (Contender, error) {
	for _, c := range registry {
		if c.Name == name {
			return c, nil
		}
	}
	return Contender{}, fmt.Errorf("contender: unknown contender %q", name)
}

// In reports whether c belongs to the class.
func (c Contender) In(class Class) bool { return slices.Contains(c.Classes, class) }

// Version returns the version of the contender's module in this binary, or the
// Go version for the standard library.
func (c Contender) Version() string {
	if c.Module == "" {
		return runtime.Version()
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == c.Module {
			if m.Replace != nil && m.Replace.Version != "" {
				return m.Replace.Version
			}
			return m.Version
		}
	}
	return "unknown"
}

// Seen is the route and values of the last handler with Work == Report. It is
// not safe for concurrent use.
var Seen struct {
	Route  int
	Values []string // in pattern order; for a catch-all without the leading slash
}

func report(spec Spec, id int, value func(name string) string) {
	Seen.Route = id
	Seen.Values = Seen.Values[:0]
	for _, name := range spec.Routes[id].Names() {
		Seen.Values = append(Seen.Values, strings.TrimPrefix(strings.Clone(value(name)), "/"))
	}
}

// withRest returns a function like value for a router that calls all catch-alls
// rest.
func withRest(value func(name string) string, rest string) func(name string) string {
	return func(name string) string { return cmp.Or(value(name), value(rest)) }
}

// firstOr is first for a router that calls all catch-alls rest, unless that is
// "".
func firstOr(spec Spec, id int, rest string) string {
	if rest != "" && spec.Routes[id].CatchAll() && len(spec.Routes[id].Names()) == 1 {
		return rest
	}
	return first(spec, id)
}

// first returns the name of the parameter that Read and Write look up.
func first(spec Spec, id int) string {
	if names := spec.Routes[id].Names(); len(names) > 0 {
		return names[0]
	}
	return ""
}

// use prevents the compiler from removing the lookup, and panics if there is no
// value.
func use(value string) {
	if value == "" {
		panic("contender: no value for the handler's parameter")
	}
}

func returnAtOnce(http.ResponseWriter, *http.Request) {}

// passOn is the middleware of plain http.Handler routers.
func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}
