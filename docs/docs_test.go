// Package docs tests the documents.
package docs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestMain lets the tests run in the root of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// docs returns the paths of the documents, relative to the module's root.
func docs(t *testing.T) []string {
	t.Helper()
	files := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "bench/README.md"}
	for _, pattern := range []string{"docs/*.md", "examples/README.md", "examples/*/README.md", "examples/libraries/*/README.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	return files
}

// contents returns the contents of a file.
func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeFile writes a file, with the directories that it needs.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// newModule returns the directory of a new module example.com/name that requires
// this one.
func newModule(t *testing.T, name string) (dir string) {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/"+name+"\n\ngo 1.26\n\nrequire "+modulePath+" v0.0.0\n\nreplace "+modulePath+" => "+root+"\n")
	return dir
}

// Every block of Go code in the documents compiles and passes go vet, and its
// tests pass. Declarations and statements get the imports they need.
func TestDocsCompile(t *testing.T) {
	dir, blocks := newModule(t, "docs"), 0
	check := [][]string{{"vet", "./..."}, {"test"}}
	for _, doc := range docs(t) {
		if doc == filepath.Join("docs", "tutorial.md") {
			continue // its blocks belong together; see TestDocsTutorial
		}
		for _, b := range codeBlocks(t, doc) {
			text, err := program(b, recipeTest(t, b))
			if err != nil {
				t.Errorf("%s:%d: %v", doc, b.line, err)
				continue
			}
			blocks++
			name, file := fmt.Sprint("./block", blocks), "main.go"
			if strings.Contains(text, "\nfunc Test") {
				check[1], file = append(check[1], name), "main_test.go"
			}
			writeFile(t, filepath.Join(dir, name, file), text)
		}
	}
	if blocks < 20 {
		t.Errorf("found %d blocks of Go, want at least 20", blocks)
	}
	if tests := len(check[1]); tests < 8 {
		t.Errorf("found %d blocks with tests, want at least 7", tests-1)
	}
	for _, args := range check {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		}
	}
}

const modulePath = "github.com/seed-1954dcaa/muxmaster"

// A codeBlock is Go code of a document.
type codeBlock struct {
	doc     string
	heading string // above it
	line    int    // of its first line
	text    string
}

// recipeTest returns the test of a block in testdata/recipes, if there is one:
// a file with the name of the heading's anchor.
func recipeTest(t *testing.T, b codeBlock) string {
	t.Helper()
	if b.doc != filepath.Join("docs", "recipes.md") && b.doc != filepath.Join("docs", "migration.md") {
		return ""
	}
	text, err := os.ReadFile(filepath.Join("testdata", "recipes", anchor(b.heading)+".txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func codeBlocks(t *testing.T, doc string) (blocks []codeBlock) {
	t.Helper()
	text, heading := contents(t, doc), ""
	for rest, line := text, 1; ; {
		before, after, ok := strings.Cut(rest, "```go\n")
		if !ok {
			return blocks
		}
		if i := strings.LastIndex("\n"+before, "\n#"); i >= 0 {
			heading, _, _ = strings.Cut(before[i:], "\n")
		}
		line += strings.Count(before, "\n") + 1
		code, after, ok := strings.Cut(after, "```\n")
		if !ok {
			t.Fatalf("%s:%d: the block has no end", doc, line)
		}
		blocks = append(blocks, codeBlock{doc, heading, line, code})
		line += strings.Count(code, "\n") + 1
		rest = after
	}
}

// program returns a Go file for a block, with more declarations at its end.
// Compiler errors have the line numbers of the document.
func program(b codeBlock, more string) (string, error) {
	doc, err := filepath.Abs(b.doc)
	if err != nil {
		return "", err
	}
	here := fmt.Sprintf("//line %s:%d\n", doc, b.line)
	if strings.HasPrefix(b.text, "package ") {
		return here + b.text, nil
	}
	header, body := "package docs\n", here+b.text+more
	file, err := parser.ParseFile(token.NewFileSet(), "", header+body, 0)
	if err != nil {
		body = "func _() {\n" + body + "}\n"
		file, err = parser.ParseFile(token.NewFileSet(), "", header+body, 0)
	}
	if err != nil {
		return "", err
	}
	for _, p := range documented {
		if slices.ContainsFunc(file.Unresolved, func(id *ast.Ident) bool { return id.Name == path.Base(p) }) {
			header += fmt.Sprintf("import %q\n", p)
		}
	}
	return header + body, nil
}

// documented lists the packages that code blocks can use without an import.
var documented = []string{
	"bufio", "bytes", "context", "crypto/sha256", "crypto/tls", "crypto/x509", "encoding/base64", "encoding/hex", "encoding/json", "errors", "fmt", "html/template", "io", "io/fs", "iter", "log", "log/slog", "mime", "net",
	"net/http", "net/http/httptest", "net/http/httputil", "net/netip", "net/url", "os", "slices", "strconv", "strings", "sync", "sync/atomic", "testing", "time",
	modulePath, modulePath + "/middleware", modulePath + "/server", modulePath + "/client", modulePath + "/body", modulePath + "/problem", modulePath + "/inspect", modulePath + "/engine",
}

// Links between the documents are valid, including their headings.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	for _, doc := range docs(t) {
		text := contents(t, doc)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			file := doc
			if m[1] != "" {
				file = filepath.Join(filepath.Dir(doc), m[1])
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
				continue
			}
			if m[2] != "" && !slices.Contains(anchors(t, file), m[2]) {
				t.Errorf("%s links to %s, which has no heading #%s", doc, file, m[2])
			}
		}
	}
}

