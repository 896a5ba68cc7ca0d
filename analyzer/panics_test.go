package analyzer_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/pattern"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestPanics executes the statements of the test data with the real router.
// Exactly those that the check reports must panic.
func TestPanics(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	panics := make(map[int]bool)
	for _, r := range analysistest.Run(t, testdata, pattern.Analyzer, "pattern") {
		for _, d := range r.Action.Diagnostics {
			if strings.Contains(d.Message, " panics: ") {
				panics[r.Action.Package.Fset.Position(d.Pos).Line] = true
			}
		}
	}
	text := strings.Replace(read(t, "testdata/src/pattern/pattern.go"), "package pattern", "package main", 1)
	lines := strings.Split(text, "\n")
	statement := regexp.MustCompile(`^(\t+|func .*\{ )(_ = )?([\w.]+\(.*\))( \})?\s*(//.*)?$`)
	for n := range panics {
		m := statement.FindStringSubmatch(lines[n-1])
		if m == nil {
			t.Fatalf("line %d isn't a statement: %s", n, lines[n-1])
		}
		call := m[3]
		if m[2] != "" {
			call = "if err := " + call + "; err != nil { panic(err.Error()) }"
		}
		lines[n-1] = fmt.Sprintf("%sexpect(%d, func() { %s })%s", m[1], n, call, m[4])
	}
	dir := module(t, map[string]string{
		"pattern.go": strings.Join(lines, "\n"),
		"main.go": `package main

import "fmt"

func expect(line int, register func()) {
	defer func() {
		if recover() == nil {
			fmt.Printf("line %d does not panic\n", line)
		}
	}()
	register()
}

func main() {
	panics()
	dialects()
	unreachable()
	conflicts()
	newServer()
	std()
	embedded()
	instances(true)
	conditions(true)
	conditions(false)
	right(true, 1)
	right(false, 2)
	choose(1)
	fmt.Println("done")
}
`,
	})
	if out, _ := run(t, dir, "go", "run", "."); out != "done\n" {
		t.Error(out)
	}
}
