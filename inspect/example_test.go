package inspect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
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

func ExamplePrintTree() {
	mux := muxmaster.New()
	admin := mux.Group("/admin")
	admin.Use(requireLogin)
	admin.GET("/users", func(w http.ResponseWriter, r *http.Request) {})
	var tree strings.Builder
	inspect.PrintTree(&tree, inspect.Examine(mux)) // usually os.Stdout
	first, second, _ := strings.Cut(tree.String(), "\n")
	fmt.Println(first)
	fmt.Println(strings.Fields(second)[:2]) // then the handler, the file and the line
	// Output:
	// /admin  group + inspect_test.requireLogin
	// [/users GET]
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

// empty is a handler for the examples.
func empty(http.ResponseWriter, *http.Request) {}

// login is a middleware that refuses all requests.
func login(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
}

// shop returns two releases of a program. The new one lost a login.
func shop() (old, now *muxmaster.Mux) {
	old, now = muxmaster.New(), muxmaster.New()
	for _, m := range []*muxmaster.Mux{old, now} {
		m.GET("/items/:id", empty)
	}
	old.With(login).DELETE("/items/:id", empty)
	now.DELETE("/items/:id", empty)
	return old, now
}

func ExampleHandler() {
	mux := muxmaster.New()
	mux.GET("/users/:id", empty)
	mux.Mount("/debug/routes", inspect.Handler(mux))
	r := httptest.NewRequest("GET", "/debug/routes/routes.json", nil)
	for _, client := range []string{"127.0.0.1:4711", "192.0.2.1:4711"} {
		r.RemoteAddr, r.Host = client, "localhost"
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(client, w.Code)
	}
	// Output:
	// 127.0.0.1:4711 200
	// 192.0.2.1:4711 403
}

func ExampleHandlerFor() {
	mux := muxmaster.New()
	mux.Mount("/debug/routes", inspect.HandlerFor(mux, netip.MustParsePrefix("192.0.2.0/24")))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/routes/routes.json", nil)) // from 192.0.2.1
	fmt.Println(w.Code)
	// Output: 200
}

func ExampleRequests() {
	mux := muxmaster.New()
	mux.GET("/items", empty)
	n := 0
	for r := range inspect.Requests(mux) {
		if n++; n <= 3 {
			fmt.Println(r.Method, r.RequestURI)
		}
	}
	// Output:
	// GET /
	// GET /none-such
	// POST /none-such
}

func ExampleRequestsFor() {
	requests, err := inspect.RequestsFor("GET /items/{id}", "POST /items")
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range requests {
		fmt.Println(r.Method, r.RequestURI)
		break
	}
	// Output: GET /
}

func ExampleRequestsOf() {
	old, now := shop()
	list := inspect.Compare(old, now, inspect.RequestsOf(inspect.Examine(old)))
	fmt.Println(list[0].Kind)
	// Output: lost login
}

func ExampleCompare() {
	old, now := shop()
	list := inspect.Compare(old, now, inspect.Requests(old))
	inspect.PrintDifferences(os.Stdout, list[:1])
	fmt.Println(list[0].Kind, list[0].Request.URL.Path, list[0].Old.Status, list[0].Now.Status)
	// Output:
	// lost login: 1 request
	//   DELETE /items/1: 401, now 200 by DELETE /items/:id
	// lost login /items/1 401 200
}

func ExampleDiff() {
	old, now := shop()
	list, err := inspect.Diff(inspect.Examine(old), inspect.Examine(now))
	fmt.Println(len(list) > 0, err)
	// Output: true <nil>
}

func ExampleExamine() {
	mux := muxmaster.New()
	mux.GET("/users/{id:[0-9]+}", empty)
	for _, route := range inspect.Examine(mux) {
		fmt.Println(route.ExampleMethod, route.Example)
	}
	// Output: GET /users/1
}

func ExampleReadRoutes() {
	mux := muxmaster.New()
	mux.GET("/users/:id", empty)
	file, _ := json.Marshal(inspect.Examine(mux)) // routes.json of a running service
	routes, err := inspect.ReadRoutes(bytes.NewReader(file))
	fmt.Println(len(routes), routes[0].Pattern, err)
	// Output: 1 /users/:id <nil>
}

func ExampleReadLog() {
	log := `192.0.2.1 - - [22/Nov/2026:10:00:00 +0000] "GET /items/7?page=2 HTTP/1.1" 200 512`
	requests, err := inspect.ReadLog(strings.NewReader(log))
	fmt.Println(requests[0].Method, requests[0].URL, err)
	// Output: GET /items/7?page=2 <nil>
}

func ExampleReadHAR() {
	har := `{"log": {"entries": [{"request": {"method": "GET", "url": "https://example.com/items", "headers": []}}]}}`
	requests, err := inspect.ReadHAR(strings.NewReader(har))
	fmt.Println(requests[0].Method, requests[0].Host, requests[0].URL.Path, err)
	// Output: GET example.com /items <nil>
}

// In TestMain, the Coverage of all tests shows which routes none of them reached.
func ExampleNewCoverage() {
	mux := muxmaster.New()
	c := inspect.NewCoverage(mux)
	mux.Use(c.Handler)
	mux.GET("/items", empty)
	mux.GET("/orders", empty)
	mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/items", nil))

	var table strings.Builder
	share, err := c.Print(&table) // usually os.Stderr
	first, _, _ := strings.Cut(table.String(), "\n")
	fmt.Println(first, share, err)
	for _, route := range c.Unused() {
		fmt.Println(route.Pattern)
	}
	// Output:
	// 1 of 2 routes (50%) were used; not used: 0.5 <nil>
	// /orders
}

func ExampleCoverage_Page() {
	mux := muxmaster.New()
	c := inspect.NewCoverage(mux)
	mux.Use(c.Handler)
	mux.GET("/items", empty)
	mux.Mount("/debug/routes", c.Page(netip.MustParsePrefix("192.0.2.0/24")))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/routes/coverage.json", nil))
	fmt.Println(w.Code)
	// Output: 200
}

func ExampleNewMirror() {
	now, next := shop()
	mirror := inspect.NewMirror(inspect.MirrorOptions{
		Handler: next, // or URL, for another process
		Share:   0.05,
		Show:    []string{"page", "sort"},
	})
	now.Mount("/debug/mirror", mirror.Page())
	srv := &http.Server{Addr: "localhost:8080", Handler: mirror.Handler(now)}
	fmt.Println(srv.Addr, mirror.Report().Compared)
	// Output: localhost:8080 0
}
