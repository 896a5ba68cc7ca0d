package openapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A Ticket is read by ReadJSON, and described in the document.
type Ticket struct {
	Show   string   `json:"show" jsonschema:"the name of the show"`
	Seats  int      `json:"seats"`
	Guests []Person `json:"guests,omitempty"`
}

type Person struct {
	Name string `json:"name"`
}

// schemaOf makes the schema of a value's type, without references.
func schemaOf(v any) any {
	schema, err := jsonschema.ForType(reflect.TypeOf(v), nil)
	if err != nil {
		panic(err) // a type that has no JSON, such as a channel
	}
	return schema
}

func tickets(mux *muxmaster.Mux) (map[string]any, error) {
	mux.Annotate(inspect.Key, inspect.Operation{
		Request: &inspect.Content{Schema: Ticket{}}, Responses: map[int]inspect.Content{201: {Schema: Ticket{}}},
	}).POST("/tickets", problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		t, err := body.ReadJSON[Ticket](w, r, 1<<20, body.Strict)
		if err != nil {
			return err
		}
		return body.WriteJSON(w, http.StatusCreated, t)
	}))
	return inspect.OpenAPI(mux, inspect.Document{Title: "Shop", Version: "1.0.0", Schema: schemaOf})
}

func TestTypesRecipe(t *testing.T) {
	mux := muxmaster.New()
	doc, err := tickets(mux)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range problems(t, "3.1", text) {
		t.Error(err)
	}
	want := `"schema":{"type":"object","properties":{"show":{"type":"string","description":"the name of the show"},"seats":{"type":"integer"},"guests":` +
		`{"type":["null","array"],"items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}},` +
		`"required":["show","seats"],"additionalProperties":false}`
	if !strings.Contains(string(text), want) {
		t.Errorf("the document is %s, want a schema %s", text, want)
	}
	for body, want := range map[string]int{`{"show":"Hamlet","seats":2,"guests":[{"name":"Ada"}]}`: 201, `{"show":"Hamlet","seats":2,"row":1}`: 400, `{"seats":"two"}`: 400} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/tickets", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if mux.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", body, w.Code, want)
		}
	}
}
