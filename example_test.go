package muxmaster_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// show sends a request and prints the status and body of the response.
func show(h http.Handler, method, target, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	fmt.Println(strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)))
}

func Example() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "user %s by %s", r.PathValue("id"), r.Pattern)
	})
	mux.HandleFunc("GET /files/{path...}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "file ", muxmaster.PathParam(r, "path"))
	})
	show(mux, "GET", "/users/42", "")
	show(mux, "GET", "/files/a/b.txt", "")
	show(mux, "DELETE", "/users/42", "")
	// Output:
	// 200 user 42 by GET /users/:id
	// 200 file a/b.txt
	// 405 Method Not Allowed
}

func ExamplePathParamAs() {
	mux := muxmaster.New()
	mux.Handle("GET /items/{n}", problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		n, err := muxmaster.PathParamAs[int](r, "n")
		if err != nil {
			return err
		}
		return body.WriteJSON(w, http.StatusOK, n*2)
	}))
	show(mux, "GET", "/items/21", "")
	show(mux, "GET", "/items/x", "")
	// Output:
	// 200 42
	// 400 Bad Request
}

func ExampleQueryOr() {
	mux := muxmaster.New()
	mux.Handle("GET /items", problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		page, err := muxmaster.QueryOr(r, "page", 1)
		if err != nil {
			return err
		}
		return body.WriteJSON(w, http.StatusOK, page)
	}))
	show(mux, "GET", "/items", "")
	show(mux, "GET", "/items?page=3", "")
	show(mux, "GET", "/items?page=x", "")
	// Output:
	// 200 1
	// 200 3
	// 400 Bad Request
}

func ExampleBuildPath() {
	path, err := muxmaster.BuildPath("/users/:id/files/*path", "id", "a/b", "path", "/docs/1.txt")
	fmt.Println(path, err)
	// Output: /users/a%2Fb/files/docs/1.txt <nil>
}

// These examples are named for types, because go doc shows no examples for
// promoted methods.

func ExampleMux_Use() {
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
func ExampleMux_Mount() {
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

func ExampleMux_TryHandle() {
	mux := muxmaster.New()
	fmt.Println(mux.TryHandle("/images*", http.NotFoundHandler()))
	// Output: muxmaster: pattern "/images*": "images*": a catch-all must be a whole segment, as in /images/*rest; a literal * is written %2A
}

// Method takes an http.Handler and a list of methods.
func ExampleMux_Method() {
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

func ExampleMux_HandleFunc() {
	mux := muxmaster.New()
	mux.HandleFunc("{tenant}.example.com/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "tenant ", r.PathValue("tenant"))
	})
	mux.HandleFunc("api.example.com/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the interface") })
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
func ExampleMux_ServeSPA() {
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

func ExampleFastPathValues() {
	if !muxmaster.FastPathValues() {
		fmt.Println("path values are slower with this Go release; a newer muxmaster may know it")
	}
}

func ExampleGroup_GET() {
	mux := muxmaster.New()
	users := mux.Group("/users")
	users.GET("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "all users") }) // /users and /users/
	users.GET("/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", r.PathValue("id")) })
	show(mux, "GET", "/users", "")
	show(mux, "GET", "/users/7", "")
	// Output:
	// 200 all users
	// 200 user 7
}

func ExampleGroup_Use() {
	mux := muxmaster.New()
	private := mux.Group("/private")
	private.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			next.ServeHTTP(w, r)
		})
	})
	private.GET("/key", func(w http.ResponseWriter, r *http.Request) {})
	for _, path := range []string{"/private/key", "/private/none", "/other"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(path, w.Code, w.Header().Get("Cache-Control"))
	}
	// Output:
	// /private/key 200 no-store
	// /private/none 404 no-store
	// /other 404
}

// A Group's middleware also runs for unmatched requests below its prefix.
func ExampleMux_Group() {
	mux := muxmaster.New()
	articles := mux.Group("/articles")
	articles.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	})
	articles.GET("/:id", func(w http.ResponseWriter, r *http.Request) {})
	for _, path := range []string{"/articles/7", "/articles/7/none", "/other"} {
		show(mux, "GET", path, "")
	}
	// Output:
	// 401
	// 401
	// 404 404 page not found
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

func ExampleMux_ServeFiles() {
	mux := muxmaster.New()
	mux.ServeFiles("/static/*filepath", os.DirFS("testdata"))
	show(mux, "GET", "/static/", "") // directories are not listed
	// Output: 404 404 page not found
}

func ExampleNew() {
	mux := muxmaster.New()
	mux.GET("/hello/:name", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "Hello, %s!", r.PathValue("name")) })
	show(mux, "GET", "/hello/world", "") // a service calls http.ListenAndServe(":8080", mux)
	// Output: 200 Hello, world!
}

