package middleware_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleStripSlashes() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Print("user ", r.PathValue("id")) })
	h := middleware.StripSlashes(mux) // around the router, because it changes the path
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/users/7/", nil))
	// Output: user 7
}

func TestStripSlashes(t *testing.T) {
	spellings{
		{"/", "/", "/"},
		{"/a", "/a", "/a"},
		{"/a/", "/a", "/a"},
		{"/a/b/?q=/", "/a/b", "/a/b"},
		{"/a///", "/a", "/a"},
		{"//", "/", "/"},
		{"///", "/", "/"},
		{"//evil.com/", "//evil.com", "//evil.com"},
		{"/a%2F", "/a/", "/a%2F"},
		{"/a%2F/", "/a/", "/a%2F"},
		{"/a%2f//", "/a/", "/a%2f"},
		{"/%2F/", "//", "/%2F"},
		{"/a%20b/", "/a b", "/a%20b"},
		{"/%41/", "/A", "/%41"},
		{"/a%25/", "/a%", "/a%25"},
		{"/a/%2e%2e/", "/a/..", "/a/%2e%2e"},
	}.test(t, middleware.StripSlashes)
}
