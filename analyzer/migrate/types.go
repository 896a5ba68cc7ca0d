package migrate

import (
	"go/ast"
	"go/types"
	"slices"
)

// routerType returns the type of muxmaster for a declaration whose objects
// become what the kinds say.
func (x *rewriter) routerType(s *source, k kind) string {
	switch k {
	case isMux, 0:
		return "*" + x.mux(s, "Mux")
	case isGroup:
		return "*" + x.mux(s, "Group")
	}
	return x.mux(s, "Router")
}

// declared returns what the objects become that are declared with the type
// expression e: of a variable, a field, a parameter, or a function's result.
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

// unnamed returns what an unnamed result, or parameter of a function type,
// becomes.
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

// retype replaces the type expression e, a pointer or a name, by what the
// objects declared with it become.
func (x *rewriter) retype(s *source, e ast.Expr) {
	k, ok := x.declared(e)
	if !ok {
		x.todo(e, "a router and a part of it share this type: give each a type of its own, *muxmaster.Mux or *muxmaster.Group")
	} else {
		x.replace(s, e, x.routerType(s, k))
	}
	x.handled(e)
}

// pointer replaces the type in *Type by one of muxmaster's. The old router's
// zero value may be of use; ours is made by New.
func (x *rewriter) pointer(s *source, e ast.Expr, to string) {
	if star, ok := x.parents[e].(*ast.StarExpr); !ok || star.X != e {
		x.todo(e, "a %s is made by a function here: use a pointer to it", to)
		return
	}
	x.handled(e)
	x.replace(s, e, x.mux(s, to))
}
