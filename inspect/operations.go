package inspect

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/files"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// anyMethods are the methods listed for a route for every method.
var anyMethods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// An operation is one method of a route in the document.
type operation struct {
	Operation                 // what the route's annotations say
	route     muxmaster.Route // as it is registered
	method    string          // not ""
	name      string          // of the handler's function, "" if it has none of its own
	path      template
	names     []string // of the parameters in the pattern
}

// spaName is the name of the handler of ServeSPA in Route.Handler. A page is no
// part of an API.
var spaName = fmt.Sprintf("%T", new(files.SPA))

// operations returns the operations of the routes: one for each path and
// method.
//
// OpenAPI is less expressive than the router. Paths that differ only in the
// names or constraints of parameters, such as /users/{id}, /users/{name},
// /users/{id:[0-9]+} and /users/{rest...}, are the same path in a document.
// Such routes share a path with the parameter names of the first one, and each
// method of a path has only one operation.
func operations(routes iter.Seq[muxmaster.Route]) ([]*operation, error) {
	var all []*operation
	for r := range routes {
		o := operationOf(r)
		if o.Hidden || isPage(&r) || r.Handler == spaName {
			continue
		}
		o.ID = cmp.Or(o.ID, r.Name)
		p, err := pattern.ParsePath(r.Pattern)
		if err != nil {
			return nil, err
		}
		methods := []string{r.Method}
		if r.Method == "" {
			methods = anyMethods
		}
		for _, m := range methods {
			all = append(all, &operation{o, r, m, functionName(r.Handler), newTemplate(p), p.Names()})
		}
	}
	known := map[string]template{} // the first path of each shape
	for _, op := range all {
		shape := op.path.shape()
		if _, ok := known[shape]; !ok {
			known[shape] = op.path
		}
		op.path.rename(known[shape])
	}
	// The first route defines an operation. Prefer routes for all hosts, then
	// those for the exact method.
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b *operation) int { return cmp.Compare(a.rank(), b.rank()) })
	first := map[string]*operation{}
	for _, op := range ranked {
		key := op.method + " " + op.path.String()
		switch f := first[key]; {
		case f == nil:
			first[key] = op
		case f.route.Host == op.route.Host:
			f.path.widen(op.path)
		}
	}
	return slices.DeleteFunc(all, func(op *operation) bool { return first[op.method+" "+op.path.String()] != op }), nil
}

func (op *operation) rank() (n int) {
	if op.route.Host != "" {
		n = 2
	}
	if op.route.Method == "" {
		n++
	}
	return n
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

// addOperation adds an operation to a path item. The methods that have no field
// of their own are in additionalOperations.
func addOperation(item map[string]any, method string, object map[string]any) {
	if documented(method) || method == "QUERY" {
		item[strings.ToLower(method)] = object
		return
	}
	inner(item, "additionalOperations")[method] = object
}

// inner returns the object at the key of another one, which it makes if there is
// none.
func inner(object map[string]any, key string) map[string]any {
	if _, ok := object[key]; !ok {
		object[key] = map[string]any{}
	}
	return object[key].(map[string]any)
}

// documented reports whether OpenAPI 3.1 has a field for the method.
func documented(method string) bool {
	return slices.Contains([]string{"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"}, method)
}

// streams reports whether a request or response of the operation has an
// itemSchema, which OpenAPI 3.1 lacks.
func streams(operation map[string]any) bool {
	messages := []any{operation["requestBody"]}
	if responses, ok := operation["responses"].(map[string]any); ok {
		for _, r := range responses {
			messages = append(messages, r)
		}
	}
	for _, m := range messages {
		object, _ := m.(map[string]any)
		content, _ := object["content"].(map[string]any)
		for _, media := range content {
			media, _ := media.(map[string]any)
			if _, ok := media["itemSchema"]; ok {
				return true
			}
		}
	}
	return false
}
