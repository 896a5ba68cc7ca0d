package migrate

import (
	"go/ast"
	"go/types"
	"path"
	"reflect"
	"strconv"
	"strings"
)

var gin = &dialect{
	paths:     []string{"github.com/gin-gonic/gin"},
	samePaths: true,
	passes: []func(*rewriter, *source, ast.Node){
		(*rewriter).ginFindMiddleware, (*rewriter).ginHalfway, (*rewriter).gin, (*rewriter).ginMiddlewareBody, (*rewriter).leftUses, (*rewriter).leftContexts,
	},
	advice: map[string]string{
		"Context.ShouldBind":       "use body.ReadJSON[T](w, r, limit), r.FormValue and muxmaster.PathParamAs",
		"Context.Bind":             "use body.ReadJSON[T](w, r, limit), r.FormValue and muxmaster.PathParamAs",
		"Context.ShouldBindJSON":   "use body.ReadJSON[T](w, r, limit), and check the rules of the binding tags by hand",
		"Context.BindJSON":         "use body.ReadJSON[T](w, r, limit), and respond to its error",
		"Context.ShouldBindUri":    "use muxmaster.PathParamAs[T](r, name)",
		"Context.ShouldBindQuery":  "use r.URL.Query()",
		"Context.HTML":             "execute an html/template",
		"Context.Set":              "use context.WithValue and r.WithContext in a middleware",
		"Context.Get":              "use r.Context().Value(key)",
		"Context.MustGet":          "use r.Context().Value(key)",
		"Context.GetString":        "use r.Context().Value(key)",
		"Context.ClientIP":         "use r.RemoteAddr behind middleware.RealIPFrom(your proxies)",
		"Context.Cookie":           "use r.Cookie(name)",
		"Context.SetCookie":        "use http.SetCookie(w, cookie)",
		"Context.FormFile":         "use r.FormFile(name)",
		"Context.MultipartForm":    "use r.ParseMultipartForm(limit) and r.MultipartForm",
		"Context.SaveUploadedFile": "open the file and copy it with io.Copy",
		"Context.Stream":           "write and flush in a loop until r.Context() is done",
		"Context.SSEvent":          "write the event and flush with http.NewResponseController(w)",
		"Context.Copy":             "copy the values that the goroutine needs",
		"Context.AbortWithError":   "return muxmaster.NewHTTPError(code, err) from a muxmaster.HandlerFuncE",
		"Context.Error":            "return the error from a muxmaster.HandlerFuncE",
		"Context.IndentedJSON":     "use json.MarshalIndent and w.Write",
		"Context.PureJSON":         "use a json.Encoder with SetEscapeHTML(false)",
		"Context.XML":              "use muxmaster.XML with a value that encoding/xml supports, which gin.H is not",
		"Context.Next":             "a middleware is func(http.Handler) http.Handler: call next.ServeHTTP(w, r)",
		"Context.Abort":            "a middleware is func(http.Handler) http.Handler: return without calling next",
		"Context.IsAborted":        "a middleware that aborts does not call next",
		"Context.Errors":           "return the error from a muxmaster.HandlerFuncE",
		"Engine.LoadHTMLGlob":      "parse the templates with html/template",
		"Engine.LoadHTMLFiles":     "parse the templates with html/template",
		"Engine.SetHTMLTemplate":   "keep the template in a variable",
		"Engine.SetTrustedProxies": "use middleware.RealIPFrom(your proxies)",
		"BasicAuth":                "use middleware.BasicAuth(realm, check)",
		"ResponseWriter.Status":    "use middleware.Observe, or wrap the ResponseWriter",
		"Params":                   "use muxmaster.PathParams(r)",
		"Keys":                     "use r.Context().Value(key)",
		"Engine.RunTLS":            "use server.Server",
		"Engine.Routes":            "range over Mux.Routes()",
		"HandlersChain":            "use []func(http.Handler) http.Handler",
	},
}

func (x *rewriter) gin(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.Field:
		x.contextField(s, n)
	case *ast.SelectorExpr:
		x.ginName(s, n)
	case *ast.CallExpr:
		x.passContext(s, n)
		name := x.callee(n)
		recv, method, isMethod := strings.Cut(name, ".")
		switch {
		case name == "":
		case !isMethod:
			x.ginFunction(s, n, name)
		case recv == "Context":
			if f := x.contextCall(n); f != nil {
				x.ginContext(s, n, method, f)
			}
		case name == "Params.ByName":
			if sel, ok := ast.Unparen(receiver(n)).(*ast.SelectorExpr); ok && x.contextOf(sel.X) != nil {
				x.handled(sel)
				x.handled(n.Fun)
				x.replace(s, n, x.contextOf(sel.X).r+".PathValue("+x.text(s, n.Args[0])+")")
			}
		case recv == "Engine", recv == "RouterGroup", recv == "IRoutes", recv == "IRouter":
			x.ginRoute(s, n, method)
		}
	}
}

