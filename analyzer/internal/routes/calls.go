package routes

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/types/typeutil"
)

// This file records what the calls of a router's methods register.

// register records the route, middleware or mount that the call registers.
func (r *Result) register(call *ast.CallExpr) {
	fn, ok := typeutil.Callee(r.pass.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() == nil {
		return
	}
	recv := fn.Signature().Recv()
	r.exec = execution{from: call}
	switch fn.Pkg().Path() {
	case mux.Path:
		if recv == nil || r.takesResults(call) {
			return
		}
		if !registersRoute.MatchString(fn.Name()) {
			r.registerMux(fn.Name(), call)
			return
		}
		for _, r.exec = range r.executions(call) {
			r.registerMux(fn.Name(), call)
		}
	case "net/http":
		if fn.Name() != "Handle" && fn.Name() != "HandleFunc" || recv != nil && !mux.IsNamed(recv.Type(), "net/http", "ServeMux") || r.takesResults(call) {
			return
		}
		for _, r.exec = range r.executions(call) {
			s := Scope{Root: defaultMux, Whole: true}
			if recv != nil {
				s = r.receiver(call)
			}
			r.route(Std, nil, call, s)
		}
	}
}

// takesResults reports whether the arguments are the results of one call, which are
// unknown: mux.Handle(pingv1connect.NewPingServiceHandler(server)).
func (r *Result) takesResults(call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	_, results := r.pass.TypesInfo.TypeOf(call.Args[0]).(*types.Tuple)
	r.Open = r.Open || results
	return results
}

// registersRoute matches the names of the methods with a pattern and a handler.
var registersRoute = regexp.MustCompile(`^([A-Z]+(Fast)?|Method|(Try)?Handle(Func|Fast)?|Serve(Files|SPA))$`)

func (r *Result) registerMux(name string, call *ast.CallExpr) {
	if len(call.Args) == 0 {
		return
	}
	switch verb := strings.TrimSuffix(name, "Fast"); {
	case verbs[verb] && len(call.Args) == 2:
		methods := []string{verb}
		if verb == "ANY" {
			methods = nil
		}
		r.route(Verb, methods, call, r.receiver(call))
	case name == "Method" && len(call.Args) == 3:
		methods, known := r.constant(call.Args[0])
		if !known {
			r.Open = true
			return
		}
		r.route(Verb, strings.Split(methods, ","), call, r.receiver(call))
	case (verb == "Handle" || name == "HandleFunc" || name == "TryHandle") && len(call.Args) == 2:
		r.route(Handle, nil, call, r.receiver(call))
	case name == "ServeFiles" && len(call.Args) == 2:
		r.route(Files, nil, call, r.receiver(call))
	case name == "ServeSPA" && len(call.Args) == 2:
		r.route(SPA, nil, call, r.receiver(call))
	case name == "Group", name == "Route":
		r.prefix(call.Args[0])
	case name == "Host":
		if text, known := r.constant(call.Args[0]); known {
			r.Hosts = append(r.Hosts, Prefix{call.Args[0], text, tryHost(r.receiver(call).Host, text)})
		}
	case name == "Use", name == "UseRoute", name == "UseFast", name == "With":
		r.Middleware = append(r.Middleware, Wrap{name, call, r.receiver(call)})
	case name == "Name":
		text, known := r.constant(call.Args[0])
		r.Named = append(r.Named, text)
		r.OpenNames = r.OpenNames || !known
	case name == "Mount" && len(call.Args) == 2:
		prefix, known := r.prefix(call.Args[0])
		s := r.receiver(call)
		sub, isMux := r.mounted(call.Args[1])
		if isMux {
			r.mounts[sub.Root] = append(r.mounts[sub.Root], mount{s, prefix, known})
		}
		if !isMux || mux.IsNamed(r.pass.TypesInfo.TypeOf(call.Args[1]), "net/http", "ServeMux") {
			r.route(Mount, nil, call, s)
		}
	}
}

func (r *Result) route(kind Kind, methods []string, call *ast.CallExpr, s Scope) {
	args := call.Args[len(call.Args)-2:]
	pattern, known := r.constant(args[0])
	text := r.exec.resolve(r, args[0])
	if _, constant := mux.Constant(r.pass.TypesInfo, text); known && !constant {
		text = r.exec.from // a sum with an argument of that call
	}
	r.Routes = append(r.Routes, &Route{
		Kind: kind, Methods: methods, Call: call, Text: text, Pattern: pattern, Known: known,
		Handler: r.exec.resolve(r, args[1]), Scope: s, Fast: isFast(call), exec: r.exec,
	})
}

// isFast reports whether the called method registers a FastHandler.
func isFast(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && strings.HasSuffix(sel.Sel.Name, "Fast")
}

// Receiver returns the variable or field on which a method is called, or nil.
func (r *Result) Receiver(call *ast.CallExpr) types.Object {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return r.Object(sel.X)
	}
	return nil
}

func (r *Result) prefix(e ast.Expr) (string, bool) {
	text, known := r.constant(e)
	if known {
		r.Prefixes = append(r.Prefixes, Prefix{e, text, tryPrefix(text)})
	}
	return text, known
}

// constant returns the value of a constant string in the current run.
func (r *Result) constant(e ast.Expr) (string, bool) {
	e = r.exec.resolve(r, e)
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		x, known := r.constant(sum.X)
		y, also := r.constant(sum.Y)
		return x + y, known && also
	}
	return mux.Constant(r.pass.TypesInfo, e)
}