// anchors returns the anchors of the headings of a document.
func anchors(t *testing.T, doc string) (list []string) {
	t.Helper()
	text := contents(t, doc)
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' && !code {
			list = append(list, anchor(heading))
		}
	}
	return list
}

// anchor returns the anchor of a heading, as GitHub makes it.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(strings.TrimLeft(heading, "#")))
}

// Each go test command in the documents runs at least one test, and each go run
// command names a program of some module.
func TestDocsCommands(t *testing.T) {
	command := regexp.MustCompile("(?:cd ([\\w/]+) && )?(?:GOTOOLCHAIN=\\S+ )?go test ((?:'[^'\\n]*'|[^`\\n)&'])+)(?:` in `(\\w+)/)?")
	option := regexp.MustCompile(`-(?:run|fuzz|bench)[= ]'?([^' ]+)'?`)
	programs := regexp.MustCompile(`go run \./([\w/]+)`)
	for _, doc := range docs(t) {
		text := contents(t, doc)
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			module, args := m[1]+m[3], strings.ReplaceAll(m[2], `\|`, "|")
			if module == "" && doc == "bench/README.md" {
				module = "bench"
			}
			dir := filepath.Clean(module)
			for arg := range strings.FieldsSeq(args) {
				if strings.HasPrefix(arg, "./") {
					dir = filepath.Join(module, arg)
				}
			}
			if strings.HasSuffix(dir, "...") {
				continue
			}
			names := functions(t, filepath.Join(dir, "*_test.go"), `(?:Test|Fuzz|Example|Benchmark)\w*`)
			if len(names) == 0 {
				t.Errorf("%s: %s: there are no tests in %s", doc, m[0], dir)
			}
			for _, o := range option.FindAllStringSubmatch(args, -1) {
				re, err := regexp.Compile(strings.Split(o[1], "/")[0])
				if o[1] != "^$" && (err != nil || !slices.ContainsFunc(names, re.MatchString)) {
					t.Errorf("%s: %s runs nothing in %s", doc, m[0], dir)
				}
			}
		}
		for _, m := range programs.FindAllStringSubmatch(text, -1) {
			files := m[1]
			if path.Ext(files) != ".go" {
				files += "/*.go"
			}
			if !slices.ContainsFunc([]string{"", "*", "examples/*"}, func(module string) bool { return len(functions(t, filepath.Join(module, files), "main")) > 0 }) {
				t.Errorf("%s: %s: there is no such program", doc, m[0])
			}
		}
	}
}

// functions returns the names of the functions in the files of a pattern that
// match the regular expression.
func functions(t *testing.T, pattern, name string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	re := regexp.MustCompile(`(?m)^func (` + name + `)[\[(]`)
	for _, file := range files {
		for _, m := range re.FindAllStringSubmatch(contents(t, file), -1) {
			names = append(names, m[1])
		}
	}
	return names
}

