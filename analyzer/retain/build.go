package retain

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// build returns the SSA form of the package, and its functions with the literals
// in them. Package buildssa also finds out which functions don't return, for
// which a driver must analyze the source of all dependencies: that takes several
// times as long.
func build(pass *analysis.Pass) (*ssa.Package, []*ssa.Function) {
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	var fns []*ssa.Function
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				fns = append(fns, withLiterals(prog.FuncValue(pass.TypesInfo.Defs[decl.Name].(*types.Func)))...)
			}
		}
	}
	return pkg, append(fns, withLiterals(pkg.Func("init"))...) // of package variables
}
