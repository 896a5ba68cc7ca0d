package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// This file determines whether a router already has routes when the program
// calls its Use. muxmaster's Use panics then. The routes may be registered in
// the same function, in one that was called before, or in a caller.

// A site is a call of one of the program's functions.
type site struct {
	info *types.Info
	call *ast.CallExpr
	in   *ast.FuncDecl // nil if it isn't in a function
}

// neutral lists the methods of routers that don't register routes.
var neutral = map[string]bool{"Use": true, "Pre": true, "NoRoute": true, "NoMethod": true, "NotFound": true, "MethodNotAllowed": true,
	"Run": true, "RunTLS": true, "ServeHTTP": true, "Start": true, "StrictSlash": true, "SkipClean": true, "UseEncodedPath": true,
	"Routes": true, "Walk": true, "Handler": true, "SetTrustedProxies": true, "SetFuncMap": true, "SetHTMLTemplate": true,
	"LoadHTMLGlob": true, "LoadHTMLFiles": true, "Shutdown": true, "Close": true}

// indexCalls records the calls and bodies of the program's functions.
func (k *kinds) indexCalls(info *types.Info, f *ast.File) {
	for _, d := range f.Decls {
		decl, _ := d.(*ast.FuncDecl)
		if decl != nil && decl.Body != nil {
			k.bodies[k.key(info.Defs[decl.Name])] = body{info, decl}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if fn, ok := typeutil.Callee(info, call).(*types.Func); ok && fn.Pos().IsValid() {
					key := k.key(fn.Origin())
					k.sites[key] = append(k.sites[key], site{info, call, decl})
				}
			}
			return true
		})
	}
}

type body struct {
	info *types.Info
	decl *ast.FuncDecl
}

// touches reports whether a function registers routes on a router, which is a
// variable, a field or a parameter.
func (k *kinds) touches(b body, router token.Position, before token.Pos, seen map[token.Position]bool) bool {
	if b.decl == nil {
		return false
	}
	key := k.key(b.info.Defs[b.decl.Name])
	if !before.IsValid() {
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	found := false
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found || before.IsValid() && call.Pos() >= before {
			return !found
		}
		if k.registersOn(b.info, call, router) {
			found = true
			return false
		}
		fn, ok := typeutil.Callee(b.info, call).(*types.Func)
		if !ok {
			return true
		}
		called := k.bodies[k.key(fn.Origin())]
		if called.decl == nil || before.IsValid() && call.End() > before {
			return true
		}
		if k.touches(called, router, token.NoPos, seen) {
			found = true
		}
		params := fn.Origin().Signature().Params()
		for i, arg := range call.Args {
			if obj := variable(b.info, arg); obj != nil && k.key(obj) == router && i < params.Len() &&
				k.touches(called, k.key(params.At(i)), token.NoPos, make(map[token.Position]bool)) {
				found = true
			}
		}
		return !found
	})
	return found
}

// registersOn reports whether a call is one of the old router's methods on the
// variable, other than the neutral ones.
func (k *kinds) registersOn(info *types.Info, call *ast.CallExpr, router token.Position) bool {
	fn, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok || fn.Pkg() == nil || !k.isOld(fn.Pkg().Path()) || fn.Signature().Recv() == nil || receiver(call) == nil {
		return false
	}
	obj := variable(info, receiver(call))
	return obj != nil && k.key(obj) == router && !neutral[fn.Name()]
}

// late reports whether the router may have routes at a position in a function.
func (k *kinds) late(info *types.Info, router types.Object, in *ast.FuncDecl, at token.Pos, seen map[token.Pos]bool) bool {
	if in == nil || seen[at] {
		return false
	}
	seen[at] = true
	if k.touches(body{info, in}, k.key(router), at, make(map[token.Position]bool)) {
		return true
	}
	if inside(router.Pos(), in.Body.Pos(), in.Body.End()) {
		return false // a variable of this function
	}
	param, n := -1, 0
	for _, f := range in.Type.Params.List {
		for _, name := range f.Names {
			if info.Defs[name] == router {
				param = n
			}
			n++
		}
	}
	for _, s := range k.sites[k.key(info.Defs[in.Name])] {
		obj := router
		if param >= 0 {
			if param >= len(s.call.Args) {
				return true
			}
			arg := ast.Unparen(s.call.Args[param])
			if obj = variable(s.info, arg); obj == nil {
				if _, ok := arg.(*ast.CallExpr); ok {
					continue // created for the call
				}
				return true
			}
		}
		if k.late(s.info, obj, s.in, s.call.Pos(), seen) {
			return true
		}
	}
	return false
}

// declOf returns the declaration of the function around a node.
func (x *rewriter) declOf(n ast.Node) *ast.FuncDecl {
	for ; n != nil; n = x.parents[n] {
		if d, ok := n.(*ast.FuncDecl); ok {
			return d
		}
	}
	return nil
}

// isLate reports whether the router that Use is called on may already have
// routes. It reports false if the router isn't a variable.
func (x *rewriter) isLate(use *ast.CallExpr) bool {
	obj := variable(x.info, receiver(use))
	return obj != nil && x.kinds.late(x.info, obj, x.declOf(use), use.Pos(), make(map[token.Pos]bool))
}

// leftUses reports each Use after routes that was not rewritten.
func (x *rewriter) leftUses(s *source, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || x.movedUse[call] {
		return
	}
	if _, method, ok := strings.Cut(x.callee(call), "."); ok && method == "Use" && x.isLate(call) {
		x.todo(call, "call Use before registering routes: this router may already have some, from this function or a caller")
	}
}
