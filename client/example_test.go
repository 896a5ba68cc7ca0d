package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
)

// example returns a server for the examples.
func example() *httptest.Server {
	busy := true
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/busy" && busy:
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/nothing":
			http.NotFound(w, r)
		default:
			io.WriteString(w, `{"name":"gopher"}`)
		}
	}))
}

func ExampleShared() {
	srv := example()
	defer srv.Close()
	resp, err := client.Shared().Get(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

// A client for a server that should respond quickly. The server's first
// response is 503, so the request is sent again.
func ExampleNew() {
	srv := example()
	defer srv.Close()
	c := client.New(client.Options{
		Attempts:      2,
		HeaderTimeout: 5 * time.Second,
	})
	defer c.CloseIdleConnections()
	resp, err := c.Get(srv.URL + "/busy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

func ExampleJSON() {
	srv := example()
	defer srv.Close()
	type user struct{ Name string }
	u, err := client.JSON[user](context.Background(), nil, "GET", srv.URL+"/users/1", nil)
	fmt.Println(u.Name, err)

	_, err = client.JSON[user](context.Background(), nil, "GET", srv.URL+"/nothing", nil)
	if e, ok := errors.AsType[*client.StatusError](err); ok {
		fmt.Println(e.StatusCode)
	}
	// Output:
	// gopher <nil>
	// 404
}

func ExampleDoJSON() {
	srv := example()
	defer srv.Close()
	req, err := http.NewRequest("GET", srv.URL+"/users/1", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Authorization", "Bearer x")
	u, err := client.DoJSON[struct{ Name string }](client.Shared(), req, 64<<10)
	fmt.Println(u.Name, err)
	// Output:
	// gopher <nil>
}

func ExampleStatusError_Error() {
	srv := example()
	defer srv.Close()
	_, err := client.JSON[any](context.Background(), nil, "GET", srv.URL+"/nothing", nil)
	fmt.Println(err)
	// Output: client: the server responded with 404 Not Found: "404 page not found\n"
}

func ExampleStalledError_Error() {
	fmt.Println(&client.StalledError{After: time.Second})
	// Output: client: less than 4 KiB of the response body arrived within 1s
}

func ExampleStalledError_Timeout() {
	var err error = &client.StalledError{After: time.Second}
	timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	fmt.Println(ok && timeout.Timeout())
	// Output: true
}
