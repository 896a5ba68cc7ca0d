package muxmaster_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/middleware"
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

// The fastest configuration: pooled memory, and middleware for all requests in
// Pre.
func Example_pooled() {
	mux := muxmaster.New()
	mux.PoolRequestBundle = true
	mux.PoolFastParams = true
	mux.Pre(middleware.RealIP, middleware.RequestID, middleware.RecovererWithLogger(slog.New(slog.DiscardHandler)))

	mux.GET("/health", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", muxmaster.PathParam(r, "id")) })
	mux.GET("/orgs/:org/repos/:repo", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, muxmaster.PathParam(r, "org"), " has ", muxmaster.PathParam(r, "repo"))
	})
	mux.GET("/static/*filepath", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, muxmaster.PathParam(r, "filepath")) })
	for _, target := range []string{"/health", "/users/1", "/orgs/go/repos/net", "/static/css/a.css"} {
		show(mux, "GET", target, "")
	}
	// Output:
	// 200 ok
	// 200 user 1
	// 200 go has net
	// 200 /css/a.css
}

// A JSON service that uses fast routes for its most frequent requests.
func Example_jsonService() {
	mux := muxmaster.New()
	mux.PoolRequestBundle = true
	mux.PoolFastParams = true
	mux.Pre(middleware.RealIP, middleware.RequestID, middleware.RecovererWithLogger(nil))

	api := mux.Group("/v1")
	api.Use(middleware.LoggerWith(slog.New(slog.DiscardHandler)))
	api.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.Atoi(muxmaster.PathParam(r, "id"))
		_ = json.NewEncoder(w).Encode(map[string]any{"id": id})
	})
	api.POST("/users", func(w http.ResponseWriter, r *http.Request) {
		var user struct{ Name string }
		if err := json.NewDecoder(r.Body).Decode(&user); err != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, user.Name)
	})
	api.GET("/users/:id/orders/:orderID", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"user": muxmaster.PathParam(r, "id"), "order": muxmaster.PathParam(r, "orderID")})
	})
	mux.GETFast("/v1/health", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { w.WriteHeader(http.StatusOK) })
	mux.GETFast("/v1/metrics/:metric", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
		_, _ = w.Write([]byte(ps.Get("metric") + " 42\n"))
	})

	show(mux, "GET", "/v1/users/7", "")
	show(mux, "POST", "/v1/users", `{"Name":"Ada"}`)
	show(mux, "GET", "/v1/users/7/orders/x9", "")
	show(mux, "GET", "/v1/health", "")
	show(mux, "GET", "/v1/metrics/requests", "")
	// Output:
	// 200 {"id":7}
	// 201 Ada
	// 200 {"order":"x9","user":"7"}
	// 200
	// 200 requests 42
}

// A goroutine that outlives the handler gets copies, not the request.
func Example_backgroundWork() {
	mux := muxmaster.New()
	mux.PoolRequestBundle = true
	mux.PoolFastParams = true
	var work sync.WaitGroup
	events := make(chan string, 2)
	mux.POST("/v1/events/:id", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "bad body", http.StatusBadRequest)
			return
		}
		id := muxmaster.PathParam(r, "id")
		work.Go(func() { events <- id + " " + string(body) })
		w.WriteHeader(http.StatusAccepted)
	})
	mux.POSTFast("/v1/fast/:id", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
		mine := make(muxmaster.Params, len(ps))
		copy(mine, ps)
		work.Go(func() { events <- mine.Get("id") })
		w.WriteHeader(http.StatusAccepted)
	})
	show(mux, "POST", "/v1/events/e1", "started")
	fmt.Println(<-events)
	show(mux, "POST", "/v1/fast/e2", "")
	fmt.Println(<-events)
	work.Wait()
	// Output:
	// 202
	// e1 started
	// 202
	// e2
}

// A streaming response: path values and context are valid until the handler
// returns.
func Example_streaming() {
	rows := func(ctx context.Context, id string) iter.Seq[string] {
		return func(yield func(string) bool) {
			for i := range 3 {
				if ctx.Err() != nil || !yield(fmt.Sprintf("%s,%d\n", id, i)) {
					return
				}
			}
		}
	}
	mux := muxmaster.New()
	mux.PoolRequestBundle = true
	mux.GET("/v1/export/:id", func(w http.ResponseWriter, r *http.Request) {
		id := muxmaster.PathParam(r, "id")
		w.Header().Set("Content-Type", "text/csv")
		out := bufio.NewWriter(w)
		for row := range rows(r.Context(), id) {
			out.WriteString(row)
		}
		out.Flush()
	})
	show(mux, "GET", "/v1/export/a", "")
	// Output:
	// 200 a,0
	// a,1
	// a,2
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
