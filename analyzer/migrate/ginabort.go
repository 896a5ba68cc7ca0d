package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// This file determines where a middleware of gin aborts the chain.

// ginAborts rewrites the aborts in a list of statements. In gin, an abort stops
// the chain but the function continues; after rewriting, the function must
// return. tail reports whether the function ends after the list. ginAborts
// reports whether the list always ends without continuing the chain.
func (x *rewriter) ginAborts(s *source, f *contextual, list []ast.Stmt, next token.Pos, tail bool) bool {
	aborted := false
	for i, stmt := range list {
		last := i == len(list)-1
		if isReturn(stmt) {
			return true
		}
		if x.aborts(stmt) {
			aborted = true
			continue
		}
		if aborted && containsReturn(stmt) {
			x.todo(stmt, "this may return after an abort: write the middleware as func(http.Handler) http.Handler")
		}
		done := next != token.NoPos && stmt.Pos() > next
		switch stmt := stmt.(type) {
		case *ast.BlockStmt:
			if x.ginAborts(s, f, stmt.List, next, tail && last) && last {
				aborted = true
			}
		case *ast.IfStmt:
			for branch := ast.Stmt(stmt); branch != nil; {
				list := []ast.Stmt(nil)
				switch b := branch.(type) {
				case *ast.IfStmt:
					list, branch = b.Body.List, b.Else
				case *ast.BlockStmt:
					list, branch = b.List, nil
				}
				x.ginBranch(s, f, list, next, tail && last, done)
			}
		case *ast.SwitchStmt:
			for _, c := range stmt.Body.List {
				x.ginBranch(s, f, c.(*ast.CaseClause).Body, next, tail && last, done)
			}
		case *ast.TypeSwitchStmt:
			for _, c := range stmt.Body.List {
				x.ginBranch(s, f, c.(*ast.CaseClause).Body, next, tail && last, done)
			}
		case *ast.DeferStmt:
			if next == token.NoPos && x.hasAbort(stmt) {
				x.todo(stmt, "this aborts when the function returns: write the middleware as func(http.Handler) http.Handler")
			}
		default:
			if !done && x.hasAbort(stmt) {
				x.ginLoopAborts(f, stmt)
			}
		}
	}
	return aborted
}

// ginBranch is ginAborts for a branch. If the function continues after the
// branch, an abort in it needs a return.
func (x *rewriter) ginBranch(s *source, f *contextual, list []ast.Stmt, next token.Pos, tail, done bool) {
	if !x.ginAborts(s, f, list, next, tail) || done || len(list) == 0 || isReturn(list[len(list)-1]) {
		return
	}
	last := list[len(list)-1]
	if !tail || next != token.NoPos {
		x.todo(last, "the function continues after this abort: return here, or write the middleware as func(http.Handler) http.Handler")
		return
	}
	s.replace(last.End(), last.End(), "\nreturn")
}

// ginLoopAborts reports the aborts in a statement, such as a loop, that aren't
// directly followed by a return.
func (x *rewriter) ginLoopAborts(f *contextual, stmt ast.Stmt) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		e, ok := n.(*ast.ExprStmt)
		if !ok || !x.aborts(e) {
			return true
		}
		list := x.blockOf(e)
		i := slices.Index(list, ast.Stmt(e))
		if x.function(e) != f.node || i < 0 || i+1 >= len(list) || !isReturn(list[i+1]) {
			x.todo(e, "no return follows this abort directly: write the middleware as func(http.Handler) http.Handler")
		}
		return true
	})
}

// ginHelpers reports calls in a middleware that pass the context to a function
// that may abort.
func (x *rewriter) ginHelpers(f *contextual, next token.Pos) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || next != token.NoPos && call.Pos() > next || !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return x.contextOf(e) == f }) {
			return true
		}
		fn, _ := typeutil.Callee(x.info, call).(*types.Func)
		if fn == nil || x.kinds.bodies[x.kinds.key(fn.Origin())].decl == nil || x.mayAbort(fn.Origin(), make(map[*types.Func]bool)) {
			x.todo(call, "this may abort the request: make it report whether to continue, and return if not")
		}
		return true
	})
}

// mayAbort reports whether a function may abort the request, or call Next.
func (x *rewriter) mayAbort(fn *types.Func, seen map[*types.Func]bool) bool {
	b := x.kinds.bodies[x.kinds.key(fn)]
	if b.decl == nil {
		return true
	}
	if seen[fn] {
		return false
	}
	seen[fn] = true
	found := false
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		called, _ := typeutil.Callee(b.info, call).(*types.Func)
		if called != nil && called.Pkg() != nil && x.isOld(called.Pkg().Path()) {
			name := objectName(called)
			found = strings.HasPrefix(name, "Context.Abort") || name == "Context.Next"
			return !found
		}
		for _, arg := range call.Args {
			if named := namedType(b.info.TypeOf(arg)); named != nil && named.Obj().Name() == "Context" && named.Obj().Pkg() != nil &&
				x.isOld(named.Obj().Pkg().Path()) && (called == nil || x.mayAbort(called.Origin(), seen)) {
				found = true
			}
		}
		return !found
	})
	return found
}

// hasAbort reports whether a statement contains an abort.
func (x *rewriter) hasAbort(stmt ast.Stmt) bool {
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && strings.HasPrefix(x.callee(call), "Context.Abort")
		return !found
	})
	return found
}

func containsReturn(stmt ast.Stmt) bool {
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if n, ok := n.(ast.Stmt); ok && isReturn(n) {
			found = true
		}
		return !found
	})
	return found
}

// aborts reports whether a statement is a call of one of the Abort methods.
func (x *rewriter) aborts(stmt ast.Stmt) bool {
	e, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	return ok && strings.HasPrefix(x.callee(call), "Context.Abort")
}
