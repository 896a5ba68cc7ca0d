package migrate

import (
	"go/ast"
	"go/types"
)

// A dialect knows how to rewrite programs of one router.
type dialect struct {
	paths      []string // its import paths
	samePaths  bool     // a path means the same here, whatever it is
	passes     []func(x *rewriter, s *source, n ast.Node)
	kindOfCall func(info *types.Info, name string, call *ast.CallExpr, k *kinds) kind
	advice     map[string]string // what to do about what is left, by Type.Method or name
}

// dialects are the routers by the names that users give.
var dialects = map[string]*dialect{
	"chi":        chi,
	"echo":       echo,
	"gin":        gin,
	"gorilla":    gorilla,
	"httprouter": httprouter,
	"servemux":   servemux,
}
