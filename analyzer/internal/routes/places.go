package routes

import (
	"errors"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A Place is where a route stands on a mux: on its own, and on those that its own is mounted on.
type Place struct {
	Root   any
	prefix string
	route  *Route
}

// Places lists the places of a route whose pattern is known.
func (r *Result) Places(route *Route) []Place {
	return r.places(route, route.Scope, "", 0)
}

func (r *Result) places(route *Route, s Scope, below string, depth int) []Place {
	prefix := s.Prefix + below
	all := []Place{{s.Root, prefix, route}}
	for _, m := range r.mounts[s.Root] {
		if m.known && depth < 8 {
			all = append(all, r.places(route, m.at, join("", m.prefix)+prefix, depth+1)...)
		}
	}
	return all
}

// join puts a prefix behind another one, without a trailing slash.
func join(prefix, more string) string { return prefix + strings.TrimSuffix(more, "/") }

// Parse parses the pattern that the route has at its place, as the router does; a mounted handler has two. What an
// http.ServeMux takes is parsed the same way; the router takes more.
func (p Place) Parse() ([]*pattern.Pattern, error) {
	text := p.route.Pattern
	var one *pattern.Pattern
	var err error
	switch p.route.Door {
	case Verb:
		if text != "" && text[0] != '/' {
			return nil, errors.New("the path must begin with /")
		}
		one, err = pattern.ParsePath(p.route.Method, p.prefix+text)
	case Mount:
		if text == "" || text[0] != '/' {
			return nil, errors.New("the prefix must begin with /")
		}
		all := join(p.prefix, text)
		if one, err = pattern.Parse(all + "/"); err == nil && all != "" {
			two, err := pattern.Parse(all)
			return []*pattern.Pattern{one, two}, err
		}
	default:
		if one, err = pattern.Parse(text); err == nil && p.prefix != "" {
			one, err = pattern.Parse(text[:len(text)-len(one.Path)] + p.prefix + one.Path)
		}
	}
	return []*pattern.Pattern{one}, err
}

// ParsePrefix reports what is wrong with the prefix of a group or mount.
func ParsePrefix(prefix string) error {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return nil
	}
	p, err := pattern.ParsePath("GET", prefix)
	if err == nil && p.End != pattern.Exact {
		err = errors.New("a prefix cannot end in a catch-all or {$}")
	}
	return err
}

// Together reports whether one run of the program is seen to execute both calls: they are in the same function, or in
// functions that are called once from the same function, not in different branches there, and none in a branch that
// returns before the other.
func (r *Result) Together(a, b *ast.CallExpr) bool {
	for _, x := range r.callChain(a) {
		for _, y := range r.callChain(b) {
			if r.declaration(x) == r.declaration(y) {
				return r.sameRun(x, y)
			}
		}
	}
	return false
}

// callChain lists the call, the only call of the function around it, the only call of the function around that, …
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

func (r *Result) sameRun(a, b *ast.CallExpr) bool {
	above := make(map[ast.Node]ast.Node) // the nodes around a, with the one below each
	for n, below := r.parents[a], ast.Node(a); n != nil; n, below = r.parents[n], n {
		above[n] = below
	}
	for n, below := r.parents[b], ast.Node(b); n != nil; n, below = r.parents[n], n {
		other, ok := above[n]
		if !ok {
			continue
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			return !(other == n.Body && below == n.Else || other == n.Else && below == n.Body)
		case *ast.BlockStmt:
			if _, ok := other.(*ast.CaseClause); ok {
				return false
			}
			if _, ok := other.(*ast.CommClause); ok {
				return false
			}
			return !leavesBefore(other, below)
		case *ast.CaseClause, *ast.CommClause:
			return !leavesBefore(other, below)
		case *ast.FuncDecl, *ast.FuncLit:
			return true
		}
		return true
	}
	return true
}

// leavesBefore reports whether the earlier one of the statements is an if whose body ends the function.
func leavesBefore(a, b ast.Node) bool {
	if a.Pos() > b.Pos() {
		return leaves(b)
	}
	return leaves(a)
}

func leaves(n ast.Node) bool {
	s, ok := n.(*ast.IfStmt)
	if !ok || len(s.Body.List) == 0 {
		return false
	}
	switch last := s.Body.List[len(s.Body.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		return ok && slices.Contains([]string{"panic", "os.Exit", "log.Fatal", "log.Fatalf"}, types.ExprString(call.Fun))
	}
	return false
}
