package muxmaster_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// These tests check the tables of patterns in docs/patterns.md.

// docTable returns the cells of the table below a heading.
func docTable(t *testing.T, doc, heading string) (rows [][]string) {
	t.Helper()
	text := contents(t, doc)
	_, text2, ok := strings.Cut(text, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", doc, heading)
	}
	for line := range strings.Lines(text2) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				return rows[2:] // without the head
			}
			continue
		}
		line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
		var cells []string
		for cell := range strings.SplitSeq(line, "|") {
			cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|"))
		}
		rows = append(rows, cells)
	}
	return rows
}

var inCode = regexp.MustCompile("`([^`]+)`")

// whole makes a pattern of text that may be only a segment or a host.
func whole(text string) string {
	if strings.Contains(text, "/") {
		return text
	}
	return "/" + text
}

// README.md says how many libraries docs/interop.md lists.
func TestDocsCountLibraries(t *testing.T) {
	table := contents(t, "docs/interop.md")
	libraries := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| \[[^]]*\]\(https://pkg\.go\.dev/([^/)]+\.[^)]*)\) .*\| yes \|`).FindAllStringSubmatch(table, -1) {
		libraries[m[1]] = true
	}
	if want := fmt.Sprintf("[%d libraries](docs/interop.md)", len(libraries)); !strings.Contains(contents(t, "README.md"), want) {
		t.Errorf("README.md doesn't contain %s", want)
	}
}

// The forms that the table lists as refused panic, and their replacements
// don't.
func TestDocsForeignForms(t *testing.T) {
	rows := docTable(t, "docs/patterns.md", "## Syntax of other routers")
	if len(rows) < 15 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		for _, m := range inCode.FindAllStringSubmatch(row[0], -1) {
			if muxmaster.New().TryHandle(whole(m[1]), http.NotFoundHandler()) == nil {
				t.Errorf("%s is accepted", m[0])
			}
		}
		for _, m := range inCode.FindAllStringSubmatch(row[1], -1) {
			if strings.Contains(m[1], "(") || m[1] == "#" || m[1] == "Handle" {
				continue // a call, a character
			}
			if err := muxmaster.New().TryHandle(whole(m[1]), http.NotFoundHandler()); err != nil {
				t.Errorf("instead of %s: %v", row[0], err)
			}
		}
	}
}

// The table of precedence is correct.
func TestDocsPrecedence(t *testing.T) {
	rows := docTable(t, "docs/patterns.md", "## Which route wins")
	if len(rows) < 9 {
		t.Fatalf("%d rows", len(rows))
	}
	code := func(cell string) (list []string) {
		for _, m := range inCode.FindAllStringSubmatch(cell, -1) {
			list = append(list, m[1])
		}
		return list
	}
	for _, row := range rows {
		m := muxmaster.New()
		for _, p := range code(row[0]) {
			m.Handle(p, tell(p))
		}
		method, host, target := http.MethodGet, "h", code(row[1])[0]
		if i := strings.IndexByte(target, ' '); i > 0 {
			method, target = target[:i], target[i+1:]
		}
		if i := strings.IndexByte(target, '/'); i > 0 {
			host, target = target[:i], target[i:]
		}
		if got, want := ask(m, requestTo(t, host, method, target)).brief(), code(row[2])[0]; got != want {
			t.Errorf("%s: %s is served by %s, the table says %s", row[0], row[1], got, want)
		}
	}
}

// The table in docs/design.md lists all packages, except for examples, with the
// packages of this module that they import.
func TestDocsPackages(t *testing.T) {
	documented := map[string][]string{}
	for _, row := range docTable(t, "docs/design.md", "## Packages") {
		imports := []string{}
		for _, m := range inCode.FindAllStringSubmatch(row[2], -1) {
			imports = append(imports, m[1])
		}
		slices.Sort(imports)
		documented[strings.Trim(row[0], "`")] = imports
	}
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Env = append(os.Environ(), "GOFLAGS=")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	within := func(path string) (name string, ok bool) {
		if path == modulePath {
			return ".", true
		}
		return strings.CutPrefix(path, modulePath+"/")
	}
	packages := 0
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		name, _ := within(paths[0])
		if strings.HasPrefix(name, "examples/") {
			continue
		}
		packages++
		imports := []string{}
		for _, path := range paths[1:] {
			if imported, ok := within(path); ok {
				imports = append(imports, imported)
			}
		}
		slices.Sort(imports)
		if want, ok := documented[name]; !ok || !slices.Equal(imports, want) {
			t.Errorf("docs/design.md: package %s imports %q, the table says %q", name, imports, want)
		}
	}
	if packages != len(documented) {
		t.Errorf("docs/design.md lists %d packages, there are %d", len(documented), packages)
	}
}

// The root brings along nothing for pages or documents. Package log/slog, which
// the router logs with, needs encoding/json.
func TestRootImports(t *testing.T) {
	deps := func(packages ...string) []string {
		out, err := exec.Command("go", append([]string{"list", "-deps"}, packages...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	needed := deps("net/http", "log/slog")
	for _, path := range deps(".") {
		if slices.Contains(needed, path) {
			continue
		}
		if strings.HasPrefix(path, "html") || strings.HasPrefix(path, "text/") || strings.HasPrefix(path, "encoding/") || strings.Contains(path, "inspect") {
			t.Errorf("the root imports %s", path)
		}
	}
}

// docs/middleware.md mentions every exported function of package middleware, the
// package comment lists each middleware, and each middleware, or its variant
// with options, has an example.
func TestDocsNameMiddleware(t *testing.T) {
	tests := functions(t, "middleware/*_test.go", `\w+`)
	exported := slices.DeleteFunc(functions(t, "middleware/*.go", `[A-Z]\w*`), func(name string) bool { return slices.Contains(tests, name) })
	if len(exported) < 10 {
		t.Errorf("found %q, want at least ten functions", exported)
	}
	text := contents(t, "docs/middleware.md")
	var listed []string // the capitalized words of the indented lines
	for line := range strings.Lines(contents(t, "middleware/doc.go")) {
		if list, ok := strings.CutPrefix(line, "//\t"); ok {
			listed = append(listed, regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(list, -1)...)
		}
	}
	for _, name := range exported {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
			t.Errorf("docs/middleware.md doesn't name %s", name)
		}
		if strings.HasPrefix(name, "Get") {
			continue
		}
		if !slices.ContainsFunc(tests, func(test string) bool { return strings.HasPrefix(test, "Example"+name) }) {
			t.Errorf("there is no Example%s in middleware", name)
		}
		if !slices.ContainsFunc(listed, func(word string) bool { return strings.HasPrefix(name, word) }) {
			t.Errorf("the list in middleware/doc.go doesn't have %s", name)
		}
	}
}
