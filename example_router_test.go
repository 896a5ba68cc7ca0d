package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// These examples are named for types, because go doc shows no examples for
// promoted methods.

func ExampleMux_use() {
	mux := muxmaster.New()
	mux.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			fmt.Printf("%q id=%q\n", r.Pattern, r.PathValue("id"))
		})
	})
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	show(mux, "GET", "/users/5", "")
	show(mux, "GET", "/none", "")
	// Output:
	// "GET /users/:id" id="5"
	// 200
	// "" id=""
	// 404 404 page not found
}

// A mounted Mux owns its prefix: below it, unmatched requests get its own 404,
// not the catch-all of the outer Mux.
func ExampleMux_mount() {
	users := muxmaster.New()
	users.GET("/:id", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, muxmaster.PathParams(r), " ", r.Pattern)
	})
	mux := muxmaster.New()
	mux.Mount("/:tenant/users", users)
	mux.GET("/*path", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page ", r.URL.Path) })
	show(mux, "GET", "/acme/users/7", "")
	show(mux, "GET", "/acme/users/7/none", "")
	show(mux, "GET", "/acme", "")
	// Output:
	// 200 [{tenant acme} {id 7}] GET /:tenant/users/:id
	// 404 404 page not found
	// 200 page /acme
}

func ExampleMux_tryHandle() {
	mux := muxmaster.New()
	fmt.Println(mux.TryHandle("/images*", http.NotFoundHandler()))
	// Output:
	// muxmaster: pattern "/images*": "images*": a catch-all must be a whole segment, as in /images/*rest; a literal * is written %2A
}

// Method takes an http.Handler and a list of methods.
func ExampleMux_method() {
	mux := muxmaster.New()
	mux.Method("PUT,PATCH", "/items/:id", problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		if r.PathValue("id") == "0" {
			return problem.Code(http.StatusNotFound)
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}))
	show(mux, "PATCH", "/items/1", "")
	show(mux, "PUT", "/items/0", "")
	// Output:
	// 204
	// 404 404 page not found
}

func ExampleMux_hosts() {
	mux := muxmaster.New()
	mux.HandleFunc("{tenant}.example.com/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "tenant ", r.PathValue("tenant"))
	})
	mux.HandleFunc("api.example.com/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "the interface")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "everybody else") })
	for _, host := range []string{"acme.example.com", "api.example.com", "example.org"} {
		show(mux, "GET", "http://"+host+"/x", "")
	}
	// Output:
	// 200 tenant acme
	// 200 the interface
	// 200 everybody else
}

// A single-page application and its API.
func ExampleMux_serveSPA() {
	dist := fstest.MapFS{
		"index.html":      {Data: []byte("<h1>app</h1>")},
		"app.3f2a9c1b.js": {Data: []byte("start()")},
	}
	mux := muxmaster.New()
	mux.GET("/api/time", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "now") })
	mux.ServeSPA("/", dist) // os.DirFS("dist"), or an embed.FS
	for _, path := range []string{"/", "/settings/profile", "/app.3f2a9c1b.js", "/missing.js", "/api/time"} {
		r := httptest.NewRequest("GET", path, nil)
		if !strings.Contains(path, ".") {
			r.Header.Set("Accept", "text/html") // as a browser asks for a page
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(path, w.Code, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// / 200 <h1>app</h1>
	// /settings/profile 200 <h1>app</h1>
	// /app.3f2a9c1b.js 200 start()
	// /missing.js 404 404 page not found
	// /api/time 200 now
}

func ExampleMux_Explain() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.POST("/users/me", func(w http.ResponseWriter, r *http.Request) {})
	e := mux.Explain("GET", "/users/me")
	fmt.Println(e.Route.Pattern)
	for _, c := range e.Candidates {
		fmt.Printf("%s %s: %q\n", c.Method, c.Pattern, c.Reason)
	}
	// Output:
	// /users/:id
	// GET /users/:id: ""
	// POST /users/me: "the method GET is not POST"
}

// A Group's middleware also runs for unmatched requests below its prefix.
func ExampleMux_group() {
	mux := muxmaster.New()
	articles := mux.Group("/articles")
	articles.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	articles.GET("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "all") })
	articles.GET("/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("id")) })
	for _, path := range []string{"/articles", "/articles/", "/articles/7", "/articles/7/none"} {
		r := httptest.NewRequest("GET", path, nil)
		guest := httptest.NewRecorder()
		mux.ServeHTTP(guest, r)
		r.Header.Set("Authorization", "Bearer x")
		user := httptest.NewRecorder()
		mux.ServeHTTP(user, r)
		fmt.Println(path, guest.Code, user.Code, strings.TrimSpace(user.Body.String()))
	}
	// Output:
	// /articles 401 200 all
	// /articles/ 401 200 all
	// /articles/7 401 200 7
	// /articles/7/none 401 404 404 page not found
}

func ExampleGroup() {
	mux := muxmaster.New()
	mux.Route("/v1", func(v1 *muxmaster.Group) {
		v1.GET("/time", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "now") })
		v1.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "see https://example.com/docs/v1", http.StatusNotFound)
		})
	})
	show(mux, "GET", "/v1/time", "")
	show(mux, "GET", "/v1/date", "")
	show(mux, "GET", "/date", "")
	// Output:
	// 200 now
	// 404 see https://example.com/docs/v1
	// 404 404 page not found
}

// A function that registers routes should take a Router, so that it works with
// a Mux and a Group.
func ExampleRouter() {
	health := func(r muxmaster.Router) {
		r.GET("/health", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
	}
	mux := muxmaster.New()
	health(mux)
	health(mux.Group("/internal"))
	show(mux, "GET", "/health", "")
	show(mux, "GET", "/internal/health", "")
	// Output:
	// 200 ok
	// 200 ok
}

func ExampleMux_serveFiles() {
	mux := muxmaster.New()
	mux.ServeFiles("/static/*filepath", os.DirFS("testdata"))
	show(mux, "GET", "/static/", "") // directories are not listed
	// Output:
	// 404 404 page not found
}
