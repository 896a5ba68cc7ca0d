package main

import (
	"encoding/json"

	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// document and the operations below describe the API in
// /debug/routes/openapi.json.
var document = inspect.Document{
	Title: "Notes",
	Schemas: map[string]any{
		"Note": json.RawMessage(`{"type": "object", "required": ["id", "text"], "additionalProperties": false,
			"properties": {"id": {"type": "integer"}, "text": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}}`),
		"NewNote": json.RawMessage(`{"type": "object", "required": ["text"],
			"properties": {"text": {"type": "string", "minLength": 1}, "tags": {"type": ["array", "null"], "items": {"type": ["string", "null"]}}}}`),
		"Problem": json.RawMessage(`{"type": "object", "required": ["title", "status"],
			"properties": {"title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"}}}`),
	},
}

type responses = map[int]inspect.Content // by status

var (
	theNote   = inspect.Content{Schema: inspect.Ref("Note")}
	anError   = inspect.Content{Type: "application/problem+json", Schema: inspect.Ref("Problem")}
	listDoc   = inspect.Operation{Summary: "List the notes", Parameters: []inspect.Parameter{{Name: "tag", In: "query"}}, Responses: responses{200: {Schema: map[string]any{"type": "array", "items": inspect.Ref("Note")}}}}
	addDoc    = inspect.Operation{Summary: "Add a note", Request: &inspect.Content{Schema: inspect.Ref("NewNote")}, Responses: responses{201: theNote, 400: anError, 413: anError, 415: anError, 422: anError}}
	showDoc   = inspect.Operation{Summary: "Show a note", Responses: responses{200: theNote, 404: anError}}
	removeDoc = inspect.Operation{Summary: "Remove a note", Responses: responses{204: {}, 404: anError, 405: anError}}
)
