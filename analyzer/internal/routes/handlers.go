package routes

import (
	"go/ast"
	"go/types"
)

// Reach lists the routes whose requests can reach a function.
type Reach struct {
	Routes  []*Route
	Unknown bool // there may be others
}

// A Reacher finds the routes that lead to the functions of a package: as
// handlers, through middleware around them, and as functions that handlers
// call.
type Reacher struct {
	*Result
	direct  map[ast.Node][]*Route // functions in a handler's expression
	callers map[ast.Node][]ast.Node
	unknown map[ast.Node]bool // functions with uses that can't be followed
	memo    map[ast.Node]*Reach
}

// Reacher returns the Reacher of the package.
func (r *Result) Reacher() *Reacher {
	w := &Reacher{Result: r, direct: make(map[ast.Node][]*Route), callers: make(map[ast.Node][]ast.Node),
		unknown: make(map[ast.Node]bool), memo: make(map[ast.Node]*Reach)}
	seen := make(map[ast.Expr]bool) // uses in handlers
	for _, route := range r.Routes {
		w.handler(route, route.Handler, seen, 0)
	}
	for fn, decl := range r.bodies {
		for _, ref := range r.uses[fn] {
			caller := r.Function(ref)
			if call, ok := r.parents[ref].(*ast.CallExpr); seen[ref] {
				continue
			} else if ok && call.Fun == ref && caller != nil {
				w.callers[decl] = append(w.callers[decl], caller)
			} else {
				w.unknown[decl] = true
			}
		}
	}
	return w
}

// handler records that the functions in a handler expression serve the route:
// literals, named functions, method values, handlers in variables, arguments of
// middleware, and results of functions in this package.
func (w *Reacher) handler(route *Route, e ast.Expr, seen map[ast.Expr]bool, depth int) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			w.direct[n] = append(w.direct[n], route)
			return false
		case *ast.SelectorExpr:
			if v := route.exec.resolve(w.Result, n); v != n && depth < 4 {
				w.handler(route, v, seen, depth+1)
				return false
			}
		case *ast.Ident:
			switch obj := w.pass.TypesInfo.Uses[n].(type) {
			case *types.Func:
				if decl := w.bodies[obj.Origin()]; decl != nil {
					seen[n] = true
					if sel, ok := w.parents[n].(*ast.SelectorExpr); ok && sel.Sel == n {
						seen[sel] = true
					}
					w.direct[decl] = append(w.direct[decl], route)
				}
			case *types.Var:
				if v := route.exec.values[obj]; v != nil && depth < 4 && isFunc(obj.Type()) {
					w.handler(route, v, seen, depth+1)
				} else if from := w.values[obj]; len(from) == 1 && from[0] != nil && depth < 4 && isFunc(obj.Type()) {
					w.handler(route, from[0], seen, depth+1)
				}
			}
		}
		return true
	})
	if t := w.pass.TypesInfo.TypeOf(e); t != nil {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, w.pass.Pkg, "ServeHTTP"); obj != nil {
			if fn, ok := obj.(*types.Func); ok && w.bodies[fn.Origin()] != nil {
				decl := w.bodies[fn.Origin()]
				w.direct[decl] = append(w.direct[decl], route)
				w.unknown[decl] = true // a handler like it can be registered elsewhere
			}
		}
	}
}

func isFunc(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	}
	return false
}

// Function returns the innermost function declaration or literal around n, or
// nil.
func (r *Result) Function(n ast.Node) ast.Node {
	for n = r.parents[n]; n != nil; n = r.parents[n] {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// Of returns the routes that lead to fn, a *ast.FuncDecl or *ast.FuncLit.
func (w *Reacher) Of(fn ast.Node) *Reach {
	if r, ok := w.memo[fn]; ok {
		return r
	}
	r := new(Reach)
	w.memo[fn] = r
	r.Routes = append(r.Routes, w.direct[fn]...)
	r.Unknown = w.unknown[fn]
	from := w.callers[fn]
	if lit, ok := fn.(*ast.FuncLit); ok && len(w.direct[fn]) == 0 {
		if outer := w.Function(lit); outer != nil {
			from = []ast.Node{outer}
		} else {
			r.Unknown = true
		}
	}
	for _, caller := range from {
		more := w.Of(caller)
		r.Routes = append(r.Routes, more.Routes...)
		r.Unknown = r.Unknown || more.Unknown || len(more.Routes) == 0
	}
	return r
}
