package openapi

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"
	speakeasy "github.com/speakeasy-api/openapi/openapi"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/interop/overlay"
)

// omit omits what OpenAPI 3.1 lacks and, to keep the client short, operations
// that it doesn't need. It also omits a path with an escape, which oapi-codegen
// interprets as a Printf format.
func omit(r muxmaster.Route, op map[string]any) {
	switch {
	case r.Method == "PURGE", r.Method == "BREW", r.Method == "QUERY", r.Pattern == "/events", strings.Contains(r.Pattern, "%"),
		op["parameters"] == nil && r.Pattern != "/" && r.Pattern != "/list":
		clear(op)
	}
}

// document returns the document of the service, without the operations that
// describe clears.
func document(t *testing.T, describe func(muxmaster.Route, map[string]any)) []byte {
	t.Helper()
	d := Document
	d.Describe = describe
	doc, err := inspect.OpenAPI(Service(), d)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestValid checks documents with three validators: the schema of the
// specification, and two libraries that check more than the schema.
func TestValid(t *testing.T) {
	r := httptest.NewRequest("GET", "/debug/routes/openapi.json", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:5", "localhost"
	w := httptest.NewRecorder()
	Service().ServeHTTP(w, r)
	for name, text := range map[string][]byte{"3.1": document(t, omit), "3.2": document(t, nil), "3.2, openapi.json": w.Body.Bytes()} {
		version, _, _ := strings.Cut(name, ",")
		if !bytes.Contains(text, []byte(`"openapi":"`+version)) {
			t.Errorf("%s: the document has another version: %s", name, text)
		}
		for _, err := range problems(t, version, text) {
			t.Errorf("%s: %s", name, err)
		}
	}
}

// schemas are the JSON Schemas of the specification.
var schemas = map[string]string{"3.1": datamodel.OpenAPI31SchemaData, "3.2": datamodel.OpenAPI32SchemaData}

func problems(t *testing.T, version string, text []byte) (all []string) {
	t.Helper()
	source, err := jsonschema.UnmarshalJSON(strings.NewReader(schemas[version]))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", source); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		all = append(all, "the schema of OpenAPI "+version+": "+err.Error())
	}
	ctx := t.Context()
	if version == "3.1" { // it doesn't know additionalOperations
		doc, err := openapi3.NewLoader().LoadFromData(text)
		if err == nil {
			err = doc.Validate(ctx, openapi3.EnableSchemaPatternValidation())
		}
		if err != nil {
			all = append(all, "kin-openapi: "+err.Error())
		}
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
	doc, err := openapi3.NewLoader().LoadFromData(document(t, omit))
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
