package migrate

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// A kind is the new type of a router variable.
type kind uint8

const (
	isMux   kind = 1 << iota // *muxmaster.Mux
	isGroup                  // *muxmaster.Group
	isOther                  // unknown: muxmaster.Router
)

// kinds determines the kinds of variables and results. Types such as chi.Router
// and gorilla's *mux.Router are used both for a router and for a part of it. So
// kinds follows assignments, arguments and results through all packages. It
// identifies objects by the position of their declaration, because a package
// and its test variant have different objects.
type kinds struct {
	fset   *token.FileSet
	info   map[ast.Expr]*types.Info
	from   map[token.Position][]ast.Expr // expressions assigned to a variable
	fixed  map[token.Position]kind       // parameters of literals passed to Route and similar methods
	result map[token.Position][]ast.Expr // first results of a function
	memo   map[token.Position]kind
	sites  map[token.Position][]site // the calls of a function
	bodies map[token.Position]body
	// call returns the kind of the result of a function of the old router.
	call  func(info *types.Info, name string, call *ast.CallExpr, k *kinds) kind
	isOld func(path string) bool
}

func newKinds(d *dialect, pkgs []*packages.Package) *kinds {
	k := &kinds{info: make(map[ast.Expr]*types.Info), from: make(map[token.Position][]ast.Expr), fixed: make(map[token.Position]kind),
		result: make(map[token.Position][]ast.Expr), memo: make(map[token.Position]kind), call: d.kindOfCall,
		sites: make(map[token.Position][]site), bodies: make(map[token.Position]body)}
	k.isOld = func(path string) bool { return (&rewriter{dialect: d}).isOld(path) }
	for _, pkg := range pkgs {
		k.fset = pkg.Fset
		for _, f := range pkg.Syntax {
			k.index(pkg.TypesInfo, f)
			k.indexCalls(pkg.TypesInfo, f)
		}
	}
	return k
}

func (k *kinds) key(obj types.Object) token.Position { return k.fset.Position(obj.Pos()) }

func (k *kinds) assign(info *types.Info, obj types.Object, e ast.Expr) {
	if obj != nil && obj.Pos().IsValid() && e != nil {
		k.info[e] = info
		k.from[k.key(obj)] = append(k.from[k.key(obj)], e)
	}
}

func (k *kinds) index(info *types.Info, f *ast.File) {
	ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, l := range n.Lhs {
					k.assign(info, variable(info, l), n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, name := range n.Names {
					k.assign(info, info.Defs[name], n.Values[i])
				}
			}
		case *ast.KeyValueExpr:
			k.assign(info, variable(info, n.Key), n.Value)
		case *ast.CallExpr:
			fn, ok := typeutil.Callee(info, n).(*types.Func)
			if !ok {
				break
			}
			params := fn.Origin().Signature().Params()
			for i, arg := range n.Args {
				if i < params.Len() {
					k.assign(info, params.At(i), arg)
				}
			}
			if fn.Pkg() != nil && k.isOld(fn.Pkg().Path()) {
				k.scopes(info, n)
			}
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				break
			}
			for i := len(stack) - 1; i >= 0; i-- {
				if _, ok := stack[i].(*ast.FuncLit); ok {
					break
				}
				if decl, ok := stack[i].(*ast.FuncDecl); ok {
					k.info[n.Results[0]] = info
					key := k.key(info.Defs[decl.Name])
					k.result[key] = append(k.result[key], n.Results[0])
					break
				}
			}
		}
		return true
	})
}

// scopes records that the parameters of functions passed to Route and Group
// become groups.
func (k *kinds) scopes(info *types.Info, call *ast.CallExpr) {
	for _, arg := range call.Args {
		sig, ok := info.TypeOf(arg).Underlying().(*types.Signature)
		if !ok || sig.Params().Len() != 1 {
			continue
		}
		named := namedType(sig.Params().At(0).Type())
		if named == nil || named.Obj().Pkg() == nil || !k.isOld(named.Obj().Pkg().Path()) {
			continue
		}
		switch arg := ast.Unparen(arg).(type) {
		case *ast.FuncLit:
			for _, field := range arg.Type.Params.List {
				for _, name := range field.Names {
					k.fixed[k.key(info.Defs[name])] |= isGroup
				}
			}
		case *ast.Ident, *ast.SelectorExpr:
			if fn := function(info, arg); fn != nil {
				k.fixed[k.key(fn.Signature().Params().At(0))] |= isGroup
			}
		}
	}
}

func function(info *types.Info, e ast.Expr) *types.Func {
	var fn *types.Func
	switch e := e.(type) {
	case *ast.Ident:
		fn, _ = info.Uses[e].(*types.Func)
	case *ast.SelectorExpr:
		fn, _ = info.Uses[e.Sel].(*types.Func)
	}
	return fn
}

func variable(info *types.Info, e ast.Expr) types.Object {
	var obj types.Object
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj = info.ObjectOf(e)
	case *ast.SelectorExpr:
		obj = info.ObjectOf(e.Sel)
	}
	if v, ok := obj.(*types.Var); ok {
		return v
	}
	return nil
}

// of returns the kind of a variable, field or parameter.
func (k *kinds) of(obj types.Object) kind {
	key := k.key(obj)
	if known, ok := k.memo[key]; ok {
		return known
	}
	k.memo[key] = 0 // for recursive calls
	all := k.fixed[key]
	for _, e := range k.from[key] {
		all |= k.expr(k.info[e], e)
	}
	k.memo[key] = all
	return all
}

// returned returns the kind of the first result of a function.
func (k *kinds) returned(fn *types.Func) kind {
	var all kind
	for _, e := range k.result[k.key(fn)] {
		all |= k.expr(k.info[e], e)
	}
	return all
}

// expr returns the kind of an expression.
func (k *kinds) expr(info *types.Info, e ast.Expr) kind {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		fn, ok := typeutil.Callee(info, e).(*types.Func)
		if !ok {
			return isOther
		}
		if fn.Pkg() != nil && k.isOld(fn.Pkg().Path()) {
			if k.call == nil {
				return isOther
			}
			return k.call(info, objectName(fn), e, k)
		}
		return k.returned(fn.Origin())
	case *ast.Ident, *ast.SelectorExpr:
		if info.Types[e].IsNil() {
			return 0
		}
		if obj := variable(info, e); obj != nil {
			return k.of(obj)
		}
	}
	return isOther
}
