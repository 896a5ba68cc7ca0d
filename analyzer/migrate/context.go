package migrate

import (
	"go/ast"
	"go/types"
	"slices"
)

// A contextual is a function with a parameter for the context of gin or echo.
// It is rewritten to have the parameters w and r.
type contextual struct {
	node       ast.Node // *ast.FuncDecl or *ast.FuncLit
	typ        *ast.FuncType
	body       *ast.BlockStmt
	field      *ast.Field // of the context
	w, r, next string
	middleware bool
}

// contexts finds the functions with a context, by the context's object.
func (x *rewriter) contexts() map[types.Object]*contextual {
	if x.found != nil {
		return x.found
	}
	x.found = make(map[types.Object]*contextual)
	for _, s := range x.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			var f contextual
			switch n := n.(type) {
			case *ast.FuncDecl:
				f = contextual{node: n, typ: n.Type, body: n.Body}
			case *ast.FuncLit:
				f = contextual{node: n, typ: n.Type, body: n.Body}
			default:
				return true
			}
			for _, field := range f.typ.Params.List {
				if x.isContext(field.Type) && len(field.Names) == 1 && f.body != nil {
					f.field = field
					f.w, f.r = x.unused(f.node, "w", "rw", "writer"), x.unused(f.node, "r", "req", "request")
					f.next = x.unused(f.node, "next", "following")
					x.found[x.info.Defs[field.Names[0]]] = &f
				}
			}
			return true
		})
	}
	return x.found
}

// isContext reports whether a type expression is the type of the context. In
// echo version 4, it is an interface.
func (x *rewriter) isContext(e ast.Expr) bool {
	t := x.info.TypeOf(e)
	if t == nil {
		return false
	}
	named := namedType(t)
	return named != nil && named.Obj().Name() == "Context" && named.Obj().Pkg() != nil && x.isOld(named.Obj().Pkg().Path())
}

// contextOf returns the contextual function whose context e is.
func (x *rewriter) contextOf(e ast.Expr) *contextual {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	return x.contexts()[x.info.Uses[id]]
}

// contextField rewrites a parameter of the context's type.
func (x *rewriter) contextField(s *source, field *ast.Field) {
	if !x.isContext(field.Type) {
		return
	}
	list, ok := x.parents[field].(*ast.FieldList)
	if !ok {
		return
	}
	t, ok := x.parents[list].(*ast.FuncType)
	if !ok || t.Params != list || len(field.Names) > 1 {
		return
	}
	x.handled(field.Type)
	http := x.qualify(s, "net/http")
	if len(field.Names) == 0 {
		x.replace(s, field, http+".ResponseWriter, *"+http+".Request")
		return
	}
	f := x.contexts()[x.info.Defs[field.Names[0]]]
	switch {
	case f == nil:
		x.replace(s, field, "w "+http+".ResponseWriter, r *"+http+".Request")
	case f.middleware:
		x.replace(s, field, f.next+" "+http+".Handler")
	default:
		x.replace(s, field, f.w+" "+http+".ResponseWriter, "+f.r+" *"+http+".Request")
	}
}

// passContext rewrites the context as an argument of a function that takes one.
func (x *rewriter) passContext(s *source, call *ast.CallExpr) {
	sig, ok := x.info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok || call.Ellipsis.IsValid() {
		return
	}
	for i, arg := range call.Args {
		f := x.contextOf(arg)
		if f == nil || i >= sig.Params().Len() {
			continue
		}
		named := namedType(sig.Params().At(i).Type())
		if named == nil || named.Obj().Name() != "Context" || named.Obj().Pkg() == nil || !x.isOld(named.Obj().Pkg().Path()) {
			continue
		}
		if fn := x.calleeHere(call); fn {
			x.contextDone[ast.Unparen(arg).(*ast.Ident)] = true
			x.replace(s, arg, f.w+", "+f.r)
		}
	}
}

// calleeHere reports whether the called function belongs to the program, so its
// parameters are also rewritten.
func (x *rewriter) calleeHere(call *ast.CallExpr) bool {
	fn := function(x.info, ast.Unparen(call.Fun))
	if fn == nil {
		_, isVar := variable(x.info, call.Fun).(*types.Var)
		return isVar
	}
	return fn.Pkg() != nil && slices.Contains(x.program, fn.Pkg().Path())
}

// leftContexts reports the uses of a context that were not rewritten.
func (x *rewriter) leftContexts(s *source, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok || x.contextDone[id] {
		return
	}
	f := x.contexts()[x.info.Uses[id]]
	if f == nil {
		return
	}
	if sel, ok := x.parents[id].(*ast.SelectorExpr); ok && sel.X == ast.Expr(id) {
		return // reported as a use of the old router
	}
	x.todo(id, "this use of the context can't be rewritten: pass %s and %s, or %s.Context()", f.w, f.r, f.r)
}

// contextCall returns the contextual function of c.Method(…), or nil.
func (x *rewriter) contextCall(call *ast.CallExpr) *contextual {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	return x.contextOf(sel.X)
}

// becomes replaces a call of a method of the context with text.
func (x *rewriter) becomes(s *source, call *ast.CallExpr, text string) {
	x.handled(call.Fun)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok {
			x.contextDone[id] = true
		}
	}
	x.replace(s, call, text)
}
