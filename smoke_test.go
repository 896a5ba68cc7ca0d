package muxmaster

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestSmoke(t *testing.T) {
	m := New()
	h := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %v id=%q", r.Pattern, PathParams(r), r.PathValue("id"))
	}
	m.GET("/", h)
	m.GET("/users/:id", h)
	m.GET("/users/me", h)
	m.POST("/users/:id", h)
	m.GET("/x/", h)
	m.GET("/num/{id:[0-9]+}/posts", h)
	m.GET("/static/*filepath", h)
	m.HandleFunc("/tree/", h)
	m.HandleFunc("GET /files/{rest...}", h)
	m.GET("/v{major}.{minor}/x", h)
	m.GETFast("/fast/:id", func(w http.ResponseWriter, r *http.Request, ps Params) {
		fmt.Fprintf(w, "%s %v id=%q", r.Pattern, ps, r.PathValue("id"))
	})
	for _, c := range []string{"GET /", "GET /users/12", "GET /users/me", "POST /users/me", "DELETE /users/me", "GET /x", "GET /x/", "GET /users/1/", "GET /num/12/posts", "GET /num/a/posts",
		"GET /static/", "GET /static/a/b", "GET /static", "GET /tree", "GET /tree/a//b", "GET /files/a%2Fb/c", "GET /users/a%2Fb", "GET /v1.2.3/x", "GET /fast/7", "OPTIONS /users/1", "HEAD /users/1", "GET /nope", "GET //evil.com/..//x?a=b"} {
		var method, target string
		fmt.Sscan(c, &method, &target)
		r := httptest.NewRequest(method, "/", nil)
		u, _ := r.URL.Parse("http://example.com" + target)
		r.URL = u
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		t.Log(c, "=>", w.Code, w.Header()["Location"], w.Header()["Allow"], w.Body.String())
	}
}
