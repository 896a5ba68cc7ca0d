package routes

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// An execution is one of a call that registers a route. It has values if the
// call is in a function that is given the pattern or the handler, or in a loop
// over a table of them:
//
//	func (s *server) get(path string, h http.HandlerFunc) { s.mux.GET(path, auth(h)) }
//
//	for _, r := range []route{{"/a", a}, {"/b", b}} {
//		mux.GET(r.path, r.handler)
//	}
type execution struct {
	values    map[types.Object]ast.Expr // of parameters and loop variables
	from      *ast.CallExpr             // the outermost call
	uncertain bool                      // from may not lead to the execution
}

// resolve returns the value of a parameter or of a loop variable's field, or e.
func (x execution) resolve(r *Result, e ast.Expr) ast.Expr {
	switch n := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := x.values[r.pass.TypesInfo.Uses[n]]; v != nil {
			return v
		}
	case *ast.SelectorExpr:
		id, ok := ast.Unparen(n.X).(*ast.Ident)
		if !ok {
			return e
		}
		if lit, ok := x.values[r.pass.TypesInfo.Uses[id]].(*ast.CompositeLit); ok {
			if v := r.fieldOf(lit, n.Sel.Name); v != nil {
				return v
			}
		}
	}
	return e
}

// fieldOf returns the value of a field in the literal of a struct, or nil.
func (r *Result) fieldOf(lit *ast.CompositeLit, name string) ast.Expr {
	t, ok := r.pass.TypesInfo.TypeOf(lit).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == name {
				return kv.Value
			}
		} else if t.Field(i).Name() == name {
			return e
		}
	}
	return nil
}

// executions lists the known executions of a call that registers a route. If
// there may be others, it sets r.Open.
func (r *Result) executions(call *ast.CallExpr) []execution {
	if all := r.executionsOf(call, 0); all != nil {
		return all
	}
	r.Open = true
	return []execution{{from: call}}
}

// executionsOf returns nil if a function calls itself.
func (r *Result) executionsOf(call *ast.CallExpr, depth int) []execution {
	if depth > 4 {
		return nil
	}
	once := []execution{{from: call}}
	for n := r.parents[call]; n != nil; n = r.parents[n] {
		switch n := n.(type) {
		case *ast.RangeStmt:
			v := r.Object(n.Value)
			if !r.mentions(call, v) {
				continue
			}
			list := r.elements(n.X)
			if len(list) == 0 || r.changed(v) || len(r.values[v]) > 1 {
				return once
			}
			var all []execution
			for _, e := range list {
				all = append(all, execution{map[types.Object]ast.Expr{v: e}, call, !r.straight(call, n.Body)})
			}
			return all
		case *ast.FuncLit:
			return r.executionsIn(n, n.Body, call, depth)
		case *ast.FuncDecl:
			return r.executionsIn(n, n.Body, call, depth)
		}
	}
	return once
}

// executionsIn lists the known executions of a call in fn.
func (r *Result) executionsIn(fn ast.Node, body *ast.BlockStmt, call *ast.CallExpr, depth int) []execution {
	once := []execution{{from: call}}
	params := r.params(fn)
	obj := r.function(fn)
	if obj == nil || !slices.ContainsFunc(params, func(p types.Object) bool { return r.mentions(call, p) }) {
		return once
	}
	r.Open = r.Open || obj.Exported() && r.pass.Pkg.Name() != "main"
	var all []execution
	for _, ref := range r.uses[obj] {
		site, ok := r.parents[ref].(*ast.CallExpr)
		if !ok || site.Fun != ref || len(site.Args) != len(params) || site.Ellipsis.IsValid() {
			r.Open = true
			continue
		}
		outers := r.executionsOf(site, depth+1)
		if outers == nil {
			return nil
		}
		for _, outer := range outers {
			if slices.ContainsFunc(params, func(p types.Object) bool { return outer.values[p] != nil }) {
				return nil
			}
			values := make(map[types.Object]ast.Expr)
			maps.Copy(values, outer.values)
			for i, p := range params {
				if len(r.values[p]) == 0 { // the argument is its only value
					values[p] = outer.resolve(r, site.Args[i])
				}
			}
			all = append(all, execution{values, outer.from, outer.uncertain || !r.straight(call, body)})
		}
	}
	if len(all) == 0 {
		return once
	}
	return all
}

// elements returns the elements of a literal, or of a variable whose value it is
// and that only loops use.
func (r *Result) elements(e ast.Expr) []ast.Expr {
	if v := r.Object(e); v != nil && !slices.ContainsFunc(r.uses[v], func(use ast.Expr) bool {
		loop, ok := r.parents[use].(*ast.RangeStmt)
		return !ok || loop.X != use || loop.Value == nil
	}) {
		e = r.Assigned(v)
	}
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return lit.Elts
	}
	return nil
}

// changed reports whether a field of the variable is assigned to, or its address
// taken.
func (r *Result) changed(v types.Object) bool {
	return slices.ContainsFunc(r.uses[v], func(use ast.Expr) bool {
		field, ok := r.parents[use].(ast.Expr)
		if _, address := field.(*ast.UnaryExpr); address || !ok {
			return address
		}
		a, ok := r.parents[field].(*ast.AssignStmt)
		return ok && slices.Contains(a.Lhs, field)
	})
}

// function returns the declared function, or the local variable whose only value
// is the literal, or nil.
func (r *Result) function(fn ast.Node) types.Object {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		return r.pass.TypesInfo.Defs[fn.Name]
	case *ast.FuncLit:
		if a, ok := r.parents[fn].(*ast.AssignStmt); ok && len(a.Lhs) == 1 && r.Assigned(r.Object(a.Lhs[0])) == fn {
			return r.Object(a.Lhs[0])
		}
	}
	return nil
}

// params returns the parameters of a function that have names.
func (r *Result) params(fn ast.Node) (all []types.Object) {
	var t *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		t = fn.Type
	case *ast.FuncLit:
		t = fn.Type
	default:
		return nil
	}
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			all = append(all, r.pass.TypesInfo.Defs[name])
		}
	}
	return all
}

// mentions reports whether an argument of the call uses obj.
func (r *Result) mentions(call *ast.CallExpr, obj types.Object) bool {
	return obj != nil && slices.ContainsFunc(r.uses[obj], func(use ast.Expr) bool {
		return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return arg.Pos() <= use.Pos() && use.End() <= arg.End() })
	})
}

// straight reports whether each execution of the body certainly executes n.
func (r *Result) straight(n ast.Node, body *ast.BlockStmt) bool {
	straight := len(r.conditions(n, body)) == 0
	ast.Inspect(body, func(other ast.Node) bool {
		switch other.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			straight = straight && n.Pos() < other.Pos()
		}
		return true
	})
	return straight
}
