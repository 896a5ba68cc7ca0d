package routes

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"golang.org/x/tools/go/types/typeutil"
)

// Names are path parameters.
type Names struct {
	List []string
	Open bool // there may be more, of a prefix that can't be seen
}

// Names returns the path parameters of a route, those of the prefixes of its groups and mounts included. It reports false
// if the route's own pattern is not known.
func (r *Result) Names(route *Route) (Names, bool) {
	if !route.Known {
		return Names{}, false
	}
	ps, err := Place{prefix: "", route: route}.Parse()
	if err != nil {
		return Names{}, false
	}
	list := ps[0].Names()
	if route.Door == Std {
		list = slices.DeleteFunc(list, func(n string) bool { return !strings.Contains(route.Pattern, "{"+n) })
	}
	names := Names{List: list, Open: !route.Scope.Whole || r.escapes(route.Scope.Root)}
	r.outer(&names, route.Scope, 0)
	return names, true
}

// outer adds the parameters that a request has before it comes to the routes of s.
func (r *Result) outer(names *Names, s Scope, depth int) {
	names.addPrefix(s.Prefix, true)
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
	p, err := pattern.ParsePath("", prefix)
	if err != nil || !known {
		n.Open = true
		return
	}
	n.List = append(n.List, p.Names()...)
}

// escapes reports whether other packages can mount the mux under a prefix of theirs: it is returned, passed on or stored.
func (r *Result) escapes(root any) bool {
	obj, ok := root.(types.Object)
	if !ok {
		return false // made where it is used
	}
	if known, ok := r.escaped[obj]; ok {
		return known
	}
	escapes := false
	for id, use := range r.pass.TypesInfo.Uses {
		if use == obj && !r.staysHere(id) {
			escapes = true
			break
		}
	}
	r.escaped[obj] = escapes
	return escapes
}

// staysHere reports whether a mention of a mux is one that doesn't hand it to somebody who could mount it: a method call,
// an assignment to it, a mount that was seen, an argument of net/http's functions, a result for this package only.
func (r *Result) staysHere(id *ast.Ident) bool {
	var e ast.Node = id
	if sel, ok := r.parents[e].(*ast.SelectorExpr); ok && sel.Sel == id {
		e = sel
	}
	switch p := r.parents[e].(type) {
	case *ast.SelectorExpr:
		return true
	case *ast.AssignStmt:
		return slices.Contains(p.Lhs, e.(ast.Expr))
	case *ast.KeyValueExpr:
		key, ok := p.Key.(*ast.Ident)
		if !ok {
			return false
		}
		v, ok := r.pass.TypesInfo.Uses[key].(*types.Var)
		if !ok || v.Pkg() == nil {
			return false
		}
		ours := v.Pkg() == r.pass.Pkg && (!v.Exported() || v.Pkg().Name() == "main")
		return p.Key == e || ours || v.Pkg().Path() == "net/http"
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
		default:
			return r.bodies[fn.Origin()] != nil
		}
	case *ast.ReturnStmt:
		if r.pass.Pkg.Name() == "main" {
			return true
		}
		for n := r.parents[p]; n != nil; n = r.parents[n] {
			if f, ok := n.(*ast.FuncDecl); ok {
				return !f.Name.IsExported()
			}
		}
	}
	return false
}
