package compare

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/danielgtaylor/huma/v2" // so that the module is in go.mod
)

// TestEvidence checks each cell of the second table against the source of the
// routers: a yes names an identifier that exists, and a router with a no has no
// identifier that suggests otherwise.
func TestEvidence(t *testing.T) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dir := sourceOf(t, p.module)
			names := exported(t, dir)
			for _, f := range features {
				at := f.others[p.name]
				if at == "" {
					for name := range names {
						pkg, ident, _ := strings.Cut(name, ": ")
						if (pkg == "." || pkg == "middleware") && regexp.MustCompile(f.words).MatchString(ident) {
							t.Errorf("%s: is it really missing? There is %s", f.text, name)
						}
					}
					continue
				}
				at = strings.TrimPrefix(at, "recipe: ")
				if strings.HasPrefix(at, "no: ") {
					continue
				}
				if file, text, ok := strings.Cut(at, ": "); ok && strings.HasSuffix(file, ".md") {
					content, err := os.ReadFile(filepath.Join(dir, file))
					if err != nil || !strings.Contains(string(content), text) {
						t.Errorf("%s: %s doesn't contain %q: %v", f.text, file, text, err)
					}
				} else if !names[at] && !names[".: "+at] {
					t.Errorf("%s: there is no %s", f.text, at)
				}
			}
		})
	}
}

// sourceOf returns the directory of a module, or of package net/http.
func sourceOf(t *testing.T, module string) string {
	t.Helper()
	args := []string{"list", "-m", "-f", "{{.Dir}}", module}
	if module == "" {
		args = []string{"list", "-f", "{{.Dir}}", "net/http"}
	}
	out, err := exec.Command("go", args...).Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return dir
}

// exported returns the exported identifiers of the packages below dir, in the
// form "PACKAGE: NAME" or "PACKAGE: TYPE.NAME" for methods and fields. The
// package is a path from dir.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() && name != "." && (strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || base == "internal" || base == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			for _, ident := range identifiers(decl) {
				if outer, inner, isMember := strings.Cut(ident, "."); ast.IsExported(outer) && (!isMember || ast.IsExported(inner)) {
					names[path.Dir(name)+": "+ident] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// identifiers returns the identifiers that a declaration declares.
func identifiers(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		receiver, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[")
		return []string{strings.TrimPrefix(receiver, "*") + "." + d.Name.Name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				for _, member := range members(s.Type) {
					names = append(names, s.Name.Name+"."+member)
				}
			}
		}
	}
	return names
}

// members returns the names of the fields of a struct, or of the methods of an
// interface.
func members(e ast.Expr) (names []string) {
	var list *ast.FieldList
	switch e := e.(type) {
	case *ast.StructType:
		list = e.Fields
	case *ast.InterfaceType:
		list = e.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	return names
}
