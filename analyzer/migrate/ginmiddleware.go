package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A middleware of gin is a handler that calls the next one by c.Next(), or lets
// it be called after its own end. Here it is a func(http.Handler) http.Handler.

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
	case method == "Group", verbs[method], method == "Any":
		list = call.Args[1:]
		if method != "Group" && len(list) > 0 {
			list = list[:len(list)-1]
		}
	}
	for _, e := range list {
		x.ginMark(e)
	}
}

// ginMark marks the function literals and declarations that an expression of a
// middleware leads to.
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

// ginHalfway rewrites a Use between routes: those that come later get a scope
// of their own.
func (x *rewriter) ginHalfway(s *source, n ast.Node) {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return
	}
	routed := make(map[types.Object]bool)
	for _, stmt := range block.List {
		e, ok := stmt.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		recv, method, _ := strings.Cut(x.callee(call), ".")
		if recv != "Engine" && recv != "RouterGroup" {
			continue
		}
		obj := variable(x.info, receiver(call))
		switch {
		case obj == nil, method == "NoRoute", method == "NoMethod", strings.HasPrefix(method, "Run"), strings.HasPrefix(method, "Set"):
		case method != "Use":
			routed[obj] = true
		case routed[obj]:
			x.remark(call, "what no route serves is answered without this middleware, which comes after routes")
			name := obj.Name() + "2"
			for _, id := range x.uses(s, obj) {
				if id.Pos() > stmt.End() && id.Pos() < block.End() && x.isRegistration(id) {
					x.replace(s, id, name)
				}
			}
			s.replace(call.Pos(), call.Pos(), name+" := ")
			x.replace(s, ast.Unparen(call.Fun).(*ast.SelectorExpr).Sel, "With")
			routed[obj] = false
			x.halfway[call] = true
		}
	}
}

// isRegistration reports whether the identifier is the receiver of a call that
// registers routes or makes a group.
func (x *rewriter) isRegistration(id *ast.Ident) bool {
	sel, ok := x.parents[id].(*ast.SelectorExpr)
	if !ok {
		return false
	}
	call, ok := x.parents[sel].(*ast.CallExpr)
	if !ok {
		return false
	}
	_, method, _ := strings.Cut(x.callee(call), ".")
	return verbs[method] || method == "Any" || method == "Handle" || method == "Match" || method == "Group" || strings.HasPrefix(method, "Static")
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
	call := "next.ServeHTTP(" + f.w + ", " + f.r + ")"
	ends := false
	for i, stmt := range f.body.List {
		ends = i == len(f.body.List)-1 && (x.aborts(stmt) || isReturn(stmt))
	}
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

// ginNext returns the place of the one c.Next() of a middleware, which must
// stand in the body's own list.
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

// ginReturns lets a return before Next go on with the chain, as it does in gin
// unless the request was aborted.
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
		for i, stmt := range list {
			if stmt == ast.Stmt(ret) && (i == 0 || !x.aborts(list[i-1])) {
				s.replace(ret.Pos(), ret.Pos(), call+"\n")
			}
		}
		return true
	})
}

func isReturn(stmt ast.Stmt) bool {
	_, ok := stmt.(*ast.ReturnStmt)
	return ok
}

// aborts reports whether a statement is a call of AbortWithStatus or the like.
func (x *rewriter) aborts(stmt ast.Stmt) bool {
	e, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	return ok && strings.HasPrefix(x.callee(call), "Context.Abort")
}