func (x *rewriter) ginName(s *source, n *ast.SelectorExpr) {
	switch obj := x.object(n).(type) {
	case *types.TypeName:
		switch obj.Name() {
		case "H":
			x.handled(n)
			x.replace(s, n, "map[string]any")
		case "Engine":
			x.pointer(s, n, "Mux")
		case "RouterGroup":
			x.pointer(s, n, "Group")
		case "IRouter", "IRoutes":
			x.handled(n)
			x.replace(s, n, x.mux(s, "Router"))
		case "HandlerFunc":
			x.handled(n)
			http := x.qualify(s, "net/http")
			if fn, ok := x.function(n).(*ast.FuncDecl); ok && x.makesMiddleware[x.info.Defs[fn.Name].(*types.Func)] || x.resultOfMiddleware(n) {
				x.replace(s, n, "func("+http+".Handler) "+http+".Handler")
			} else {
				x.replace(s, n, http+".HandlerFunc")
			}
		}
	case *types.Var:
		f := x.contextOf(n.X)
		if f == nil {
			return
		}
		switch obj.Name() {
		case "Request", "Writer":
			if !f.middleware && x.isAssigned(n) {
				x.todo(n, "the caller doesn't see this assignment: return the new request or writer")
				return
			}
		}
		switch obj.Name() {
		case "Request":
			x.handled(n)
			x.contextDone[ast.Unparen(n.X).(*ast.Ident)] = true
			x.replace(s, n, f.r)
		case "Writer":
			if sel, ok := x.parents[n].(*ast.SelectorExpr); ok && sel.Sel.Name == "WriteHeader" {
				if call, ok := x.parents[sel].(*ast.CallExpr); ok && !x.endsHere(call, f) {
					x.todo(n, "later code may set headers or another status: write the status last")
				}
			}
			x.handled(n)
			x.contextDone[ast.Unparen(n.X).(*ast.Ident)] = true
			x.replace(s, n, f.w)
		}
	}
}

// resultOfMiddleware reports whether a type expression is the result type of a
// function that returns middleware.
func (x *rewriter) resultOfMiddleware(e ast.Expr) bool {
	for n := ast.Node(e); n != nil; n = x.parents[n] {
		if decl, ok := n.(*ast.FuncDecl); ok {
			fn, ok := x.info.Defs[decl.Name].(*types.Func)
			return ok && x.makesMiddleware[fn] && decl.Type.Results != nil && inside(e.Pos(), decl.Type.Results.Pos(), decl.Type.Results.End())
		}
	}
	return false
}

func (x *rewriter) ginFunction(s *source, n *ast.CallExpr, name string) {
	switch name {
	case "New", "Default":
		x.handled(n.Fun)
		x.remark(n, "redirects have status 307, and a method without a route gets 405")
		x.replace(s, n, x.mux(s, "New")+"()")
		if name == "Default" {
			assign, ok := x.parents[n].(*ast.AssignStmt)
			if !ok || len(assign.Lhs) != 1 || x.blockOf(assign) == nil {
				x.todo(n, "assign gin.Default() to a variable, so that its middleware can be added")
				return
			}
			mw := x.qualify(s, "github.com/seed-1954dcaa/muxmaster/middleware")
			x.insertAfter(s, assign, x.text(s, assign.Lhs[0])+".Pre("+mw+".Logger, "+mw+".Recoverer)")
		}
	case "Logger", "Recovery":
		to := map[string]string{"Logger": "Logger", "Recovery": "Recoverer"}[name]
		x.handled(n.Fun)
		x.replace(s, n, x.qualify(s, "github.com/seed-1954dcaa/muxmaster/middleware")+"."+to)
	case "SetMode", "DisableConsoleColor", "ForceConsoleColor":
		if stmt := x.statement(n); stmt != nil {
			x.drop(s, stmt)
		}
	case "WrapF":
		x.handled(n.Fun)
		x.replace(s, n, x.text(s, n.Args[0]))
	case "WrapH":
		x.handled(n.Fun)
		x.replace(s, n, x.text(s, n.Args[0])+".ServeHTTP")
	}
}

// drop deletes a statement and marks its uses of the old router as handled.
func (x *rewriter) drop(s *source, stmt ast.Stmt) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			x.done[id] = true
		}
		return true
	})
	x.remove(s, stmt)
}

