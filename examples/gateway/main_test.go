//go:build !wasm

package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// backendServer starts a server that tells its name and the path that it gets.
func backendServer(t *testing.T, name string) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s", name, r.URL.Path, r.Header.Get("X-Forwarded-For"))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", "6.6.6.6")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", string(text)))
}

func TestLoad(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	one, two := backendServer(t, "one"), backendServer(t, "two")
	file := filepath.Join(t.TempDir(), "routes.json")
	g := newGateway(http.DefaultTransport)
	srv := httptest.NewServer(g.mux)
	defer srv.Close()
	const missing = "404 404 page not found"
	for _, step := range []struct {
		name, text string
		err        string // part of the error, or "" if the file is good
		want       map[string]string
	}{
		{"first", `[{"pattern": "/api/", "backend": "` + one + `", "strip": "/api"}, {"pattern": "GET /users/{id:int}", "backend": "` + one + `", "timeout": "1m"}]`, "",
			map[string]string{"/api/x": "200 one /x 127.0.0.1", "/users/7": "200 one /users/7 127.0.0.1", "/new": missing, "/healthz": "200 ok"}},
		{"changed", `[{"pattern": "/api/", "backend": "` + two + `"}, {"pattern": "/new", "backend": "` + two + `"}]`, "",
			map[string]string{"/api/x": "200 two /api/x 127.0.0.1", "/users/7": missing, "/new": "200 two /new 127.0.0.1", "/healthz": "200 ok"}},
		{"conflict", `[{"pattern": "/healthz", "backend": "` + one + `"}, {"pattern": "GET /healthz", "backend": "` + one + `"}]`, "conflicts with pattern", nil},
		{"bad pattern", `[{"pattern": "/a/{", "backend": "` + one + `"}]`, `"/a/{"`, nil},
		{"bad backend", `[{"pattern": "/a", "backend": "localhost:9001"}]`, "is not a URL such as http://10.0.0.7:8080", nil},
		{"bad timeout", `[{"pattern": "/a", "backend": "` + one + `", "timeout": "5"}]`, "is not a duration such as 5s", nil},
		{"tiny timeout", `[{"pattern": "/a", "backend": "` + one + `", "timeout": "5us"}]`, "is not a duration such as 5s", nil},
		{"no JSON", `{`, "unexpected end of JSON input", nil},
		{"empty", `[]`, "", map[string]string{"/api/x": missing, "/new": missing, "/healthz": "200 ok"}},
	} {
		if err := os.WriteFile(file, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := g.load(file)
		if (err == nil) != (step.err == "") || err != nil && !strings.Contains(err.Error(), step.err) {
			t.Errorf("%s: error %v, want %q", step.name, err, step.err)
		}
		want := step.want
		if step.err != "" { // nothing has changed
			want = map[string]string{"/api/x": "200 two /api/x 127.0.0.1", "/new": "200 two /new 127.0.0.1", "/healthz": "200 ok", "/a": missing}
		}
		for path, want := range want {
			if got := get(t, srv.URL+path); got != want {
				t.Errorf("%s: %s: got %q, want %q", step.name, path, got, want)
			}
		}
	}
	if err := g.load(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("no error for a missing file")
	}
}
