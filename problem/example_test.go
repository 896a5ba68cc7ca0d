package problem_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This makes all error responses of a server JSON, at no cost per request.
func ExampleNewContext() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		problem.Write(w, r, problem.Code(http.StatusForbidden))
	})
	srv := &http.Server{
		Handler: handler,
		BaseContext: func(net.Listener) context.Context {
			return problem.NewContext(context.Background(), problem.JSON)
		},
	}

	// srv does this for each request:
	r := httptest.NewRequestWithContext(srv.BaseContext(nil), "GET", "/", nil)
	w := httptest.NewRecorder()
	srv.Handler.ServeHTTP(w, r)
	fmt.Print(w.Code, " ", w.Body)
	// Output: 403 {"title":"Forbidden","status":403}
}

// If you can't change the server, use a middleware.
func ExampleWith() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		problem.Write(w, r, errors.New("the database is down")) // logged, not sent
	})
	w := httptest.NewRecorder()
	problem.With(problem.JSON)(handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Print(w.Body)
	// Output: {"title":"Internal Server Error","status":500}
}

// An error can send details to the client. The wrapped error is only logged.
func ExampleError() {
	err := fmt.Errorf("transfer 17: %w", &problem.Error{
		Status:  http.StatusForbidden,
		Detail:  "Your current balance is 30, but that costs 50.",
		Members: map[string]any{"type": "https://example.com/probs/out-of-credit", "balance": 30},
		Err:     errors.New("account 4711 is overdrawn"),
	})
	w := httptest.NewRecorder()
	problem.JSON(w, httptest.NewRequest("GET", "/", nil), err)
	fmt.Print(w.Body)
	fmt.Println(err)
	// Output:
	// {"type":"https://example.com/probs/out-of-credit","title":"Forbidden","status":403,"detail":"Your current balance is 30, but that costs 50.","balance":30}
	// transfer 17: Your current balance is 30, but that costs 50.: account 4711 is overdrawn
}

// A handler returns its error. The client gets the status and the detail, the
// log gets everything if the status is 500 or above.
func ExampleHandler() {
	stock := map[string]int{"tea": 2}
	show := func(w http.ResponseWriter, r *http.Request) error {
		n, ok := stock[r.PathValue("item")]
		if !ok {
			return &problem.Error{Status: http.StatusNotFound, Detail: "There is no such item."}
		}
		_, err := fmt.Fprintln(w, n)
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /stock/{item}", problem.Handler(show))
	handler := problem.With(problem.JSON)(mux)
	for _, path := range []string{"/stock/tea", "/stock/jam"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 200 2
	// 404 {"title":"Not Found","status":404,"detail":"There is no such item."}
}

// A Format that writes HTML pages.
func ExampleFormat() {
	page := func(w http.ResponseWriter, r *http.Request, err error) {
		code := problem.Status(err)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprintf(w, "<h1>%s</h1><p>%s\n", http.StatusText(code), html.EscapeString(r.URL.Path))
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		problem.Write(w, r, problem.Code(http.StatusNotFound))
	})
	w := httptest.NewRecorder()
	problem.With(page)(handler).ServeHTTP(w, httptest.NewRequest("GET", "/lost", nil))
	fmt.Print(w.Body)
	// Output: <h1>Not Found</h1><p>/lost
}

// respond writes the response for err with a format, and prints it.
func respond(f problem.Format, err error) {
	w := httptest.NewRecorder()
	f(w, httptest.NewRequest("GET", "/", nil), err)
	fmt.Print(w.Code, " ", w.Header().Get("Content-Type"), "\n", w.Body)
}

func ExampleText() {
	respond(problem.Text, problem.Code(http.StatusForbidden))
	// Output:
	// 403 text/plain; charset=utf-8
	// Forbidden
}

func ExampleJSON() {
	respond(problem.JSON, &problem.Error{Status: http.StatusConflict, Detail: "The name is taken.", Members: map[string]any{"name": "ada"}})
	// Output:
	// 409 application/problem+json
	// {"title":"Conflict","status":409,"detail":"The name is taken.","name":"ada"}
}

func ExampleWrite() {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	r = r.WithContext(problem.NewContext(r.Context(), problem.JSON))
	problem.Write(w, r, problem.Code(http.StatusNotFound))
	fmt.Print(w.Body)
	// Output:
	// {"title":"Not Found","status":404}
}

func ExampleStatus() {
	fmt.Println(problem.Status(fmt.Errorf("load user: %w", problem.Code(http.StatusNotFound))))
	fmt.Println(problem.Status(errors.New("load user: connection refused")))
	// Output:
	// 404
	// 500
}

func ExampleFromContext() {
	fmt.Println(problem.FromContext(context.Background()) == nil)
	ctx := problem.NewContext(context.Background(), problem.JSON)
	fmt.Println(problem.FromContext(ctx) == nil)
	// Output:
	// true
	// false
}

func ExampleCode_Error() {
	fmt.Println(problem.Code(http.StatusNotFound))
	// Output: 404 Not Found
}

func ExampleCode_StatusCode() {
	fmt.Println(problem.Code(http.StatusNotFound).StatusCode())
	// Output: 404
}

var errTaken = errors.New("insert: duplicate key")

func taken() *problem.Error {
	return &problem.Error{Status: http.StatusConflict, Detail: "The name is taken.", Members: map[string]any{"name": "ada"}, Err: errTaken}
}

func ExampleError_Error() {
	fmt.Println(taken()) // for the log
	// Output: The name is taken.: insert: duplicate key
}

func ExampleError_StatusCode() {
	fmt.Println(taken().StatusCode())
	// Output: 409
}

func ExampleError_ProblemDetail() {
	fmt.Println(taken().ProblemDetail())
	// Output: The name is taken.
}

func ExampleError_ProblemMembers() {
	fmt.Println(taken().ProblemMembers())
	// Output: map[name:ada]
}

func ExampleError_Unwrap() {
	fmt.Println(errors.Is(taken(), errTaken))
	// Output: true
}
