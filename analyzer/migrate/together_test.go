package migrate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/migrate"
)

// TestTogether checks packages that pass routers to each other. If one can't be
// changed, the others of the same program must not be changed either, even if
// the patterns don't match that one.
func TestTogether(t *testing.T) {
	const head = "package %s\n\nimport (\n\t\"net/http\"\n\n\t\"github.com/go-chi/chi/v5\"\n)\n\n"
	files := map[string]string{
		"api/api.go": "func Handler() http.Handler {\n\tr := chi.NewRouter()\n\tr.Get(\"/x\", nil)\n\treturn r\n}\n\n" +
			"func Router() *chi.Mux { return chi.NewRouter() }\n",
		"site/site.go":   "func Mount(h http.Handler) *chi.Mux {\n\tr := chi.NewRouter()\n\tr.Mount(\"/api\", h)\n\tLEFT\n\treturn r\n}\n",
		"other/other.go": "func Handler() http.Handler { return chi.NewRouter() }\n",
	}
	const main = "package main\n\nimport (\n\t\"example.com/program/api\"\n\t\"example.com/program/site\"\n)\n\n" +
		"func main() {\n\tsite.Mount(api.Handler())\n\tapi.Router().Get(\"/y\", nil)\n}\n"
	for _, tt := range []struct {
		name, left string
		patterns   []string
		want       []string // the changed files
	}{
		{"all", "", []string{"./..."}, []string{"api/api.go", "main.go", "other/other.go", "site/site.go"}},
		{"one can't be rewritten", "chi.Walk(r, nil)", []string{"./..."}, []string{"other/other.go"}},
		{"one doesn't match the patterns", "", []string{"./api", "./site"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			environment(t)
			s := &service{dir: t.TempDir()}
			s.goMod(t, chiModule)
			write := func(name, text string) {
				name = filepath.Join(s.dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range files {
				write(name, fmt.Sprintf(head, filepath.Dir(name))+strings.Replace(text, "LEFT", tt.left, 1))
			}
			write("main.go", main)
			result, err := migrate.Run("chi", s.dir, tt.patterns...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range result.Files {
				rel, _ := filepath.Rel(s.dir, f.Name)
				got = append(got, filepath.ToSlash(rel))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("changed %q, want %q; notes: %v", got, tt.want, result.Notes)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	environment(t)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/program\n\ngo 1.26\n")
	write("main.go", "package main\n\nimport \"net/http\"\n\nvar mux = http.NewServeMux()\n\nfunc main() {}\n")
	t.Setenv("GOPROXY", "off")
	for _, tt := range []struct{ router, want string }{
		{"martini", `migrate: unknown router "martini": use one of chi, echo, gin, gorilla, httprouter, servemux`},
		{"gin", "migrate: no package matching ./... imports gin"},
		{"servemux", "migrate: the program's module must require muxmaster first: go get github.com/seed-1954dcaa/muxmaster"},
	} {
		if _, err := migrate.Run(tt.router, dir, "./..."); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.router, err, tt.want)
		}
	}
	write("main.go", "package main\n\nimport \"net/http\"\n\nvar mux = http.NewServeMuxx()\n\nfunc main() {}\n")
	if _, err := migrate.Run("servemux", dir, "./..."); err == nil || !strings.HasPrefix(err.Error(), "migrate: example.com/program doesn't compile: ") {
		t.Errorf("got %v", err)
	}
}
