package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// handlers counts the functions and literals in the packages with the
// parameters of a handler.
func handlers(dir string, env, names []string) (int, error) {
	format := "{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}\n{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}\n{{end}}"
	lines, err := list(dir, env, append([]string{"-f", format}, names...)...)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, name := range lines {
		if filepath.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return n, err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			var t *ast.FuncType
			switch node := node.(type) {
			case *ast.FuncDecl:
				t = node.Type
			case *ast.FuncLit:
				t = node.Type
			}
			if t != nil && isHandler(t) {
				n++
			}
			return true
		})
	}
	return n, nil
}

func isHandler(t *ast.FuncType) bool {
	var in []string
	for _, f := range t.Params.List {
		for range max(1, len(f.Names)) {
			in = append(in, strings.TrimPrefix(types.ExprString(f.Type), "http."))
		}
	}
	return len(in) == 2 && in[0] == "ResponseWriter" && (in[1] == "*http.Request" || in[1] == "*Request")
}
