// Package routes finds the routes that a package registers, for the checks
// about patterns and path parameters.
//
// It searches the syntax tree for constant patterns on a *muxmaster.Mux, a
// *muxmaster.Group or an *http.ServeMux whose origin it can determine. It marks
// routers whose uses it can't follow, so that the checks don't report them.
package routes

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// Analyzer returns a *Result for the checks that require it. It reports
// nothing.
var Analyzer = &analysis.Analyzer{
	Name:       "muxroutes",
	Doc:        "find the routes that a package registers",
	Run:        run,
	Requires:   []*analysis.Analyzer{inspect.Analyzer},
	ResultType: reflect.TypeFor[*Result](),
}

// Result contains the routes that the package registers.
type Result struct {
	Routes     []*Route // in the order of the source
	Prefixes   []Prefix
	Hosts      []Prefix
	Middleware []Wrap
	Named      []string // the constant arguments of Name
	OpenNames  bool     // an argument of Name isn't constant
	Open       bool     // there are routes that Routes doesn't have

	pass    *analysis.Pass
	values  map[types.Object][]ast.Expr // expressions assigned to a variable or field
	calls   map[types.Object][]*ast.CallExpr
	bodies  map[types.Object]*ast.FuncDecl
	decls   map[types.Object]*ast.Ident
	parents map[ast.Node]ast.Node
	mounts  map[any][]mount
	escaped map[types.Object]bool
	busy    map[ast.Node]bool
	uses    map[types.Object][]ast.Expr // of a variable or function, with its qualifier
	exec    execution                   // of the call that register looks at
}

// A Wrap is a call of Use, UseRoute, UseFast or With.
type Wrap struct {
	Method string
	Call   *ast.CallExpr
	Scope  Scope
}

// Kind is the kind of method that a route was registered with.
type Kind int

const (
	Verb   Kind = iota // GET, POSTFast, Method, …
	Handle             // Handle, HandleFunc, TryHandle, HandleFast
	Std                // of http.ServeMux
	Mount
	Files // ServeFiles
	SPA   // ServeSPA
)

// A Route is one registration.
type Route struct {
	Kind    Kind
	Methods []string // of a verb method or Method; nil for every method
	Call    *ast.CallExpr
	Text    ast.Expr // the pattern's expression, or the call that gives a part of it
	Pattern string   // its value, if Known
	Known   bool
	Handler ast.Expr
	Fast    bool // registered with a FastHandler
	Scope   Scope
	exec    execution
}

// A Scope is the mux or group on which a route is registered.
type Scope struct {
	Root   any    // identifies the mux: the object of its variable or the expression that makes it
	Host   string // of the group that Host made; "" for none
	Prefix string // of the groups
	Whole  bool   // the host and the prefix are known up to the root
	// via distinguishes several instances of the mux: it is the variable with
	// the field, or the call of the constructor.
	via any
}

// A Prefix is the constant prefix of a group or a mount, or the constant host of a
// group.
type Prefix struct {
	Expr  ast.Expr
	Value string
	Err   error // of the router
}

type mount struct {
	at     Scope
	prefix string
	known  bool
}

// defaultMux is the root of the routes on http.DefaultServeMux.
const defaultMux = "http.DefaultServeMux"

var verbs = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true,
	"OPTIONS": true, "CONNECT": true, "TRACE": true, "QUERY": true, "ANY": true}

func run(pass *analysis.Pass) (any, error) {
	r := &Result{
		pass:    pass,
		values:  make(map[types.Object][]ast.Expr),
		calls:   make(map[types.Object][]*ast.CallExpr),
		bodies:  make(map[types.Object]*ast.FuncDecl),
		decls:   make(map[types.Object]*ast.Ident),
		parents: make(map[ast.Node]ast.Node),
		mounts:  make(map[any][]mount),
		escaped: make(map[types.Object]bool),
		busy:    make(map[ast.Node]bool),
		uses:    make(map[types.Object][]ast.Expr),
	}
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	for c := range in.Root().Preorder() {
		r.parents[c.Node()] = c.Parent().Node()
		r.note(c.Node())
	}
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) { r.register(n.(*ast.CallExpr)) })
	r.exec = execution{}
	in.Preorder([]ast.Node{(*ast.SelectorExpr)(nil)}, func(n ast.Node) { r.Open = r.Open || r.isMethodValue(n.(*ast.SelectorExpr)) })
	return r, nil
}

