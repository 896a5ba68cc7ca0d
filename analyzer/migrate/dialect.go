package migrate

import (
	"go/ast"
	"go/types"
)

// A dialect defines how to rewrite programs of one router.
type dialect struct {
	paths      []string // its import paths
	samePaths  bool     // every path means the same in muxmaster
	passes     []func(x *rewriter, s *source, n ast.Node)
	kindOfCall func(info *types.Info, name string, call *ast.CallExpr, k *kinds) kind
	advice     map[string]string // what to do by hand, by Type.Method or name
}

// dialects maps the names of routers for Run to their dialects.
var dialects = map[string]*dialect{
	"chi":        chi,
	"echo":       echo,
	"gin":        gin,
	"gorilla":    gorilla,
	"httprouter": httprouter,
	"servemux":   servemux,
}

// verbs are the HTTP methods for which Mux has a method.
var verbs = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true,
	"OPTIONS": true, "CONNECT": true, "TRACE": true, "QUERY": true}
