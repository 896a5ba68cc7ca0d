// Package guard defines a check for routes that a login or another policy does
// not cover, although it looks as if it did. docs/checks.md of the router
// describes it.
package guard

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:     "guard",
	Doc:      "report routes that bypass middleware, and guards beside file servers",
	URL:      mux.Docs + "#guard",
	Run:      run,
	Requires: []*analysis.Analyzer{routes.Analyzer},
}

func run(pass *analysis.Pass) (any, error) {
	found := pass.ResultOf[routes.Analyzer].(*routes.Result)
	var served []*routes.Route
	for _, r := range found.Routes {
		if !mux.InTest(pass, r.Call) {
			served = append(served, r)
		}
	}
	reported := make(map[*ast.CallExpr]bool)
	for _, w := range found.Middleware {
		if mux.InTest(pass, w.Call) {
			continue
		}
		for _, r := range served {
			if !reported[r.Call] && bypasses(found, r, w) && found.Always(w.Call, r.Call) {
				reported[r.Call] = true
				kind := "a plain"
				if r.Fast {
					kind = "a fast"
				}
				pass.ReportRangef(r.Call, "this registration panics: %s route would bypass the middleware of %s at %s",
					kind, w.Method, mux.Position(pass.Fset, w.Call.Pos()))
			}
		}
	}
	for _, files := range served {
		fsys := fileSystem(pass, found, files.Handler)
		if fsys == "" || !subtree(files) {
			continue
		}
		for _, r := range served {
			if r != files && below(r, files) && isGuard(pass, found, r, files, fsys) {
				pass.ReportRangef(r.Text, "this guard stands beside the file server of %q at %s, which interprets paths itself: put the guard around the whole file server",
					files.Pattern, mux.Position(pass.Fset, files.Text.Pos()))
			}
		}
	}
	return nil, nil
}

// bypasses reports whether r is a route of the scope with the middleware w, but
// of the other kind.
func bypasses(found *routes.Result, r *routes.Route, w routes.Wrap) bool {
	if w.Method == "With" || r.Kind == routes.Std || r.Kind == routes.Mount || r.Fast == (w.Method == "UseFast") {
		return false
	}
	to := found.Receiver(w.Call)
	if to == nil {
		return false
	}
	if to == found.Receiver(r.Call) {
		v, ok := to.(*types.Var)
		return ok && (found.Assigned(to) != nil || v.Kind() == types.ParamVar)
	}
	return mux.IsNamed(to.Type(), mux.Path, "Mux") && r.Scope.Whole && r.Scope.Root == w.Scope.Root && r.Scope.Root == any(to)
}

// fileSystem returns the source of the file system that the handler serves with
// net/http's file server, or "".
func fileSystem(pass *analysis.Pass, found *routes.Result, handler ast.Expr) (fsys string) {
	if v := found.Object(handler); v != nil {
		if handler = found.Assigned(v); handler == nil {
			return ""
		}
	}
	ast.Inspect(handler, func(n ast.Node) bool {
		e, _ := n.(ast.Expr)
		if from := found.Assigned(found.Object(e)); from != nil && e != handler {
			e = from
		}
		if call, ok := e.(*ast.CallExpr); ok {
			switch mux.Callee(pass.TypesInfo, call) {
			case "net/http.FileServer", "net/http.FileServerFS":
				fsys = types.ExprString(call.Args[0])
			}
		}
		return fsys == ""
	})
	return fsys
}

// subtree reports whether the route serves everything below its path.
func subtree(r *routes.Route) bool {
	return r.Known && (r.Kind == routes.Mount || r.Kind == routes.SPA || r.Kind == routes.Handle && strings.HasSuffix(r.Pattern, "/") ||
		strings.HasSuffix(r.Pattern, "...}") || strings.Contains(r.Pattern, "/*"))
}

// below reports whether r is a subtree below that of files.
func below(r, files *routes.Route) bool {
	if !subtree(r) || r.Scope.Root != files.Scope.Root || r.Scope.Host != files.Scope.Host || !r.Scope.Whole || !files.Scope.Whole {
		return false
	}
	outer, inner := base(files), base(r)
	return len(inner) > len(outer) && strings.HasPrefix(inner, outer)
}

// base returns the path of the route's subtree, with a slash at the end.
func base(r *routes.Route) string {
	pattern := r.Scope.Prefix + r.Pattern[max(0, strings.IndexByte(r.Pattern, '/')):]
	if i := strings.IndexAny(pattern, "{*"); i >= 0 {
		pattern = pattern[:i]
	}
	return strings.TrimSuffix(pattern, "/") + "/"
}

// isGuard reports whether the handler of r denies access, or serves the same
// files as the other route, inside something that the other one lacks.
func isGuard(pass *analysis.Pass, found *routes.Result, r, files *routes.Route, fsys string) bool {
	if denies(pass, r.Handler) {
		return true
	}
	if fileSystem(pass, found, r.Handler) != fsys {
		return false
	}
	return wrapped(pass, r) && !wrapped(pass, files)
}

// denies reports whether the handler is http.NotFoundHandler or http.NotFound.
func denies(pass *analysis.Pass, handler ast.Expr) (yes bool) {
	ast.Inspect(handler, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if fn, ok := pass.TypesInfo.Uses[id].(*types.Func); ok && (fn.FullName() == "net/http.NotFoundHandler" || fn.FullName() == "net/http.NotFound") {
				yes = true
			}
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return yes
}

// wrapped reports whether the route is registered on the result of With, or its
// handler is wrapped by a function outside of net/http.
func wrapped(pass *analysis.Pass, r *routes.Route) (yes bool) {
	calls := func(e ast.Expr, is func(call *ast.CallExpr, name string) bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			yes = yes || ok && is(call, mux.Callee(pass.TypesInfo, call))
			return true
		})
	}
	calls(r.Call.Fun, func(_ *ast.CallExpr, name string) bool {
		return strings.Contains(name, mux.Path+".") && strings.HasSuffix(name, ").With")
	})
	calls(r.Handler, func(call *ast.CallExpr, name string) bool {
		fun := pass.TypesInfo.Types[call.Fun]
		sig, ok := fun.Type.Underlying().(*types.Signature)
		return ok && !fun.IsType() && !strings.HasPrefix(name, "net/http.") && sig.Results().Len() == 1 && takesHandler(sig)
	})
	return yes
}

func takesHandler(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		if mux.IsNamed(p.Type(), "net/http", "Handler") {
			return true
		}
	}
	return false
}
