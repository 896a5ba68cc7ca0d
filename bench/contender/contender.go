// Package contender contains the routers to compare. A
// [Contender] loads a list of routes with handlers of the router's own type. All
// handlers do the same small amount of work.
package contender

import (
	"fmt"
	"io"
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

	// New returns an empty router with middleware that only call the next
	// handler, in the router's own style. It is nil for no router.
	New func(middleware int) Router
	// Param and Rest are the router's syntax for parameters and catch-alls, as
	// for routes.Route.Translate. If they are empty, it is ":name" and "*name".
	Param, Rest string
	// Splat is the name of all catch-alls in routers that don't name them.
	Splat string

	// DirtiesRequest marks adapters that store values in the caller's request.
	// They get a new copy for every request. Otherwise, later requests would
	// reuse the allocations of the first.
	DirtiesRequest bool
	// NotStdlib is the reason why a plain http.HandlerFunc can't read parameters.
	NotStdlib string
}

// Router is a router to which routes are added.
type Router struct {
	http.Handler
	// Add registers a route in the router's syntax. It may panic if the router
	// rejects the route.
	Add func(method, pattern string, h *Handler)
	// Done must be called after the last route, if it isn't nil.
	Done func()
}

// Handler says what the handler of a route does. Each router makes a function
// of its own type from it, with pick.
type Handler struct {
	Work Work
	Name string // of the parameter that Read and Write look up

	// Hit is called by Report with a function that returns a parameter's value.
	Hit func(value func(name string) string)
}

// pick returns nothing for Return, and otherwise one of the functions that
// others returns for a parameter's name. The functions call the router directly,
// like handlers of its users.
func pick[F any](h *Handler, nothing F, others func(name string) (read, write, report F)) F {
	if h.Work == Return {
		return nothing
	}
	read, write, report := others(h.Name)
	return []F{Read: read, Write: write, Report: report}[h.Work]
}

// Load builds a router with the routes. It may panic if the router rejects a
// route.
func (c Contender) Load(s Spec) http.Handler {
	if c.New == nil {
		return loadFloor(s)
	}
	r := c.New(s.Middleware)
	nothing := new(Handler)
	for id, route := range s.Routes {
		h := nothing
		if s.Work != Return {
			h = c.handler(s.Work, id, route)
		}
		pattern := route.Pattern
		if c.Param != "" {
			pattern = route.Translate(c.Param, c.Rest)
		}
		r.Add(route.Method, pattern, h)
	}
	if r.Done != nil {
		r.Done()
	}
	return r.Handler
}

func (c Contender) handler(work Work, id int, route routes.Route) *Handler {
	names := route.Names()
	h := &Handler{Work: work, Hit: func(value func(string) string) {
		Seen.Route, Seen.Values = id, Seen.Values[:0]
		for _, name := range names {
			v := value(name)
			if v == "" && c.Splat != "" {
				v = value(c.Splat)
			}
			Seen.Values = append(Seen.Values, strings.TrimPrefix(strings.Clone(v), "/"))
		}
	}}
	switch {
	case c.Splat != "" && route.CatchAll() && len(names) == 1:
		h.Name = c.Splat
	case len(names) > 0:
		h.Name = names[0]
	}
	return h
}

// All returns the contenders, ours first.
func All() []Contender { return slices.Clone(registry) }

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
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == c.Module && m.Replace != nil {
				return m.Replace.Version
			} else if m.Path == c.Module {
				return m.Version
			}
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

// use prevents the compiler from removing the lookup, and panics if there is no
// value.
func use(value string) {
	if value == "" {
		panic("contender: no value for the handler's parameter")
	}
}

func returnAtOnce(http.ResponseWriter, *http.Request) {}

// plainWith returns a plain handler that reads its parameter with value. The call
// takes half a nanosecond, with all routers.
func plainWith(h *Handler, value func(r *http.Request, name string) string) plain {
	return pick(h, returnAtOnce, func(name string) (read, write, report plain) {
		return func(_ http.ResponseWriter, r *http.Request) { use(value(r, name)) },
			func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, value(r, name)) },
			func(_ http.ResponseWriter, r *http.Request) {
				h.Hit(func(name string) string { return value(r, name) })
			}
	})
}

// pathValue returns a plain handler that reads its parameter with r.PathValue.
func pathValue(h *Handler) http.HandlerFunc { return plainWith(h, (*http.Request).PathValue) }

// plain is the type of plain handlers.
type plain = func(http.ResponseWriter, *http.Request)

// times returns n copies of a middleware.
func times[M any](n int, middleware M) []M { return slices.Repeat([]M{middleware}, n) }

// wrap returns the handler behind middleware, for routers that have none.
func wrap(h http.Handler, middleware int) http.Handler {
	for range middleware {
		h = passOn(h)
	}
	return h
}

// passOn is the middleware of plain http.Handler routers.
func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}