// ginContext rewrites a call of a method of the context.
func (x *rewriter) ginContext(s *source, n *ast.CallExpr, method string, f *contextual) {
	arg := func(i int) string { return x.text(s, n.Args[i]) }
	http := func() string { return x.qualify(s, "net/http") }
	stmt := x.statement(n) != nil
	switch {
	case ginStatus[method] && x.isNegative(n.Args[0]):
		x.todo(n, "a negative status means the one set before: write that status")
	case method == "Param":
		x.becomes(s, n, f.r+".PathValue("+arg(0)+")")
	case method == "FullPath":
		x.becomes(s, n, x.mux(s, "RoutePattern")+"("+f.r+")")
	case method == "Query":
		x.becomes(s, n, f.r+".URL.Query().Get("+arg(0)+")")
	case method == "DefaultQuery":
		x.remark(n, "an empty parameter also gets the default value in muxmaster")
		x.becomes(s, n, x.qualify(s, "cmp")+".Or("+f.r+".URL.Query().Get("+arg(0)+"), "+arg(1)+")")
	case method == "QueryArray":
		x.becomes(s, n, f.r+".URL.Query()["+arg(0)+"]")
	case method == "PostForm":
		x.becomes(s, n, f.r+".PostFormValue("+arg(0)+")")
	case method == "DefaultPostForm":
		x.remark(n, "an empty value also gets the default value in muxmaster")
		x.becomes(s, n, x.qualify(s, "cmp")+".Or("+f.r+".PostFormValue("+arg(0)+"), "+arg(1)+")")
	case method == "GetHeader":
		x.becomes(s, n, f.r+".Header.Get("+arg(0)+")")
	case method == "Header" && x.isEmpty(n.Args[1]):
		x.becomes(s, n, f.w+".Header().Del("+arg(0)+")")
	case method == "Header":
		if _, ok := x.constant(n.Args[1]); !ok {
			x.remark(n, "gin removes the header if the value is empty, this code sends it")
		}
		x.becomes(s, n, f.w+".Header().Set("+arg(0)+", "+arg(1)+")")
	case method == "GetRawData":
		x.becomes(s, n, x.qualify(s, "io")+".ReadAll("+f.r+".Body)")
	case method == "ShouldBindJSON" && !hasTag(x.info.TypeOf(n.Args[0]), "binding", nil):
		x.becomes(s, n, x.qualify(s, "encoding/json")+".NewDecoder("+f.r+".Body).Decode("+arg(0)+")")
	case !stmt:
	case method == "JSON", method == "AbortWithStatusJSON":
		x.becomes(s, n, x.mux(s, "JSON")+"("+f.w+", "+arg(0)+", "+arg(1)+")")
	case method == "XML" && !x.isMap(n.Args[1]):
		x.remark(n, "muxmaster.XML also writes the XML declaration")
		x.becomes(s, n, x.mux(s, "XML")+"("+f.w+", "+arg(0)+", "+arg(1)+")")
	case method == "String" && len(n.Args) == 2:
		x.becomes(s, n, x.mux(s, "Text")+"("+f.w+", "+arg(0)+", "+arg(1)+")")
	case method == "String":
		rest := s.render(n.Args[1].Pos(), n.Args[len(n.Args)-1].End())
		if n.Ellipsis.IsValid() {
			rest += "..."
		}
		x.becomes(s, n, x.mux(s, "Text")+"("+f.w+", "+arg(0)+", "+x.qualify(s, "fmt")+".Sprintf("+rest+"))")
	case method == "Status" && !x.endsHere(n, f):
		x.todo(n, "later code may set headers or another status: write the status last, with %s.WriteHeader", f.w)
	case method == "Status", method == "AbortWithStatus":
		x.becomes(s, n, f.w+".WriteHeader("+arg(0)+")")
	case method == "Redirect":
		x.becomes(s, n, http()+".Redirect("+f.w+", "+f.r+", "+arg(1)+", "+arg(0)+")")
	case method == "File":
		x.becomes(s, n, http()+".ServeFile("+f.w+", "+f.r+", "+arg(0)+")")
	case method == "Data":
		x.becomes(s, n, f.w+`.Header().Set("Content-Type", `+arg(1)+")\n"+f.w+".WriteHeader("+arg(0)+")\n"+f.w+".Write("+arg(2)+")")
	case method == "Next" && f.middleware:
		x.becomes(s, n, f.next+".ServeHTTP("+f.w+", "+f.r+")")
	}
}

// hasTag reports whether t is or contains a struct that has a field with the
// tag.
func hasTag(t types.Type, tag string, seen []types.Type) bool {
	for _, s := range seen {
		if types.Identical(s, t) {
			return false
		}
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return hasTag(u.Elem(), tag, seen)
	case *types.Slice:
		return hasTag(u.Elem(), tag, seen)
	case *types.Map:
		return hasTag(u.Elem(), tag, seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if _, ok := reflect.StructTag(u.Tag(i)).Lookup(tag); ok || hasTag(u.Field(i).Type(), tag, seen) {
				return true
			}
		}
	case *types.Interface, *types.TypeParam:
		return len(seen) < 3 // the decoded type is unknown
	}
	return false
}

