package inspect_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// printed is the expected table of a Mux with every kind of route.
func printed(t *testing.T) (lines []string) {
	t.Helper()
	m, sub := muxmaster.New(), muxmaster.New()
	m.GET("/a", show)
	m.POST("/a/rather/long/path/:id", show)
	m.Handle("GET,PUT example.com/host/", http.NotFoundHandler())
	m.Handle("/any", http.HandlerFunc(show))
	m.GETFast("/fast/:x", fast)
	g := m.Group("/g/:v")
	g.Use(audit)
	g.GET("/", show)
	g.PATCH("/x", problem.Handler(fails))
	sub.DELETE("/below", show)
	m.Mount("/sub", sub)
	m.Mount("/plain", http.NotFoundHandler())
	var b bytes.Buffer
	inspect.Print(&b, m)
	if !strings.HasSuffix(b.String(), "\n") {
		t.Errorf("the table doesn't end with a line: %q", b.String())
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestPrint(t *testing.T) {
	lines := printed(t)
	for _, want := range []struct{ method, path, handler string }{
		{"GET", "/a", "show"},
		{"POST", "/a/rather/long/path/:id", "show"},
		{"GET", "example.com/host/", "NotFound"},
		{"PUT", "example.com/host/", "NotFound"},
		{"", "/any", "show"},
		{"GET", "/fast/:x", "fast"},
		{"GET", "/g/:v", "show"},
		{"PATCH", "/g/:v/x", "inspect_test.fails"},
		{"DELETE", "/sub/below", "show"},
		{"", "/plain", "NotFound"},
	} {
		found := slices.ContainsFunc(lines, func(line string) bool {
			words := strings.Fields(line)
			return slices.Contains(words, want.path) && (want.method == "" || strings.Contains(words[0], want.method)) && strings.Contains(line, want.handler)
		})
		if !found {
			t.Errorf("no line for %s %s of %s in\n%s", want.method, want.path, want.handler, strings.Join(lines, "\n"))
		}
	}
	for _, line := range lines {
		if strings.Contains(line, "\x1b") {
			t.Errorf("colors in what is no terminal: %q", line)
		}
		if strings.TrimRight(line, " \t") != line {
			t.Errorf("spaces at the end of %q", line)
		}
	}
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "print_test.go:") {
		t.Errorf("no file and line in\n%s", got)
	}
}

// File names are relative to the working directory.
func TestPrintRelativeFiles(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range printed(t) {
		if strings.Contains(line, filepath.ToSlash(dir)) {
			t.Errorf("an absolute file name: %q", line)
		}
	}
}

// The columns are aligned.
func TestPrintAligned(t *testing.T) {
	column := -1
	for _, line := range printed(t) {
		i := strings.IndexAny(line, "/")
		if j := strings.Index(line, "example.com"); j >= 0 {
			i = j
		}
		if !strings.Contains(line, "_test.go:") && !strings.Contains(line, ".go:") {
			continue // a heading
		}
		if column < 0 {
			column = i
		}
		if i != column {
			t.Errorf("the path of %q is in column %d, want %d", line, i, column)
		}
	}
	if column < 0 {
		t.Error("no line has a path")
	}
}

// Print doesn't panic for a Mux without routes or a failing writer.
func TestPrintOfNothing(t *testing.T) {
	inspect.Print(io.Discard, muxmaster.New())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	m := muxmaster.New()
	m.GET("/x", show)
	inspect.Print(w, m)
	inspect.Print(writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe }), m)
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func show(http.ResponseWriter, *http.Request)                   {}
func fast(http.ResponseWriter, *http.Request, muxmaster.Params) {}
func fails(http.ResponseWriter, *http.Request) error            { return nil }
func audit(next http.Handler) http.Handler                      { return next }
