package routes

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/types/typeutil"
)

// This file records what the calls of a router's methods register.

// register records the route or mount that the call registers.
func (r *Result) register(call *ast.CallExpr) {
	fn, ok := typeutil.Callee(r.pass.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() == nil {
		return
	}
	recv := fn.Signature().Recv()
	switch fn.Pkg().Path() {
	case mux.Path:
		if recv != nil {
			r.registerMux(fn.Name(), call)
		}
	case "net/http":
		switch {
		case fn.Name() != "Handle" && fn.Name() != "HandleFunc":
		case recv == nil:
			r.route(Std, nil, call, Scope{Root: defaultMux, Whole: true})
		case mux.IsNamed(recv.Type(), "net/http", "ServeMux"):
			r.route(Std, nil, call, r.receiver(call))
		}
	}
}

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
		r.route(Verb, []string{"GET"}, call, r.receiver(call))
	case name == "ServeSPA" && len(call.Args) == 2:
		r.route(Verb, []string{"GET"}, call, r.receiver(call))
		spa := r.Routes[len(r.Routes)-1]
		spa.Pattern = join("", spa.Pattern) + "/{path...}"
	case name == "Group", name == "Route":
		r.prefix(call.Args[0])
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
	r.Routes = append(r.Routes, &Route{Kind: kind, Methods: methods, Call: call, Text: args[0], Pattern: pattern, Known: known, Handler: args[1], Scope: s})
}

func (r *Result) prefix(e ast.Expr) (string, bool) {
	text, known := r.constant(e)
	if known {
		r.Prefixes = append(r.Prefixes, Prefix{e, text})
	}
	return text, known
}

func (r *Result) constant(e ast.Expr) (string, bool) { return mux.Constant(r.pass.TypesInfo, e) }
