package analyzer_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRaceDetector compares the check retain with the race detector, for the
// handlers in testdata/pooled, which include the examples in docs/pooling.md.
// Both must report handlers that read a path value from the request too late
// (wrong...), and neither may report correct handlers. Only retain reports
// other violations (kept...): the race detector can't see them until another
// request reuses the storage.
func TestRaceDetector(t *testing.T) {
	dir := t.TempDir()
	program, tool := filepath.Join(dir, "pooled"), filepath.Join(dir, "muxvet")
	for _, args := range [][]string{{"build", "-race", "-o", program, "./testdata/pooled"}, {"build", "-o", tool, "./cmd/muxvet"}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
	}
	vet, err := exec.Command("go", "vet", "-vettool="+tool, "-retain", "./testdata/pooled").CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	reported := make(map[string]bool)
	for name, lines := range functions(t, "testdata/pooled/main.go") {
		for line := lines[0]; line <= lines[1]; line++ {
			if strings.Contains(string(vet), fmt.Sprintf("main.go:%d:", line)) {
				reported[name] = true
			}
		}
	}
	for name := range functions(t, "testdata/pooled/main.go") {
		wrong, kept := strings.HasPrefix(name, "wrong"), strings.HasPrefix(name, "kept")
		if !wrong && !kept && !strings.HasPrefix(name, "right") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if reported[name] != (wrong || kept) {
				t.Errorf("reported by retain: %v, want %v", reported[name], wrong || kept)
			}
			if kept {
				return
			}
			cmd := exec.Command(program, name)
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
			out, err := cmd.CombinedOutput()
			if _, ok := err.(*exec.ExitError); err != nil && !ok {
				t.Fatal(err)
			}
			race := regexp.MustCompile(`WARNING: DATA RACE\n(?s:.*)main\.`).Match(out)
			if race != wrong || cmd.ProcessState.Success() == wrong {
				t.Errorf("reported by the race detector: %v, want %v\n%s", race, wrong, out)
			}
			if !strings.Contains(string(out), name) {
				t.Errorf("the request was not served:\n%s", out)
			}
		})
	}
}

// functions returns the first and the last line of each function declared in
// the file.
func functions(t *testing.T, file string) map[string][2]int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(map[string][2]int)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			lines[fn.Name.Name] = [2]int{fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line}
		}
	}
	return lines
}
