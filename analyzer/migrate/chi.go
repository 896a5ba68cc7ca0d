package migrate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

var chi = &dialect{
	paths:      []string{"github.com/go-chi/chi/v5", "github.com/go-chi/chi/v4", "github.com/go-chi/chi"},
	passes:     []func(*rewriter, *source, ast.Node){(*rewriter).chiContext, (*rewriter).chi},
	kindOfCall: chiKind,
	advice: map[string]string{
		"Walk":               "range over Mux.Routes()",
		"Router.Routes":      "range over Mux.Routes()",
		"Mux.Routes":         "range over Mux.Routes()",
		"Router.Match":       "use Mux.Handler or Mux.Explain",
		"Mux.Match":          "use Mux.Handler or Mux.Explain",
		"Mux.Find":           "use Mux.Handler or Mux.Explain",
		"Chain":              "use With",
		"URLParamFromCtx":    "pass the request and use r.PathValue(name)",
		"RouteContext":       "use r.PathValue(name) and muxmaster.RoutePattern(r)",
		"RouteCtxKey":        "in a test, use r.SetPathValue(name, value)",
		"NewRouteContext":    "in a test, use r.SetPathValue(name, value)",
		"Context.URLParams":  "use muxmaster.PathParams(r)",
		"Context.RoutePath":  "middleware that changes the path must change r.URL.Path and be passed to Mux.Pre",
		"Mux.Middlewares":    "keep the list of middleware in a variable",
		"Router.Middlewares": "keep the list of middleware in a variable",
	},
}

var chiVerbs = map[string]string{"Get": "GET", "Head": "HEAD", "Post": "POST", "Put": "PUT", "Patch": "PATCH", "Delete": "DELETE",
	"Options": "OPTIONS", "Connect": "CONNECT", "Trace": "TRACE", "Query": "QUERY"}

// chiBeforeRouting are middleware of chi that change the routed path or method.
var chiBeforeRouting = map[string]bool{"StripSlashes": true, "RedirectSlashes": true, "CleanPath": true, "GetHead": true, "URLFormat": true,
	"RouteHeaders": true, "PathRewrite": true}

func chiKind(info *types.Info, name string, call *ast.CallExpr, k *kinds) kind {
	switch name {
	case "NewRouter", "NewMux":
		return isMux
	case "Mux.With", "Router.With", "Mux.Group", "Router.Group", "Mux.Route", "Router.Route":
		return isGroup
	}
	return isOther
}

// chiContext replaces the variables that hold chi.RouteContext(r.Context()).
func (x *rewriter) chiContext(s *source, n ast.Node) {
	assign, ok := n.(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || x.callee(call) != "RouteContext" {
		return
	}
	r, ok := x.requestOf(s, call.Args[0])
	obj := x.info.Defs[assign.Lhs[0].(*ast.Ident)]
	if !ok || obj == nil {
		return
	}
	uses := x.uses(s, obj)
	for _, id := range uses {
		sel, ok := x.parents[id].(*ast.SelectorExpr)
		if !ok || sel.X != ast.Expr(id) {
			return
		}
		if inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); !ok || !x.sameAt(receiver(inner), id.Pos()) {
			return
		}
		if c, ok := x.parents[sel].(*ast.CallExpr); !ok || c.Fun != ast.Expr(sel) || x.chiContextCall(s, c, r, false) == "" {
			return
		}
	}
	for _, id := range uses {
		sel := x.parents[id].(*ast.SelectorExpr)
		c := x.parents[sel].(*ast.CallExpr)
		x.replace(s, c, x.chiContextCall(s, c, r, true))
	}
	x.handled(call.Fun)
	x.remove(s, assign)
}

