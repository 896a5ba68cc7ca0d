package inspect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

func ExamplePrint() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.Handle("/debug/", http.NotFoundHandler())
	var table strings.Builder
	inspect.Print(&table, mux) // usually os.Stdout
	for line := range strings.Lines(table.String()) {
		fmt.Println(strings.Fields(line)[:2]) // then the handler, the file and the line
	}
	// Output:
	// [* /debug/]
	// [GET /users/:id]
}

func ExampleOpenAPI() {
	mux := muxmaster.New()
	mux.Name("item.show").Annotate(inspect.Key, inspect.Operation{
		Summary:   "Show an item",
		Responses: map[int]inspect.Content{200: {Schema: inspect.Ref("Item")}},
	}).GET("/items/{id:int}", func(w http.ResponseWriter, r *http.Request) {})

	doc, err := inspect.OpenAPI(mux, inspect.Document{
		Title: "Shop", Version: "1.0.0",
		Schemas: map[string]any{"Item": json.RawMessage(`{"type": "object"}`)},
	})
	if err != nil {
		fmt.Println(err)
	}
	text, _ := json.MarshalIndent(doc, "", "  ")
	fmt.Printf("%s\n", text)
	// Output:
	// {
	//   "components": {
	//     "schemas": {
	//       "Item": {
	//         "type": "object"
	//       }
	//     }
	//   },
	//   "info": {
	//     "title": "Shop",
	//     "version": "1.0.0"
	//   },
	//   "openapi": "3.1.0",
	//   "paths": {
	//     "/items/{id}": {
	//       "get": {
	//         "operationId": "item.show",
	//         "parameters": [
	//           {
	//             "in": "path",
	//             "name": "id",
	//             "required": true,
	//             "schema": {
	//               "type": "integer"
	//             }
	//           }
	//         ],
	//         "responses": {
	//           "200": {
	//             "content": {
	//               "application/json": {
	//                 "schema": {
	//                   "$ref": "#/components/schemas/Item"
	//                 }
	//               }
	//             },
	//             "description": "OK"
	//           }
	//         },
	//         "summary": "Show an item"
	//       }
	//     }
	//   }
	// }
}
