package migrate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

var gorilla = &dialect{
	paths:      []string{"github.com/gorilla/mux"},
	passes:     []func(*rewriter, *source, ast.Node){(*rewriter).gorillaVars, (*rewriter).gorilla, (*rewriter).useFirst, (*rewriter).leftUses},
	kindOfCall: gorillaKind,
	advice: map[string]string{
		"Route.Queries":                  "check the query in a handler or middleware",
		"Router.Queries":                 "check the query in a handler or middleware",
		"Route.Headers":                  "check the headers in a handler or middleware",
		"Router.Headers":                 "check the headers in a handler or middleware",
		"Route.HeadersRegexp":            "check the headers in a handler or middleware",
		"Route.Schemes":                  "check r.TLS in a handler or middleware",
		"Route.MatcherFunc":              "check the condition in a handler or middleware",
		"Router.MatcherFunc":             "check the condition in a handler or middleware",
		"Route.URL":                      "use muxmaster.BuildPath(pattern, name, value...)",
		"Route.URLPath":                  "use muxmaster.BuildPath(pattern, name, value...)",
		"Router.Get":                     "use muxmaster.BuildPath(pattern, name, value...) with the route's pattern",
		"Router.GetRoute":                "use muxmaster.BuildPath(pattern, name, value...) with the route's pattern",
		"Router.Walk":                    "range over Mux.Routes()",
		"CurrentRoute":                   "use muxmaster.RoutePattern(r)",
		"Route.GetPathTemplate":          "use muxmaster.RoutePattern(r)",
		"SetURLVars":                     "use r.SetPathValue(name, value)",
		"Router.SkipClean":               "muxmaster always cleans paths",
		"Router.UseEncodedPath":          "muxmaster decodes each segment once, and %2F never separates segments: delete this",
		"CORSMethodMiddleware":           "use a CORS middleware, such as github.com/jub0bs/cors",
		"Vars":                           "use r.PathValue(name)",
		"Router.Match":                   "use Mux.Handler or Mux.Explain",
		"Router.KeepContext":             "delete this",
		"Route.Subrouter":                "use a Group, whose prefix must be a constant path without an expression at its end",
		"Route.BuildVarsFunc":            "change the values in the handler",
		"MiddlewareFunc.Middleware":      "call the middleware",
		"Router.NewRoute":                "write the route in one statement",
		"Router.NotFoundHandler":         "use Mux.NotFound",
		"Router.MethodNotAllowedHandler": "use Mux.MethodNotAllowed",
		"Router.StrictSlash":             "set Mux.RedirectTrailingSlash of the outermost router",
		"ErrMethodMismatch":              "set Mux.MethodNotAllowed",
		"ErrNotFound":                    "set Mux.NotFound",
		"Route.Name":                     "use muxmaster.BuildPath(pattern, name, value...)",
		"RouteMatch":                     "use Mux.Explain",
		"Router.Name":                    "use muxmaster.BuildPath(pattern, name, value...)",
		"Router.BuildVarsFunc":           "change the values in the handler",
		"Router.Schemes":                 "check r.TLS in a handler or middleware",
		"Route.GetName":                  "use muxmaster.RoutePattern(r)",
		"Route.GetMethods":               "range over Mux.Routes()",
		"Route.GetHandler":               "use Mux.Handler",
		"Route.BuildOnly":                "use muxmaster.BuildPath(pattern, name, value...)",
		"Route.GetError":                 "registering an invalid route panics; TryHandle returns the error",
		"Route.SkipClean":                "muxmaster always cleans paths",
	},
}

func gorillaKind(info *types.Info, name string, call *ast.CallExpr, k *kinds) kind {
	switch name {
	case "NewRouter":
		return isMux
	case "Route.Subrouter":
		return isGroup
	case "Router.StrictSlash", "Router.SkipClean", "Router.UseEncodedPath":
		return k.expr(info, receiver(call))
	}
	return isOther
}

