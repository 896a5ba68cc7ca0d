package inspect

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed-1954dcaa/muxmaster"
)

type annotation string

// Key is a key for annotations of type [Operation] and [Document]. They are
// found by their type, so other keys also work.
const Key annotation = "inspect"

// An Operation is an annotation that describes routes in the document of
// [OpenAPI]:
//
//	mux.Annotate(inspect.Key, inspect.Operation{
//		Summary:   "Show an item",
//		Responses: map[int]inspect.Content{200: {Schema: inspect.Ref("Item")}},
//	}).GET("/items/{id:int}", show)
//
// A route can have several, of the scopes around it. The innermost one applies,
// and the others provide the fields that it leaves empty, and parameters and
// responses that it doesn't list. So a Group can have the tags, the security
// and the error responses of all its routes.
type Operation struct {
	ID          string // operationId; by default the route's name, or else the handler's
	Summary     string // a few words
	Description string // Markdown
	Tags        []string
	Deprecated  bool
	Hidden      bool            // omits the route from the document
	Security    []Security      // a client needs one of them; empty but not nil: none
	Parameters  []Parameter     // of the query and the header; path parameters to describe
	Request     *Content        // nil if a request has no content
	Responses   map[int]Content // by status; 4 stands for 4xx, and 0 for all others
}

// Security is a security requirement: the scopes that a client needs, by the
// name of a security scheme. It needs all schemes in it.
type Security map[string][]string

// A Parameter describes a parameter of an operation.
type Parameter struct {
	Name        string
	In          string // "query", "header" or "cookie"; "" or "path" for the path
	Description string
	Required    bool // path parameters always are
	Schema      any  // as in Content; by default a string, or what the pattern says
}

// Content describes the content of a request or response.
type Content struct {
	Description string // of a response, by default the text of its status
	Optional    bool   // a request may have no content
	Type        string // media type; by default application/json, or with Items text/event-stream

	// Schema is a JSON Schema: a value to be encoded with encoding/json, such as
	// a map, a json.RawMessage or the result of Ref, or what Document.Schema
	// makes schemas from. It is nil if there is no content, or if Type says
	// enough.
	Schema any

	// Items is the schema of each item of a stream, such as server-sent events
	// or lines of JSON. It makes the document one of OpenAPI 3.2.
	Items any
}

// Ref returns a schema that refers to a schema of the document by its name.
func Ref(name string) map[string]any {
	return map[string]any{"$ref": schemaPrefix + name}
}

const schemaPrefix = "#/components/schemas/"

// operationOf returns what the annotations of a route say.
func operationOf(r muxmaster.Route) (o Operation) {
	for _, value := range r.Annotations() {
		switch v := value.(type) {
		case Operation:
			o = o.within(v)
		case *Operation:
			if v != nil {
				o = o.within(*v)
			}
		}
	}
	return o
}

// within returns o with the fields that it leaves empty from outer, the
// Operation of a scope around it.
func (o Operation) within(outer Operation) Operation {
	o.ID = cmp.Or(o.ID, outer.ID)
	o.Summary = cmp.Or(o.Summary, outer.Summary)
	o.Description = cmp.Or(o.Description, outer.Description)
	o.Deprecated = o.Deprecated || outer.Deprecated
	o.Hidden = o.Hidden || outer.Hidden
	o.Request = cmp.Or(o.Request, outer.Request)
	if o.Tags == nil {
		o.Tags = outer.Tags
	}
	if o.Security == nil {
		o.Security = outer.Security
	}
	o.Parameters = slices.Clone(o.Parameters)
	for _, p := range outer.Parameters {
		if !slices.ContainsFunc(o.Parameters, p.same) {
			o.Parameters = append(o.Parameters, p)
		}
	}
	responses := maps.Clone(outer.Responses)
	if responses == nil {
		responses = map[int]Content{}
	}
	maps.Copy(responses, o.Responses)
	o.Responses = responses
	return o
}

// same reports whether p and q describe the same parameter.
func (p Parameter) same(q Parameter) bool {
	return p.Name == q.Name && cmp.Or(p.In, "path") == cmp.Or(q.In, "path")
}
