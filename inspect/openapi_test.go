package inspect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// operations returns the document for m, and its operations by METHOD path.
func operations(t *testing.T, m *muxmaster.Mux, d inspect.Document) (doc map[string]any, ops map[string]map[string]any) {
	t.Helper()
	doc, err := inspect.OpenAPI(m, d)
	if err != nil {
		t.Fatal(err)
	}
	ops = map[string]map[string]any{}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		Paths map[string]map[string]map[string]any
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	for path, item := range decoded.Paths {
		for method, op := range item {
			ops[strings.ToUpper(method)+" "+path] = op
		}
	}
	return doc, ops
}

// equal reports whether the JSON of a value is equal to want.
func equal(t *testing.T, got any, want string) bool {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(want), &value); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(got, value)
}

type itemSchema struct{ name string }

// TestOpenAPI checks each field of Operation, alone and merged with those of outer
// scopes, and those of Document.
func TestOpenAPI(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
	type key struct{}
	m := muxmaster.New()
	m.Annotate(inspect.Key, inspect.Operation{
		ID: "own", Summary: "Sum", Description: "Text", Tags: []string{"a", "b"}, Deprecated: true,
		Security:   []inspect.Security{{"bearer": nil, "key": {"x"}}, {}},
		Parameters: []inspect.Parameter{{Name: "id", Description: "a number"}, {Name: "q", In: "query", Required: true, Schema: itemSchema{"q"}}, {Name: "h", In: "header"}},
		Request:    &inspect.Content{Schema: inspect.Ref("Item")},
		Responses:  map[int]inspect.Content{200: {Schema: json.RawMessage(`{"type": "object"}`)}, 204: {}, 4: {Description: "no", Type: "text/plain"}, 0: {}},
	}).POST("/all/{id:int}", h)
	m.Name("a.name").PUT("/named", h)
	m.Annotate(key{}, &inspect.Operation{Summary: "by any key, as a pointer"}).GET("/pointer/{a}", h)
	m.Annotate(inspect.Key, inspect.Operation{Parameters: []inspect.Parameter{{Name: "b", Description: "second"}}}).DELETE("/pointer/{b}", h)
	m.Annotate(inspect.Key, inspect.Operation{Hidden: true}).GET("/hidden", h)
	g := m.Annotate(inspect.Key, inspect.Operation{
		Tags: []string{"g"}, Security: []inspect.Security{{"bearer": nil}}, Summary: "outer", Description: "outer",
		Parameters: []inspect.Parameter{{Name: "p", In: "query", Description: "outer"}, {Name: "g", Description: "outer"}},
		Responses:  map[int]inspect.Content{401: {Description: "outer"}, 200: {Description: "outer"}},
	}).Group("/g/{g}")
	g.GET("/outer", h)
	g.Annotate(inspect.Key, inspect.Operation{
		Summary: "inner", Security: []inspect.Security{}, Tags: []string{"h"},
		Parameters: []inspect.Parameter{{Name: "p", In: "query", Description: "inner"}},
		Responses:  map[int]inspect.Content{200: {Description: "inner"}},
	}).GET("/inner", h)

	m.Mount("/debug/routes", inspect.Handler(m)) // isn't in the document
	doc, ops := operations(t, m, inspect.Document{
		Title: "Test", Version: "1",
		Schemas:         map[string]any{"Item": itemSchema{"item"}, "Any": true},
		SecuritySchemes: map[string]any{"bearer": map[string]any{"type": "http", "scheme": "bearer"}, "key": 1},
		Security:        []inspect.Security{{"key": {"y"}}},
		Schema:          func(v any) any { return map[string]any{"title": v.(itemSchema).name} },
	})
	if info := fmt.Sprint(doc["info"]); info != "map[title:Test version:1]" || len(ops) != 6 {
		t.Errorf("%d operations of %s: %v", len(ops), info, ops)
	}
	for name, want := range map[string]string{
		"POST /all/{id}": `{"operationId": "own", "summary": "Sum", "description": "Text", "tags": ["a", "b"], "deprecated": true,
			"security": [{"bearer": [], "key": ["x"]}, {}],
			"parameters": [
				{"name": "id", "in": "path", "required": true, "description": "a number", "schema": {"type": "integer"}},
				{"name": "q", "in": "query", "required": true, "schema": {"title": "q"}},
				{"name": "h", "in": "header", "required": false, "schema": {"type": "string"}}],
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}},
			"responses": {
				"200": {"description": "OK", "content": {"application/json": {"schema": {"type": "object"}}}},
				"204": {"description": "No Content"},
				"4XX": {"description": "no", "content": {"text/plain": {}}},
				"default": {"description": "all other responses"}}}`,
		"GET /g/{g}/outer": `{"operationId": "get_g_g_outer", "summary": "outer", "description": "outer", "tags": ["g"], "security": [{"bearer": []}],
			"parameters": [
				{"name": "g", "in": "path", "required": true, "description": "outer", "schema": {"type": "string"}},
				{"name": "p", "in": "query", "required": false, "description": "outer", "schema": {"type": "string"}}],
			"responses": {"200": {"description": "outer"}, "401": {"description": "outer"}}}`,
		"GET /g/{g}/inner": `{"operationId": "get_g_g_inner", "summary": "inner", "description": "outer", "tags": ["h"], "security": [],
			"parameters": [
				{"name": "g", "in": "path", "required": true, "description": "outer", "schema": {"type": "string"}},
				{"name": "p", "in": "query", "required": false, "description": "inner", "schema": {"type": "string"}}],
			"responses": {"200": {"description": "inner"}, "401": {"description": "outer"}}}`,
	} {
		if !equal(t, any(ops[name]), want) {
			got, _ := json.MarshalIndent(ops[name], "", "\t")
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
	if ops["PUT /named"]["operationId"] != "a.name" || ops["GET /pointer/{a}"]["summary"] != "by any key, as a pointer" {
		t.Errorf("got %v and %v", ops["PUT /named"], ops["GET /pointer/{a}"])
	}
	if params := ops["DELETE /pointer/{a}"]["parameters"].([]any); len(params) != 1 || params[0].(map[string]any)["description"] != "second" {
		t.Errorf("a parameter that another route has named is not described: %v", params)
	}
	if ops["GET /hidden"] != nil {
		t.Error("a hidden route is in the document")
	}
	text, _ := json.Marshal(map[string]any{"components": doc["components"], "security": doc["security"]})
	if want := `{"components":{"schemas":{"Any":true,"Item":{"title":"item"}},"securitySchemes":{"bearer":{"scheme":"bearer","type":"http"},"key":1}},"security":[{"key":["y"]}]}`; string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestOpenAPIErrors(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
	for _, tt := range []struct {
		operation inspect.Operation
		document  inspect.Document
		want      string
	}{
		{inspect.Operation{Parameters: []inspect.Parameter{{Name: "ID"}}}, inspect.Document{}, `the path has no parameter "ID"`},
		{inspect.Operation{Security: []inspect.Security{{"jwt": nil}}}, inspect.Document{}, `GET /x/{id}`},
		{inspect.Operation{Security: []inspect.Security{{"jwt": nil}}}, inspect.Document{}, `no security scheme "jwt"`},
		{inspect.Operation{}, inspect.Document{Security: []inspect.Security{{"jwt": nil}}}, `no security scheme "jwt"`},
		{inspect.Operation{Parameters: []inspect.Parameter{{Name: "x", In: "body"}}}, inspect.Document{}, `the parameter "x" is in "body"`},
		{inspect.Operation{Responses: map[int]inspect.Content{600: {}}}, inspect.Document{}, `600 is no status of a response`},
		{inspect.Operation{}, inspect.Document{Schemas: map[string]any{"List[User]": true}}, `"List[User]" is no name`},
		{inspect.Operation{}, inspect.Document{SecuritySchemes: map[string]any{"a b": true}}, `"a b" is no name`},
		{inspect.Operation{Request: &inspect.Content{Schema: inspect.Ref("No")}}, inspect.Document{}, `no schema "No"`},
		{inspect.Operation{Request: &inspect.Content{Items: inspect.Ref("No")}}, inspect.Document{}, `no schema "No"`},
		{inspect.Operation{}, inspect.Document{Schemas: map[string]any{"A": json.RawMessage(`{"$ref" : "#/components/schemas/No/properties/x"}`)}}, `no schema "No"`},
		{inspect.Operation{Request: &inspect.Content{Schema: func() {}}}, inspect.Document{}, `unsupported type`},
		{inspect.Operation{Request: &inspect.Content{Schema: json.RawMessage(`{`)}}, inspect.Document{}, `unexpected end of JSON`},
		{inspect.Operation{Request: &inspect.Content{Schema: inspect.Ref("No")}}, inspect.Document{Schemas: map[string]any{"No": nil}}, `no schema "No"`},
		{inspect.Operation{Request: &inspect.Content{Schema: struct{ A, Title int }{}}}, inspect.Document{}, `set Document.Schema`},
		{inspect.Operation{Request: &inspect.Content{Schema: struct{}{}}}, inspect.Document{}, `set Document.Schema`},
		{inspect.Operation{Request: &inspect.Content{Schema: []struct{ A int }{{}}}}, inspect.Document{}, `set Document.Schema`},
		{inspect.Operation{Request: &inspect.Content{Schema: map[string]struct{ A int }{"B": {}}}}, inspect.Document{}, `set Document.Schema`},
		{inspect.Operation{Request: &inspect.Content{Schema: map[string]int{}}}, inspect.Document{}, ""},
		{inspect.Operation{Request: &inspect.Content{Schema: &struct{ A int }{}}}, inspect.Document{Schema: func(any) any { return true }}, ""},
		{inspect.Operation{Request: &inspect.Content{Schema: struct {
			Type string `json:"type"`
		}{"string"}}}, inspect.Document{}, ""},
		{inspect.Operation{Description: `"$ref":"#/components/schemas/No"`}, inspect.Document{}, ""},
	} {
		m := muxmaster.New()
		m.Annotate(inspect.Key, tt.operation).GET("/x/{id}", h)
		_, err := inspect.OpenAPI(m, tt.document)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "inspect: OpenAPI: ")) {
			t.Errorf("%+v in %+v: got %v, want %q", tt.operation, tt.document, err, tt.want)
		}
	}
}

// TestHandlerOpenAPI checks that the page's document has the schemas of a
// Document that annotates its route, and that it doesn't need one.
func TestHandlerOpenAPI(t *testing.T) {
	m := muxmaster.New()
	operation := inspect.Operation{Security: []inspect.Security{{"jwt": nil}}, Request: &inspect.Content{Schema: inspect.Ref("Item")}}
	m.Annotate(inspect.Key, operation).POST("/items", func(http.ResponseWriter, *http.Request) {})
	m.Mount("/plain", inspect.Handler(m))
	m.Annotate(inspect.Key, inspect.Document{
		Title: "Shop", Schemas: map[string]any{"Item": true}, SecuritySchemes: map[string]any{"jwt": true},
	}).Mount("/annotated", inspect.Handler(m))
	m.Annotate(inspect.Key, inspect.Document{}).Mount("/wrong", inspect.Handler(m))
	for prefix, want := range map[string]string{
		"/plain":     `"info":{"title":"Routes","version":"0"}`,
		"/annotated": `"components":{"schemas":{"Item":true},"securitySchemes":{"jwt":true}},"info":{"title":"Shop","version":"0"}`,
		"/wrong":     `no security scheme "jwt"`,
	} {
		if got := get(t, m, prefix+"/openapi.json", nil).Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s: got %s\nwant %s", prefix, got, want)
		}
	}
	admin, service := muxmaster.New(), muxmaster.New() // on another listener, the page has a Mux of its own
	admin.Mount("/routes", inspect.Handler(service))
	service.ServeSPA("/", fstest.MapFS{"index.html": {}})
	service.Annotate(inspect.Key, inspect.Document{Title: "Shop", Servers: []string{"https://shop.example/v1"}, Schemas: map[string]any{"Item": true}}).
		Annotate(inspect.Key, inspect.Operation{Request: &inspect.Content{Schema: inspect.Ref("Item")}}).POST("/items", func(http.ResponseWriter, *http.Request) {})
	got := get(t, admin, "/routes/openapi.json", nil).Body.String()
	if !strings.Contains(got, `"schemas":{"Item":true}`) || !strings.Contains(got, `"servers":[{"url":"https://shop.example/v1"}]`) || strings.Contains(got, "filepath") {
		t.Errorf("on another Mux: got %s", got)
	}
}
