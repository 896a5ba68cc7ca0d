package migrate

import (
	"go/ast"
	"go/types"
)

// servemux rewrites http.ServeMux. Its package net/http remains imported, so
// servemux itself reports the remaining uses.
var servemux = &dialect{
	samePaths: true,
	passes:    []func(*rewriter, *source, ast.Node){(*rewriter).servemux},
}

func (x *rewriter) servemux(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		switch obj := x.info.Uses[n.Sel]; {
		case obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != "net/http":
		case obj.Name() == "NewServeMux":
			x.replace(s, n, x.mux(s, "New"))
		case obj.Name() == "ServeMux":
			if _, ok := obj.(*types.TypeName); !ok {
				break
			}
			if _, ok := x.parents[n].(*ast.StarExpr); ok {
				x.replace(s, n, x.mux(s, "Mux"))
			} else {
				x.todo(n, "a Mux must be created with New: declare the variable as *http.ServeMux and set it to http.NewServeMux()")
			}
		case obj.Name() == "DefaultServeMux":
			x.todo(n, "http.DefaultServeMux remains a ServeMux: create one with http.NewServeMux() for your routes")
		}
	case *ast.CallExpr:
		fn := function(x.info, ast.Unparen(n.Fun))
		if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "net/http" || fn.Name() != "Handle" && fn.Name() != "HandleFunc" {
			return
		}
		if recv := fn.Signature().Recv(); recv == nil {
			x.todo(n, "http.%s registers on http.DefaultServeMux: create a mux with http.NewServeMux() for your routes", fn.Name())
		} else if named := namedType(recv.Type()); named != nil && named.Obj().Name() == "ServeMux" {
			x.path(s, n.Args[0], stdPath)
		}
	}
}