func ExampleMux_ServeHTTP() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("id")) })
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/users/7", nil))
	fmt.Println(w.Code, w.Body)
	// Output: 200 7
}

// A GET route also serves HEAD requests.
func ExampleMux_GET() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", r.PathValue("id")) })
	show(mux, "GET", "/users/7", "")
	show(mux, "GET", "/users/7/", "") // redirected to /users/7
	show(mux, "OPTIONS", "/users/7", "")
	// Output:
	// 200 user 7
	// 307 <a href="/users/7">Temporary Redirect</a>.
	// 204
}

func ExampleMux_HEAD() {
	mux := muxmaster.New()
	mux.GET("/report", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a large report") })
	mux.HEAD("/report", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "14") // without computing the report
	})
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("HEAD", "/report", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Length"))
	// Output: 200 14
}

func ExampleMux_POST() {
	mux := muxmaster.New()
	mux.POST("/articles", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/articles/7")
		w.WriteHeader(http.StatusCreated)
	})
	show(mux, "POST", "/articles", "")
	show(mux, "GET", "/articles", "")
	// Output:
	// 201
	// 405 Method Not Allowed
}

func ExampleMux_PUT() {
	mux := muxmaster.New()
	mux.PUT("/articles/:id", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	show(mux, "PUT", "/articles/7", "")
	// Output: 204
}

// Without a route for OPTIONS, the Mux responds with 204 and the methods.
func ExampleMux_OPTIONS() {
	mux := muxmaster.New()
	mux.OPTIONS("/articles", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "custom") })
	mux.GET("/articles", func(w http.ResponseWriter, r *http.Request) {})
	mux.GET("/users", func(w http.ResponseWriter, r *http.Request) {})
	for _, path := range []string{"/articles", "/users"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("OPTIONS", path, nil))
		fmt.Println(w.Code, w.Header().Get("Allow"), w.Body)
	}
	// Output:
	// 200  custom
	// 204 GET, HEAD, OPTIONS
}

// The target of a proxy's CONNECT request has no path; a path is for protocols
// over HTTP/2, such as WebSocket (RFC 8441).
func ExampleMux_CONNECT() {
	mux := muxmaster.New()
	mux.CONNECT("/chat/:room", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "room ", r.PathValue("room")) })
	show(mux, "CONNECT", "/chat/go", "")
	// Output: 200 room go
}

// QUERY is like GET with a body.
func ExampleMux_QUERY() {
	mux := muxmaster.New()
	mux.QUERY("/contacts", func(w http.ResponseWriter, r *http.Request) {
		query, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "contacts with %s", query)
	})
	show(mux, "QUERY", "/contacts", "name=ada")
	// Output: 200 contacts with name=ada
}

// A route for the exact method takes precedence over ANY.
func ExampleMux_ANY() {
	mux := muxmaster.New()
	mux.ANY("/echo", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "any ", r.Method) })
	mux.POST("/echo", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "exactly POST") })
	show(mux, "BREW", "/echo", "")
	show(mux, "POST", "/echo", "")
	// Output:
	// 200 any BREW
	// 200 exactly POST
}

func ExampleMux_GETFast() {
	mux := muxmaster.New()
	mux.GETFast("/users/:id", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
		fmt.Fprint(w, "user ", ps.Get("id"))
	})
	show(mux, "GET", "/users/7", "")
	// Output: 200 user 7
}

// Handle takes the patterns of http.ServeMux: a trailing slash stands for
// everything below it.
func ExampleMux_Handle() {
	mux := muxmaster.New()
	mux.Handle("GET,POST /forms/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }))
	show(mux, "POST", "/forms/contact", "")
	show(mux, "PUT", "/forms/contact", "")
	// Output:
	// 200 /forms/contact
	// 405 Method Not Allowed
}

func ExampleMux_HandleFast() {
	mux := muxmaster.New()
	mux.HandleFast("GET /users/{id}", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { fmt.Fprint(w, ps) })
	show(mux, "GET", "/users/7", "")
	// Output: 200 [{id 7}]
}

func ExampleMux_Handler() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	for _, path := range []string{"/users/7", "/users/7/", "/none"} {
		_, pattern := mux.Handler(httptest.NewRequest("GET", path, nil))
		fmt.Printf("%s: %q\n", path, pattern)
	}
	// Output:
	// /users/7: "GET /users/:id"
	// /users/7/: "GET /users/:id"
	// /none: ""
}

