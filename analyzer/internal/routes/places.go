package routes

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A Place is a route with its mux and prefix. A route has one place on its own
// mux, and one on each mux on which that one is mounted.
type Place struct {
	Root   any
	host   string // "" for none
	prefix string
	route  *Route
	whole  bool // host and prefix are known up to the root
}

// Places lists the places of a route whose pattern is known.
func (r *Result) Places(route *Route) []Place {
	return r.places(route, route.Scope, "", "", 0)
}

func (r *Result) places(route *Route, s Scope, host, below string, depth int) []Place {
	host, prefix := cmp.Or(host, s.Host), s.Prefix+below
	all := []Place{{s.Root, host, prefix, route, s.Whole}}
	for _, m := range r.mounts[s.Root] {
		if m.known && depth < 8 {
			all = append(all, r.places(route, m.at, host, join("", m.prefix)+prefix, depth+1)...)
		}
	}
	return all
}

// join appends a prefix to another, without a trailing slash.
func join(prefix, more string) string { return prefix + strings.TrimSuffix(more, "/") }

// Together reports whether one run of the program certainly executes both calls
// on the same mux: they are in the same function, in functions that are called
// once from the same function, or in init functions.
func (r *Result) Together(a, b *Route) bool {
	if r.apart(a, b) || a.exec.uncertain || b.exec.uncertain {
		return false
	}
	for _, x := range r.callChain(a.exec.from) {
		for _, y := range r.callChain(b.exec.from) {
			switch f, g := r.declaration(x), r.declaration(y); {
			case f == g:
				return r.sameRun(x, y)
			case isInit(f) && isInit(g):
				return len(r.conditions(x, f)) == 0 && len(r.conditions(y, g)) == 0
			}
		}
	}
	return false
}

// apart reports whether the routes may be on different instances of the same
// mux.
func (r *Result) apart(a, b *Route) bool {
	if a.Scope.via == b.Scope.via {
		return false
	}
	_, x := a.Scope.via.(*ast.CallExpr)
	_, y := b.Scope.via.(*ast.CallExpr)
	return x || y || r.declaration(a.Call) == r.declaration(b.Call)
}

func isInit(f *ast.FuncDecl) bool { return f != nil && f.Recv == nil && f.Name.Name == "init" }

// callChain lists the call, the only call of its enclosing function, the only
// call of the enclosing function of that, and so on.
func (r *Result) callChain(call *ast.CallExpr) []*ast.CallExpr {
	chain := []*ast.CallExpr{call}
	for len(chain) < 8 {
		decl := r.declaration(call)
		if decl == nil {
			break
		}
		calls := r.calls[r.pass.TypesInfo.Defs[decl.Name]]
		if len(calls) != 1 {
			break
		}
		call = calls[0]
		chain = append(chain, call)
	}
	return chain
}

func (r *Result) declaration(n ast.Node) *ast.FuncDecl {
	for ; n != nil; n = r.parents[n] {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f
		}
	}
	return nil
}

// sameRun reports whether one run of the function around a and b certainly
// executes both. At most one of them may be under a condition that doesn't
// apply to the other, and that branch must not leave the function before the
// other.
func (r *Result) sameRun(a, b ast.Node) bool {
	common := r.common(a, b)
	x, y := r.conditions(a, common), r.conditions(b, common)
	if a.Pos() > b.Pos() {
		x, y = y, x
	}
	return len(y) == 0 && !slices.ContainsFunc(x, leaves) || len(x) == 0
}

// common returns the innermost node around a and b, or nil if they are in two
// files.
func (r *Result) common(a, b ast.Node) ast.Node {
	around := map[ast.Node]bool{nil: true}
	for n := a; n != nil; n = r.parents[n] {
		around[n] = true
	}
	for !around[b] {
		b = r.parents[b]
	}
	return b
}

// Always reports whether the call before has run if the other one runs, as far
// as branches and loops tell: it isn't inside one that the other call is not in.
func (r *Result) Always(before, call ast.Node) bool {
	return len(r.conditions(before, r.common(before, call))) == 0
}

// conditions lists the statements and literals between n and the node around
// that may prevent the execution of n, as their statement lists.
func (r *Result) conditions(n, around ast.Node) [][]ast.Stmt {
	var all [][]ast.Stmt
	for below := n; n != around; below = n {
		n = r.parents[n]
		switch p := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			switch b := below.(type) {
			case *ast.BlockStmt:
				all = append(all, b.List)
			case *ast.IfStmt: // else if
				all = append(all, nil)
			}
		case *ast.CaseClause:
			if n != around {
				all = append(all, p.Body)
			}
		case *ast.CommClause:
			if n != around {
				all = append(all, p.Body)
			}
		case *ast.FuncLit:
			if _, ok := r.parents[p].(*ast.CallExpr); !ok {
				all = append(all, nil) // its callers are unknown
			}
		}
	}
	return all
}

// leaves reports whether the last of the statements ends the function or the
// loop.
func leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		return ok && slices.Contains([]string{"panic", "os.Exit", "log.Fatal", "log.Fatalf"}, types.ExprString(call.Fun))
	}
	return false
}
