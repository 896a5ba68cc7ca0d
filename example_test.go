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
	"strconv"
	"strings"
	"sync"

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
