package openapi

import (
	"encoding/json"
	"io"
	"net/http"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// An Answer describes a request that the service received.
type Answer struct {
	Route  string            `json:"route"`
	Values map[string]string `json:"values"`
	Note   string            `json:"note"`
}

func newAnswer(r *http.Request) Answer {
	a := Answer{Route: r.Method + " " + muxmaster.RoutePattern(r), Values: map[string]string{}}
	for _, p := range muxmaster.PathParams(r) {
		a.Values[p.Key] = p.Value
	}
	return a
}

func answer(w http.ResponseWriter, r *http.Request) {
	a := newAnswer(r)
	var sent struct{ Note string }
	if r.Method == http.MethodPut && json.NewDecoder(r.Body).Decode(&sent) == nil {
		a.Note = sent.Note
	}
	body.WriteJSON(w, http.StatusOK, a)
}

// The names of these handlers become operation IDs.
func showUser(w http.ResponseWriter, r *http.Request)   { answer(w, r) }
func removeUser(w http.ResponseWriter, r *http.Request) { answer(w, r) }
func put(w http.ResponseWriter, r *http.Request)        { answer(w, r) }

type notes struct{}

func (*notes) List(w http.ResponseWriter, r *http.Request) { answer(w, r) }

type tags struct{}

func (tags) List(w http.ResponseWriter, r *http.Request) { answer(w, r) }

func generic[T any](w http.ResponseWriter, r *http.Request) { answer(w, r) }

func version(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	a := Answer{Route: r.Method + " " + muxmaster.RoutePattern(r), Values: map[string]string{}}
	for _, p := range ps {
		a.Values[p.Key] = p.Value
	}
	body.WriteJSON(w, http.StatusOK, a)
}

// typed also answers the query parameter limit.
func typed(w http.ResponseWriter, r *http.Request) {
	a := newAnswer(r)
	a.Values["limit"] = r.FormValue("limit")
	body.WriteJSON(w, http.StatusOK, a)
}

// events sends two events.
func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "data: {\"note\":\"a\"}\n\ndata: {\"note\":\"b\"}\n\n")
}

// Document has what the annotations in Service refer to.
var Document = inspect.Document{
	Title:   "Service",
	Version: "1.0.0",
	Schemas: map[string]any{
		"Answer": json.RawMessage(`{"type": "object", "required": ["route", "values"], "properties": {
			"route": {"type": "string"}, "note": {"type": "string"},
			"values": {"type": "object", "additionalProperties": {"type": "string"}}}}`),
		"Note": map[string]any{"type": "object", "required": []string{"note"}, "properties": map[string]any{
			"note": map[string]any{"type": []string{"string", "null"}}}},
	},
	SecuritySchemes: map[string]any{"login": map[string]any{"type": "http", "scheme": "bearer"}},
}

// Service returns a service with all kinds of routes.
func Service() *muxmaster.Mux {
	mux := muxmaster.New()
	m := mux.Annotate(inspect.Key, inspect.Operation{Responses: map[int]inspect.Content{
		200: {Description: "what was asked", Schema: inspect.Ref("Answer")},
	}})
	closure := func(w http.ResponseWriter, r *http.Request) { answer(w, r) }

	m.GET("/", closure)
	m.GET("/users/:id", showUser)
	m.DELETE("/users/{user}", removeUser) // the same path to OpenAPI
	m.GET("/users/me", closure)
	m.GETFast("/v{major:[0-9]+}.{minor:\\d+}/x", version)
	m.GET("/files/{name}.json", closure)
	m.GET("/files/:name", closure)
	m.POST("/jobs/{id}:cancel", closure)
	m.GET("/old/user_:name", closure)

	m.GET("/static/*filepath", closure)
	m.GET("/docs/{page...}", closure)
	m.GET("/v2/{name...}/manifests/{ref}", closure)
	m.GET("/slash/{$}", closure)
	m.GET("/verb/", closure)
	m.HandleFunc("/below/", closure)
	m.ServeFiles("/assets/*file", fstest.MapFS{"a.txt": {Data: []byte("a")}})

	m.GET("/by/{year:[0-9]{4}}/{month:(?i)[a-z]{3}}", closure)
	m.GET("/by/{week:w[0-9]+}/{day}", closure) // the same path to OpenAPI
	m.GET("/id/{id:[[:xdigit:]]{4}}", closure)
	m.GET("/any-id/{id:\\pL+}", closure)

	m.ANY("/any/:x", generic[int])
	m.Annotate(inspect.Key, inspect.Operation{
		Summary: "Put a note", Tags: []string{"notes"}, Security: []inspect.Security{{"login": nil}, {}},
		Parameters: []inspect.Parameter{{Name: "x", Description: "any name"}},
		Request:    &inspect.Content{Schema: inspect.Ref("Note")},
	}).PUT("/any/:x", put)
	m.Name("typed.values").Annotate(inspect.Key, inspect.Operation{
		Parameters: []inspect.Parameter{{Name: "limit", In: "query", Schema: map[string]any{"type": "integer"}}},
		Responses:  map[int]inspect.Content{4: {Type: "application/problem+json"}, 0: {}},
	}).GET("/typed/{number:int}/{key:uuid}", typed)
	m.Annotate(inspect.Key, inspect.Operation{
		Responses: map[int]inspect.Content{200: {Items: map[string]any{"type": "object", "properties": map[string]any{"data": inspect.Ref("Note")}}}},
	}).GET("/events", events)
	m.HandleFunc("GET,POST /list", closure)
	m.HandleFunc("PURGE /list", closure)
	m.HandleFunc("BREW /pot", closure)
	m.OPTIONS("/options", closure)
	m.HEAD("/head", closure)
	m.QUERY("/query", closure)

	m.GET("/notes", (&notes{}).List)
	m.GET("/tags", tags{}.List)
	m.Method("GET", "/handler", http.HandlerFunc(closure))
	m.Handle("GET /error", problem.Handler(func(w http.ResponseWriter, r *http.Request) error { answer(w, r); return nil }))

	m.HandleFunc("GET api.example.com/hosts/{id}", closure)
	m.HandleFunc("GET {tenant}.example.com/hosts/{id}", closure)
	m.HandleFunc("GET {sub...}.example.org/orgs/{id}", closure)

	m.GET("/odd/{user-id}/{type}/{Größe}", closure)
	m.GET("/a%20b/%7Bbraces%7D/100%25/ü/$&'()+,;=@!~", closure)

	m.Route("/api/{tenant}", func(g *muxmaster.Group) {
		g.GET("/", closure)
		g.GET("/items/{id}", closure)
	})
	sub := muxmaster.New()
	sub.GET("/", closure)
	sub.GET("/pages/:page", closure)
	m.Mount("/mounted/{site}", sub)
	m.Mount("/legacy", http.HandlerFunc(closure))
	m.Annotate(inspect.Key, Document).Mount("/debug/routes", inspect.Handler(mux))
	return mux
}
