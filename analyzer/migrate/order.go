package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// useFirst moves each Use before the first route in the same statement list. In
// the old program, Use also applies to routes registered before. In muxmaster,
// it panics after a route.
func (x *rewriter) useFirst(s *source, n ast.Node) {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return
	}
	first := make(map[types.Object]ast.Stmt) // the first route of a router
	for _, stmt := range block.List {
		obj, isUse := x.registers(stmt)
		if obj == nil {
			for _, used := range x.handedOn(stmt) {
				if first[used] == nil {
					first[used] = stmt
				}
			}
			continue
		}
		route := first[obj]
		switch {
		case !isUse && route == nil:
			first[obj] = stmt
		case isUse && route != nil:
			moving := x.withNeeds(stmt, route, block.List)
			use := useCall(stmt)
			x.movedUse[use] = true
			if x.callee(use) == "Group.Use" || x.kinds.late(x.info, obj, x.declOf(block), route.Pos(), make(map[token.Pos]bool)) {
				moving = nil // Use of an echo group applies only to later routes
			}
			if moving == nil {
				x.todo(stmt, "call Use before registering routes: move it, with the code for its arguments")
				continue
			}
			text := ""
			for _, m := range moving {
				text += s.render(m.Pos(), m.End()) + "\n"
				x.remove(s, m)
			}
			s.replace(route.Pos(), route.Pos(), text)
		}
	}
}

// useCall returns the call of Use that a statement is.
func useCall(stmt ast.Stmt) *ast.CallExpr {
	if e, ok := stmt.(*ast.ExprStmt); ok {
		call, _ := e.X.(*ast.CallExpr)
		return call
	}
	return nil
}

// registers returns the variable of the router on which a statement registers a
// route or a middleware.
func (x *rewriter) registers(stmt ast.Stmt) (obj types.Object, isUse bool) {
	var e ast.Expr
	switch stmt := stmt.(type) {
	case *ast.ExprStmt:
		e = stmt.X
	case *ast.AssignStmt:
		if len(stmt.Rhs) == 1 {
			e = stmt.Rhs[0]
		}
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	switch x.callee(call) {
	case "", "NewRouter", "Vars", "New", "Default":
		return nil, false
	case "Router.Use", "Echo.Use", "Group.Use":
		return variable(x.info, receiver(call)), true
	case "Router.StrictSlash":
		return nil, false // no route yet
	}
	for {
		inner, ok := ast.Unparen(receiverOrNil(call)).(*ast.CallExpr)
		if !ok {
			return variable(x.info, receiverOrNil(call)), false
		}
		call = inner
	}
}

func receiverOrNil(call *ast.CallExpr) ast.Expr {
	if e := receiver(call); e != nil {
		return e
	}
	return ast.NewIdent("_")
}

// handedOn lists the routers that a statement passes to a function, which may
// register routes.
func (x *rewriter) handedOn(stmt ast.Stmt) []types.Object {
	var all []types.Object
	ast.Inspect(stmt, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && x.callee(call) == "" {
			for _, arg := range call.Args {
				if obj := variable(x.info, arg); obj != nil {
					if named := namedType(obj.Type()); named != nil && named.Obj().Pkg() != nil && x.isOld(named.Obj().Pkg().Path()) {
						all = append(all, obj)
					}
				}
			}
		}
		return true
	})
	return all
}

// withNeeds returns a Use and the statements after the route on which it
// depends: those that declare or change its arguments. It returns nil if one of
// them registers routes.
func (x *rewriter) withNeeds(use, route ast.Stmt, list []ast.Stmt) []ast.Stmt {
	from, to := slices.Index(list, route), slices.Index(list, use)
	moving := map[ast.Stmt]bool{use: true}
	for again := true; again; {
		again = false
		for _, stmt := range list[from:to] {
			if moving[stmt] || !x.related(stmt, moving) {
				continue
			}
			if obj, _ := x.registers(stmt); obj != nil || stmt == route || len(x.handedOn(stmt)) > 0 {
				return nil
			}
			moving[stmt], again = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(list[from:to+1]), func(s ast.Stmt) bool { return !moving[s] })
}

// related reports whether a statement declares a variable that one of the
// others uses, or uses one that they declare.
func (x *rewriter) related(stmt ast.Stmt, others map[ast.Stmt]bool) bool {
	declares, uses := x.variables(stmt)
	for other := range others {
		d, u := x.variables(other)
		for obj := range declares {
			if u[obj] {
				return true
			}
		}
		for obj := range d {
			if uses[obj] {
				return true
			}
		}
	}
	return false
}

func (x *rewriter) variables(stmt ast.Stmt) (declares, uses map[types.Object]bool) {
	declares, uses = make(map[types.Object]bool), make(map[types.Object]bool)
	ast.Inspect(stmt, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := x.info.Defs[id]; obj != nil {
				declares[obj] = true
			} else if obj := x.info.Uses[id]; obj != nil {
				uses[obj] = true
			}
		}
		return true
	})
	return declares, uses
}

func inside(pos, from, to token.Pos) bool { return from <= pos && pos < to }