// Pre middleware runs before routing, so it can change the path.
func ExampleMux_Pre() {
	mux := muxmaster.New()
	mux.Pre(func(next http.Handler) http.Handler { return http.StripPrefix("/v1", next) })
	mux.GET("/users", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "users") })
	show(mux, "GET", "/v1/users", "")
	// Output: 200 users
}

func ExampleMux_UseFast() {
	mux := muxmaster.New()
	mux.UseFast(func(next muxmaster.FastHandler) muxmaster.FastHandler {
		return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
			w.Header().Set("X-User", ps.Get("id"))
			next(w, r, ps)
		}
	})
	mux.GETFast("/users/:id", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) {
		fmt.Fprint(w, w.Header().Get("X-User"))
	})
	show(mux, "GET", "/users/7", "")
	// Output: 200 7
}

func ExampleMux_With() {
	noStore := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			next.ServeHTTP(w, r)
		})
	}
	mux := muxmaster.New()
	mux.With(noStore).GET("/account", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, w.Header().Get("Cache-Control")) })
	show(mux, "GET", "/account", "")
	// Output: 200 no-store
}

// Route owns its prefix: the catch-all doesn't serve what is below /api.
func ExampleMux_Route() {
	mux := muxmaster.New()
	mux.Route("/api", func(api *muxmaster.Group) {
		api.GET("/time", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "now") })
	})
	mux.GET("/*path", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page") })
	for _, path := range []string{"/api/time", "/api/date", "/about"} {
		show(mux, "GET", path, "")
	}
	// Output:
	// 200 now
	// 404 404 page not found
	// 200 page
}

// A tenant has its own routes, middleware and 404, all of which see its name.
func ExampleMux_Host() {
	mux := muxmaster.New()
	tenant := mux.Host("{tenant}.example.com")
	tenant.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.PathValue("tenant"), ": ")
			next.ServeHTTP(w, r)
		})
	})
	tenant.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "no page") })
	tenant.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", r.PathValue("id")) })
	mux.GET("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "every host") })
	for _, url := range []string{"http://acme.example.com/users/7", "http://acme.example.com/none", "http://example.com/", "http://example.com/users/7"} {
		show(mux, "GET", url, "")
	}
	// Output:
	// 200 acme: user 7
	// 200 acme: no page
	// 200 every host
	// 404 404 page not found
}

// The function is called when a route is registered. It returns next itself for routes
// that need nothing, which then cost nothing.
func ExampleMux_UseRoute() {
	type maxBytes struct{} // the key of an annotation
	mux := muxmaster.New()
	mux.UseRoute(func(route muxmaster.Route, next http.Handler) http.Handler {
		limit, ok := route.Value(maxBytes{}).(int64)
		if !ok {
			return next
		}
		fmt.Println(route.Method, route.Pattern, "reads at most", limit, "bytes")
		return http.MaxBytesHandler(next, limit)
	})
	read := func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, " ", err)
	}
	mux.POST("/uploads", read)
	mux.Annotate(maxBytes{}, int64(2)).POST("/notes", read)
	show(mux, "POST", "/uploads", "abc")
	show(mux, "POST", "/notes", "abc")
	// Output:
	// POST /notes reads at most 2 bytes
	// 200 3 <nil>
	// 200 2 http: request body too large
}

func ExampleMux_Name() {
	mux := muxmaster.New()
	mux.Name("user.show").GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	fmt.Println(mux.URL("user.show", "id", "a b"))
	// Output: /users/a%20b <nil>
}

func ExampleMux_URL() {
	users := muxmaster.New()
	users.Name("user.show").GET("/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux := muxmaster.New()
	mux.Mount("/:tenant/users", users)
	fmt.Println(mux.URL("user.show", "tenant", "acme", "id", "7"))
	_, err := mux.URL("user.list")
	fmt.Println(err)
	// Output:
	// /acme/users/7 <nil>
	// muxmaster: URL: no route has the name "user.list"
}

// Middleware of UseRoute reads the annotation when it is made.
func ExampleMux_Annotate() {
	type scope struct{} // the key
	mux := muxmaster.New()
	mux.UseRoute(func(route muxmaster.Route, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "needs ", route.Value(scope{}), ": ")
			next.ServeHTTP(w, r)
		})
	})
	mux.Annotate(scope{}, "users:write").DELETE("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "deleted") })
	show(mux, "DELETE", "/users/7", "")
	// Output: 200 needs users:write: deleted
}

func ExampleMux_Lookup() {
	mux := muxmaster.New()
	mux.Name("user.show").GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	route, ok := mux.Lookup(httptest.NewRequest("GET", "/users/7", nil))
	fmt.Println(route.Name, route.Method, route.Pattern, ok)
	// Output: user.show GET /users/:id true
}

