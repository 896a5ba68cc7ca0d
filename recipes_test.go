package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// These examples run the recipes of docs/recipes.md.

// Swap all routes at run time, with a handler that loads the current Mux.
func Example_swapRoutes() {
	var current atomic.Pointer[muxmaster.Mux]
	load := func(greeting string) { // from a file, a database…
		mux := muxmaster.New()
		mux.GET("/hello", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, greeting) })
		current.Store(mux)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().ServeHTTP(w, r) })

	load("hello")
	show(handler, "GET", "/hello", "")
	load("bonjour")
	show(handler, "GET", "/hello", "")
	// Output:
	// 200 hello
	// 200 bonjour
}

// Files of a directory, and index.html for the pages of an application.
func Example_files() {
	dir, err := os.MkdirTemp("", "dist")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"index.html": "<p>page", "app-DiwrgTda.js": "js", "app-DiwrgTda.js.br": "compressed js"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	dist, err := os.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	defer dist.Close()

	api := muxmaster.New()
	mux := muxmaster.New()
	mux.ServeSPA("/", dist.FS())
	mux.Mount("/api", api)
	for _, target := range []string{"/", "/users/5", "/app-DiwrgTda.js", "/none.js", "/api/users"} {
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Accept-Encoding", "gzip, br")
		if !strings.HasSuffix(target, ".js") {
			r.Header.Set("Accept", "text/html")
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Printf("%s: %d %q, Cache-Control %q\n", target, w.Code, w.Body, w.Header().Get("Cache-Control"))
	}
	// Output:
	// /: 200 "<p>page", Cache-Control "no-cache"
	// /users/5: 200 "<p>page", Cache-Control "no-cache"
	// /app-DiwrgTda.js: 200 "compressed js", Cache-Control "public, max-age=31536000, immutable"
	// /none.js: 404 "404 page not found\n", Cache-Control ""
	// /api/users: 404 "404 page not found\n", Cache-Control ""
}

type ticket struct{ Seats int }

func (t ticket) Validate() error {
	if t.Seats < 1 {
		return &problem.Error{Detail: "A ticket needs at least one seat."}
	}
	return nil
}

// Typed values of the path, the query and the body.
func Example_input() {
	book := func(w http.ResponseWriter, r *http.Request) error {
		show, err := muxmaster.PathParamAs[int](r, "show")
		if err != nil {
			return err
		}
		dry, err := muxmaster.QueryOr(r, "dry", false)
		if err != nil {
			return err
		}
		t, err := body.ReadJSON[ticket](w, r, 64<<10, body.Strict)
		if err != nil {
			return err
		}
		return body.WriteJSON(w, http.StatusCreated, map[string]any{"show": show, "seats": t.Seats, "dry": dry})
	}
	mux := muxmaster.New()
	mux.Pre(problem.With(problem.JSON))
	mux.POST("/shows/:show/tickets", problem.Handler(book))
	for _, c := range []struct{ target, text string }{
		{"/shows/7/tickets?dry=true", `{"seats":2}`},
		{"/shows/x/tickets", `{"seats":2}`},
		{"/shows/7/tickets?dry=maybe", `{"seats":2}`},
		{"/shows/7/tickets", `{"seat":2}`},
		{"/shows/7/tickets", `{"seats":0}`},
	} {
		r := httptest.NewRequest("POST", c.target, strings.NewReader(c.text))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// {"dry":true,"seats":2,"show":7}
	// {"title":"Bad Request","status":400,"detail":"The path parameter \"show\" is not valid."}
	// {"title":"Bad Request","status":400,"detail":"The query parameter \"dry\" is not valid."}
	// {"title":"Bad Request","status":400,"detail":"The request body is not the expected JSON: the field \"seat\" is unknown."}
	// {"title":"Unprocessable Entity","status":422,"detail":"A ticket needs at least one seat."}
}

// API versions by path, with shared routes registered by a function.
func Example_versions() {
	shared := func(r muxmaster.Router) {
		r.GET("/status", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "fine") })
	}
	v1, v2 := muxmaster.New(), muxmaster.New()
	shared(v1)
	shared(v2)
	v1.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "old user ", r.PathValue("id")) })
	v2.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "new user ", r.PathValue("id")) })

	mux := muxmaster.New()
	mux.Mount("/v1", v1)
	mux.Mount("/v2", v2)
	show(mux, "GET", "/v1/users/7", "")
	show(mux, "GET", "/v2/users/7", "")
	show(mux, "GET", "/v2/status", "")

	// By header, of the same two.
	byHeader := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Api-Version")
		if r.Header.Get("Api-Version") == "1" {
			v1.ServeHTTP(w, r)
			return
		}
		v2.ServeHTTP(w, r)
	})
	show(byHeader, "GET", "/users/7", "")
	// Output:
	// 200 old user 7
	// 200 new user 7
	// 200 fine
	// 200 new user 7
}

