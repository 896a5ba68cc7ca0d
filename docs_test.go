package muxmaster_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// docs returns the paths of the documents, relative to the module's root.
func docs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob("examples/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	libraries, err := filepath.Glob("examples/libraries/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files = append(append(files, examples...), libraries...)
	return append(files, "examples/README.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "bench/README.md")
}

// Every block of Go code in the documents compiles and passes go vet.
// Declarations and statements get the imports they need.
func TestDocsCompile(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/docs\n\ngo 1.26\n\nrequire "+modulePath+" v0.0.0\n\nreplace "+modulePath+" => "+root+"\n")
	blocks := 0
	for _, doc := range docs(t) {
		if doc == filepath.Join("docs", "tutorial.md") {
			continue // its blocks belong together; see TestDocsTutorial
		}
		for _, b := range codeBlocks(t, doc) {
			text, err := program(b)
			if err != nil {
				t.Errorf("%s:%d: %v", doc, b.line, err)
				continue
			}
			blocks++
			write(fmt.Sprintf("block%d/main.go", blocks), text)
		}
	}
	if blocks < 20 {
		t.Errorf("found %d blocks of Go, want at least 20", blocks)
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir, vet.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

const modulePath = "github.com/seed-1954dcaa/muxmaster"

// A codeBlock is Go code of a document.
type codeBlock struct {
	doc  string
	line int // of its first line
	text string
}

func codeBlocks(t *testing.T, doc string) (blocks []codeBlock) {
	t.Helper()
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	for rest, line := string(text), 1; ; {
		before, after, ok := strings.Cut(rest, "```go\n")
		if !ok {
			return blocks
		}
		line += strings.Count(before, "\n") + 1
		code, after, ok := strings.Cut(after, "```\n")
		if !ok {
			t.Fatalf("%s:%d: the block has no end", doc, line)
		}
		blocks = append(blocks, codeBlock{doc, line, code})
		line += strings.Count(code, "\n") + 1
		rest = after
	}
}

// program returns a Go file for a block. Compiler errors have the line numbers
// of the document.
func program(b codeBlock) (string, error) {
	doc, err := filepath.Abs(b.doc)
	if err != nil {
		return "", err
	}
	here := fmt.Sprintf("//line %s:%d\n", doc, b.line)
	if strings.HasPrefix(b.text, "package ") {
		return here + b.text, nil
	}
	header, body := "package docs\n", here+b.text
	file, err := parser.ParseFile(token.NewFileSet(), "", header+body, 0)
	if err != nil {
		body = "func _() {\n" + body + "}\n"
		file, err = parser.ParseFile(token.NewFileSet(), "", header+body, 0)
	}
	if err != nil {
		return "", err
	}
	paths := map[string]bool{}
	for _, id := range file.Unresolved {
		if path := importPath(file, id); path != "" {
			paths[path] = true
		}
	}
	for path := range paths {
		header += fmt.Sprintf("import %q\n", path)
	}
	return header + body, nil
}

// importPath returns the import path for a package name.
func importPath(file *ast.File, id *ast.Ident) (path string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.X == id {
			i := slices.IndexFunc(documented, func(p string) bool { return p[strings.LastIndexByte(p, '/')+1:] == id.Name })
			if i >= 0 {
				path = documented[i]
			}
		}
		return path == ""
	})
	return path
}

// documented lists the packages that code blocks can use without an import.
var documented = []string{
	"bufio", "bytes", "context", "crypto/sha256", "crypto/tls", "crypto/x509", "encoding/base64", "encoding/hex", "encoding/json", "errors", "fmt", "html/template", "io", "io/fs", "iter", "log", "log/slog", "net",
	"net/http", "net/http/httptest", "net/http/httputil", "net/netip", "net/url", "os", "slices", "strconv", "strings", "sync", "sync/atomic", "testing", "time",
	modulePath, modulePath + "/middleware", modulePath + "/server", modulePath + "/client", modulePath + "/body", modulePath + "/problem", modulePath + "/inspect", modulePath + "/engine",
}

// Links between the documents are valid, including their headings.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	for _, doc := range docs(t) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
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
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	code := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' && !code {
			list = append(list, strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(heading)))
		}
	}
	return list
}

// Each go test command in the documents runs at least one test.
func TestDocsCommands(t *testing.T) {
	command := regexp.MustCompile("(?:cd ([\\w/]+) && )?(?:GOTOOLCHAIN=\\S+ )?go test ((?:'[^'\\n]*'|[^`\\n)&'])+)(?:` in `(\\w+)/)?")
	option := regexp.MustCompile(`-(?:run|fuzz|bench)[= ]'?([^' ]+)'?`)
	for _, doc := range docs(t) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
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
			names := testNames(t, dir)
			if len(names) == 0 {
				t.Errorf("%s: %s: there are no tests in %s", doc, m[0], dir)
			}
			for _, o := range option.FindAllStringSubmatch(args, -1) {
				re, err := regexp.Compile(strings.Split(o[1], "/")[0])
				if err != nil || !slices.ContainsFunc(names, re.MatchString) {
					if o[1] != "^$" {
						t.Errorf("%s: %s runs nothing in %s", doc, m[0], dir)
					}
				}
			}
		}
	}
}

// Each go run command in the documents names a program of some module.
func TestDocsPrograms(t *testing.T) {
	modules, err := filepath.Glob("*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	nested, err := filepath.Glob("examples/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	modules = append(append(modules, nested...), "go.mod")
	command := regexp.MustCompile(`go run (\./[\w/]+|\.ci/\w+\.go)`)
	programs := 0
	for _, doc := range docs(t) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			programs++
			if !slices.ContainsFunc(modules, func(mod string) bool { return isProgram(filepath.Join(filepath.Dir(mod), m[1])) }) {
				t.Errorf("%s: %s: there is no such program", doc, m[0])
			}
		}
	}
	if programs < 10 {
		t.Errorf("found %d commands, want at least 10", programs)
	}
}

// isProgram reports whether a file, or the files of a directory, are of package
// main.
func isProgram(path string) bool {
	files := []string{path}
	if filepath.Ext(path) != ".go" {
		files, _ = filepath.Glob(filepath.Join(path, "*.go"))
	}
	return slices.ContainsFunc(files, func(name string) bool {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
		return err == nil && file.Name.Name == "main"
	})
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
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range function.FindAllStringSubmatch(string(text), -1) {
				tests = append(tests, m[1])
			}
			return nil
		}
		for _, w := range word.FindAllString(string(text), -1) {
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
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Error(err)
			continue
		}
		text = code.ReplaceAll(text, nil) // may define tests of its own
		for _, name := range test.FindAllString(string(text), -1) {
			if !slices.ContainsFunc(tests, func(test string) bool { return strings.HasPrefix(test, name) }) {
				t.Errorf("%s: there is no %s", doc, name)
			}
		}
		for _, m := range file.FindAllStringSubmatch(string(text), -1) {
			if m[1] != "_test.go" && !slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix(file, "/"+m[1]) }) {
				t.Errorf("%s: there is no %s", doc, m[1])
			}
		}
		if doc != "docs/design.md" {
			continue
		}
		for _, name := range identifier.FindAllString(string(text), -1) {
			if !known[name] && !test.MatchString(name) {
				t.Errorf("%s: the code has no %s", doc, name)
			}
		}
	}
}

// testNames returns the names of a directory's tests, fuzz targets, examples
// and benchmarks.
func testNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)`).MatchString(f.Name.Name) {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