// isMethodValue reports whether sel is a method of a router that isn't called here,
// as in get := mux.GET. What it registers is unknown.
func (r *Result) isMethodValue(sel *ast.SelectorExpr) bool {
	s := r.pass.TypesInfo.Selections[sel]
	if s == nil || !isRouter(s.Recv()) || s.Kind() == types.FieldVal || sel.Sel.Name == "ServeHTTP" {
		return false
	}
	call, ok := r.parents[sel].(*ast.CallExpr)
	return !ok || call.Fun != sel
}

// note records assignments, functions and calls.
func (r *Result) note(n ast.Node) {
	info := r.pass.TypesInfo
	assign := func(to ast.Expr, v ast.Expr) {
		if obj := r.Object(to); obj != nil {
			r.values[obj] = append(r.values[obj], v)
		}
	}
	switch n := n.(type) {
	case *ast.Ident:
		if obj := info.Defs[n]; obj != nil {
			r.decls[obj] = n
		}
		if obj := info.Uses[n]; obj != nil {
			var e ast.Expr = n
			if sel, ok := r.parents[n].(*ast.SelectorExpr); ok && sel.Sel == n {
				e = sel
			}
			if fn, ok := obj.(*types.Func); ok {
				obj = fn.Origin()
			}
			r.uses[obj] = append(r.uses[obj], e)
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if len(n.Rhs) == len(n.Lhs) {
				assign(to, n.Rhs[i])
			} else {
				assign(to, nil)
			}
		}
	case *ast.ValueSpec:
		for i, to := range n.Names {
			if len(n.Values) == len(n.Names) {
				assign(to, n.Values[i])
			} else if len(n.Values) > 0 {
				assign(to, nil)
			}
		}
	case *ast.RangeStmt:
		for _, to := range []ast.Expr{n.Key, n.Value} {
			if to != nil {
				assign(to, nil)
			}
		}
	case *ast.UnaryExpr:
		if obj := r.Object(n.X); n.Op == token.AND && obj != nil && !isStruct(obj.Type()) {
			r.values[obj] = append(r.values[obj], nil) // may be assigned to through the pointer
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok {
			if v, ok := info.Uses[key].(*types.Var); ok && v.IsField() {
				r.values[v] = append(r.values[v], n.Value)
			}
		}
	case *ast.FuncDecl:
		r.bodies[info.Defs[n.Name]] = n
	case *ast.CallExpr:
		if fn := typeutil.StaticCallee(info, n); fn != nil {
			r.calls[fn.Origin()] = append(r.calls[fn.Origin()], n)
		}
	}
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// Object returns the variable or field that e names, or nil.
func (r *Result) Object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if obj, ok := r.pass.TypesInfo.ObjectOf(e).(*types.Var); ok {
			return obj
		}
	case *ast.SelectorExpr:
		if obj, ok := r.pass.TypesInfo.ObjectOf(e.Sel).(*types.Var); ok {
			return obj
		}
	}
	return nil
}

// Reassigned reports whether something is assigned to a parameter.
func (r *Result) Reassigned(v *types.Var) bool { return len(r.values[v]) > 0 }

// Assigned returns the only expression that is assigned to a variable or field,
// or nil. A parameter has more values than those.
func (r *Result) Assigned(v types.Object) ast.Expr {
	if p, ok := v.(*types.Var); !ok || p.Kind() == types.ParamVar || len(r.values[v]) != 1 {
		return nil
	}
	return r.values[v][0]
}