// gorillaVars replaces variables that hold mux.Vars(r), and uses of the map.
func (x *rewriter) gorillaVars(s *source, n ast.Node) {
	if index, ok := n.(*ast.IndexExpr); ok {
		call, ok := ast.Unparen(index.X).(*ast.CallExpr)
		if ok && x.callee(call) == "Vars" && !x.commaOK(index) {
			x.handled(call.Fun)
			x.replace(s, index, x.text(s, call.Args[0])+".PathValue("+x.text(s, index.Index)+")")
		}
		return
	}
	assign, ok := n.(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || x.callee(call) != "Vars" {
		return
	}
	obj := x.info.Defs[assign.Lhs[0].(*ast.Ident)]
	if obj == nil || x.blockOf(assign) == nil {
		return
	}
	uses := x.uses(s, obj)
	for _, id := range uses {
		index, ok := x.parents[id].(*ast.IndexExpr)
		if !ok || index.X != ast.Expr(id) || x.commaOK(index) || !x.sameAt(call.Args[0], id.Pos()) {
			return
		}
	}
	for _, id := range uses {
		index := x.parents[id].(*ast.IndexExpr)
		x.replace(s, index, x.text(s, call.Args[0])+".PathValue("+x.text(s, index.Index)+")")
	}
	x.handled(call.Fun)
	x.remove(s, assign)
}

// commaOK reports whether a map element is read in the comma-ok form or
// assigned to.
func (x *rewriter) commaOK(index *ast.IndexExpr) bool {
	switch p := x.parents[index].(type) {
	case *ast.AssignStmt:
		return len(p.Lhs) != len(p.Rhs) || slices.Contains(p.Lhs, ast.Expr(index))
	case *ast.ValueSpec:
		return len(p.Names) != len(p.Values)
	}
	return false
}

func (x *rewriter) gorilla(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.StarExpr:
		if obj, ok := x.object(n.X).(*types.TypeName); ok && obj.Name() == "Router" {
			x.retype(s, n)
		}
	case *ast.SelectorExpr:
		switch obj := x.object(n).(type) {
		case *types.TypeName:
			if obj.Name() == "MiddlewareFunc" {
				x.handled(n)
				x.gorillaMiddleware(s, n)
			}
		case *types.Var:
			if name, ok := strings.CutSuffix(obj.Name(), "Handler"); ok && (name == "NotFound" || name == "MethodNotAllowed") {
				x.handled(n)
				x.replace(s, n.Sel, name)
			}
		}
	case *ast.CallExpr:
		switch x.callee(n) {
		case "NewRouter":
			x.gorillaNew(s, n)
		case "Router.Use":
			x.handled(n.Fun)
			x.remark(n, "this middleware also runs for 404 and 405 responses")
		case "Router.ServeHTTP":
			x.handled(n.Fun)
		case "Route.Subrouter":
			x.gorillaSubrouter(s, n)
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			x.gorillaRoute(s, call)
		}
	}
}

// gorillaMiddleware rewrites mux.MiddlewareFunc. It removes conversions to the
// type, and replaces the type with its underlying type.
func (x *rewriter) gorillaMiddleware(s *source, n *ast.SelectorExpr) {
	if call, ok := x.parents[n].(*ast.CallExpr); ok && call.Fun == ast.Expr(n) {
		s.replace(n.Pos(), call.Args[0].Pos(), "")
		s.replace(call.Args[0].End(), call.End(), "")
		return
	}
	x.replace(s, n, "func("+x.qualify(s, "net/http")+".Handler) "+x.qualify(s, "net/http")+".Handler")
}