// ginRoute rewrites a call of a method of the engine or a group.
func (x *rewriter) ginRoute(s *source, n *ast.CallExpr, method string) {
	recv := x.text(s, receiver(n))
	http := func() string { return x.qualify(s, "net/http") }
	if x.statement(n) == nil && (verbs[method] || method == "Any" || method == "Use" && !x.halfway[n]) {
		x.todo(n, "%s returns nothing in muxmaster: write one statement for each route", method)
		return
	}
	switch {
	case verbs[method], method == "Any":
		x.ginVerb(s, n, strings.ToUpper(method), n.Args[0], n.Args[1:])
	case method == "Handle":
		if verb, ok := x.constant(n.Args[0]); ok && verbs[verb] {
			x.ginVerb(s, n, verb, n.Args[1], n.Args[2:])
		}
	case method == "Use", method == "ServeHTTP":
		x.handled(n.Fun)
		if x.callee(n) == "RouterGroup.Use" && !x.halfway[n] {
			if named := namedType(x.info.TypeOf(receiver(n))); named != nil && named.Obj().Name() == "RouterGroup" {
				x.remark(n, "this middleware also runs for requests below the prefix that match no route")
			}
		}
	case method == "Group":
		x.handled(n.Fun)
		x.ginPath(s, n.Args[0])
		if len(n.Args) > 1 {
			s.replace(n.Args[0].End(), n.Rparen, "")
			x.replace(s, n, x.text(s, n)+".With("+s.render(n.Args[1].Pos(), n.Args[len(n.Args)-1].End())+")")
		}
	case method == "NoRoute", method == "NoMethod":
		if x.statement(n) == nil || len(n.Args) != 1 {
			return
		}
		x.handled(n.Fun)
		x.remark(n, "the status of this response is 200 unless the handler writes another")
		field := map[string]string{"NoRoute": "NotFound", "NoMethod": "MethodNotAllowed"}[method]
		x.replace(s, n, recv+"."+field+" = "+http()+".HandlerFunc("+x.text(s, n.Args[0])+")")
	case method == "Run" && len(n.Args) == 1:
		x.handled(n.Fun)
		x.replace(s, n, http()+".ListenAndServe("+x.text(s, n.Args[0])+", "+recv+")")
	case method == "Run":
		x.handled(n.Fun)
		x.replace(s, n, http()+`.ListenAndServe(":"+`+x.qualify(s, "cmp")+".Or("+x.qualify(s, "os")+`.Getenv("PORT"), "8080"), `+recv+")")
	case method == "Static", method == "StaticFS":
		x.ginStatic(s, n, method)
	case method == "StaticFile":
		x.rename(s, n, "GET")
		h := http()
		x.replace(s, n.Args[1], "func(w "+h+".ResponseWriter, r *"+h+".Request) { "+h+".ServeFile(w, r, "+x.text(s, n.Args[1])+") }")
	}
}

// ginVerb rewrites a route with its middleware.
func (x *rewriter) ginVerb(s *source, n *ast.CallExpr, verb string, pattern ast.Expr, handlers []ast.Expr) {
	if len(handlers) == 0 || n.Ellipsis.IsValid() {
		return
	}
	x.handled(n.Fun)
	x.ginPath(s, pattern)
	recv := x.text(s, receiver(n))
	last := handlers[len(handlers)-1]
	if len(handlers) > 1 {
		recv += ".With(" + s.render(handlers[0].Pos(), handlers[len(handlers)-2].End()) + ")"
	}
	x.replace(s, receiver(n), recv)
	x.replace(s, ast.Unparen(n.Fun).(*ast.SelectorExpr).Sel, verb)
	s.replace(n.Args[0].Pos(), last.Pos(), x.text(s, pattern)+", ")
}

// ginPath adds the leading slash, which is optional in gin.
func (x *rewriter) ginPath(s *source, e ast.Expr) {
	text, ok := x.constant(e)
	if ok && text != "" && text[0] != '/' {
		x.setString(s, e, "/"+text)
		return
	}
	x.path(s, e, colonPath)
}

func (x *rewriter) ginStatic(s *source, n *ast.CallExpr, method string) {
	prefix, ok := x.constant(n.Args[0])
	fsys := ""
	if method == "Static" {
		fsys = x.qualify(s, "os") + ".DirFS(" + x.text(s, n.Args[1]) + ")"
	} else {
		var known bool
		fsys, known = x.fileSystem(s, n.Args[1])
		ok = ok && known
	}
	if !ok {
		return
	}
	x.rename(s, n, "ServeFiles")
	x.replace(s, n.Args[0], strconv.Quote(path.Join("/", prefix, "*filepath")))
	x.replace(s, n.Args[1], fsys)
}
