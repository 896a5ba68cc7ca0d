package routes

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/types/typeutil"
)

// receiver returns the scope on which a method is called, which may be an
// embedded field of the receiver expression.
func (r *Result) receiver(call *ast.CallExpr) Scope {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return Scope{Root: call}
	}
	if s := r.pass.TypesInfo.Selections[sel]; s != nil {
		t := s.Recv()
		for _, i := range s.Index()[:len(s.Index())-1] {
			if isRouter(t) {
				break
			}
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			st, ok := t.Underlying().(*types.Struct)
			if !ok {
				break
			}
			if t = st.Field(i).Type(); isRouter(t) {
				return r.scopeOfVar(st.Field(i), sel.X, sel.X)
			}
		}
	}
	return r.scope(sel.X)
}

// isRouter reports whether t is, or points to, a type with methods that
// register routes.
func isRouter(t types.Type) bool {
	return mux.IsNamed(t, mux.Path, "Mux") || mux.IsNamed(t, mux.Path, "Group") || mux.IsNamed(t, mux.Path, "Router") || mux.IsNamed(t, "net/http", "ServeMux")
}

// scope returns the scope of an expression for a mux or group.
func (r *Result) scope(e ast.Expr) Scope {
	e = ast.Unparen(e)
	unknown := Scope{Root: e}
	if r.busy[e] {
		return unknown
	}
	r.busy[e] = true
	defer delete(r.busy, e)
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return r.scope(e.X)
		}
	case *ast.StarExpr:
		return r.scope(e.X)
	case *ast.CompositeLit:
		return Scope{Root: e, Whole: true}
	case *ast.CallExpr:
		return r.scopeOfCall(e)
	case *ast.Ident, *ast.SelectorExpr:
		obj := r.Object(e)
		if obj == nil {
			return unknown
		}
		var base ast.Expr
		if sel, ok := e.(*ast.SelectorExpr); ok {
			base = sel.X
		}
		return r.scopeOfVar(obj, e, base)
	}
	return unknown
}

// scopeOfVar returns the scope of a variable, or of a field of base, used at e.
func (r *Result) scopeOfVar(obj types.Object, e, base ast.Expr) Scope {
	if obj.Pkg() != nil && obj.Pkg().Path() == "net/http" && obj.Name() == "DefaultServeMux" {
		return Scope{Root: defaultMux, Whole: true}
	}
	if arg := r.exec.values[obj]; arg != nil {
		return r.scope(arg)
	}
	if s, ok := r.scopeOfParam(obj); ok {
		return s
	}
	s := Scope{Root: e} // depends on the caller
	isMux := !mux.IsNamed(obj.Type(), mux.Path, "Group") && !mux.IsNamed(obj.Type(), mux.Path, "Router")
	switch from := r.values[obj]; {
	case len(from) == 1 && from[0] != nil:
		s = r.scope(from[0])
		if lit, ok := s.Root.(ast.Expr); ok && isMux && ast.Unparen(from[0]) == lit {
			s.Root = obj
		}
	case len(from) == 0 && isMux: // var mux http.ServeMux
		s = Scope{Root: obj, Whole: true}
	}
	if v, ok := obj.(*types.Var); ok && v.IsField() && base != nil {
		s.via = base
		if o := r.Object(base); o != nil {
			s.via = o
		}
	}
	return s
}

func (r *Result) scopeOfCall(call *ast.CallExpr) Scope {
	fn := typeutil.StaticCallee(r.pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil {
		return Scope{Root: call}
	}
	if fn.Pkg().Path() != mux.Path {
		if s, ok := r.returned(fn, call); ok {
			return s
		}
		return Scope{Root: call, Whole: fn.FullName() == "net/http.NewServeMux"}
	}
	switch fn.Name() {
	case "New":
		return Scope{Root: call, Whole: true}
	case "With", "Name", "Annotate":
		return r.receiver(call)
	case "Group":
		return r.below(r.receiver(call), call.Args[0])
	case "Host":
		s := r.receiver(call)
		text, known := r.constant(call.Args[0])
		if known && tryHost(s.Host, text) != nil {
			break
		}
		s.Host, s.Whole = text, s.Whole && known
		return s
	}
	return Scope{Root: call}
}

// returned returns the scope of the only mux that a function of this package
// returns.
func (r *Result) returned(fn *types.Func, call *ast.CallExpr) (Scope, bool) {
	decl := r.bodies[fn.Origin()]
	if decl == nil || decl.Body == nil {
		return Scope{}, false
	}
	var found []Scope
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				if s, ok := r.mounted(n.Results[0]); ok {
					found = append(found, s)
				}
			}
		}
		return true
	})
	if len(found) == 0 {
		return Scope{}, false
	}
	for _, s := range found {
		if s.Root != found[0].Root {
			return Scope{}, false
		}
	}
	s := found[0]
	if len(r.calls[fn.Origin()]) > 1 {
		s.via = call
	}
	return s, true
}

// mounted returns the scope of a handler expression, if the handler is a mux.
func (r *Result) mounted(e ast.Expr) (Scope, bool) {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if fn := typeutil.StaticCallee(r.pass.TypesInfo, call); fn != nil {
			if s, ok := r.returned(fn, call); ok {
				return s, true
			}
		}
	}
	t := r.pass.TypesInfo.TypeOf(e)
	if t == nil || !isRouter(t) {
		return Scope{}, false
	}
	return r.scope(e), true
}

// scopeOfParam returns the scope of a parameter of a function that is passed to
// Route, or called, once.
func (r *Result) scopeOfParam(obj types.Object) (Scope, bool) {
	if v, ok := obj.(*types.Var); !ok || v.Kind() != types.ParamVar {
		return Scope{}, false
	}
	unknown := Scope{Root: obj}
	fn := r.Function(r.decls[obj])
	index := slices.Index(r.params(fn), obj)
	uses := r.uses[r.function(fn)]
	if lit, ok := fn.(*ast.FuncLit); ok && len(uses) == 0 {
		uses = []ast.Expr{lit}
	}
	if index < 0 || len(uses) != 1 {
		return unknown, true
	}
	call, ok := r.parents[uses[0]].(*ast.CallExpr)
	if !ok {
		return unknown, true
	}
	if s, ok := r.routeScope(call, uses[0]); ok {
		return s, true
	}
	if call.Fun != uses[0] || index >= len(call.Args) || call.Ellipsis.IsValid() {
		return unknown, true
	}
	return r.scope(call.Args[index]), true
}

// routeScope returns the scope that Route(prefix, fn) passes to fn.
func (r *Result) routeScope(call *ast.CallExpr, fn ast.Node) (Scope, bool) {
	f := typeutil.StaticCallee(r.pass.TypesInfo, call)
	if f == nil || f.Pkg() == nil || f.Pkg().Path() != mux.Path || f.Name() != "Route" || len(call.Args) != 2 || call.Args[1] != fn {
		return Scope{}, false
	}
	return r.below(r.receiver(call), call.Args[0]), true
}

// below returns the scope of a group in s with the prefix.
func (r *Result) below(s Scope, prefix ast.Expr) Scope {
	text, known := r.constant(prefix)
	s.Prefix, s.Whole = join(s.Prefix, text), s.Whole && known
	return s
}