// gorillaNew rewrites mux.NewRouter(), and a following StrictSlash call.
func (x *rewriter) gorillaNew(s *source, n *ast.CallExpr) {
	strict := false
	whole := ast.Expr(n)
	if sel, ok := x.parents[n].(*ast.SelectorExpr); ok {
		call, ok := x.parents[sel].(*ast.CallExpr)
		if !ok || x.callee(call) != "Router.StrictSlash" || x.info.Types[call.Args[0]].Value == nil {
			return
		}
		strict = x.info.Types[call.Args[0]].Value.String() == "true"
		x.handled(sel)
		whole = call
	}
	x.handled(n.Fun)
	x.replace(s, whole, x.mux(s, "New")+"()")
	if strict {
		x.remark(n, "the redirect to the path with or without a trailing slash has status 307, not 301")
		return
	}
	if assign, ok := x.parents[whole].(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && x.blockOf(assign) != nil {
		x.insertAfter(s, assign, x.text(s, assign.Lhs[0])+".RedirectTrailingSlash = false")
		return
	}
	x.remark(n, "set RedirectTrailingSlash to false to respond with 404, as before, if only the trailing slash differs")
}

// A chain is a statement such as r.Path("/x").Methods("GET").HandlerFunc(h).
type chain struct {
	router  ast.Expr
	links   []ast.Expr // the selectors of the calls
	methods []string
	host    string
	path    string
	pathArg ast.Expr // if the path isn't constant
	prefix  bool
	handler string
	isFunc  bool // the handler is a function, not an http.Handler
}

// chain parses a chain of calls. It reports parts that can't be rewritten.
func (x *rewriter) chain(s *source, e ast.Expr) (*chain, bool) {
	c := new(chain)
	var calls []*ast.CallExpr
	for {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok || x.callee(call) == "" || receiver(call) == nil {
			break
		}
		if name := x.callee(call); strings.HasPrefix(name, "Router.") && !strings.HasPrefix(name, "Router.StrictSlash") {
			calls = append(calls, call)
			c.router = receiver(call)
			break
		}
		calls = append(calls, call)
		e = receiver(call)
	}
	if c.router == nil {
		return nil, false
	}
	slices.Reverse(calls)
	for _, call := range calls {
		_, method, _ := strings.Cut(x.callee(call), ".")
		c.links = append(c.links, call.Fun)
		var texts []string
		constant := true
		for _, arg := range call.Args {
			text, ok := x.constant(arg)
			texts, constant = append(texts, text), constant && ok
		}
		switch method {
		case "NewRoute":
		case "Handle", "HandleFunc", "Path", "PathPrefix":
			if c.path != "" || c.pathArg != nil {
				return nil, false
			}
			if _, ok := x.constant(call.Args[0]); ok {
				c.path = texts[0]
			} else {
				c.pathArg = call.Args[0]
			}
			c.prefix = method == "PathPrefix"
			if len(call.Args) == 2 {
				c.handler, c.isFunc = x.text(s, call.Args[1]), method == "HandleFunc"
			}
		case "Handler", "HandlerFunc":
			c.handler, c.isFunc = x.text(s, call.Args[0]), method == "HandlerFunc"
		case "Methods":
			if !constant || call.Ellipsis.IsValid() {
				x.todo(call, "the methods aren't constant: register the route by hand")
				return nil, false
			}
			for _, m := range texts {
				c.methods = append(c.methods, strings.ToUpper(m))
			}
		case "Host":
			if !constant || strings.Contains(texts[0], ":") {
				x.todo(call, "a host can't contain an expression: write {name}.example.com for one label, {name...}.example.com for several")
				return nil, false
			}
			c.host = texts[0]
		case "Name":
			x.remark(call, "the route's name %s was removed: build paths from the pattern with muxmaster.BuildPath", x.text(s, call.Args[0]))
		default:
			return nil, false
		}
	}
	return c, true
}

func (c *chain) done(x *rewriter) {
	for _, link := range c.links {
		x.handled(link)
	}
}

// gorillaRoute rewrites the statement that registers a route.
func (x *rewriter) gorillaRoute(s *source, call *ast.CallExpr) {
	if x.callee(call) == "Router.Use" || x.callee(call) == "" {
		return
	}
	if x.callee(call) == "Router.StrictSlash" {
		if v := x.info.Types[call.Args[0]].Value; v != nil && x.kinds.expr(x.info, receiver(call)) == isMux {
			x.handled(call.Fun)
			x.replace(s, call, x.text(s, receiver(call))+".RedirectTrailingSlash = "+v.String())
		}
		return
	}
	c, ok := x.chain(s, call)
	if !ok {
		return
	}
	if c.handler == "" {
		x.todo(call, "a route without a handler: register the route and its handler in one statement")
		return
	}
	path, err := gorillaPath(c.path)
	if err == nil {
		err = x.valid(path)
	}
	if c.pathArg == nil && err != nil {
		x.todo(call, "%q: %v", c.path, err)
		return
	}
	pathText := strconv.Quote(path)
	if c.pathArg != nil {
		x.path(s, c.pathArg, gorillaPath)
		pathText = x.text(s, c.pathArg)
	}
	text, err := x.gorillaText(s, c, path, pathText)
	if err != nil {
		x.todo(call, "%v", err)
		return
	}
	c.done(x)
	x.registered(call, c.router, c.methods, c.host, path, c.prefix || c.host != "")
	comments := s.comments(call.Pos(), call.End(), x.text(s, c.router)+"."+text)
	x.replace(s, call, x.text(s, c.router)+"."+text)
	if comments != "" {
		s.replace(call.Pos(), call.Pos(), comments)
	}
}

// gorillaText returns the call that registers a route in muxmaster.
func (x *rewriter) gorillaText(s *source, c *chain, path, pathText string) (string, error) {
	asFunc, asHandler := c.handler, c.handler
	if c.isFunc {
		asHandler = x.qualify(s, "net/http") + ".HandlerFunc(" + c.handler + ")"
	} else {
		asFunc = method(c.handler)
	}
	if c.host != "" && (c.pathArg != nil || x.kinds.expr(x.info, c.router) != isMux) {
		return "", fmt.Errorf("a host is part of a pattern: %s.Handle(%q, handler)", "mux", c.host+"/path")
	}
	pattern := func(path string) string { // of Handle
		methods := strings.Join(c.methods, ",")
		if methods != "" {
			methods += " "
		}
		return strconv.Quote(methods + c.host + path)
	}
	register := func(pattern string) string {
		if c.isFunc {
			return "HandleFunc(" + pattern + ", " + c.handler + ")"
		}
		return "Handle(" + pattern + ", " + c.handler + ")"
	}
	switch {
	case c.prefix && c.pathArg != nil:
		return "", fmt.Errorf("this prefix is computed at run time: make it constant, or register the route by hand")
	case c.prefix && strings.HasSuffix(path, "...}"):
		return "", fmt.Errorf("%q: a prefix can't have a catch-all, use Path", c.path)
	case c.prefix && strings.HasSuffix(path, "/"):
		if path != "/" {
			x.remark(c.router, "muxmaster redirects %s to %s", strings.TrimSuffix(path, "/"), path)
		}
		return register(pattern(path)), nil
	case c.prefix && c.host == "" && len(c.methods) == 0:
		x.remark(c.router, "PathPrefix(%q) matched paths such as %sx too", c.path, c.path)
		return "Mount(" + pathText + ", " + asHandler + ")", nil
	case c.prefix:
		return "", fmt.Errorf("%q: end the prefix with a slash to match the paths below it", c.path)
	case c.host != "":
		if strings.HasSuffix(path, "/") {
			path += "{$}"
		}
		return register(pattern(path)), nil
	case len(c.methods) == 0:
		return "ANY(" + pathText + ", " + asFunc + ")", nil
	case len(c.methods) == 1 && verbs[c.methods[0]]:
		return c.methods[0] + "(" + pathText + ", " + asFunc + ")", nil
	default:
		return "Method(" + strconv.Quote(strings.Join(c.methods, ",")) + ", " + pathText + ", " + asHandler + ")", nil
	}
}

// gorillaSubrouter rewrites r.PathPrefix(p).Subrouter() to r.Group(p).
func (x *rewriter) gorillaSubrouter(s *source, call *ast.CallExpr) {
	c, ok := x.chain(s, receiver(call))
	if !ok || c.handler != "" || c.host != "" || len(c.methods) > 0 || c.pathArg != nil {
		if ok {
			x.todo(call, "a Group has only a path prefix, no host or methods")
		}
		return
	}
	path, err := gorillaPath(c.path)
	if err != nil || strings.HasSuffix(path, "...}") {
		x.todo(call, "%q is no prefix", c.path)
		return
	}
	c.done(x)
	x.handled(call.Fun)
	if c.path == "" {
		x.replace(s, call, x.text(s, c.router)+".With()")
		return
	}
	x.replace(s, call, x.text(s, c.router)+".Group("+strconv.Quote(strings.TrimSuffix(path, "/"))+")")
}
