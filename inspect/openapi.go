package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/seed-1954dcaa/muxmaster"
)

// A Document says what a document of [OpenAPI] contains besides the routes. The
// zero value is valid.
type Document struct {
	Title           string         // by default "API"
	Version         string         // of the API; by default "0"
	Servers         []string       // URLs of the API, such as https://api.example.com/v1; by default that of the document
	Schemas         map[string]any // by name, for Ref; see Content.Schema for the values
	SecuritySchemes map[string]any // by name, for Security: security scheme objects of OpenAPI
	Security        []Security     // of operations that have none of their own

	// Schema, if not nil, makes the schema of each value in Content.Schema,
	// Content.Items, Parameter.Schema and Schemas that isn't a map[string]any, a
	// json.RawMessage or a bool. It can call a package that makes schemas from
	// Go types.
	Schema func(v any) any

	// Describe, if not nil, is called for each operation with its route and
	// method. It can change the operation, a JSON object, or omit it with clear.
	Describe func(r muxmaster.Route, operation map[string]any)

	partial bool  // schemas and security schemes may be missing
	fault   error // the first of a schema
}

// OpenAPI returns an OpenAPI document of the routes of m, as a map to be encoded
// with [encoding/json]. It contains paths, methods, parameters with their types
// and constraints, unless these mean something else in JSON Schema, as (?i) and
// [[:alpha:]] do, and what annotations of type [Operation] add. The page of
// [Handler] is left out.
//
// The version is 3.1, or 3.2 if the document has something that 3.1 lacks:
// methods such as QUERY and PURGE, and streams (Content.Items). OpenAPI doesn't
// distinguish paths by the names and constraints of parameters: of two such
// routes with the same method, the document describes the first.
//
// OpenAPI returns an error if an operation describes a path parameter that its
// path doesn't have, if a schema or security scheme is missing, if a name, a status
// or the place of a parameter is invalid, or if something can't be encoded.
func OpenAPI(m *muxmaster.Mux, d Document) (map[string]any, error) {
	doc, err := d.of(m.Routes())
	if err != nil {
		return nil, fmt.Errorf("inspect: OpenAPI: %w", err)
	}
	return doc, nil
}

