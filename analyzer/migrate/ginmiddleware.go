package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
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
	decl, ok := n.(*ast.FuncDecl)
	if !ok || decl.Body == nil {
		return
	}
	twice := make(map[types.Object]bool)
	for _, stmt := range decl.Body.List {
		call := useCall(stmt)
		if call == nil {
			continue
		}
		if _, method, _ := strings.Cut(x.callee(call), "."); method != "Use" || !x.isLate(call) {
			continue
		}
		obj := variable(x.info, receiver(call))
		name, ok := x.ginScope(s, obj, stmt, decl)
		if !ok || twice[obj] {
			continue // leftUses notes it
		}
		twice[obj] = true
		x.remark(call, "what no route serves is answered without this middleware, which comes after routes")
		for _, id := range x.uses(s, obj) {
			if id.Pos() > stmt.End() && x.isRegistration(id) {
				x.replace(s, id, name)
			}
		}
		s.replace(call.Pos(), call.Pos(), name+" := ")
		x.replace(s, ast.Unparen(call.Fun).(*ast.SelectorExpr).Sel, "With")
		x.halfway[call], x.movedUse[call] = true, true
	}
}

// ginScope returns a name for the scope of the routes that come after a Use. It
// reports false unless all that happens to the router afterwards is plain to
// see: routes and groups in the same function.
func (x *rewriter) ginScope(s *source, obj types.Object, use ast.Stmt, decl *ast.FuncDecl) (string, bool) {
	if obj == nil || obj.Parent() == nil || obj.Pos() < decl.Pos() || obj.Pos() > use.Pos() {
		return "", false // of more than this function
	}
	local := inside(obj.Pos(), decl.Body.Pos(), decl.Body.End())
	registered := false
	for _, id := range x.uses(s, obj) {
		switch {
		case id.Pos() < use.End():
		case x.isRegistration(id):
			registered = true
		case !x.servesOnly(id):
			return "", false
		case local && x.isReturned(id) && !x.onlyServed(decl):
			return "", false
		}
	}
	// A parameter's router can get routes elsewhere, later.
	if !registered || !local && !x.lastTouch(obj, decl) {
		return "", false
	}
	return x.unused(decl, obj.Name()+"2"), true
}

// servesOnly reports whether what happens to a router at a place only serves its
// routes: it is run, returned, or assigned to something of another type.
func (x *rewriter) servesOnly(id *ast.Ident) bool {
	switch p := x.parents[id].(type) {
	case *ast.SelectorExpr:
		_, method, _ := strings.Cut(objectName(x.info.ObjectOf(p.Sel)), ".")
		return neutral[method] && method != "Use"
	case *ast.ReturnStmt:
		return true
	case *ast.CallExpr:
		fn, ok := typeutil.Callee(x.info, p).(*types.Func)
		return ok && fn.Pkg() != nil && !slices.Contains(x.program, fn.Pkg().Path())
	case *ast.KeyValueExpr: // http.Server{Handler: r}
		key := variable(x.info, p.Key)
		return key != nil && types.IsInterface(key.Type())
	}
	return false
}

func (x *rewriter) isReturned(id *ast.Ident) bool {
	_, ok := x.parents[id].(*ast.ReturnStmt)
	return ok
}

// onlyServed reports whether the callers of a function that returns a router
// register nothing on it.
func (x *rewriter) onlyServed(decl *ast.FuncDecl) bool {
	fn, ok := x.info.Defs[decl.Name].(*types.Func)
	if !ok || x.pkg.Name != "main" && fn.Exported() {
		return false
	}
	for _, site := range x.kinds.sites[x.kinds.key(fn)] {
		assign, ok := x.parents[site.call].(*ast.AssignStmt)
		if !ok {
			if _, ok := x.parents[site.call].(*ast.CallExpr); ok {
				continue
			}
			if sel, ok := x.parents[site.call].(*ast.SelectorExpr); ok && neutral[sel.Sel.Name] && sel.Sel.Name != "Use" {
				continue
			}
			return false
		}
		if len(assign.Lhs) != 1 || site.in == nil {
			return false
		}
		obj := variable(x.info, assign.Lhs[0])
		if obj == nil || x.kinds.touches(body{site.info, site.in}, x.kinds.key(obj), site.in.End(), make(map[token.Position]bool)) {
			return false
		}
	}
	return true
}