func ExampleMux_Routes() {
	mux := muxmaster.New()
	mux.POST("/users", func(w http.ResponseWriter, r *http.Request) {})
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.GET("/users", func(w http.ResponseWriter, r *http.Request) {})
	for route := range mux.Routes() {
		fmt.Println(route.Method, route.Pattern)
	}
	// Output:
	// GET /users
	// POST /users
	// GET /users/:id
}

// All requests get the old routes or all of the new ones.
func ExampleMux_Update() {
	mux := muxmaster.New()
	mux.GET("/price", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, 10) })
	show(mux, "GET", "/price", "")
	err := mux.Update(func(mux *muxmaster.Mux) error {
		if err := mux.Remove("GET /price"); err != nil {
			return err
		}
		mux.GET("/price", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, 12) })
		return nil
	})
	fmt.Println(err)
	show(mux, "GET", "/price", "")
	// Output:
	// 200 10
	// <nil>
	// 200 12
}

func ExampleMux_Remove() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	fmt.Println(mux.Remove("GET /users/{id}"))
	fmt.Println(mux.Remove("GET /users/:id"))
	show(mux, "GET", "/users/7", "")
	// Output:
	// muxmaster: Remove "GET /users/{id}": there is no such route; similar: "GET /users/:id"
	// <nil>
	// 404 404 page not found
}

func ExampleGroup_ServeHTTP() {
	mux := muxmaster.New()
	users := mux.Group("/users")
	users.GET("/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("id")) })
	show(users, "GET", "/users/7", "") // it serves all routes of the Mux, with their whole paths
	// Output: 200 7
}

func ExampleRoute_Value() {
	type limit struct{}
	mux := muxmaster.New()
	mux.Annotate(limit{}, 5).POST("/uploads", func(w http.ResponseWriter, r *http.Request) {})
	for route := range mux.Routes() {
		fmt.Println(route.Pattern, route.Value(limit{}))
	}
	// Output: /uploads 5
}

func ExampleRoute_Annotations() {
	type limit struct{}
	mux := muxmaster.New()
	mux.Annotate(limit{}, 5).POST("/uploads", func(w http.ResponseWriter, r *http.Request) {})
	for route := range mux.Routes() {
		for _, value := range route.Annotations() {
			fmt.Println(route.Pattern, value)
		}
	}
	// Output: /uploads 5
}

func ExampleRoute_String() {
	mux := muxmaster.New()
	mux.Handle("GET example.com/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
	for route := range mux.Routes() {
		text := route.String() // ends in the file and the line of the registration
		fmt.Println(text[:strings.LastIndex(text, " ")])
	}
	// Output: GET     example.com/old  *http.redirectHandler
}

func ExampleExplanation_String() {
	mux := muxmaster.New()
	mux.POST("/users", func(w http.ResponseWriter, r *http.Request) {})
	fmt.Print(mux.Explain("GET", "/users"))
	// Output:
	// GET /users: 405, Allow: POST, OPTIONS
	//   POST    /users                           the method GET is not POST
}

func ExamplePathParam() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, muxmaster.PathParam(r, "id"), " ", r.PathValue("id"))
	})
	show(mux, "GET", "/users/7", "")
	// Output: 200 7 7
}

func ExamplePathParams() {
	mux := muxmaster.New()
	mux.GET("/:owner/:repo/*path", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, muxmaster.PathParams(r)) })
	show(mux, "GET", "/golang/go/src/net", "")
	// Output: 200 [{owner golang} {repo go} {path /src/net}]
}

func ExampleParams_Get() {
	ps := muxmaster.Params{{Key: "id", Value: "7"}}
	fmt.Printf("%q %q\n", ps.Get("id"), ps.Get("name"))
	// Output: "7" ""
}

func ExampleParams_Lookup() {
	ps := muxmaster.Params{{Key: "id", Value: "7"}}
	_, ok := ps.Lookup("name")
	fmt.Println(ok)
	// Output: false
}

func ExampleQueryAs() {
	mux := muxmaster.New()
	mux.GET("/search", problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		page, err := muxmaster.QueryAs[int](r, "page")
		if err != nil {
			return err
		}
		fmt.Fprint(w, "page ", page)
		return nil
	}))
	show(mux, "GET", "/search?page=2", "")
	show(mux, "GET", "/search?page=two", "")
	// Output:
	// 200 page 2
	// 400 Bad Request
}

func ExampleRoutePattern() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s, %s", r.Pattern, muxmaster.RoutePattern(r))
	})
	show(mux, "GET", "/users/7", "")
	// Output: 200 GET /users/:id, /users/:id
}
