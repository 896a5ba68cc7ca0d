package migrate

import (
	"go/ast"
	"go/types"
	"path"
	"strconv"
	"strings"
)

var echo = &dialect{
	paths: []string{"github.com/labstack/echo/v5", "github.com/labstack/echo/v4", "github.com/labstack/echo/v5/middleware",
		"github.com/labstack/echo/v4/middleware"},
	passes: []func(*rewriter, *source, ast.Node){(*rewriter).echo, (*rewriter).useFirst, (*rewriter).leftUses, (*rewriter).leftContexts},
	advice: map[string]string{
		"Context.Bind":          "use body.ReadJSON[T](w, r, limit), r.FormValue and muxmaster.PathParamAs",
		"Context.Validate":      "call the validator",
		"Context.Render":        "execute an html/template",
		"Context.RealIP":        "use r.RemoteAddr behind middleware.RealIPFrom(your proxies)",
		"Context.Get":           "use r.Context().Value(key)",
		"Context.Set":           "use context.WithValue and r.WithContext in a middleware",
		"Context.FormFile":      "use r.FormFile(name)",
		"Context.MultipartForm": "use r.ParseMultipartForm(limit) and r.MultipartForm",
		"Context.JSONPretty":    "use json.MarshalIndent and w.Write",
		"Context.Stream":        "use io.Copy",
		"Context.Blob":          "set Content-Type, write the status and the bytes",
		"Context.Redirect":      "call http.Redirect and return nil",
		"Context.File":          "call http.ServeFile and return nil",
		"HTTPErrorHandler":      "set Mux.ErrorHandler",
		"Echo.Reverse":          "use muxmaster.BuildPath(pattern, name, value...)",
		"Echo.Routes":           "range over Mux.Routes()",
		"Echo.Router":           "use Mux.Handler or Mux.Explain",
		"Echo.StartTLS":         "use server.Server",
		"Echo.Shutdown":         "use server.Server, which has Shutdown",
		"MiddlewareFunc":        "a middleware is func(http.Handler) http.Handler",
		"WrapMiddleware":        "pass the middleware to Use directly",
		"StartConfig":           "use server.Server",
		"ErrNotFound":           "return muxmaster.NewHTTPError(http.StatusNotFound, err)",
		"ErrUnauthorized":       "return muxmaster.NewHTTPError(http.StatusUnauthorized, err)",
		"ErrBadRequest":         "return muxmaster.NewHTTPError(http.StatusBadRequest, err)",
	},
}

// echoMiddleware maps middleware of echo to equivalents in package middleware.
var echoMiddleware = map[string]string{"Logger": "Logger", "RequestLogger": "Logger", "Recover": "Recoverer", "RequestID": "RequestID"}

func (x *rewriter) echo(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.Field:
		x.contextField(s, n)
	case *ast.SelectorExpr:
		x.echoName(s, n)
	case *ast.ReturnStmt:
		x.echoReturn(s, n)
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 {
			if sel, ok := n.Lhs[0].(*ast.SelectorExpr); ok {
				if v, ok := x.object(sel).(*types.Var); ok && (v.Name() == "HideBanner" || v.Name() == "HidePort" || v.Name() == "Debug") {
					x.drop(s, n)
				}
			}
		}
	case *ast.CallExpr:
		x.passContext(s, n)
		name := x.callee(n)
		recv, method, isMethod := strings.Cut(name, ".")
		switch {
		case name == "":
		case !isMethod:
			x.echoFunction(s, n, name)
		case recv == "Context":
			if f := x.contextCall(n); f != nil {
				x.echoContext(s, n, method, f)
			}
		case recv == "Echo", recv == "Group":
			x.echoRoute(s, n, method)
		case name == "Response.Header", name == "Response.WriteHeader", name == "Response.Write":
			x.handled(n.Fun) // c.Response() becomes w
		case name == "Logger.Fatal":
			x.handled(n.Fun)
			if sel, ok := ast.Unparen(receiver(n)).(*ast.SelectorExpr); ok {
				x.handled(sel)
			}
			x.replace(s, n.Fun, x.qualify(s, "log")+".Fatal")
		}
	}
}

func (x *rewriter) echoName(s *source, n *ast.SelectorExpr) {
	switch obj := x.object(n).(type) {
	case *types.TypeName:
		switch {
		case obj.Name() == "Echo":
			x.pointer(s, n, "Mux")
		case obj.Name() == "Group":
			x.pointer(s, n, "Group")
		case obj.Name() == "HandlerFunc":
			x.handled(n)
			x.replace(s, n, x.mux(s, "HandlerFuncE"))
		case obj.Name() == "Map":
			x.handled(n)
			x.replace(s, n, "map[string]any")
		}
	case *types.Var:
		if obj.Name() == "Logger" && obj.IsField() && namedType(obj.Type()) != nil && namedType(obj.Type()).Obj().Pkg().Path() == "log/slog" {
			x.handled(n)
			x.replace(s, n, x.qualify(s, "log/slog")+".Default()")
		}
	}
}

