package analyzer_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
	source := read(t, "testdata/pooled/main.go")
	dir := module(t, map[string]string{"main.go": source})
	if out, code := run(t, dir, "go", "build", "-race", "-o", "pooled", "."); code != 0 {
		t.Fatal(out)
	}
	vet, _ := run(t, dir, "go", "vet", "-vettool="+muxvet, "-retain", ".")
	lines := functions(t, source)
	reported := make(map[string]bool)
	for name, lines := range lines {
		for line := lines[0]; line <= lines[1]; line++ {
			if strings.Contains(vet, fmt.Sprintf("main.go:%d:", line)) {
				reported[name] = true
			}
		}
	}
	for name := range lines {
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
			out, code := run(t, dir, "./pooled", name)
			race := regexp.MustCompile(`WARNING: DATA RACE\n(?s:.*)main\.`).MatchString(out)
			if race != wrong || (code == 0) == wrong {
				t.Errorf("reported by the race detector: %v, want %v\n%s", race, wrong, out)
			}
			if !strings.Contains(out, name) {
				t.Errorf("the request was not served:\n%s", out)
			}
		})
	}
}

// functions returns the first and the last line of each function of a file.
func functions(t *testing.T, source string) map[string][2]int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", source, 0)
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
