package muxmaster

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-1954dcaa/muxmaster/internal/terminal"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// A Route describes a registered route.
type Route struct {
	Method     string   // "" for every method
	Host       string   // "" for every host
	Pattern    string   // the path part of the pattern
	Handler    string   // name of the handler's function or type
	File       string   // file of the registration
	Line       int      // line in File
	Fast       bool     // the handler is a FastHandler
	Middleware []string // names of its middleware, outermost first
}

// String returns the method, the host and path, the handler, and the file and
// line of the registration as one line of text.
func (r Route) String() string {
	return fmt.Sprintf("%-7s %s  %s  %s:%d", cmp.Or(r.Method, "*"), r.Host+r.Pattern, r.Handler, r.File, r.Line)
}

// Routes returns an iterator over the routes of m, including those of mounted
// Muxes, ordered by host, path and method. It yields a route with several
// methods once for each method. It yields the routes that exist when Routes is
// called. The route for / in a Group or mounted Mux, which also serves the
// prefix without a slash, is listed once.
func (m *Mux) Routes() iter.Seq[Route] {
	m.requireNew()
	registering.Lock()
	defer registering.Unlock()
	var list []Route
	for _, rt := range m.listedRoutes() {
		list = append(list, m.describe(rt))
	}
	return slices.Values(list)
}

// PrintRoutes writes the routes of m to w as a table with the columns method,
// host and path, handler, and file and line. File names are relative to the
// working directory if that is shorter. If w is a terminal, the methods are
// colored, unless the environment variable NO_COLOR is set.
func (m *Mux) PrintRoutes(w io.Writer) error {
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
		if _, err := fmt.Fprintf(tw, "%s\t%s%s\t%s\t%s:%d\n", method, r.Host, r.Pattern, shortName(r.Handler), file, r.Line); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// shortName returns the name of a function without its package's directory.
func shortName(name string) string {
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], "-fm")
}

// listedRoutes returns the routes that Routes lists. The caller must hold
// registering.
func (m *Mux) listedRoutes() []*trie.Route[endpoint] {
	return slices.DeleteFunc(m.uniqueRoutes(), func(rt *trie.Route[endpoint]) bool { return rt.Flags&trie.Implied != 0 })
}

// A routeID tells the routes of a Mux apart.
type routeID struct {
	seq    uint32
	method trie.Method
}

func idOf(rt *trie.Route[endpoint]) routeID { return routeID{rt.Payload.seq, rt.Method} }

// uniqueRoutes returns all routes in the order of Routes. The caller must hold
// registering.
func (m *Mux) uniqueRoutes() []*trie.Route[endpoint] {
	seen := map[routeID]bool{} // a path with a trailing slash is in the static table and in the trie
	return slices.DeleteFunc(m.routes.Freeze().Routes(), func(rt *trie.Route[endpoint]) bool {
		twice := seen[idOf(rt)]
		seen[idOf(rt)] = true
		return twice
	})
}

func (m *Mux) methodName(method trie.Method) string { return m.routes.Freeze().MethodName(method) }

// describe returns the description of rt. The caller must hold registering.
func (m *Mux) describe(rt *trie.Route[endpoint]) Route {
	e := &rt.Payload
	head := rt.Head()
	d := Route{
		Method:  m.methodName(rt.Method),
		Host:    head[strings.LastIndexAny(head, " \t")+1:],
		Pattern: rt.Path(),
		Handler: m.handlerName(e),
		Fast:    e.mode&fastRoute != 0,
	}
	d.File, d.Line = location(m.sites[e.seq])
	for s := e.scope; s != nil; s = s.parent {
		d.Middleware = append(s.middlewareNames(d.Fast), d.Middleware...)
	}
	return d
}

// middlewareNames returns the names of the middleware that s puts around its
// routes, outermost first.
func (s *scope) middlewareNames(fast bool) (names []string) {
	pre, use, useFast := s.middleware()
	if s.parent == nil {
		pre = s.mux.pre
	}
	if fast {
		use = nil
	} else {
		useFast = nil
	}
	for _, mw := range append(slices.Clone(pre), use...) {
		names = append(names, funcName(mw))
	}
	for _, mw := range useFast {
		names = append(names, funcName(mw))
	}
	return names
}

// handlerName returns the name of the handler without its middleware.
func (m *Mux) handlerName(e *endpoint) string {
	if inner, ok := m.unwrapped[e.seq]; ok {
		return funcName(inner)
	}
	return funcName(e.handler)
}