// lastTouch reports whether no caller of a function with a router registers on
// the router afterwards. It knows only callers that made it for the call.
func (x *rewriter) lastTouch(obj types.Object, decl *ast.FuncDecl) bool {
	fn, ok := x.info.Defs[decl.Name].(*types.Func)
	if !ok || len(x.kinds.sites[x.kinds.key(fn)]) == 0 {
		return false
	}
	for _, site := range x.kinds.sites[x.kinds.key(fn)] {
		for _, arg := range site.call.Args {
			if named := namedType(site.info.TypeOf(arg)); named == nil || named.Obj().Pkg() == nil || !x.isOld(named.Obj().Pkg().Path()) {
				continue
			}
			if _, ok := ast.Unparen(arg).(*ast.CallExpr); !ok {
				return false
			}
		}
	}
	return true
}

// unused returns the first of name, name2, … that nothing in the function has.
func (x *rewriter) unused(fn ast.Node, names ...string) string {
	taken := make(map[string]bool)
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := x.info.ObjectOf(id).(*types.Var); !ok || !v.IsField() {
				taken[id.Name] = true
			}
		}
		return true
	})
	for _, name := range names {
		if !taken[name] {
			return name
		}
	}
	for i := 2; ; i++ {
		if name := names[len(names)-1] + strconv.Itoa(i); !taken[name] {
			return name
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

// ginAborts looks at the aborts in a list of statements. In gin the function
// goes on behind one, and the chain doesn't; here the function must return. tail
// says that the function ends after the list. ginAborts reports whether it ends
// without going on with the chain.
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
			x.todo(stmt, "this may return behind an abort: write the middleware as func(http.Handler) http.Handler")
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
				x.todo(stmt, "this aborts when the function ends: write the middleware as func(http.Handler) http.Handler")
			}
		default:
			if !done && x.hasAbort(stmt) {
				x.ginLoopAborts(s, f, stmt, next)
			}
		}
	}
	return aborted
}

// ginBranch is ginAborts for a branch. Where the function goes on behind it, an
// abort in it needs a return.
func (x *rewriter) ginBranch(s *source, f *contextual, list []ast.Stmt, next token.Pos, tail, done bool) {
	if !x.ginAborts(s, f, list, next, tail) || done || len(list) == 0 || isReturn(list[len(list)-1]) {
		return
	}
	last := list[len(list)-1]
	if !tail || next != token.NoPos {
		x.todo(last, "the function goes on behind this abort: return here, or write it as func(http.Handler) http.Handler")
		return
	}
	s.replace(last.End(), last.End(), "\nreturn")
}

// ginLoopAborts notes the aborts in a statement, a loop for example, that no
// return follows at once.
func (x *rewriter) ginLoopAborts(s *source, f *contextual, stmt ast.Stmt, next token.Pos) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		e, ok := n.(*ast.ExprStmt)
		if !ok || !x.aborts(e) {
			return true
		}
		list := x.blockOf(e)
		i := slices.Index(list, ast.Stmt(e))
		if x.function(e) != f.node || i < 0 || i+1 >= len(list) || !isReturn(list[i+1]) {
			x.todo(e, "no return follows this abort at once: write the middleware as func(http.Handler) http.Handler")
		}
		return true
	})
}

// ginHelpers notes the calls in a middleware that hand the context to a
// function which may abort.
func (x *rewriter) ginHelpers(f *contextual, next token.Pos) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || next != token.NoPos && call.Pos() > next || !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return x.contextOf(e) == f }) {
			return true
		}
		fn, _ := typeutil.Callee(x.info, call).(*types.Func)
		if fn == nil || x.kinds.bodies[x.kinds.key(fn.Origin())].decl == nil || x.mayAbort(fn.Origin(), make(map[*types.Func]bool)) {
			x.todo(call, "this may abort the request: let it report whether the request goes on, and return unless it does")
		}
		return true
	})
}

// mayAbort reports whether a function aborts the request of its context, or
// hands it on.
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

// hasAbort reports whether a statement has an abort in it.
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
		i := slices.Index(list, ast.Stmt(ret))
		if i < 0 {
			x.todo(ret, "this return stands in an unusual place: write the middleware as func(http.Handler) http.Handler")
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

// aborts reports whether a statement is a call of AbortWithStatus or the like.
func (x *rewriter) aborts(stmt ast.Stmt) bool {
	e, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	return ok && strings.HasPrefix(x.callee(call), "Context.Abort")
}
