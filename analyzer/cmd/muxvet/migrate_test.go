package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const old = `package app

import "net/http"

func routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", user)
	return mux
}

func user(w http.ResponseWriter, r *http.Request) {}
`

const rewritten = `package app

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func routes() http.Handler {
	mux := muxmaster.New()
	mux.HandleFunc("GET /users/{id}", user)
	return mux
}

func user(w http.ResponseWriter, r *http.Request) {}
`

const oldDiff = `--- app.go
+++ app.go
@@ -1,9 +1,13 @@
 package app
 
-import "net/http"
+import (
+	"net/http"
 
+	"github.com/seed-1954dcaa/muxmaster"
+)
+
 func routes() http.Handler {
-	mux := http.NewServeMux()
+	mux := muxmaster.New()
 	mux.HandleFunc("GET /users/{id}", user)
 	return mux
 }
`

func TestMigrate(t *testing.T) {
	tool := muxvet(t)
	left := strings.Replace(old, "GET /users/{id}", "GET /users/:id", 1)
	tests := []struct {
		name, file string
		args       []string
		code       int
		after, out string
	}{
		{"diff", old, []string{"-migrate", "servemux", "-diff", "./..."}, 0, old, oldDiff},
		{"write", old, []string{"-migrate=servemux", "./..."}, 0, rewritten, "app.go\nrewritten; now run: go mod tidy, your tests, and muxvet ./...\n"},
		{"left", left, []string{"-migrate", "servemux", "./..."}, 3, left,
			"app.go:7: \"GET /users/:id\": the segment \":id\" is literal text in http.ServeMux and has a parameter in muxmaster: write : as %3A and * as %2A\n" +
				"example.com/app: not changed: resolve the notes above first\n"},
		{"unknown", old, []string{"-migrate", "martini"}, 1, old, "muxvet: migrate: unknown router \"martini\": use one of chi, echo, gin, gorilla, httprouter, servemux\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := program(t, tt.file)
			out, code := run(t, dir, tool, tt.args...)
			if code != tt.code || out != tt.out {
				t.Errorf("exit status %d, want %d, output\n%s\nwant\n%s", code, tt.code, out, tt.out)
			}
			text, err := os.ReadFile(filepath.Join(dir, "app.go"))
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != tt.after {
				t.Errorf("got\n%s\nwant\n%s", text, tt.after)
			}
		})
	}
}