// chiContextCall returns the replacement of a method call on the route context
// of the request r, or "".
func (x *rewriter) chiContextCall(s *source, call *ast.CallExpr, r string, do bool) string {
	switch x.callee(call) {
	case "Context.RoutePattern":
		if do {
			x.handled(call.Fun)
			x.remark(call, "RoutePattern returns {%s...} where chi returns *", rest)
			return x.mux(s, "RoutePattern") + "(" + r + ")"
		}
		return "yes"
	case "Context.URLParam":
		if do {
			x.handled(call.Fun)
			return x.pathValue(s, r, call.Args[0])
		}
		return "yes"
	}
	return ""
}

// pathValue returns the expression that reads a path value. In the old program,
// the name of the catch-all is *.
func (x *rewriter) pathValue(s *source, r string, name ast.Expr) string {
	if text, ok := x.constant(name); ok && text == "*" {
		return r + `.PathValue("` + rest + `")`
	}
	return r + ".PathValue(" + x.text(s, name) + ")"
}

func (x *rewriter) chi(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.StarExpr:
		if obj, ok := x.object(n.X).(*types.TypeName); ok && obj.Name() == "Mux" {
			x.handled(n.X)
			x.replace(s, n.X, x.mux(s, "Mux"))
		}
	case *ast.SelectorExpr:
		obj, ok := x.object(n).(*types.TypeName)
		if !ok {
			return
		}
		switch obj.Name() {
		case "Router":
			x.retype(s, n)
		case "Middlewares":
			x.handled(n)
			x.replace(s, n, "[]func(http.Handler) http.Handler")
			x.qualify(s, "net/http")
		}
	case *ast.CallExpr:
		if name := x.callee(n); name != "" {
			x.chiCall(s, n, name)
		}
	}
}

func (x *rewriter) chiCall(s *source, n *ast.CallExpr, name string) {
	recv, method, isMethod := strings.Cut(name, ".")
	if isMethod && recv != "Mux" && recv != "Router" {
		x.chiContextExpr(s, n)
		return
	}
	if !isMethod {
		switch name {
		case "NewRouter", "NewMux":
			x.newMux(s, n, true)
		case "URLParam":
			x.handled(n.Fun)
			x.replace(s, n, x.pathValue(s, x.text(s, n.Args[0]), n.Args[1]))
		case "RegisterMethod":
			if stmt := x.statement(n); stmt != nil {
				x.handled(n.Fun)
				x.remove(s, stmt)
			}
		}
		return
	}
	if verb, ok := chiVerbs[method]; ok {
		x.rename(s, n, verb)
		x.path(s, n.Args[0], chiPath)
		x.registeredPath(n, n.Args[0], chiPath, verb)
		return
	}
	switch method {
	case "ServeHTTP":
		x.handled(n.Fun)
	case "With":
		x.handled(n.Fun)
		for _, arg := range n.Args {
			if fn := x.chiBefore(arg); fn != nil {
				x.todo(arg, "%s works only before routing: see docs/middleware.md for alternatives", fn.Name())
			}
		}
	case "Use":
		x.chiUse(s, n)
	case "HandleFunc", "Handle":
		if text, ok := x.constant(n.Args[0]); ok && strings.Contains(text, " ") {
			x.chiPattern(s, n, text, method == "HandleFunc")
			return
		}
		if method == "HandleFunc" {
			x.rename(s, n, "ANY")
			x.path(s, n.Args[0], chiPath)
			x.registeredPath(n, n.Args[0], chiPath)
			return
		}
		x.path(s, n.Args[0], chiPath)
		x.registeredPath(n, n.Args[0], chiPath)
		x.anyMethod(s, n)
	case "Method", "MethodFunc":
		x.chiMethod(s, n, method == "MethodFunc")
	case "NotFound", "MethodNotAllowed":
		x.setHandler(s, n, method)
	case "Mount":
		x.handled(n.Fun)
		x.path(s, n.Args[0], chiPath)
		x.chiMount(n)
	case "Group", "Route":
		x.chiScope(s, n, method)
	}
}

