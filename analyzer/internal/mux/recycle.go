package mux

import (
	"go/ast"
	"go/constant"

	"golang.org/x/tools/go/analysis"
)

// Recycles reports whether the package sets the field Recycle of engine.Server
// or server.Server. It can't detect that another package of the program does.
func Recycles(pass *analysis.Pass) (found bool) {
	set := func(field *ast.Ident, v ast.Expr) {
		obj := pass.TypesInfo.Uses[field]
		if obj == nil || obj.Name() != "Recycle" || obj.Pkg() == nil || obj.Pkg().Path() != Path+"/engine" && obj.Pkg().Path() != Path+"/server" {
			return
		}
		value := pass.TypesInfo.Types[v].Value
		found = found || value == nil || constant.BoolVal(value)
	}
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if sel, ok := ast.Unparen(to).(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) {
						set(sel.Sel, n.Rhs[i])
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok {
					set(key, n.Value)
				}
			}
			return true
		})
	}
	return found
}
