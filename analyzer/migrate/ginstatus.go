package migrate

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// This file checks uses of the status. gin writes it with the first byte of the
// body, but the rewritten program writes it immediately, with the headers.

// ginStatus lists the methods whose first argument is a status.
var ginStatus = map[string]bool{"JSON": true, "XML": true, "String": true, "Data": true, "Status": true, "AbortWithStatus": true,
	"AbortWithStatusJSON": true}

func (x *rewriter) isNegative(e ast.Expr) bool {
	v := x.info.Types[e].Value
	return v != nil && v.Kind() == constant.Int && constant.Sign(v) < 0
}

// isAssigned reports whether an expression is assigned to.
func (x *rewriter) isAssigned(e ast.Expr) bool {
	assign, ok := x.parents[e].(*ast.AssignStmt)
	return ok && slices.Contains(assign.Lhs, e)
}

func (x *rewriter) isEmpty(e ast.Expr) bool {
	text, ok := x.constant(e)
	return ok && text == ""
}

func (x *rewriter) isMap(e ast.Expr) bool {
	_, ok := x.info.TypeOf(e).Underlying().(*types.Map)
	return ok
}

// endsHere reports whether a function doesn't change the status or headers
// after a statement that writes the status.
func (x *rewriter) endsHere(call *ast.CallExpr, f *contextual) bool {
	stmt := x.statement(call)
	if stmt == nil || x.function(stmt) != f.node || f.middleware {
		return false
	}
	for at := ast.Stmt(stmt); ; {
		list := x.blockOf(at)
		i := slices.Index(list, at)
		if i < 0 {
			return false
		}
		for _, next := range list[i+1:] {
			if isReturn(next) {
				return true
			}
			if !x.quiet(next) {
				return false
			}
		}
		if x.parents[at] == ast.Node(f.body) {
			return true
		}
		block, ok := x.parents[at].(*ast.BlockStmt)
		if !ok {
			return false
		}
		outer, ok := x.parents[block].(*ast.IfStmt)
		if !ok {
			return false
		}
		at = outer
	}
}

// quiet reports whether a statement doesn't change the status or headers.
func (x *rewriter) quiet(stmt ast.Stmt) bool {
	quiet := true
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			quiet = quiet && n.Sel.Name != "Header" && n.Sel.Name != "WriteHeader"
		case *ast.CallExpr:
			quiet = quiet && (!strings.HasPrefix(x.callee(n), "Context.") || x.callee(n) == "Context.Param" || x.callee(n) == "Context.Query")
		}
		return quiet
	})
	return quiet
}
