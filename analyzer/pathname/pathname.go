// Package pathname defines a check for reads of path parameters that no route
// of the handler has. docs/checks.md of the router describes it.
package pathname

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:     "pathname",
	Doc:      "report names of path parameters that no route of the handler has",
	URL:      mux.Docs + "#pathname",
	Run:      run,
	Requires: []*analysis.Analyzer{inspect.Analyzer, routes.Analyzer},
}

func run(pass *analysis.Pass) (any, error) {
	found := pass.ResultOf[routes.Analyzer].(*routes.Result)
	if len(found.Routes) == 0 {
		return nil, nil
	}
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	set, all := setByHand(pass, in)
	if !all {
		return nil, nil
	}
	reacher, readers := found.Reacher(), readers{}
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) { readers.add(found, pass, n.(*ast.CallExpr)) })
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) {
		call := n.(*ast.CallExpr)
		arg := nameArgument(found, pass, call)
		given := func(e ast.Expr) bool { return isGiven(found, pass, e, 0) }
		if i, ok := readers[mux.Callee(pass.TypesInfo, call)]; ok && i < len(call.Args) && slices.ContainsFunc(call.Args, given) {
			arg = call.Args[i]
		}
		if arg == nil {
			return
		}
		name, ok := mux.Constant(pass.TypesInfo, arg)
		fn := found.Function(call)
		if !ok || fn == nil {
			return
		}
		if reach := reacher.Of(fn); !reach.Unknown && len(reach.Routes) > 0 && !set[name] {
			check(pass, found, reach.Routes, arg, name)
		}
	})
	return nil, nil
}

// readers holds the functions of the package that read the path parameter whose
// name they receive, and the index of the name's parameter.
type readers map[string]int

// add adds the function around the call if it reads a name that it received.
func (rs readers) add(found *routes.Result, pass *analysis.Pass, call *ast.CallExpr) {
	decl, ok := found.Function(call).(*ast.FuncDecl)
	arg := nameArgument(found, pass, call)
	if !ok || arg == nil {
		return
	}
	fn := pass.TypesInfo.Defs[decl.Name].(*types.Func)
	for i := range fn.Signature().Params().Len() {
		if name := fn.Signature().Params().At(i); found.Object(arg) == name && !found.Reassigned(name) {
			rs[fn.FullName()] = i
		}
	}
}

// check reports the name if none of the routes has it.
func check(pass *analysis.Pass, found *routes.Result, rs []*routes.Route, arg ast.Expr, name string) {
	var have []string
	open := false
	for _, route := range rs {
		names, ok := found.Names(route)
		if !ok {
			return
		}
		have = append(have, names.List...)
		open = open || names.Open
		if route.Kind != routes.Std { // which removes the values around it
			wrapped := found.Wrapped()
			have = append(have, wrapped.List...)
			open = open || wrapped.Open
		}
	}
	slices.Sort(have)
	have = slices.Compact(have)
	if slices.Contains(have, name) {
		return
	}
	near := nearest(name, have, open)
	if near == "" && open {
		return
	}
	d := analysis.Diagnostic{Pos: arg.Pos(), End: arg.End()}
	d.Message = fmt.Sprintf("no route of this handler has a path parameter %q", name)
	switch {
	case near != "":
		d.Message += fmt.Sprintf("; did you mean %q?", near)
		if lit, ok := ast.Unparen(arg).(*ast.BasicLit); ok {
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message:   fmt.Sprintf("Replace with %q", near),
				TextEdits: []analysis.TextEdit{{Pos: lit.Pos(), End: lit.End(), NewText: []byte(strconv.Quote(near))}},
			}}
		}
	case len(have) > 0:
		d.Message += fmt.Sprintf("; they have %q", have)
	default:
		d.Message += "; they have none"
	}
	pass.Report(d)
}

// nameArgument returns the argument with the name of a path parameter, if the
// call reads one from a request or Params that the enclosing function received.
// Otherwise it returns nil.
func nameArgument(found *routes.Result, pass *analysis.Pass, call *ast.CallExpr) ast.Expr {
	switch mux.Callee(pass.TypesInfo, call) {
	case "(*net/http.Request).PathValue", "(" + mux.Path + ".Params).Get", "(" + mux.Path + ".Params).Lookup":
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && isGiven(found, pass, sel.X, 0) {
			return call.Args[0]
		}
	case mux.Path + ".PathParam", mux.Path + ".PathParamAs":
		if isGiven(found, pass, call.Args[0], 0) {
			return call.Args[1]
		}
	}
	return nil
}

// isGiven reports whether e is a request or Params that an enclosing function
// received: a parameter, a copy or an alias of one, or the Params of a request.
func isGiven(found *routes.Result, pass *analysis.Pass, e ast.Expr, depth int) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		switch mux.Callee(pass.TypesInfo, call) {
		case mux.Path + ".PathParams", "slices.Clone":
			return isGiven(found, pass, call.Args[0], depth)
		case "(*net/http.Request).WithContext", "(*net/http.Request).Clone":
			sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			return ok && isGiven(found, pass, sel.X, depth)
		}
		return false
	}
	v, ok := found.Object(e).(*types.Var)
	if !ok || depth > 4 {
		return false
	}
	from := found.Assigned(v)
	return v.Kind() == types.ParamVar || from != nil && isGiven(found, pass, from, depth+1)
}

// setByHand returns the names that the package passes to SetPathValue. all
// reports whether all of them are constant.
func setByHand(pass *analysis.Pass, in *inspector.Inspector) (names map[string]bool, all bool) {
	names, all = make(map[string]bool), true
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) {
		call := n.(*ast.CallExpr)
		if mux.Callee(pass.TypesInfo, call) == "(*net/http.Request).SetPathValue" {
			name, known := mux.Constant(pass.TypesInfo, call.Args[0])
			names[name], all = true, all && known
		}
	})
	return names, all
}

// nearest returns the likely correct spelling of a misspelled name, or "". If
// open is set, there may be other names, so it considers only longer names.
func nearest(name string, have []string, open bool) string {
	name = strings.Trim(name, ":*{.}")
	best, least := "", 0
	for _, h := range have {
		d := distance(strings.ToLower(name), strings.ToLower(h))
		limit := min(max(1, min(len(name), len(h))/3), max(len(name), len(h))-1)
		if open {
			limit = min(len(name), len(h)) / 4
		}
		if d <= limit && (best == "" || d < least) {
			best, least = h, d
		}
	}
	return best
}

// distance returns the number of insertions, deletions, replacements and swaps
// of adjacent characters needed to change a to b.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
