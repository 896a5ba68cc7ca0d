package analyzer_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// muxvet is the path of the command.
var muxvet string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "muxvet")
	if err != nil {
		panic(err)
	}
	muxvet = filepath.Join(dir, "muxvet")
	if out, err := exec.Command("go", "build", "-o", muxvet, "./cmd/muxvet").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// module writes a module that requires the router, and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files["go.mod"] = "module example.com/app\n\ngo 1.26\n\nrequire github.com/seed-1954dcaa/muxmaster v0.0.0\n\n" +
		"replace github.com/seed-1954dcaa/muxmaster => " + root + "\n"
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a command in a module.
func run(t *testing.T, dir, name string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GORACE=atexit_sleep_ms=0")
	b, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// read returns the text of a file.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reports counts the reports in a driver's output.
func reports(out string) int { return strings.Count(out, "app.go:") }

const app = `package app

import (
	"log"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func routes() *muxmaster.Mux {
	mux := muxmaster.New()
	mux.GET("/users/:id", user)
	mux.GET("/files/<name>", files)
	return mux
}

func user(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("di")
	go func() {
		log.Print(r.RemoteAddr, id)
	}()
}

func files(w http.ResponseWriter, r *http.Request) {}
`

var wants = []string{
	`app.go:13:10: this pattern panics: "<name>": a parameter is written {name}`,
	`app.go:19:2: r can outlive the handler in this goroutine: copy the values it needs first, or use the request's Clone`,
	`app.go:18:20: no route of this handler has a path parameter "di"; did you mean "id"?`,
}

func TestReports(t *testing.T) {
	dir := module(t, map[string]string{"app.go": app})
	tests := []struct {
		name string
		args []string
		code int
	}{
		{"go", []string{"vet", "-vettool=" + muxvet, "./..."}, 1},
		{muxvet, []string{"./..."}, 3},
	}
	for _, tt := range tests {
		out, code := run(t, dir, tt.name, tt.args...)
		if code != tt.code {
			t.Errorf("%s %q: exit status %d, want %d", filepath.Base(tt.name), tt.args, code, tt.code)
		}
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s %q: no report %q in\n%s", filepath.Base(tt.name), tt.args, want, out)
			}
		}
		if got := reports(out); got != len(wants) {
			t.Errorf("%s %q: %d reports, want %d:\n%s", filepath.Base(tt.name), tt.args, got, len(wants), out)
		}
	}
	if out, code := run(t, dir, muxvet, "-pattern", "./..."); code != 3 || reports(out) != 1 {
		t.Errorf("-pattern: exit status %d, want 3, and one report:\n%s", code, out)
	}
}

// dialects has patterns with a fix, and some with advice only.
const dialects = `package app

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func routes(mux *muxmaster.Mux, h http.HandlerFunc) {
	mux.GET("/a/<int:id>", h)
	mux.GET("/b/[id]/[...rest]", h)
	mux.GET("/c/{*rest}", h)
	mux.GET("/d/:id([0-9]+)", h)
	mux.GET("/e/{id:guid}", h)
	mux.GET("/f/{id:string}/{path:.*}", h)
	mux.GET("/x/{id:digits}", h) // {id:int} has a sign
	mux.GET("/x/%s", h)
	mux.GET("/x/{id?}", h)
}
`

// TestFix applies the fixes to the programs above and to the test data for
// fixes, twice, because a pattern may need two. The result must compile, and
// only reports without a fix may be left.
func TestFix(t *testing.T) {
	retain := read(t, "testdata/src/retainfix/fix.go")
	tests := []struct {
		name, file string
		left       int
	}{
		{"app", app, 0},
		{"dialects", dialects, strings.Count(dialects, "/x/")},
		{"retainfix", retain, strings.Count(retain[strings.Index(retain, "// No fix below."):], "// want")},
	}
	for _, tt := range tests {
		for _, with := range [][]string{{muxvet, "-fix", "./..."}, {"go", "vet", "-fix", "-vettool=" + muxvet, "./..."}} {
			dir := module(t, map[string]string{"app.go": tt.file})
			run(t, dir, with[0], with[1:]...)
			run(t, dir, with[0], with[1:]...)
			if out, code := run(t, dir, "go", "build", "./..."); code != 0 {
				t.Errorf("%s: does not compile after %q:\n%s", tt.name, with, out)
			}
			if out, _ := run(t, dir, "go", "vet", "-vettool="+muxvet, "./..."); reports(out) != tt.left {
				t.Errorf("%s: after %q, %d reports are left, want %d:\n%s", tt.name, with, reports(out), tt.left, out)
			}
		}
	}
}
