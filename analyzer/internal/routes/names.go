package routes

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/types/typeutil"
)

// Names are the names of path parameters.
type Names struct {
	List []string
	Open bool // there may be more, from an unknown prefix
}

// Names returns the path parameters of a route, those of the prefixes of its
// groups and mounts included. It reports false if the route's own pattern is
// not known.
func (r *Result) Names(route *Route) (Names, bool) {
	if !route.Known || (Place{route: route}).Register(muxmaster.New()) != nil {
		return Names{}, false
	}
	list := Parameters(route.Pattern)
	if route.Kind == Std {
		list = slices.DeleteFunc(list, func(n string) bool { return !strings.Contains(route.Pattern, "{"+n) })
	}
	names := Names{List: list, Open: !route.Scope.Whole || r.escapes(route.Scope.Root)}
	r.outer(&names, route.Scope, 0)
	return names, true
}

// Wrapped returns the parameters of the prefixes where a handler is mounted that may
// call any Mux, such as one in middleware. The routes of that Mux have them, too.
func (r *Result) Wrapped() (names Names) {
	for _, m := range r.Routes {
		if m.Kind == Mount {
			names.addPrefix(m.Pattern, m.Known)
			names.Open = names.Open || !m.Scope.Whole
			r.outer(&names, m.Scope, 0)
		}
	}
	return names
}

// outer adds the parameters of the prefixes and mounts around s.
func (r *Result) outer(names *Names, s Scope, depth int) {
	names.addPrefix(s.Prefix, true)
	if s.Host != "" {
		names.List = append(names.List, Parameters(s.Host)...)
	}
	for _, m := range r.mounts[s.Root] {
		names.addPrefix(m.prefix, m.known)
		if !m.at.Whole || depth > 8 {
			names.Open = true
		} else {
			r.outer(names, m.at, depth+1)
		}
	}
}

func (n *Names) addPrefix(prefix string, known bool) {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" && known {
		return
	}
	if !known || tryPrefix(prefix) != nil {
		n.Open = true
		return
	}
	n.List = append(n.List, Parameters(prefix)...)
}

// escapes reports whether other packages may mount the mux, because it is
// returned, passed to a function or stored.
func (r *Result) escapes(root any) bool {
	obj, ok := root.(types.Object)
	if !ok {
		return false // created where it is used
	}
	if known, ok := r.escaped[obj]; ok {
		return known
	}
	v, ok := obj.(*types.Var)
	shared := ok && v.Exported() && (v.IsField() || v.Parent() == r.pass.Pkg.Scope())
	r.escaped[obj] = shared && r.pass.Pkg.Name() != "main"
	leaves := slices.ContainsFunc(r.uses[obj], func(e ast.Expr) bool { return !r.staysHere(e) })
	r.escaped[obj] = r.escaped[obj] || leaves
	return r.escaped[obj]
}

// staysHere reports whether a use of a mux doesn't allow other packages to
// mount it. Such uses are method calls, assignments to the variable, known
// mounts, arguments of functions in net/http, and results that stay in this
// package.
func (r *Result) staysHere(e ast.Expr) bool {
	switch p := r.parents[e].(type) {
	case *ast.SelectorExpr: // ServeHTTP may be part of another handler
		return p.Sel.Name != "ServeHTTP" || r.pass.Pkg.Name() == "main"
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		i := slices.Index(p.Rhs, e)
		if i < 0 {
			return true
		}
		if len(p.Rhs) != len(p.Lhs) {
			return false
		}
		to := r.Object(p.Lhs[i])
		return to != nil && !r.escapes(to)
	case *ast.KeyValueExpr:
		key, ok := p.Key.(*ast.Ident)
		if !ok {
			return false
		}
		v, ok := r.pass.TypesInfo.Uses[key].(*types.Var)
		if !ok || v.Pkg() == nil {
			return false
		}
		return p.Key == e || v.Pkg().Path() == "net/http" || v.Pkg() == r.pass.Pkg && !r.escapes(v)
	case *ast.CallExpr:
		fn := typeutil.StaticCallee(r.pass.TypesInfo, p)
		if fn == nil || fn.Pkg() == nil {
			return false
		}
		switch path := fn.Pkg().Path(); path {
		case "net/http":
			return fn.Name() != "StripPrefix"
		case "net/http/httptest", mux.Path + "/server":
			return true
		case mux.Path:
			return fn.Name() == "Mount"
		}
		params, i := fn.Origin().Signature().Params(), slices.Index(p.Args, e)
		return r.bodies[fn.Origin()] != nil && 0 <= i && i < params.Len() && !r.escapes(params.At(i))
	case *ast.ReturnStmt:
		decl, ok := r.Function(p).(*ast.FuncDecl)
		return ok && r.resultStaysHere(decl)
	}
	return false
}

// resultStaysHere reports whether the mux stays in this package in all calls of
// a function that returns it.
func (r *Result) resultStaysHere(decl *ast.FuncDecl) bool {
	fn := r.pass.TypesInfo.Defs[decl.Name]
	if fn == nil || r.busy[decl] {
		return fn != nil
	}
	if decl.Name.IsExported() && r.pass.Pkg.Name() != "main" {
		return false
	}
	r.busy[decl] = true
	defer delete(r.busy, decl)
	return !slices.ContainsFunc(r.calls[fn], func(call *ast.CallExpr) bool { return !r.staysHere(call) })
}

// ParametersOf returns the names of the parameters of the routes with a name. It
// reports false if it can't tell, because no call on the result of Name registers
// one, or it may have more.
func (r *Result) ParametersOf(name string) (params []string, ok bool) {
	for _, route := range r.Routes {
		sel, isSel := ast.Unparen(route.Call.Fun).(*ast.SelectorExpr)
		if !isSel {
			continue
		}
		on, isCall := ast.Unparen(sel.X).(*ast.CallExpr)
		if !isCall || len(on.Args) != 1 {
			continue
		}
		method, isSel := ast.Unparen(on.Fun).(*ast.SelectorExpr)
		if text, known := r.constant(on.Args[0]); isSel && method.Sel.Name == "Name" && known && text == name {
			names, complete := r.Names(route)
			if !complete || names.Open {
				return nil, false
			}
			params, ok = append(params, names.List...), true
		}
	}
	return params, ok
}