// The documents name only tests and files that exist, and docs/design.md only
// identifiers that do. The name of a test may be the beginning of several.
func TestDocsNames(t *testing.T) {
	var tests, files []string
	known := map[string]bool{} // words of the source
	word := regexp.MustCompile(`\w+`)
	function := regexp.MustCompile(`(?m)^func (\w+)\(`)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		files = append(files, "/"+filepath.ToSlash(path))
		text := contents(t, path)
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range function.FindAllStringSubmatch(text, -1) {
				tests = append(tests, m[1])
			}
			return nil
		}
		for _, w := range word.FindAllString(text, -1) {
			known[w] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	file := regexp.MustCompile("`(\\w[\\w/]*\\.go)`")
	code := regexp.MustCompile("(?s)```go\n.*?```")
	identifier := regexp.MustCompile(`\b[A-Za-z]+[a-z][A-Z]\w*`)
	for _, doc := range docs(t) {
		text := contents(t, doc)
		text = code.ReplaceAllString(text, "") // may define tests of its own
		for _, name := range test.FindAllString(text, -1) {
			if !slices.ContainsFunc(tests, func(test string) bool { return strings.HasPrefix(test, name) }) {
				t.Errorf("%s: there is no %s", doc, name)
			}
		}
		for _, m := range file.FindAllStringSubmatch(text, -1) {
			if m[1] != "_test.go" && !slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix(file, "/"+m[1]) }) {
				t.Errorf("%s: there is no %s", doc, m[1])
			}
		}
		if doc != "docs/design.md" {
			continue
		}
		for _, name := range identifier.FindAllString(text, -1) {
			if !known[name] && !test.MatchString(name) {
				t.Errorf("%s: the code has no %s", doc, name)
			}
		}
	}
}

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

// README.md shows an error as it is printed.
func TestDocsError(t *testing.T) {
	if err := muxmaster.New().TryHandle("GET /users/<id:int>", http.NotFoundHandler()); err == nil || !strings.Contains(contents(t, "README.md"), "\n"+err.Error()+"\n") {
		t.Errorf("README.md doesn't contain %v", err)
	}
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
			m.HandleFunc(p, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, p) })
		}
		method, host, target := http.MethodGet, "h", code(row[1])[0]
		if i := strings.IndexByte(target, ' '); i > 0 {
			method, target = target[:i], target[i+1:]
		}
		if i := strings.IndexByte(target, '/'); i > 0 {
			host, target = target[:i], target[i:]
		}
		r, w := httptest.NewRequest(method, target, nil), httptest.NewRecorder()
		r.Host = host
		m.ServeHTTP(w, r)
		if got, want := w.Body.String(), code(row[2])[0]; got != want {
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
		if strings.HasPrefix(name, "examples/") || name == "docs" {
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
		if strings.HasPrefix(name, "Get") || strings.HasPrefix(name, "New") {
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

// TestDocsAdvisories checks that docs/security.md has a row with a test for each of
// Go's advisories, and that SECURITY.md names the first Go releases without all of
// them. TestDocsCommands checks the names of the tests.
func TestDocsAdvisories(t *testing.T) {
	text, least := contents(t, "docs/security.md"), map[string]string{}
	for line := range strings.Lines(contents(t, "testdata/advisories.txt")) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		if !regexp.MustCompile(`(?m)^\| ` + fields[0] + `\b.*\| .*\| .*` + "`go test .*` \\|$").MatchString(text) {
			t.Errorf("docs/security.md has no row with a test for %s", line)
		}
		for _, v := range fields[1:3] {
			if lang := version.Lang(v); version.Compare(v, least[lang]) > 0 {
				least[lang] = v
			}
		}
	}
	for _, lang := range []string{"go1.26", "go1.27"} {
		if name := "Go " + strings.TrimPrefix(least[lang], "go"); !regexp.MustCompile(name + `\b`).MatchString(contents(t, "SECURITY.md")) {
			t.Errorf("SECURITY.md doesn't name %s", name)
		}
	}
}
