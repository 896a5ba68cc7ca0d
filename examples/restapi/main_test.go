package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// start serves like main and returns the URL.
func start(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- newServer("", newMux(&store{})).Serve(ctx, ln) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String()
}

// ask returns the status, relevant headers, and body of a response.
func ask(t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(body) > maxBody {
		req.Header.Set("Expect", "100-continue") // so that the refusal is read before the body is sent
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(resp.StatusCode)
	for _, name := range []string{"Location", "Link", "Allow"} {
		if v := resp.Header.Get(name); v != "" {
			text += " " + v
		}
	}
	if len(got) > 0 {
		text += " " + strings.TrimSpace(string(got))
	}
	if ct := resp.Header.Get("Content-Type"); resp.StatusCode >= 400 && ct != "application/problem+json" {
		t.Errorf("%s %s: an error of type %q", method, url, ct)
	}
	return text
}

func TestBooks(t *testing.T) {
	url := start(t)
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/books", ``, `200 []`},
		{"POST", "/books", `{"title":"Emma","year":1815}`, `201 /books/1 {"id":1,"title":"Emma","year":1815}`},
		{"POST", "/books/", `{"title":"Ulysses"}`, `201 /books/2 {"id":2,"title":"Ulysses"}`},
		{"POST", "/books", `{"title":"Momo"}`, `201 /books/3 {"id":3,"title":"Momo"}`},
		{"GET", "/books/1", ``, `200 {"id":1,"title":"Emma","year":1815}`},
		{"GET", "/books?limit=2", ``, `200 </books?after=2&limit=2>; rel="next" [{"id":1,"title":"Emma","year":1815},{"id":2,"title":"Ulysses"}]`},
		{"GET", "/books?after=2&limit=2", ``, `200 [{"id":3,"title":"Momo"}]`},
		{"PUT", "/books/2", `{"title":"Ulysses","year":1922}`, `200 {"id":2,"title":"Ulysses","year":1922}`},
		{"DELETE", "/books/1", ``, `204`},

		{"GET", "/books/1", ``, `404 {"title":"Not Found","status":404,"detail":"there is no such book"}`},
		{"PUT", "/books/9", `{"title":"x"}`, `404 {"title":"Not Found","status":404,"detail":"there is no such book"}`},
		{"DELETE", "/books/1", ``, `404 {"title":"Not Found","status":404,"detail":"there is no such book"}`},
		{"GET", "/books?limit=x", ``, `400 {"title":"Bad Request","status":400,"detail":"the parameter limit must be a number, and not negative"}`},
		{"POST", "/books", `{"title":" ","year":-1}`, `422 {"title":"Unprocessable Entity","status":422,"detail":"some fields are wrong","fields":{"title":"must not be empty","year":"must be from 0 to 9999"}}`},
		{"PATCH", "/books/2", ``, `405 GET, HEAD, PUT, DELETE, OPTIONS {"title":"Method Not Allowed","status":405}`},
		{"GET", "/none", ``, `404 {"title":"Not Found","status":404}`},
	} {
		if got := ask(t, c.method, url+c.path, c.body); got != c.want {
			t.Errorf("%s %s %s:\n got %s\nwant %s", c.method, c.path, c.body, got, c.want)
		}
	}
	for _, c := range []struct{ method, path, body, status string }{
		{"GET", "/books/x", ``, "400"},
		{"POST", "/books", `{`, "400"},
		{"POST", "/books", `{"title":1}`, "400"},
		{"POST", "/books", `{"title":"` + strings.Repeat("x", maxBody) + `"}`, "413"},
	} {
		if got := ask(t, c.method, url+c.path, c.body); !strings.HasPrefix(got, c.status+" {") {
			t.Errorf("%s %s %.40s: got %s, want %s", c.method, c.path, c.body, got, c.status)
		}
	}
}
