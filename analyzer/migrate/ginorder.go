package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// This file rewrites calls of Use after routes. In gin, they apply to the
// routes that follow.

// ginHalfway rewrites a Use between routes: it creates a scope for the later
// routes.
func (x *rewriter) ginHalfway(s *source, n ast.Node) {
	decl, ok := n.(*ast.FuncDecl)
	if !ok || decl.Body == nil {
		return
	}
	twice := make(map[types.Object]bool)
	for _, stmt := range decl.Body.List {
		call := useCall(stmt)
		if call == nil {
			continue
		}
		if _, method, _ := strings.Cut(x.callee(call), "."); method != "Use" || !x.isLate(call) {
			continue
		}
		obj := variable(x.info, receiver(call))
		name, ok := x.ginScope(s, obj, stmt, decl)
		if !ok || twice[obj] {
			continue // leftUses reports it
		}
		twice[obj] = true
		x.remark(call, "this middleware doesn't run for requests that match no route, because it comes after routes")
		for _, id := range x.uses(s, obj) {
			if id.Pos() > stmt.End() && x.isRegistration(id) {
				x.replace(s, id, name)
			}
		}
		s.replace(call.Pos(), call.Pos(), name+" := ")
		x.replace(s, ast.Unparen(call.Fun).(*ast.SelectorExpr).Sel, "With")
		x.halfway[call], x.movedUse[call] = true, true
	}
}

// ginScope returns a name for the scope of the routes after a Use. It reports
// false unless all later uses of the router are routes and groups in the same
// function.
func (x *rewriter) ginScope(s *source, obj types.Object, use ast.Stmt, decl *ast.FuncDecl) (string, bool) {
	if obj == nil || obj.Parent() == nil || obj.Pos() < decl.Pos() || obj.Pos() > use.Pos() {
		return "", false // used outside of this function
	}
	local := inside(obj.Pos(), decl.Body.Pos(), decl.Body.End())
	registered := false
	for _, id := range x.uses(s, obj) {
		switch {
		case id.Pos() < use.End():
		case x.isRegistration(id):
			registered = true
		case !x.servesOnly(id):
			return "", false
		case local && x.isReturned(id) && !x.onlyServed(decl):
			return "", false
		}
	}
	// A parameter's router can get routes elsewhere, later.
	if !registered || !local && !x.lastTouch(decl) {
		return "", false
	}
	return x.unused(decl, obj.Name()+"2"), true
}

// servesOnly reports whether a use of a router only serves its routes: the
// router is run, returned, or assigned to a variable of another type.
func (x *rewriter) servesOnly(id *ast.Ident) bool {
	switch p := x.parents[id].(type) {
	case *ast.SelectorExpr:
		_, method, _ := strings.Cut(objectName(x.info.ObjectOf(p.Sel)), ".")
		return neutral[method] && method != "Use"
	case *ast.ReturnStmt:
		return true
	case *ast.CallExpr:
		fn, ok := typeutil.Callee(x.info, p).(*types.Func)
		return ok && fn.Pkg() != nil && !slices.Contains(x.program, fn.Pkg().Path())
	case *ast.KeyValueExpr: // http.Server{Handler: r}
		key := variable(x.info, p.Key)
		return key != nil && types.IsInterface(key.Type())
	}
	return false
}

func (x *rewriter) isReturned(id *ast.Ident) bool {
	_, ok := x.parents[id].(*ast.ReturnStmt)
	return ok
}

// onlyServed reports whether the callers of a function that returns a router
// register nothing on it.
func (x *rewriter) onlyServed(decl *ast.FuncDecl) bool {
	fn, ok := x.info.Defs[decl.Name].(*types.Func)
	if !ok || x.pkg.Name != "main" && fn.Exported() {
		return false
	}
	for _, site := range x.kinds.sites[x.kinds.key(fn)] {
		assign, ok := x.parents[site.call].(*ast.AssignStmt)
		if !ok {
			if _, ok := x.parents[site.call].(*ast.CallExpr); ok {
				continue
			}
			if sel, ok := x.parents[site.call].(*ast.SelectorExpr); ok && neutral[sel.Sel.Name] && sel.Sel.Name != "Use" {
				continue
			}
			return false
		}
		if len(assign.Lhs) != 1 || site.in == nil {
			return false
		}
		obj := variable(x.info, assign.Lhs[0])
		if obj == nil || x.kinds.touches(body{site.info, site.in}, x.kinds.key(obj), site.in.End(), make(map[token.Position]bool)) {
			return false
		}
	}
	return true
}

// lastTouch reports whether no caller of a function with a router parameter
// uses the router to register routes afterwards. It supports only callers that
// created the router for the call.
func (x *rewriter) lastTouch(decl *ast.FuncDecl) bool {
	fn, ok := x.info.Defs[decl.Name].(*types.Func)
	if !ok || len(x.kinds.sites[x.kinds.key(fn)]) == 0 {
		return false
	}
	for _, site := range x.kinds.sites[x.kinds.key(fn)] {
		for _, arg := range site.call.Args {
			if named := namedType(site.info.TypeOf(arg)); named == nil || named.Obj().Pkg() == nil || !x.isOld(named.Obj().Pkg().Path()) {
				continue
			}
			if _, ok := ast.Unparen(arg).(*ast.CallExpr); !ok {
				return false
			}
		}
	}
	return true
}

// unused returns the first of the names that is unused in the function, if
// necessary with a number appended.
func (x *rewriter) unused(fn ast.Node, names ...string) string {
	taken := make(map[string]bool)
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := x.info.ObjectOf(id).(*types.Var); !ok || !v.IsField() {
				taken[id.Name] = true
			}
		}
		return true
	})
	for _, name := range names {
		if !taken[name] {
			return name
		}
	}
	for i := 2; ; i++ {
		if name := names[len(names)-1] + strconv.Itoa(i); !taken[name] {
			return name
		}
	}
}

// isRegistration reports whether the identifier is the receiver of a call that
// registers routes or creates a group.
func (x *rewriter) isRegistration(id *ast.Ident) bool {
	sel, ok := x.parents[id].(*ast.SelectorExpr)
	if !ok {
		return false
	}
	call, ok := x.parents[sel].(*ast.CallExpr)
	if !ok {
		return false
	}
	_, method, _ := strings.Cut(x.callee(call), ".")
	return verbs[method] || method == "Any" || method == "Handle" || method == "Match" || method == "Group" || strings.HasPrefix(method, "Static")
}
