package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func show(http.ResponseWriter, *http.Request) {}

func TestCommand(t *testing.T) {
	m := muxmaster.New()
	m.Mount("/debug/routes", m.DebugHandler())
	m.GET("/users/:id", show)
	m.GET("/not-json/routes.json", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<html>")) })
	srv := httptest.NewServer(m)
	defer srv.Close()
	for _, c := range []struct {
		json bool
		args string
		want string // in the output, or in the error
	}{
		{false, "routes URL/debug/routes", "/users/:id"},
		{false, "routes URL/debug/routes/", ".show "},
		{true, "routes URL/debug/routes", `"Pattern":"/users/:id"`},
		{false, "explain URL/debug/routes GET /users/12", "GET /users/12: /users/:id by"},
		{false, "explain URL/debug/routes POST /users/12", "405, Allow: GET, HEAD, OPTIONS"},
		{true, "explain URL/debug/routes GET /users/12", `"Value":"12"`},
		{false, "explain URL/debug/routes GET users", "needs a path that begins with /"},
		{false, "openapi URL/debug/routes", `"openapi":"3.1.0"`},
		{false, "routes URL/none", "answers 404"},
		{false, "routes URL/not-json", "is not a DebugHandler"},
		{false, "routes http://127.0.0.1:1/debug", "does not answer"},
		{false, "routes", "usage"},
		{false, "other URL", "usage"},
	} {
		var b strings.Builder
		err := run(&b, c.json, strings.Fields(strings.ReplaceAll(c.args, "URL", srv.URL)))
		got := b.String()
		if err != nil {
			got += err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.args, got, c.want)
		}
	}
}