// chiContextExpr rewrites chi.RouteContext(r.Context()).RoutePattern().
func (x *rewriter) chiContextExpr(s *source, n *ast.CallExpr) {
	inner, ok := ast.Unparen(receiver(n)).(*ast.CallExpr)
	if !ok || x.callee(inner) != "RouteContext" {
		return
	}
	if r, ok := x.requestOf(s, inner.Args[0]); ok && x.chiContextCall(s, n, r, false) != "" {
		x.handled(inner.Fun)
		x.replace(s, n, x.chiContextCall(s, n, r, true))
	}
}

// newMux rewrites the constructor. If exact is set, it also turns off the
// redirect to the path with or without a trailing slash.
func (x *rewriter) newMux(s *source, n *ast.CallExpr, exact bool) {
	x.handled(n.Fun)
	x.replace(s, n, x.mux(s, "New")+"()")
	if !exact {
		return
	}
	if assign, ok := x.parents[n].(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && x.blockOf(assign) != nil {
		x.insertAfter(s, assign, x.text(s, assign.Lhs[0])+".RedirectTrailingSlash = false")
		return
	}
	x.remark(n, "set RedirectTrailingSlash to false to respond with 404, as before, if only the trailing slash differs")
}

// anyMethod rewrites the registration of an http.Handler for all methods.
func (x *rewriter) anyMethod(s *source, n *ast.CallExpr) {
	x.rename(s, n, "ANY")
	h := x.text(s, n.Args[1])
	if named := namedType(x.info.TypeOf(n.Args[1])); named == nil || named.Obj().Name() != "HandlerFunc" {
		h = method(h)
	}
	x.replace(s, n.Args[1], h)
}

// method returns the ServeHTTP method value of a handler expression.
func method(handler string) string {
	if e, err := parser.ParseExpr(handler); err == nil {
		switch e.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr, *ast.ParenExpr:
			return handler + ".ServeHTTP"
		}
	}
	return "(" + handler + ").ServeHTTP"
}

func (x *rewriter) chiMethod(s *source, n *ast.CallExpr, isFunc bool) {
	method, ok := x.constant(n.Args[0])
	x.path(s, n.Args[1], chiPath)
	method = strings.ToUpper(method)
	if ok {
		x.registeredPath(n, n.Args[1], chiPath, method)
	}
	switch {
	case !ok:
		x.todo(n.Args[0], "the method isn't constant: register the route by hand")
	case verbs[method] && isFunc:
		x.rename(s, n, method)
		s.replace(n.Args[0].Pos(), n.Args[1].Pos(), "")
	default:
		x.setString(s, n.Args[0], method)
		x.rename(s, n, "Method")
		if isFunc {
			x.replace(s, n.Args[2], x.qualify(s, "net/http")+".HandlerFunc("+x.text(s, n.Args[2])+")")
		}
	}
}

// chiPattern rewrites Handle("GET /path", h) and HandleFunc.
func (x *rewriter) chiPattern(s *source, n *ast.CallExpr, text string, isFunc bool) {
	method, path, _ := strings.Cut(text, " ")
	path, err := chiPath(strings.TrimSpace(path))
	if err == nil {
		err = x.valid(path)
	}
	if _, ok := ast.Unparen(n.Args[0]).(*ast.BasicLit); err != nil || !ok {
		x.todo(n.Args[0], "%q: write Method(%q, …) with the path: %v", text, method, err)
		return
	}
	x.registered(n, receiver(n), []string{strings.ToUpper(method)}, "", path, false)
	x.rename(s, n, "Method")
	x.replace(s, n.Args[0], strconv.Quote(strings.ToUpper(method))+", "+strconv.Quote(path))
	if isFunc {
		x.replace(s, n.Args[1], x.qualify(s, "net/http")+".HandlerFunc("+x.text(s, n.Args[1])+")")
	}
}

