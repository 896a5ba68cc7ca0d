package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/examples/fromchi/after"
	"github.com/seed-1954dcaa/muxmaster/examples/fromchi/before"
)

type answer struct {
	status int
	body   string
}

func ask(h http.Handler, method, target, auth string) answer {
	r := httptest.NewRequest(method, target, nil)
	if auth != "" {
		r.Header.Set("Authorization", "Bearer "+auth)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answer{w.Code, strings.TrimSpace(w.Body.String())}
}

// TestSame checks that both respond in the same way.
func TestSame(t *testing.T) {
	chi, mux := before.Routes(), after.Routes()
	for _, c := range []struct {
		method, target, auth string
		want                 answer
	}{
		{"GET", "/", "", answer{200, "articles"}},
		{"GET", "/articles", "", answer{200, "2 articles"}},
		{"GET", "/articles/", "", answer{200, "2 articles"}},
		{"GET", "/articles/1", "", answer{200, "On Rooms"}},
		{"GET", "/articles/1/", "", answer{200, "On Rooms"}},
		{"GET", "/articles/9", "", answer{404, "no such article"}},
		{"GET", "/articles/x", "", answer{404, "404 page not found"}},
		{"DELETE", "/articles/1", "", answer{401, "writers only"}},
		{"DELETE", "/articles/1", "writer", answer{204, ""}},
		{"GET", "/files/css/a.css", "", answer{200, "css/a.css"}},
		{"GET", "/admin", "writer", answer{200, "admin"}},
		{"GET", "/admin/", "writer", answer{200, "admin"}},
		{"GET", "/admin/users/ada", "writer", answer{200, "ada"}},
		{"GET", "/admin/users/ada", "", answer{401, "writers only"}},
		{"GET", "/admin/none", "", answer{401, "writers only"}}, // the middleware also guards 404 responses
		{"GET", "/admin/none", "writer", answer{404, "404 page not found"}},
		{"GET", "/none", "", answer{404, "404 page not found"}},
	} {
		if got := ask(chi, c.method, c.target, c.auth); got != c.want {
			t.Errorf("chi: %s %s: got %v, want %v", c.method, c.target, got, c.want)
		}
		if got := ask(mux, c.method, c.target, c.auth); got != c.want {
			t.Errorf("muxmaster: %s %s: got %v, want %v", c.method, c.target, got, c.want)
		}
	}
}

// TestDifferent checks the intended differences.
func TestDifferent(t *testing.T) {
	chi, mux := before.Routes(), after.Routes()
	for _, c := range []struct {
		method, target string
		chi, mux       int
	}{
		{"HEAD", "/articles", 405, 200},
		{"OPTIONS", "/articles", 405, 204},
		{"GET", "//articles", 404, 307},
		{"GET", "/files", 404, 307}, // to /files/
	} {
		if got := ask(chi, c.method, c.target, "").status; got != c.chi {
			t.Errorf("chi: %s %s: got %d, want %d", c.method, c.target, got, c.chi)
		}
		if got := ask(mux, c.method, c.target, "").status; got != c.mux {
			t.Errorf("muxmaster: %s %s: got %d, want %d", c.method, c.target, got, c.mux)
		}
	}
}