// A custom 404 for a subtree.
func Example_subtreeNotFound() {
	mux := muxmaster.New()
	mux.GET("/*page", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") })
	api := muxmaster.New() // mounted: a catch-all further up doesn't get what is below /api
	api.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body.WriteJSON(w, http.StatusNotFound, map[string]string{"error": "no such resource"})
	})
	api.GET("/users", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "[]") })
	mux.Mount("/api", api)
	show(mux, "GET", "/api/users", "")
	show(mux, "GET", "/api/none", "")
	show(mux, "GET", "/about", "")
	// Output:
	// 200 []
	// 404 {"error":"no such resource"}
	// 200 <html>
}

// CORS on a Group: preflight requests reach its middleware even though no route
// serves OPTIONS. Libraries such as rs/cors can be used in the same way.
func Example_cors() {
	allowed := []string{"https://app.example.com"}
	cors := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Add("Vary", "Origin")
			if origin := r.Header.Get("Origin"); slices.Contains(allowed, origin) {
				h.Set("Access-Control-Allow-Origin", origin)
				if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
					h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
					h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization")
					w.WriteHeader(http.StatusNoContent)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
	mux := muxmaster.New()
	api := mux.Group("/api")
	api.Use(cors)
	api.PUT("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.GET("/page", func(w http.ResponseWriter, r *http.Request) {})

	for _, path := range []string{"/api/users/7", "/page"} {
		r := httptest.NewRequest("OPTIONS", path, nil)
		r.Header.Set("Origin", "https://app.example.com")
		r.Header.Set("Access-Control-Request-Method", "PUT")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Printf("%s %d %q\n", path, w.Code, w.Header().Get("Access-Control-Allow-Origin"))
	}
	// Output:
	// /api/users/7 204 "https://app.example.com"
	// /page 204 ""
}

// Custom redirects are handlers.
func Example_redirects() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.Method("GET", "/home", http.RedirectHandler("/", http.StatusMovedPermanently))
	mux.GET("/people/:id", func(w http.ResponseWriter, r *http.Request) {
		target, err := muxmaster.BuildPath("/users/:id", "id", r.PathValue("id")) // escapes the value
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if r.URL.RawQuery != "" {
			target += "?" + r.URL.RawQuery
		}
		http.Redirect(w, r, target, http.StatusPermanentRedirect) // keeps the method
	})
	for _, path := range []string{"/home", "/people/a%2Fb?tab=1"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Header().Get("Location"))
	}
	// Output:
	// 301 /
	// 308 /users/a%2Fb?tab=1
}

// A unit test of a handler needs no router: r.SetPathValue sets its path
// values.
func Example_unitTest() {
	handler := func(w http.ResponseWriter, r *http.Request) error {
		id, err := muxmaster.PathParamAs[int](r, "id")
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(w, strings.Repeat("*", id))
		return err
	}
	for _, id := range []string{"3", "x"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetPathValue("id", id)
		w := httptest.NewRecorder()
		err := handler(w, r)
		fmt.Println(w.Body, err != nil)
	}
	// Output:
	// *** false
	//  true
}
