package openapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/santhosh-tekuri/jsonschema/v6"
	speakeasy "github.com/speakeasy-api/openapi/openapi"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/interop/overlay"
)

// describe adds the responses of the service. To keep the client short, it
// omits operations that the client doesn't need. It also omits a path with an
// escape, which oapi-codegen interprets as a Printf format.
func describe(r muxmaster.Route, op map[string]any) {
	if strings.Contains(r.Pattern, "%") || op["parameters"] == nil && r.Pattern != "/" && r.Pattern != "/list" {
		clear(op)
		return
	}
	op["summary"] = r.Method + " " + r.Pattern
	content := func(schema string) map[string]any {
		return map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/" + schema}}}
	}
	op["responses"] = map[string]any{"200": map[string]any{"description": "what was asked", "content": content("Answer")}}
	if r.Method == http.MethodPut {
		op["requestBody"] = map[string]any{"required": true, "content": content("Note")}
	}
}

// schemas are the components that describe refers to.
const schemas = `{"schemas": {
	"Answer": {"type": "object", "required": ["route", "values"], "properties": {
		"route": {"type": "string"}, "note": {"type": "string"},
		"values": {"type": "object", "additionalProperties": {"type": "string"}}}},
	"Note": {"type": "object", "required": ["note"], "properties": {"note": {"type": ["string", "null"]}}}}}`

func described(t *testing.T) []byte {
	t.Helper()
	doc, err := inspect.OpenAPI(Service(), "Service", "1.0.0", describe)
	if err != nil {
		t.Fatal(err)
	}
	doc["components"] = json.RawMessage(schemas)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestValid checks the document with three validators: the schema of the
// specification, and two libraries that check more than the schema.
func TestValid(t *testing.T) {
	plain, err := inspect.OpenAPI(Service(), "Service", "1.0.0", nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/debug/routes/openapi.json", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:5", "localhost"
	w := httptest.NewRecorder()
	Service().ServeHTTP(w, r)
	for name, text := range map[string][]byte{"plain": text, "described": described(t), "openapi.json": w.Body.Bytes()} {
		for _, err := range problems(t, text) {
			t.Errorf("%s: %s", name, err)
		}
	}
}

// TestInvalid checks that the validators find errors.
func TestInvalid(t *testing.T) {
	good := string(described(t))
	for name, edit := range map[string][2]string{
		"a field is missing":       {`"title":"Service",`, ``},
		"no such method":           {`"/list":{"get"`, `"/list":{"brew"`},
		"a parameter is missing":   {`"/users/{id}":`, `"/users/{id}/{another}":`},
		"two paths are the same":   {`"/list":`, `"/users/{user}":`},
		"an operation id twice":    {`"operationId":"showUser"`, `"operationId":"removeUser"`},
		"a broken expression":      {`\\d+`, `(\\d+`},
		"a reference leads no way": {`"#/components/schemas/Answer"`, `"#/components/schemas/Nothing"`},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		if bad == good {
			t.Errorf("%s: nothing to edit", name)
		}
		if len(problems(t, []byte(bad))) == 0 {
			t.Errorf("%s: no validator finds it", name)
		}
	}
}

func problems(t *testing.T, text []byte) (all []string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("testdata/oas-3.1-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		all = append(all, "the schema of OpenAPI 3.1: "+err.Error())
	}
	ctx := t.Context()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err == nil {
		err = doc.Validate(ctx, openapi3.EnableSchemaPatternValidation())
	}
	if err != nil {
		all = append(all, "kin-openapi: "+err.Error())
	}
	parsed, errs, err := speakeasy.Unmarshal(ctx, bytes.NewReader(text))
	if err != nil {
		return append(all, "speakeasy: "+err.Error())
	}
	resolved, err := parsed.ResolveAllReferences(ctx, speakeasy.ResolveAllOptions{OpenAPILocation: "openapi.json"})
	for _, err := range append(append(errs, resolved...), err) {
		if err != nil {
			all = append(all, "speakeasy: "+err.Error())
		}
	}
	return all
}

// TestClient calls the service with a client that oapi-codegen generates from
// the document.
func TestClient(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(described(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := codegen.Generate(doc, codegen.Configuration{
		PackageName: "client",
		Generate:    codegen.GenerateOptions{Client: true, Models: true},
	}.UpdateDefaults())
	if err != nil {
		t.Fatal(err)
	}
	overlay.Test(t, map[string][]byte{"client/client.gen.go": []byte(text)}, "./client")
}
