// Package contender contains the routers to compare, one file for each. A
// [Contender] registers a list of routes with handlers of the router's own
// type. All handlers do the same small amount of work.
package contender

import (
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
	Report             // note route and values in Seen, for the proof
)

// Class groups contenders that may be ranked with each other.
type Class string

const (
	Native Class = "native" // each router's own handler signature
	Stdlib Class = "stdlib" // a plain http.HandlerFunc that can read its parameters
	Floor  Class = "floor"  // no router at all: what is left when routing costs nothing
)

// Spec says what to load.
type Spec struct {
	Routes     []routes.Route
	Work       Work
	Middleware int // that many middleware that only call the next handler, in the router's own style
}

// Contender is one router in one style of handler.
type Contender struct {
	Name    string
	Module  string // module path, for the version; "" for the standard library
	Classes []Class
	Style   string // the handler's signature
	Ours    bool

	// Load builds a router. It may panic on routes that the router refuses.
	Load func(Spec) http.Handler

	// DirtiesRequest marks adapters that leave values in the caller's request.
	// They get a fresh copy for every request, so that one request's
	// allocations don't serve the next.
	DirtiesRequest bool
	// NotStdlib says why a plain http.HandlerFunc can't read its parameters.
	NotStdlib string
}

var registry []Contender

func register(c Contender) { registry = append(registry, c) }

// All returns the contenders by name, ours first.
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

// Named returns the contender of that name.
func Named(name string) (Contender, error) {
	for _, c := range registry {
		if c.Name == name {
			return c, nil
		}
	}
	return Contender{}, fmt.Errorf("contender: there is no %q", name)
}

// In tells whether c belongs to the class.
func (c Contender) In(class Class) bool { return slices.Contains(c.Classes, class) }

// Version returns the version of the contender's module in this binary, Go's
// own for the standard library.
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

// Seen is what the last handler with Work == Report saw. It is for one
// goroutine.
var Seen struct {
	Route  int
	Values []string // in pattern order; a catch-all's without leading slash
}

func report(spec Spec, id int, value func(name string) string) {
	Seen.Route = id
	Seen.Values = Seen.Values[:0]
	for _, name := range spec.Routes[id].Names() {
		Seen.Values = append(Seen.Values, strings.TrimPrefix(strings.Clone(value(name)), "/"))
	}
}

// first is the name of the parameter that Read and Write look up.
func first(spec Spec, id int) string {
	if names := spec.Routes[id].Names(); len(names) > 0 {
		return names[0]
	}
	return ""
}

// use keeps the compiler from dropping the lookup, and stops the measurement of
// a router that lost the value.
func use(value string) {
	if value == "" {
		panic("contender: the handler got no value for its parameter")
	}
}

func returnAtOnce(http.ResponseWriter, *http.Request) {}

// passOn is the middleware of plain http.Handler routers.
func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}
