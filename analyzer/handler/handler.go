package handler

import (
	"go/ast"
	"go/types"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:     "handler",
	Doc:      "report http.TimeoutHandler on pooled routes, and handlers whose errors bypass Mux.ErrorHandler",
	URL:      "https://pkg.go.dev/" + mux.Path + "/analyzer/handler",
	Run:      run,
	Requires: []*analysis.Analyzer{routes.Analyzer},
}

type checker struct {
	pass     *analysis.Pass
	found    *routes.Result
	reported map[ast.Node]bool
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass, pass.ResultOf[routes.Analyzer].(*routes.Result), make(map[ast.Node]bool)}
	for _, route := range c.found.Routes {
		if route.Kind == routes.Std {
			continue
		}
		if c.found.Sets(route.Scope, "PoolRequestBundle") {
			c.timeouts(route.Handler, "this route is pooled", 0)
		}
		if c.found.Sets(route.Scope, "ErrorHandler") {
			c.hidden(route.Handler, 0)
		}
	}
	for _, wrap := range c.found.Middleware {
		if !c.found.Sets(wrap.Scope, "PoolRequestBundle") {
			continue
		}
		for _, mw := range wrap.Args {
			c.timeouts(c.body(mw), "the routes under this middleware are pooled", 0)
		}
	}
	return nil, nil
}

// body returns the literal or the declaration of the function that e refers to,
// if it is in this package; otherwise e.
func (c *checker) body(e ast.Expr) ast.Node {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if decl := c.found.Declaration(c.pass.TypesInfo.Uses[e]); decl != nil {
			return decl
		}
		if v, ok := c.pass.TypesInfo.Uses[e].(*types.Var); ok {
			if from := c.found.Assigned(v); from != nil {
				return from
			}
		}
	case *ast.CallExpr: // a function that returns the middleware
		if fn := typeutil.StaticCallee(c.pass.TypesInfo, e); fn != nil {
			if decl := c.found.Declaration(fn); decl != nil {
				return decl
			}
		}
	}
	return e
}

// timeouts reports the calls of http.TimeoutHandler in n, and in the values
// assigned to variables in n.
func (c *checker) timeouts(n ast.Node, why string, depth int) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fn := typeutil.StaticCallee(c.pass.TypesInfo, n)
			if fn != nil && fn.FullName() == "net/http.TimeoutHandler" {
				c.report(n, "http.TimeoutHandler returns while the handler still runs, and "+why+
					": the handler may read another request's path values; use middleware.Timeout, or put http.TimeoutHandler around the Mux")
			}
		case *ast.Ident:
			if from := c.assigned(n, depth); from != nil {
				c.timeouts(from, why, depth+1)
			}
		}
		return true
	})
}

// assigned returns the expression assigned to a handler variable, or nil.
func (c *checker) assigned(id *ast.Ident, depth int) ast.Expr {
	v, ok := c.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || depth > 4 {
		return nil
	}
	switch v.Type().Underlying().(type) {
	case *types.Interface, *types.Signature:
		return c.found.Assigned(v)
	}
	return nil
}

// hidden reports each HandlerFuncE in the handler of a route that is not the
// handler itself: an argument of a call, or the receiver of its ServeHTTP.
func (c *checker) hidden(e ast.Expr, depth int) {
	e = ast.Unparen(e)
	info := c.pass.TypesInfo
	switch e := e.(type) {
	case *ast.Ident:
		if from := c.assigned(e, depth); from != nil && !c.isHandlerFuncE(e) {
			c.hidden(from, depth+1)
		}
	case *ast.SelectorExpr:
		if e.Sel.Name == "ServeHTTP" && c.isHandlerFuncE(e.X) {
			c.report(e, "the errors of this HandlerFuncE bypass Mux.ErrorHandler: register the HandlerFuncE itself, with Handle or Method")
		} else if e.Sel.Name == "ServeHTTP" {
			c.hidden(e.X, depth)
		}
	case *ast.CallExpr:
		if tv := info.Types[e.Fun]; tv.IsType() { // a conversion
			if len(e.Args) == 1 && !c.isHandlerFuncE(e) {
				c.hidden(e.Args[0], depth)
			}
			return
		}
		for _, arg := range e.Args {
			if c.isHandlerFuncE(arg) {
				c.report(arg, "the errors of this HandlerFuncE bypass Mux.ErrorHandler: register the HandlerFuncE itself, and pass the middleware to With")
			} else if isHandler(info.TypeOf(arg)) {
				c.hidden(arg, depth)
			}
		}
	}
}

func (c *checker) isHandlerFuncE(e ast.Expr) bool {
	t := c.pass.TypesInfo.TypeOf(e)
	if v, ok := ast.Unparen(e).(*ast.Ident); ok && t != nil { // stored in an http.Handler
		if from := c.assigned(v, 0); from != nil {
			t = c.pass.TypesInfo.TypeOf(from)
		}
	}
	return t != nil && mux.IsNamed(t, mux.Path, "HandlerFuncE")
}

// isHandler reports whether t is http.Handler or a handler function.
func isHandler(t types.Type) bool {
	if t == nil {
		return false
	}
	sig, ok := t.Underlying().(*types.Signature)
	return ok && mux.IsHandler(sig) || mux.IsNamed(t, "net/http", "Handler")
}

func (c *checker) report(n ast.Node, message string) {
	if !c.reported[n] && !mux.IsTestFile(c.pass.Fset.Position(n.Pos()).Filename) {
		c.reported[n] = true
		c.pass.Report(analysis.Diagnostic{Pos: n.Pos(), End: n.End(), Message: message})
	}
}
