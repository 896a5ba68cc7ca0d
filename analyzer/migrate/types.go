package migrate

import (
	"go/ast"
	"go/types"
	"slices"
)

// routerType returns muxmaster's type for a declaration of objects of kind k.
func (x *rewriter) routerType(s *source, k kind) string {
	switch k {
	case isMux, 0:
		return "*" + x.mux(s, "Mux")
	case isGroup:
		return "*" + x.mux(s, "Group")
	}
	return x.mux(s, "Router")
}

// declared returns the kind of the objects declared with the type expression e:
// variables, fields, parameters or results.
func (x *rewriter) declared(e ast.Expr) (kind, bool) {
	switch p := x.parents[e].(type) {
	case *ast.Field:
		var all kind
		for _, name := range p.Names {
			all |= x.kinds.of(x.info.Defs[name])
		}
		if list, ok := x.parents[p].(*ast.FieldList); ok && len(p.Names) == 0 {
			return x.unnamed(list)
		}
		return all, true
	case *ast.ValueSpec:
		var all kind
		for _, name := range p.Names {
			all |= x.kinds.of(x.info.Defs[name])
		}
		return all, true
	}
	return isOther, false
}

// unnamed returns the kind of an unnamed result, or of an unnamed parameter of
// a function type.
func (x *rewriter) unnamed(list *ast.FieldList) (kind, bool) {
	t, ok := x.parents[list].(*ast.FuncType)
	if !ok {
		return isOther, false
	}
	if decl, ok := x.parents[t].(*ast.FuncDecl); ok && slices.Contains([]*ast.FieldList{t.Results}, list) {
		if fn, ok := x.info.Defs[decl.Name].(*types.Func); ok {
			return x.kinds.returned(fn), true
		}
	}
	return isOther, true
}

// retype replaces the type expression e, a pointer or a name, with the new type
// of the objects declared with it.
func (x *rewriter) retype(s *source, e ast.Expr) {
	k, ok := x.declared(e)
	if !ok {
		x.todo(e, "this type is used for a router and for a part of it: use *muxmaster.Mux for one and *muxmaster.Group for the other")
	} else {
		x.replace(s, e, x.routerType(s, k))
	}
	x.handled(e)
}

// pointer replaces the type in *Type with one of muxmaster. It rejects other
// uses of the type, because the zero value of the old router may be useful but
// a Mux must be created with New.
func (x *rewriter) pointer(s *source, e ast.Expr, to string) {
	if star, ok := x.parents[e].(*ast.StarExpr); !ok || star.X != e {
		x.todo(e, "a %s must be created with a function in muxmaster: use a pointer", to)
		return
	}
	x.handled(e)
	x.replace(s, e, x.mux(s, to))
}