// chiBefore returns chi's middleware function that e refers to, if it changes
// the routed path or method, or nil.
func (x *rewriter) chiBefore(e ast.Expr) *types.Func {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok {
		e = ast.Unparen(call.Fun)
	}
	fn := function(x.info, e)
	if fn == nil || fn.Pkg() == nil || !chiBeforeRouting[fn.Name()] {
		return nil
	}
	if path := fn.Pkg().Path(); !strings.HasPrefix(path, "github.com/go-chi/chi") || !strings.HasSuffix(path, "/middleware") {
		return nil
	}
	return fn
}

// chiUse moves middleware that changes the path from Use to Pre.
func (x *rewriter) chiUse(s *source, n *ast.CallExpr) {
	x.handled(n.Fun)
	for _, arg := range n.Args {
		fn := x.chiBefore(arg)
		if fn == nil {
			continue
		}
		switch {
		case fn.Name() != "StripSlashes" && fn.Name() != "CleanPath":
			x.todo(arg, "%s works only with chi's routing: see docs/middleware.md for alternatives", fn.Name())
		case len(n.Args) > 1:
			x.todo(arg, "%s changes the routed path: pass it to Use alone, so that it can become Pre", fn.Name())
		case x.kinds.expr(x.info, receiver(n)) != isMux:
			x.todo(arg, "%s changes the routed path: move it to the outermost router", fn.Name())
		default:
			x.rename(s, n, "Pre")
			x.replace(s, arg, x.qualify(s, "github.com/seed-1954dcaa/muxmaster/middleware")+"."+fn.Name())
		}
	}
}

// chiScope rewrites Group(fn) and Route(prefix, fn).
func (x *rewriter) chiScope(s *source, n *ast.CallExpr, method string) {
	if x.statement(n) == nil {
		x.todo(n, "%s returns nothing in muxmaster: use Group or With, which return the scope", method)
		return
	}
	x.rename(s, n, "Route")
	fn := n.Args[len(n.Args)-1]
	if method == "Route" {
		x.path(s, n.Args[0], chiPath)
	} else {
		s.replace(fn.Pos(), fn.Pos(), `"", `)
	}
	switch fn := ast.Unparen(fn).(type) {
	case *ast.FuncLit:
		if method == "Group" {
			x.chiGroupFallbacks(fn)
		}
	case *ast.Ident, *ast.SelectorExpr:
		f := function(x.info, fn)
		if f == nil || f.Signature().Params().Len() != 1 || x.kinds.of(f.Signature().Params().At(0)) != isGroup {
			s.replace(fn.Pos(), fn.End(), "func(g *"+x.mux(s, "Group")+") { "+x.text(s, fn)+"(g) }")
		}
	}
}

// chiGroupFallbacks reports 404 and 405 handlers set in a Group, which chi uses
// for the whole router.
func (x *rewriter) chiGroupFallbacks(fn *ast.FuncLit) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || x.callee(call) != "Router.NotFound" && x.callee(call) != "Router.MethodNotAllowed" || x.function(call) != ast.Node(fn) {
			return true
		}
		x.todo(call, "in a Group, this applies to the whole router: set it on the router itself")
		return true
	})
}

// mounts reports whether the package mounts anything.
func (x *rewriter) mounts() bool {
	found := false
	for _, s := range x.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && strings.HasSuffix(x.callee(call), ".Mount") {
				found = true
			}
			return !found
		})
	}
	return found
}

// setHandler rewrites NotFound(h) to NotFound = h.
func (x *rewriter) setHandler(s *source, n *ast.CallExpr, field string) {
	if x.statement(n) == nil {
		return
	}
	x.handled(n.Fun)
	if x.mounts() {
		x.remark(n, "a mounted router uses its own %s: set it there, too", field)
	}
	h := x.text(s, n.Args[0])
	if named := namedType(x.info.TypeOf(n.Args[0])); named == nil {
		h = x.qualify(s, "net/http") + ".HandlerFunc(" + h + ")"
	}
	x.replace(s, n, x.text(s, receiver(n))+"."+field+" = "+h)
}
