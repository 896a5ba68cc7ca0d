package migrate

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// chiMount checks the mounted handler. A chi router finds the rest of the path in
// the context, even if it is wrapped in another handler. A Mux gets the rest of
// the path only if it is mounted directly.
func (x *rewriter) chiMount(n *ast.CallExpr) {
	if x.hides(x.info, n.Args[1], make(map[ast.Expr]bool)) {
		x.todo(n.Args[1], "a router inside another handler gets the whole path: mount the router itself, and pass the middleware to its Use")
	}
}

// hides reports whether a handler may pass requests to a router.
func (x *rewriter) hides(info *types.Info, e ast.Expr, seen map[ast.Expr]bool) bool {
	e = ast.Unparen(e)
	if seen[e] || x.isRouter(info.TypeOf(e)) {
		return false
	}
	seen[e] = true
	switch e := e.(type) {
	case *ast.FuncLit:
		return x.mentions(info, e.Body)
	case *ast.CallExpr:
		return x.callHides(info, e, seen)
	case *ast.Ident, *ast.SelectorExpr:
		if fn := function(info, e); fn != nil {
			return x.bodyMentions(fn)
		}
		if obj := variable(info, e); obj != nil {
			for _, from := range x.kinds.from[x.kinds.key(obj)] {
				if x.hides(x.kinds.info[from], from, seen) {
					return true
				}
			}
		}
	}
	obj, _, _ := types.LookupFieldOrMethod(info.TypeOf(e), true, x.pkg.Types, "ServeHTTP")
	serve, ok := obj.(*types.Func)
	return ok && x.bodyMentions(serve)
}

// callHides is hides for the result of a call.
func (x *rewriter) callHides(info *types.Info, call *ast.CallExpr, seen map[ast.Expr]bool) bool {
	args := call.Args
	fn, _ := typeutil.Callee(info, call).(*types.Func)
	if fn == nil || fn.FullName() == "net/http.StripPrefix" {
		// A conversion, a function value, or a function that removes the prefix.
		if fn == nil && !info.Types[call.Fun].IsType() && slices.ContainsFunc(args, func(e ast.Expr) bool { return x.leadsToRouter(info, e) }) {
			return true
		}
		return slices.ContainsFunc(args, func(e ast.Expr) bool { return x.hides(info, e, seen) })
	}
	for _, arg := range args {
		if x.leadsToRouter(info, arg) || x.hides(info, arg, seen) {
			return true
		}
	}
	if x.kinds.bodies[x.kinds.key(fn.Origin())].decl != nil {
		for _, result := range x.kinds.result[x.kinds.key(fn.Origin())] {
			if x.hides(x.kinds.info[result], result, seen) {
				return true
			}
		}
		return false
	}
	// The handler of another module may be a chi router, which isn't rewritten.
	return fn.Pkg() != nil && (strings.HasPrefix(fn.Pkg().Path(), "github.com/go-chi/chi") ||
		slices.ContainsFunc(fn.Pkg().Imports(), func(p *types.Package) bool { return x.isOld(p.Path()) }))
}

// leadsToRouter reports whether an expression is a router, whatever its type.
func (x *rewriter) leadsToRouter(info *types.Info, e ast.Expr) bool {
	return x.isRouter(info.TypeOf(e)) || x.kinds.expr(info, e)&(isMux|isGroup) != 0
}

func (x *rewriter) isRouter(t types.Type) bool {
	if t == nil {
		return false
	}
	named := namedType(t)
	return named != nil && named.Obj().Pkg() != nil && x.isOld(named.Obj().Pkg().Path())
}

// bodyMentions reports whether a function of the program uses a router.
func (x *rewriter) bodyMentions(fn *types.Func) bool {
	b := x.kinds.bodies[x.kinds.key(fn.Origin())]
	return b.decl != nil && x.mentions(b.info, b.decl.Body)
}

func (x *rewriter) mentions(info *types.Info, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && x.isRouter(info.TypeOf(e)) {
			found = true
		}
		return !found
	})
	return found
}