func (x *rewriter) echoFunction(s *source, n *ast.CallExpr, name string) {
	switch {
	case name == "New":
		x.newMux(s, n, true)
		x.remark(n, "responses to errors, 404 and 405 are plain text: set Mux.ErrorHandler, NotFound and MethodNotAllowed for JSON")
		x.remark(n, "a parameter at the end of a path matches one segment; in echo, it matches the rest of the path if the route has no children")
	case echoMiddleware[name] != "" && len(n.Args) == 0 && strings.HasSuffix(x.object(n.Fun).Pkg().Path(), "/middleware"):
		x.handled(n.Fun)
		x.replace(s, n, x.qualify(s, "github.com/seed-1954dcaa/muxmaster/middleware")+"."+echoMiddleware[name])
	case name == "NewHTTPError" && len(n.Args) == 2 && isString(x.info.TypeOf(n.Args[1])):
		x.remark(n, "the response body is the status text: set Mux.ErrorHandler to send the message")
		x.handled(n.Fun)
		x.replace(s, n, x.mux(s, "NewHTTPError")+"("+x.text(s, n.Args[0])+", "+x.qualify(s, "errors")+".New("+x.text(s, n.Args[1])+"))")
	}
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func (x *rewriter) echoContext(s *source, n *ast.CallExpr, method string, f *contextual) {
	arg := func(i int) string { return x.text(s, n.Args[i]) }
	switch method {
	case "Param":
		x.becomes(s, n, x.pathValue(s, f.r, n.Args[0]))
	case "Path":
		x.becomes(s, n, x.mux(s, "RoutePattern")+"("+f.r+")")
	case "QueryParam":
		x.becomes(s, n, f.r+".URL.Query().Get("+arg(0)+")")
	case "QueryParams":
		x.becomes(s, n, f.r+".URL.Query()")
	case "QueryString":
		x.becomes(s, n, f.r+".URL.RawQuery")
	case "FormValue":
		x.becomes(s, n, f.r+".FormValue("+arg(0)+")")
	case "Cookie":
		x.becomes(s, n, f.r+".Cookie("+arg(0)+")")
	case "SetCookie":
		x.becomes(s, n, x.qualify(s, "net/http")+".SetCookie("+f.w+", "+arg(0)+")")
	case "Request":
		x.becomes(s, n, f.r)
	case "Response":
		x.becomes(s, n, f.w)
	case "String":
		x.becomes(s, n, x.mux(s, "Text")+"("+f.w+", "+arg(0)+", "+arg(1)+")")
	case "JSON", "XML":
		x.becomes(s, n, x.mux(s, method)+"("+f.w+", "+arg(0)+", "+arg(1)+")")
	case "NoContent":
		if v := x.info.Types[n.Args[0]].Value; v != nil && v.String() == "204" {
			x.becomes(s, n, x.mux(s, "NoContent")+"("+f.w+")")
		}
	}
}

// echoReturn rewrites return c.Redirect(…) and similar statements to a
// statement and return nil.
func (x *rewriter) echoReturn(s *source, n *ast.ReturnStmt) {
	if len(n.Results) != 1 || x.blockOf(n) == nil {
		return
	}
	call, ok := ast.Unparen(n.Results[0]).(*ast.CallExpr)
	if !ok {
		return
	}
	f := x.contextCall(call)
	if f == nil {
		return
	}
	arg := func(i int) string { return x.text(s, call.Args[i]) }
	http := func() string { return x.qualify(s, "net/http") }
	text := ""
	switch x.callee(call) {
	case "Context.Redirect":
		text = http() + ".Redirect(" + f.w + ", " + f.r + ", " + arg(1) + ", " + arg(0) + ")\nreturn nil"
	case "Context.File":
		text = http() + ".ServeFile(" + f.w + ", " + f.r + ", " + arg(0) + ")\nreturn nil"
	case "Context.NoContent":
		if !x.done[ast.Unparen(call.Fun).(*ast.SelectorExpr).Sel] {
			text = f.w + ".WriteHeader(" + arg(0) + ")\nreturn nil"
		}
	case "Context.HTML", "Context.Blob", "Context.HTMLBlob", "Context.JSONBlob":
		contentType, body := `"text/html; charset=UTF-8"`, arg(1)
		switch x.callee(call) {
		case "Context.HTML":
			body = "[]byte(" + body + ")"
		case "Context.Blob":
			contentType, body = arg(1), arg(2)
		case "Context.JSONBlob":
			contentType = `"application/json"`
		}
		text = f.w + `.Header().Set("Content-Type", ` + contentType + ")\n" + f.w + ".WriteHeader(" + arg(0) + ")\nif _, err := " +
			f.w + ".Write(" + body + "); err != nil {\nreturn err\n}\nreturn nil"
	}
	if text != "" {
		x.becomes(s, call, x.text(s, call))
		x.replace(s, n, text)
	}
}

func (x *rewriter) echoRoute(s *source, n *ast.CallExpr, method string) {
	recv := x.text(s, receiver(n))
	http := func() string { return x.qualify(s, "net/http") }
	switch {
	case verbs[method] || method == "Any":
		x.echoVerb(s, n, strings.ToUpper(method))
	case method == "Add":
		x.todo(n, "register this route with Method")
	case method == "Use", method == "Pre", method == "ServeHTTP":
		x.handled(n.Fun)
		x.echoMiddleware(n.Args)
	case method == "Group":
		x.handled(n.Fun)
		x.echoMiddleware(n.Args[1:])
		x.path(s, n.Args[0], func(path string) (string, error) {
			if path == "" {
				return "", nil
			}
			return echoPath(path)
		})
		if len(n.Args) > 1 {
			s.replace(n.Args[0].End(), n.Rparen, "")
			x.replace(s, n, x.text(s, n)+".With("+s.render(n.Args[1].Pos(), n.Args[len(n.Args)-1].End())+")")
		}
	case method == "Start":
		x.handled(n.Fun)
		x.replace(s, n, http()+".ListenAndServe("+x.text(s, n.Args[0])+", "+recv+")")
	case method == "Static" && len(n.Args) == 2:
		prefix, ok := x.constant(n.Args[0])
		if !ok {
			return
		}
		x.rename(s, n, "ServeFiles")
		x.replace(s, n.Args[0], strconv.Quote(path.Join("/", prefix, "*filepath")))
		x.replace(s, n.Args[1], x.qualify(s, "os")+".DirFS("+x.text(s, n.Args[1])+")")
	case method == "File" && len(n.Args) == 2:
		h := http()
		x.path(s, n.Args[0], echoPath)
		x.rename(s, n, "GET")
		x.replace(s, n.Args[1], "func(w "+h+".ResponseWriter, r *"+h+".Request) { "+h+".ServeFile(w, r, "+x.text(s, n.Args[1])+") }")
	}
}

// echoMiddleware reports middleware without an equivalent in package
// middleware.
func (x *rewriter) echoMiddleware(list []ast.Expr) {
	for _, e := range list {
		if named := namedType(x.info.TypeOf(e)); named != nil && named.Obj().Name() != "MiddlewareFunc" {
			continue // an argument of ServeHTTP
		}
		if call, ok := ast.Unparen(e).(*ast.CallExpr); !ok || echoMiddleware[x.callee(call)] == "" {
			x.todo(e, "middleware for echo: write it as func(http.Handler) http.Handler, or use one of package middleware")
		}
	}
}

// echoVerb rewrites a route. Its handler returns an error, so it becomes a
// HandlerFuncE.
func (x *rewriter) echoVerb(s *source, n *ast.CallExpr, verb string) {
	switch {
	case x.statement(n) == nil:
		x.todo(n, "registration returns nothing in muxmaster: write one statement for each route")
		return
	case len(n.Args) != 2:
		x.echoMiddleware(n.Args[2:])
		return
	}
	bare := false // the prefix of a Group without a slash
	if text, ok := x.constant(n.Args[0]); ok && text == "" && strings.HasPrefix(x.callee(n), "Group.") {
		bare = true
	} else {
		x.path(s, n.Args[0], echoPath)
	}
	if verb == "ANY" {
		x.registeredPath(n, n.Args[0], echoPath)
	} else {
		x.registeredPath(n, n.Args[0], echoPath, verb)
	}
	handler := x.mux(s, "HandlerFuncE") + "(" + x.text(s, n.Args[1]) + ")"
	if verb != "ANY" {
		x.rename(s, n, "Method")
		s.replace(n.Args[0].Pos(), n.Rparen, strconv.Quote(verb)+", "+x.text(s, n.Args[0])+", "+handler)
		return
	}
	text, ok := x.constant(n.Args[0])
	if !ok || bare {
		x.todo(n, "register this route with Handle and a HandlerFuncE")
		return
	}
	if text, _ = echoPath(text); strings.HasSuffix(text, "/") {
		text += "{$}" // for Handle, a slash at the end stands for all below
	}
	x.rename(s, n, "Handle")
	s.replace(n.Args[0].Pos(), n.Rparen, strconv.Quote(text)+", "+handler)
}
