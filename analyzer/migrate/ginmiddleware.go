package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file rewrites middleware of gin to func(http.Handler) http.Handler. In
// gin, a middleware is a handler that calls c.Next(), or returns, and then gin
// calls the next handler.

// ginFindMiddleware marks the functions that are used as middleware.
func (x *rewriter) ginFindMiddleware(s *source, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	recv, method, _ := strings.Cut(x.callee(call), ".")
	switch {
	case x.callee(call) == "Context.Next":
		if f := x.contextCall(call); f != nil {
			f.middleware = true
		}
		return
	case recv != "Engine" && recv != "RouterGroup" && recv != "IRoutes" && recv != "IRouter":
		return
	}
	var list []ast.Expr
	switch {
	case method == "Use":
		list = call.Args
	case method == "Group":
		list = call.Args[1:]
	case verbs[method], method == "Any", method == "Handle" && len(call.Args) > 1:
		list = call.Args[1:]
		if method == "Handle" {
			list = list[1:]
		}
		if len(list) > 0 {
			list = list[:len(list)-1]
		}
	}
	for _, e := range list {
		x.ginMark(e)
	}
}

// ginMark marks the function literals and declarations that an expression for a
// middleware refers to.
func (x *rewriter) ginMark(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		x.ginMarkNode(e)
	case *ast.Ident, *ast.SelectorExpr:
		if fn := function(x.info, e); fn != nil {
			if decl := x.declaration(fn); decl != nil {
				x.ginMarkNode(decl)
			}
		}
	case *ast.CallExpr:
		fn := function(x.info, ast.Unparen(e.Fun))
		if fn == nil || x.declaration(fn) == nil {
			return
		}
		ast.Inspect(x.declaration(fn).Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				if len(n.Results) == 1 {
					x.ginMark(n.Results[0])
					x.makesMiddleware[fn] = true
				}
			}
			return true
		})
	}
}

func (x *rewriter) ginMarkNode(n ast.Node) {
	for _, f := range x.contexts() {
		if f.node == n {
			f.middleware = true
		}
	}
}

// declaration returns the declaration of a function in the package.
func (x *rewriter) declaration(fn *types.Func) *ast.FuncDecl {
	for _, s := range x.sources {
		for _, d := range s.file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && x.info.Defs[d.Name] == types.Object(fn) && d.Body != nil {
				return d
			}
		}
	}
	return nil
}

// ginMiddlewareBody wraps the body of a middleware.
func (x *rewriter) ginMiddlewareBody(s *source, n ast.Node) {
	var f *contextual
	for _, c := range x.contexts() {
		if c.node == n && c.middleware {
			f = c
		}
	}
	if f == nil {
		return
	}
	next, ok := x.ginNext(f)
	if !ok {
		return
	}
	x.ginHelpers(f, next)
	call := f.next + ".ServeHTTP(" + f.w + ", " + f.r + ")"
	ends := x.ginAborts(s, f, f.body.List, next, true)
	x.ginReturns(s, f, next, call)
	http := x.qualify(s, "net/http")
	if f.typ.Results == nil {
		s.replace(f.typ.Params.End(), f.typ.Params.End(), " "+http+".Handler")
	}
	open, closing := f.body.Lbrace+1, f.body.Rbrace
	s.replace(open, open, "\nreturn "+http+".HandlerFunc(func("+f.w+" "+http+".ResponseWriter, "+f.r+" *"+http+".Request) {")
	end := "})\n"
	if next == token.NoPos && !ends {
		end = call + "\n" + end
	}
	s.replace(closing, closing, end)
}

// ginNext returns the position of the only c.Next() in a middleware, which must
// be a top-level statement of the body.
func (x *rewriter) ginNext(f *contextual) (token.Pos, bool) {
	at, ok := token.NoPos, true
	ast.Inspect(f.body, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall || x.callee(call) != "Context.Next" {
			return true
		}
		stmt := x.statement(call)
		if at != token.NoPos || stmt == nil || x.parents[stmt] != ast.Node(f.body) {
			ok = false
			x.todo(call, "this middleware calls Next in an unusual place: write it as func(http.Handler) http.Handler")
		}
		at = call.Pos()
		return true
	})
	return at, ok
}

// ginReturns adds a call of the next handler to each return before Next. In
// gin, such a return continues the chain unless the request was aborted.
func (x *rewriter) ginReturns(s *source, f *contextual, next token.Pos, call string) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		ret, ok := n.(*ast.ReturnStmt)
		if !ok || next != token.NoPos && ret.Pos() > next {
			return true
		}
		list := x.blockOf(ret)
		i := slices.Index(list, ast.Stmt(ret))
		if i < 0 {
			x.todo(ret, "this return is in an unusual place: write the middleware as func(http.Handler) http.Handler")
		} else if !slices.ContainsFunc(list[:i], x.aborts) {
			s.replace(ret.Pos(), ret.Pos(), call+"\n")
		}
		return true
	})
}

func isReturn(stmt ast.Stmt) bool {
	_, ok := stmt.(*ast.ReturnStmt)
	return ok
}