// of returns the document of routes.
func (d *Document) of(routes iter.Seq[muxmaster.Route]) (map[string]any, error) {
	ops, err := operations(routes)
	if err != nil {
		return nil, err
	}
	paths := map[string]any{}
	named := map[string]string{} // operation by ID, as METHOD path
	release := "3.1.0"
	for i, id := range operationIDs(ops) {
		op := ops[i]
		object, err := d.object(op, id)
		if err != nil {
			return nil, fmt.Errorf("the route %s %s (%s:%d): %w", op.method, op.route.Host+op.route.Pattern, op.route.File, op.route.Line, err)
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
		addOperation(inner(paths, template), op.method, object)
		if !documented(op.method) || streams(object) {
			release = "3.2.0"
		}
	}
	doc := map[string]any{
		"openapi": release,
		"info":    map[string]any{"title": cmp.Or(d.Title, "API"), "version": cmp.Or(d.Version, "0")},
		"paths":   paths,
	}
	for _, url := range d.Servers {
		list, _ := doc["servers"].([]any)
		doc["servers"] = append(list, map[string]any{"url": url})
	}
	return doc, cmp.Or(d.add(doc), d.fault, d.check(doc))
}

// object returns an operation as JSON. It is empty if Describe has cleared it.
func (d *Document) object(op *operation, id string) (map[string]any, error) {
	object := map[string]any{
		"operationId": id,
		"responses":   map[string]any{"default": map[string]any{"description": "the response of " + op.route.Handler}},
	}
	if params := op.path.parameters(); params != nil {
		object["parameters"] = params
	}
	if op.route.Host != "" {
		object["servers"] = []any{server(op.route.Host)}
	}
	err := d.describe(op, object)
	if d.Describe != nil {
		r := op.route
		r.Method = op.method
		d.Describe(r, object)
	}
	return object, err
}

// add adds to the document what isn't about one operation.
func (d *Document) add(doc map[string]any) error {
	for name, v := range d.Schemas {
		inner(inner(doc, "components"), "schemas")[name] = d.schema(v)
	}
	for name, v := range d.SecuritySchemes {
		inner(inner(doc, "components"), "securitySchemes")[name] = v
	}
	if d.Security == nil {
		return nil
	}
	security, err := d.requirements(d.Security)
	doc["security"] = security
	return err
}

// describe adds to the object of an operation what the annotations say.
func (d *Document) describe(o *operation, object map[string]any) error {
	for key, text := range map[string]string{"summary": o.Summary, "description": o.Description} {
		if text != "" {
			object[key] = text
		}
	}
	if len(o.Tags) > 0 {
		object["tags"] = slices.Clone(o.Tags)
	}
	if o.Deprecated {
		object["deprecated"] = true
	}
	if o.Security != nil {
		security, err := d.requirements(o.Security)
		if err != nil {
			return err
		}
		object["security"] = security
	}
	if o.Request != nil {
		object["requestBody"] = map[string]any{"content": d.content(*o.Request), "required": !o.Request.Optional}
	}
	if len(o.Responses) > 0 {
		responses := map[string]any{}
		for status, c := range o.Responses {
			if status != 0 && (status < 1 || status > 5) && (status < 100 || status > 599) {
				return fmt.Errorf("%d is no status of a response; use 100 to 599, 4 for 4xx, or 0 for all others", status)
			}
			key, text := statusKey(status)
			response := map[string]any{"description": cmp.Or(c.Description, text)}
			if content := d.content(c); len(content) > 0 {
				response["content"] = content
			}
			responses[key] = response
		}
		object["responses"] = responses
	}
	return d.parameters(o, object)
}

// parameters adds the parameters in annotations to the object of an operation.
func (d *Document) parameters(op *operation, object map[string]any) error {
	params, _ := object["parameters"].([]any)
	for _, p := range op.Parameters {
		var param map[string]any
		if p.In == "" || p.In == "path" {
			i := slices.Index(op.names, p.Name)
			if i < 0 {
				return fmt.Errorf("the path has no parameter %q; for one of the query, set In: \"query\"", p.Name)
			}
			param = params[i].(map[string]any)
		} else if !slices.Contains([]string{"query", "header", "cookie"}, p.In) {
			return fmt.Errorf("the parameter %q is in %q; set In to \"query\", \"header\", \"cookie\" or \"path\"", p.Name, p.In)
		} else {
			param = map[string]any{"name": p.Name, "in": p.In, "required": p.Required, "schema": map[string]any{"type": "string"}}
			params = append(params, param)
		}
		if p.Description != "" {
			param["description"] = p.Description
		}
		if p.Schema != nil {
			param["schema"] = d.schema(p.Schema)
		}
	}
	if params != nil {
		object["parameters"] = params
	}
	return nil
}

// content returns the content object of a request or response.
func (d *Document) content(c Content) map[string]any {
	if c.Type == "" && c.Schema == nil && c.Items == nil {
		return map[string]any{}
	}
	media := map[string]any{}
	kind := "application/json"
	if c.Schema != nil {
		media["schema"] = d.schema(c.Schema)
	}
	if c.Items != nil {
		media["itemSchema"] = d.schema(c.Items)
		kind = "text/event-stream"
	}
	return map[string]any{cmp.Or(c.Type, kind): media}
}

func (d *Document) schema(v any) any {
	switch v.(type) {
	case nil, map[string]any, json.RawMessage, bool:
		return v
	}
	if d.Schema != nil {
		return d.Schema(v)
	}
	if !isSchema(v) && !d.partial {
		d.fault = cmp.Or(d.fault, fmt.Errorf("a value of the type %v isn't a JSON Schema; set Document.Schema to a function that makes schemas from Go types", reflect.TypeOf(v)))
	}
	return v
}

// isSchema reports whether a value encodes to what looks like a JSON Schema, as
// maps and the types of packages for schemas do.
func isSchema(v any) bool {
	text, err := json.Marshal(v)
	if err != nil {
		return true // see check
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return string(text) == "true" || string(text) == "false"
	}
	if _, encodes := v.(json.Marshaler); len(members) == 0 {
		return encodes || reflect.TypeOf(v).Kind() == reflect.Map
	}
	for _, name := range []string{"$schema", "$ref", "properties", "enum", "const", "allOf", "anyOf", "oneOf"} {
		if _, ok := members[name]; ok {
			return true
		}
	}
	switch string(members["type"]) {
	case `"string"`, `"number"`, `"integer"`, `"boolean"`, `"array"`, `"object"`, `"null"`:
		return true
	}
	return false
}

// statusKey returns the key of a response, and a text for it.
func statusKey(status int) (key, text string) {
	switch {
	case status == 0:
		return "default", "all other responses"
	case status < 10:
		return strconv.Itoa(status) + "XX", fmt.Sprintf("responses with a status from %d00 to %d99", status, status)
	}
	return strconv.Itoa(status), cmp.Or(http.StatusText(status), "status "+strconv.Itoa(status))
}

// requirements returns the JSON form of list.
func (d *Document) requirements(list []Security) ([]any, error) {
	all := make([]any, len(list))
	for i, s := range list {
		object := map[string]any{}
		for scheme, scopes := range s {
			if _, ok := d.SecuritySchemes[scheme]; !ok && !d.partial {
				return nil, fmt.Errorf("there is no security scheme %q in Document.SecuritySchemes", scheme)
			}
			object[scheme] = append([]string{}, scopes...) // [], not null
		}
		all[i] = object
	}
	return all, nil
}

// check reports values that can't be encoded, names that OpenAPI doesn't allow, and
// references to schemas that are missing.
func (d *Document) check(doc map[string]any) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	if d.partial {
		return nil
	}
	for _, components := range []map[string]any{d.Schemas, d.SecuritySchemes} {
		for name := range components {
			if !componentName.MatchString(name) {
				return fmt.Errorf("%q is no name for a schema or security scheme; use letters, digits, dots, hyphens and underscores", name)
			}
		}
	}
	for _, m := range reference.FindAllSubmatch(text, -1) {
		if name := string(m[1]); d.Schemas[name] == nil {
			return fmt.Errorf("there is no schema %q in Document.Schemas", name)
		}
	}
	return nil
}

// componentName matches the names of schemas and security schemes (OpenAPI 3.1,
// 4.8.7). That of a generic type in Go has brackets.
var componentName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// reference matches a reference to a schema in encoded JSON.
var reference = regexp.MustCompile(`"\$ref":"` + schemaPrefix + `([^"/]*)`)
