package migrate

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

var httprouter = &dialect{
	paths:     []string{"github.com/julienschmidt/httprouter"},
	samePaths: true,
	passes:    []func(*rewriter, *source, ast.Node){(*rewriter).httprouter},
	advice: map[string]string{
		"PanicHandler":                 "use middleware.Recoverer with Pre, or a middleware that calls this function",
		"RedirectFixedPath":            "muxmaster always cleans paths and never changes their case: delete this",
		"HandleMethodNotAllowed":       "muxmaster always responds with 405: delete this",
		"HandleOPTIONS":                "muxmaster always responds to OPTIONS: delete this",
		"GlobalOPTIONS":                "register OPTIONS routes, or use a middleware with Use",
		"SaveMatchedRoutePath":         "muxmaster.RoutePattern(r) always returns the route: delete this",
		"Params.MatchedRoutePath":      "use muxmaster.RoutePattern(r)",
		"Router.Lookup":                "use Mux.Handler or Mux.Explain",
		"Router.ServeFiles":            "write ServeFiles(path, os.DirFS(dir)); it lists no directories",
		"ParamsKey":                    "use r.PathValue(name)",
		"ParamsFromContext":            "use muxmaster.PathParams(r)",
		"MatchedRoutePathParam":        "use muxmaster.RoutePattern(r)",
		"CleanPath":                    "use path.Clean",
		"Router.RedirectTrailingSlash": "Mux.RedirectTrailingSlash",
	},
}

func (x *rewriter) httprouter(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		x.httprouterName(s, n)
	case *ast.CallExpr:
		switch name := x.callee(n); name {
		case "New":
			x.handled(n.Fun)
			x.remark(n, "redirects have status 307 and never change the case of a path")
			x.replace(s, n.Fun, x.mux(s, "New"))
		case "Params.ByName":
			x.rename(s, n, "Get")
		case "ParamsFromContext":
			if r, ok := x.requestOf(s, n.Args[0]); ok {
				x.handled(n.Fun)
				x.replace(s, n, x.mux(s, "PathParams")+"("+r+")")
			}
		case "Router.ServeHTTP":
			x.handled(n.Fun)
		case "Router.ServeFiles":
			x.serveFiles(s, n)
		case "Router.Handle":
			x.httprouterHandle(s, n, "Fast")
		case "Router.HandlerFunc", "Router.Handler":
			x.httprouterHandle(s, n, "")
		default:
			if verb, ok := strings.CutPrefix(name, "Router."); ok && verbs[verb] {
				x.rename(s, n, verb+"Fast")
				x.path(s, n.Args[0], colonPath)
			}
		}
	}
}

// httprouterName rewrites types and fields.
func (x *rewriter) httprouterName(s *source, n *ast.SelectorExpr) {
	obj := x.object(n)
	if obj == nil {
		return
	}
	if _, ok := obj.(*types.TypeName); ok {
		if obj.Name() == "Router" {
			x.pointer(s, n, "Mux")
			return
		}
		if to, ok := map[string]string{"Params": "Params", "Param": "Param", "Handle": "FastHandler"}[obj.Name()]; ok {
			x.handled(n)
			x.replace(s, n, x.mux(s, to))
		}
		return
	}
	v, ok := obj.(*types.Var)
	if !ok || !v.IsField() {
		return
	}
	switch v.Name() {
	case "NotFound", "MethodNotAllowed", "RedirectTrailingSlash", "Key", "Value":
		x.handled(n)
	case "HandleMethodNotAllowed", "HandleOPTIONS", "RedirectFixedPath", "SaveMatchedRoutePath":
		x.dropSetting(s, n, v.Name() == "SaveMatchedRoutePath" || strings.HasPrefix(v.Name(), "Handle"))
	}
}

// dropSetting deletes the statement router.Field = value if a Mux always
// behaves that way.
func (x *rewriter) dropSetting(s *source, n *ast.SelectorExpr, always bool) {
	stmt, ok := x.parents[n].(*ast.AssignStmt)
	if !ok || len(stmt.Lhs) != 1 || stmt.Lhs[0] != ast.Expr(n) {
		return
	}
	v := x.info.Types[stmt.Rhs[0]].Value
	if v != nil && (v.String() == "true") == always {
		x.handled(n)
		x.remove(s, stmt)
	}
}

// httprouterHandle rewrites Handle, Handler and HandlerFunc with a constant
// method.
func (x *rewriter) httprouterHandle(s *source, n *ast.CallExpr, suffix string) {
	method, ok := x.constant(n.Args[0])
	if !ok {
		x.todo(n.Args[0], "the method isn't constant: register the route by hand")
		return
	}
	x.path(s, n.Args[1], colonPath)
	handler := x.text(s, n.Args[2])
	path, isConstant := x.constant(n.Args[1])
	switch {
	case x.callee(n) == "Router.Handler":
		x.rename(s, n, "Method")
	case verbs[method]:
		x.rename(s, n, method+suffix)
		s.replace(n.Args[0].Pos(), n.Rparen, x.text(s, n.Args[1])+", "+handler)
	case suffix == "":
		x.rename(s, n, "Method")
		x.replace(s, n.Args[2], x.qualify(s, "net/http")+".HandlerFunc("+handler+")")
	case isConstant && !strings.HasSuffix(path, "/"):
		x.rename(s, n, "HandleFast")
		s.replace(n.Args[0].Pos(), n.Rparen, strconv.Quote(method+" "+path)+", "+handler)
	default:
		x.todo(n, "register this route with HandleFast and the pattern %q", method+" /path")
	}
}

// serveFiles rewrites ServeFiles(path, http.Dir(dir)) and (path,
// http.FS(fsys)).
func (x *rewriter) serveFiles(s *source, n *ast.CallExpr) {
	fsys, ok := x.fileSystem(s, n.Args[1])
	if !ok {
		return
	}
	x.remark(n, "ServeFiles lists no directories, and serves index.html like any other file")
	x.rename(s, n, "ServeFiles")
	x.path(s, n.Args[0], colonPath)
	x.replace(s, n.Args[1], fsys)
}

// fileSystem returns an http.FileSystem as fs.FS.
func (x *rewriter) fileSystem(s *source, e ast.Expr) (string, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || x.info.Uses[sel.Sel] == nil || x.info.Uses[sel.Sel].Pkg() == nil || x.info.Uses[sel.Sel].Pkg().Path() != "net/http" {
		return "", false
	}
	switch sel.Sel.Name {
	case "Dir":
		return x.qualify(s, "os") + ".DirFS(" + x.text(s, call.Args[0]) + ")", true
	case "FS":
		return x.text(s, call.Args[0]), true
	}
	return "", false
}
