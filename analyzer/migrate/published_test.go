package migrate_test

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/seed-1954dcaa/muxmaster/analyzer/migrate"
)

// A document is a file in a router's module that contains example programs.
type document struct {
	router, module, file string
	// requests are the requests to each program, by its number in the document.
	// The responses must be the same before and after the migration.
	requests map[int][]request
}

var form = "Content-Type: application/x-www-form-urlencoded"

var documents = []document{
	{"gin", "github.com/gin-gonic/gin@v1.12.0", "docs/doc.md", map[int][]request{
		2: slices.Concat(get("/user/john", "/user/john/", "/user/john/send/mail", "/user/groups"),
			[]request{{line: "POST /user/john/x"}, {line: "POST /user/john/send"}}, status("GET /user", "GET /user/")),
		3:  get("/welcome?firstname=Jane&lastname=Doe", "/welcome"),
		4:  {{line: "POST /form_post", header: form, body: "message=hi&nick=me"}, {line: "POST /form_post"}},
		5:  {{line: "POST /post?id=1234&page=1", header: form, body: "name=manu&message=hi"}},
		15: slices.Concat(get("/ping"), status("GET /x")),
	}},
	{"gorilla", "github.com/gorilla/mux@v1.8.1", "README.md", map[int][]request{9: slices.Concat(get("/"), status("GET /x"))}},
	{"httprouter", "github.com/julienschmidt/httprouter@v1.3.0", "README.md", map[int][]request{
		1: slices.Concat(get("/", "/hello/gopher"), status("GET /hello", "GET /x")),
		3: {{line: "GET /"}, {line: "GET /protected/"}, {line: "GET /protected/", header: "Authorization: Basic Z29yZG9uOnNlY3JldCE="}},
	}},
	{"echo", "github.com/labstack/echo/v5@v5.3.1", "README.md", map[int][]request{1: slices.Concat(get("/"), status("GET /x"))}},
}

// TestDocuments migrates all programs in documents of routers. Each program
// must be changed or get notes that explain why not. Programs with requests
// must be changed.
func TestDocuments(t *testing.T) {
	for _, d := range documents {
		t.Run(d.router+" "+path.Base(moduleOf(d.module)), func(t *testing.T) {
			environment(t)
			dir := t.TempDir()
			s := &service{dir: dir}
			s.goMod(t, d.module)
			services := make(map[string]*service) // by before/p1 and the like
			for i, text := range examples(t, filepath.Join(moduleDir(t, d.module), d.file)) {
				for _, version := range []string{"before", "after"} {
					name := fmt.Sprintf("%s/p%d", version, i+1)
					services[name] = &service{filepath.Join(dir, name), freeAddress(t)}
					if err := os.MkdirAll(services[name].dir, 0o777); err != nil {
						t.Fatal(err)
					}
					text := listenAt.ReplaceAllString(text, strconv.Quote(services[name].address))
					if err := os.WriteFile(filepath.Join(services[name].dir, "main.go"), []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			removeBroken(t, dir)
			result, err := migrate.Run(d.router, dir, "./after/...")
			if err != nil {
				t.Fatal(err)
			}
			if err := result.Write(); err != nil {
				t.Fatal(err)
			}
			notes := make(map[string]string)
			for _, n := range result.Notes {
				if n.Blocks {
					notes[filepath.Dir(n.Position.Filename)] += fmt.Sprintf("%d: %s\n", n.Position.Line, n.Text)
				}
			}
			programs, _ := filepath.Glob(filepath.Join(dir, "after", "p*"))
			for _, p := range programs {
				number, _ := strconv.Atoi(filepath.Base(p)[1:])
				changed := slices.ContainsFunc(result.Files, func(f migrate.File) bool { return filepath.Dir(f.Name) == p })
				if changed == (notes[p] != "") || !changed && d.requests[number] != nil {
					t.Errorf("program %d: changed: %v, notes: %q", number, changed, notes[p])
				}
			}
			var all []*service
			for number := range d.requests {
				all = append(all, services[fmt.Sprintf("before/p%d", number)], services[fmt.Sprintf("after/p%d", number)])
			}
			build(t, all...)
			for number, requests := range d.requests {
				before, after := services[fmt.Sprintf("before/p%d", number)], services[fmt.Sprintf("after/p%d", number)]
				before.start(t)
				after.start(t)
				for _, r := range requests {
					if was, is := before.response(t, r), after.response(t, r); was != is {
						t.Errorf("program %d: %s %s: the response before:\n%s\nafter:\n%s", number, r.line, r.header, was, is)
					}
				}
			}
		})
	}
}

var (
	block    = regexp.MustCompile("(?s)```go\n(.*?)```")
	clause   = regexp.MustCompile(`(?m)^package `)
	listenAt = regexp.MustCompile(`"(?:[\w.]*:80[0-9]{2})"`)
)

// imports are the packages that a fragment may use.
var imports = []string{"bytes", "context", "errors", "fmt", "io", "log", "net/http", "os", "path/filepath", "strings", "time",
	"github.com/gin-gonic/gin", "github.com/gorilla/mux", "github.com/julienschmidt/httprouter"}

// examples returns the programs in a document. A fragment with a main function
// gets a package clause and its imports.
func examples(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range block.FindAllSubmatch(text, -1) {
		if !bytes.Contains(m[1], []byte("func main()")) {
			continue
		}
		program := string(m[1])
		if !clause.MatchString(program) {
			head := "package main\n\nimport (\n"
			for _, path := range imports {
				if strings.Contains(program, filepath.Base(path)+".") {
					head += "\t" + strconv.Quote(path) + "\n"
				}
			}
			program = head + ")\n\n" + program
		}
		all = append(all, program)
	}
	return all
}

// removeBroken removes the fragments that do not compile.
func removeBroken(t *testing.T, dir string) {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedImports | packages.NeedTypesInfo, Dir: dir}, "./before/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			name := p.PkgPath[strings.LastIndexByte(p.PkgPath, '/')+1:]
			for _, version := range []string{"before", "after"} {
				if err := os.RemoveAll(filepath.Join(dir, version, name)); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%s does not compile: %v", name, p.Errors[0])
		}
	}
}
