package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A route is a registration whose path is constant.
type route struct {
	call    *ast.CallExpr
	router  types.Object
	in      ast.Node // the function
	pattern *pattern.Pattern
	shape   string // of the pattern
}

// registered records a route. path has muxmaster's syntax. With subtree, a
// slash at its end matches all paths below it.
func (x *rewriter) registered(call *ast.CallExpr, router ast.Expr, methods []string, host, path string, subtree bool) {
	obj := variable(x.info, router)
	if obj == nil || path == "" {
		return
	}
	parse := pattern.ParsePath
	if subtree {
		parse = pattern.Parse
	}
	p, err := parse(host + path)
	if err != nil {
		return
	}
	if len(methods) > 0 {
		p.Methods = methods
	}
	x.routes = append(x.routes, route{call, obj, x.function(call), p, p.Shape()})
}

// registeredPath records the route of a call with a path of the old router.
func (x *rewriter) registeredPath(call *ast.CallExpr, path ast.Expr, to translate, methods ...string) {
	if text, ok := x.constant(path); ok {
		if text, err := to(text); err == nil {
			x.registered(call, receiver(call), methods, "", text, false)
		}
	}
}

// conflicts reports routes with the same path and method as an earlier one, and
// routes that an earlier one hides in the old router but not in muxmaster. If
// firstWins is set, the old router uses the first of several equal routes,
// otherwise the last.
func (x *rewriter) conflicts(firstWins bool) {
	slices.SortStableFunc(x.routes, func(a, b route) int { return int(a.call.End() - b.call.End()) })
	for i, later := range x.routes {
		for _, earlier := range x.routes[:i] {
			if earlier.router != later.router || earlier.in != later.in {
				continue
			}
			same := earlier.shape == later.shape
			if !same && !(firstWins && shadows(earlier.pattern, later.pattern)) || exclusive(earlier.call, later.call, x) {
				continue
			}
			line := x.pkg.Fset.Position(earlier.call.Pos()).Line
			if _, overlap := pattern.Overlap(earlier.pattern, later.pattern); overlap && same {
				which := "last"
				if firstWins {
					which = "first"
				}
				x.todo(later.call, "line %d registers the same route: the old router uses the %s one, muxmaster panics: delete the other", line, which)
			} else if some, every := later.pattern.Methods, earlier.pattern.Methods; same && (firstWins && some != nil && every == nil || !firstWins && some == nil && every != nil) {
				x.todo(later.call, "line %d has the same path: in muxmaster, the route for the method wins, in any order", line)
			} else if firstWins && shadows(earlier.pattern, later.pattern) {
				x.todo(later.call, "in the old router, the earlier route in line %d gets requests that this one gets in muxmaster: delete this one, or put it first", line)
			}
		}
	}
}

// exclusive reports whether two calls are in different branches.
func exclusive(a, b ast.Node, x *rewriter) bool {
	var around []ast.Node
	for n := a; n != nil; n = x.parents[n] {
		around = append(around, n)
	}
	for n := b; n != nil; n = x.parents[n] {
		i := slices.Index(around, x.parents[n])
		if i < 0 {
			continue
		}
		switch x.parents[n].(type) {
		case *ast.IfStmt:
			return true
		case *ast.BlockStmt:
			_, isCase := n.(*ast.CaseClause)
			return isCase && i > 0 && around[i-1] != n
		}
		return false
	}
	return false
}

// shadows reports whether the first pattern matches requests for the second,
// which is the more specific one.
func shadows(first, second *pattern.Pattern) bool {
	if first.Methods != nil && (second.Methods == nil || !slices.ContainsFunc(second.Methods, func(m string) bool { return slices.Contains(first.Methods, m) })) {
		return false
	}
	if first.Host != second.Host {
		return first.Host == "" && second.Host != "" && first.Shape() == second.Shape()[len(second.HostShape()):]
	}
	moreSpecific := false
	for i, seg := range second.Segs {
		if i >= len(first.Segs) {
			return first.End == pattern.All
		}
		with := first.Segs[i]
		switch {
		case seg.Shape() == with.Shape():
		case with.Kind() == pattern.Plain && seg.Kind() < pattern.Plain:
			moreSpecific = true
		case with.Kind() == pattern.Constrained && seg.Kind() == pattern.Literal:
			expr, err := pattern.CompileExpr(with[0].Expr)
			if err != nil || !expr.Match(seg[0].Text) {
				return false
			}
			moreSpecific = true
		default:
			return false
		}
	}
	if len(first.Segs) > len(second.Segs) {
		return false
	}
	if first.End == pattern.All {
		return moreSpecific || second.End != pattern.All
	}
	return moreSpecific && first.End == second.End
}

// sameAt reports whether the variable e has the same meaning at another
// position: it isn't shadowed there, and only copies of itself are assigned to
// it.
func (x *rewriter) sameAt(e ast.Expr, at token.Pos) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	obj := x.info.Uses[id]
	scope := x.pkg.Types.Scope().Innermost(at)
	if obj == nil || scope == nil {
		return false
	}
	if _, there := scope.LookupParent(id.Name, at); there != obj {
		return false
	}
	same := true
	ast.Inspect(x.function(id), func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return same
		}
		for i, l := range assign.Lhs {
			if variable(x.info, l) != obj || x.info.Defs[identOf(l)] != nil {
				continue
			}
			call, ok := assign.Rhs[min(i, len(assign.Rhs)-1)].(*ast.CallExpr)
			if !ok {
				same = false
				continue
			}
			fn := function(x.info, ast.Unparen(call.Fun))
			if fn == nil || fn.FullName() != "(*net/http.Request).WithContext" && fn.FullName() != "(*net/http.Request).Clone" {
				same = false
			}
		}
		return same
	})
	return same
}

func identOf(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}
