// Package openapi describes routes as an OpenAPI 3.1 document. It knows patterns
// and names, and nothing of the router.
package openapi

import (
	"fmt"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Route is one method at one path.
type Route struct {
	Method  string // "" for every method
	Pattern string // the path part
	Handler string // name of the function
}

// anyMethods are those of a route for every method.
var anyMethods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// Document returns the document. describe, if not nil, may change the operation
// of the route with the given index, a JSON object.
func Document(title, version string, routes []Route, describe func(i int, operation map[string]any)) (map[string]any, error) {
	paths := map[string]any{}
	ids := map[string]int{}
	for i, r := range routes {
		p, err := pattern.ParsePath(r.Pattern)
		if err != nil {
			return nil, err
		}
		path, params := describePath(p)
		item, _ := paths[path].(map[string]any)
		if item == nil {
			item = map[string]any{}
			paths[path] = item
		}
		methods := []string{r.Method}
		if r.Method == "" {
			methods = anyMethods
		}
		for _, method := range methods {
			key := strings.ToLower(method)
			if !documented(method) || item[key] != nil {
				continue // OpenAPI 3.1 has no place for other methods; the first route of a path stays
			}
			op := map[string]any{
				"operationId": uniqueID(ids, operationID(r.Handler, method, p)),
				"responses":   map[string]any{"default": map[string]any{"description": "the response of " + r.Handler}},
			}
			if len(params) > 0 {
				op["parameters"] = params
			}
			if describe != nil {
				describe(i, op)
			}
			item[key] = op
		}
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": title, "version": version},
		"paths":   paths,
	}, nil
}

// documented reports whether OpenAPI 3.1 has a field for the method.
func documented(method string) bool {
	switch method {
	case "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE":
		return true
	}
	return false
}

// describePath returns the path as OpenAPI writes it, and its parameters.
func describePath(p *pattern.Pattern) (path string, params []any) {
	var b strings.Builder
	add := func(name, expr string, rest bool) {
		schema := map[string]any{"type": "string"}
		if expr != "" {
			schema["pattern"] = "^(?:" + expr + ")$"
		}
		param := map[string]any{"name": name, "in": "path", "required": true, "schema": schema}
		if rest {
			param["description"] = "the rest of the path; it may have slashes"
		}
		params = append(params, param)
		b.WriteString("{" + name + "}")
	}
	for _, seg := range p.Segs {
		b.WriteString("/")
		for _, part := range seg {
			if part.Name == "" {
				b.WriteString(part.Text)
			} else {
				add(part.Name, part.Expr, false)
			}
		}
	}
	switch {
	case p.Rest != "":
		b.WriteString("/")
		add(p.Rest, "", true)
	case p.End != pattern.Exact:
		b.WriteString("/")
	}
	return b.String(), params
}

// operationID returns the name of the handler's function or, if that has none of
// its own, one made of method and path.
func operationID(handler, method string, p *pattern.Pattern) string {
	name := strings.TrimSuffix(handler[strings.LastIndexByte(handler, '/')+1:], "-fm")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if name != "" && !strings.HasPrefix(name, "func") && name != "HandlerFunc" && !strings.ContainsAny(name, "*()[]") {
		return name
	}
	id := strings.ToLower(method)
	for _, seg := range p.Segs {
		for _, part := range seg {
			id += "_" + strings.Map(idRune, part.Text+part.Name)
		}
	}
	if p.Rest != "" {
		id += "_" + strings.Map(idRune, p.Rest)
	}
	return id
}

func idRune(r rune) rune {
	if r == '_' || 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' {
		return r
	}
	return '_'
}

// uniqueID returns id, with a number if it was used before.
func uniqueID(ids map[string]int, id string) string {
	ids[id]++
	if n := ids[id]; n > 1 {
		return uniqueID(ids, fmt.Sprintf("%s_%d", id, n))
	}
	return id
}
