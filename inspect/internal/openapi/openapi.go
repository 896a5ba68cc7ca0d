// Package openapi describes routes as an OpenAPI 3.1 or 3.2 document. It depends on
// the pattern language but not on the router.
//
// OpenAPI is less expressive than the router. Paths that differ only in the
// names or constraints of parameters, such as /users/{id}, /users/{name},
// /users/{id:[0-9]+} and /users/{rest...}, are the same path in a document.
// Such routes share a path with the parameter names of the first one, and each
// method of a path has only one operation.
package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Route is a route with one method.
type Route struct {
	Method  string // "" for every method
	Host    string // "" for every host
	Pattern string // the path part
	Handler string // name of the function
	ID      string // operation ID; "" to derive it from Handler
}

// An Operation is an operation of the document, to be described.
type Operation struct {
	Route  int            // index of its route
	Method string         // not ""
	Names  []string       // of the parameters, as in the route's pattern
	Object map[string]any // the JSON object, in which they may have other names
}

// anyMethods are the methods listed for a route for every method.
var anyMethods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// An operation is one method of a route in the document.
type operation struct {
	route  int    // index
	method string // not ""
	any    bool   // of a route for every method
	host   string
	id     string // "" if it has none of its own
	name   string // of the handler's function, "" if it has none of its own
	path   path
	names  []string // of the parameters in the pattern
}

// Document returns the document. If describe isn't nil, it is called for each
// operation, and may change its object. If it clears the object, the document
// omits the operation.
//
// The version is 3.1, or 3.2 if an operation needs it.
func Document(title, version string, routes []Route, describe func(Operation)) (map[string]any, error) {
	ops, err := operations(routes)
	if err != nil {
		return nil, err
	}
	ids := operationIDs(ops)
	paths := map[string]any{}
	named := map[string]string{} // operation by ID, as METHOD path
	release := "3.1.0"
	for i, op := range ops {
		object := map[string]any{
			"operationId": ids[i],
			"responses":   map[string]any{"default": map[string]any{"description": "the response of " + routes[op.route].Handler}},
		}
		if params := op.path.parameters(); params != nil {
			object["parameters"] = params
		}
		if op.host != "" {
			object["servers"] = []any{server(op.host)}
		}
		if describe != nil {
			describe(Operation{op.route, op.method, op.names, object})
		}
		if len(object) == 0 {
			continue
		}
		template := op.path.String()
		if id, ok := object["operationId"].(string); ok {
			if other, twice := named[id]; twice {
				return nil, fmt.Errorf("the operation id %q is used twice: for %s and %s %s", id, other, op.method, template)
			}
			named[id] = op.method + " " + template
		}
		item, _ := paths[template].(map[string]any)
		if item == nil {
			item = map[string]any{}
			paths[template] = item
		}
		addOperation(item, op.method, object)
		if !documented(op.method) || streams(object) {
			release = "3.2.0"
		}
	}
	return map[string]any{
		"openapi": release,
		"info":    map[string]any{"title": title, "version": version},
		"paths":   paths,
	}, nil
}

// operations returns the operations of the routes: one for each path and
// method.
func operations(routes []Route) ([]*operation, error) {
	var all []*operation
	for i, r := range routes {
		p, err := pattern.ParsePath(r.Pattern)
		if err != nil {
			return nil, err
		}
		methods := []string{r.Method}
		if r.Method == "" {
			methods = anyMethods
		}
		for _, m := range methods {
			all = append(all, &operation{i, m, r.Method == "", r.Host, r.ID, functionName(r.Handler), newPath(p), p.Names()})
		}
	}
	names := map[string][]part{} // parts of the first path of each shape
	for _, op := range all {
		shape := op.path.shape()
		if names[shape] == nil {
			names[shape] = op.path.parts
		}
		op.path.rename(names[shape])
	}
	// The first route defines an operation. Prefer routes for all hosts, then
	// those for the exact method.
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b *operation) int {
		return cmp.Or(compare(a.host != "", b.host != ""), compare(a.any, b.any))
	})
	first := map[string]*operation{}
	for _, op := range ranked {
		key := op.method + " " + op.path.String()
		switch f := first[key]; {
		case f == nil:
			first[key] = op
		case f.host == op.host:
			f.path.widen(op.path)
		}
	}
	return slices.DeleteFunc(all, func(op *operation) bool { return first[op.method+" "+op.path.String()] != op }), nil
}

func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// server returns the server object for a host.
func server(host string) map[string]any {
	if strings.HasPrefix(host, "[") {
		return map[string]any{"url": "//" + host}
	}
	if strings.Count(host, ":") > 1 { // an IPv6 address; otherwise a port
		return map[string]any{"url": "//[" + host + "]"}
	}
	variables := map[string]any{}
	labels := strings.Split(strings.ReplaceAll(host, "...}", "}"), ".")
	for _, label := range labels {
		if name, ok := strings.CutPrefix(label, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			variables[name] = map[string]any{"default": name}
		}
	}
	object := map[string]any{"url": "//" + strings.Join(labels, ".")}
	if len(variables) > 0 {
		object["variables"] = variables
	}
	return object
}
