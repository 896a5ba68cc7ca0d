package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// muxvet builds the command.
func muxvet(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "muxvet")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return tool
}

// program writes a module with the file and the stub of the router in testdata.
func program(t *testing.T, file string) string {
	t.Helper()
	dir := t.TempDir()
	const router = "github.com/seed-1954dcaa/muxmaster"
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	api, err := os.ReadFile("../../testdata/src/" + router + "/muxmaster.go")
	if err != nil {
		t.Fatal(err)
	}
	write("router/muxmaster.go", string(api))
	write("router/go.mod", "module "+router+"\n\ngo 1.26\n")
	write("go.mod", "module example.com/app\n\ngo 1.26\n\nrequire "+router+" v0.0.0\n\nreplace "+router+" => ./router\n")
	write("app.go", file)
	return dir
}

func run(t *testing.T, dir, name string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	b, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
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
	tool := muxvet(t)
	dir := program(t, app)
	tests := []struct {
		name string
		args []string
		code int
	}{
		{"go", []string{"vet", "-vettool=" + tool, "./..."}, 1},
		{tool, []string{"./..."}, 3},
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
	if out, code := run(t, dir, tool, "-pattern", "./..."); code != 3 || reports(out) != 1 {
		t.Errorf("-pattern: exit status %d, want 3, and one report:\n%s", code, out)
	}
}

// TestFix applies the fixes to the program above and to the test data for
// fixes. The result must compile, and only reports without a fix may be left.
func TestFix(t *testing.T) {
	tool := muxvet(t)
	retain, err := os.ReadFile("../../testdata/src/retainfix/fix.go")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, file string
		left       int
	}{
		{"app", app, 0},
		{"retainfix", string(retain), strings.Count(string(retain[strings.Index(string(retain), "// No fix below."):]), "// want")},
	}
	for _, tt := range tests {
		for _, with := range [][]string{{tool, "-fix", "./..."}, {"go", "vet", "-fix", "-vettool=" + tool, "./..."}} {
			dir := program(t, tt.file)
			run(t, dir, with[0], with[1:]...)
			if out, code := run(t, dir, "go", "build", "./..."); code != 0 {
				t.Errorf("%s: does not compile after %q:\n%s", tt.name, with, out)
			}
			if out, _ := run(t, dir, "go", "vet", "-vettool="+tool, "./..."); reports(out) != tt.left {
				t.Errorf("%s: after %q, %d reports are left, want %d:\n%s", tt.name, with, reports(out), tt.left, out)
			}
		}
	}
}
