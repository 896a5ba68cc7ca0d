package migrate

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// A rewriter rewrites one package. It visits the nodes of each file in
// postorder, so the parts of a node are rewritten before the node.
type rewriter struct {
	*dialect
	pkg     *packages.Package
	info    *types.Info
	kinds   *kinds
	program []string // the packages that are rewritten
	sources []*source
	parents map[ast.Node]ast.Node
	done    map[*ast.Ident]bool // rewritten uses of the old router
	notes   []Note
	blocked bool

	routes          []route                      // those with constant paths
	found           map[types.Object]*contextual // see contexts
	contextDone     map[*ast.Ident]bool          // rewritten uses of a context
	makesMiddleware map[*types.Func]bool
	halfway         map[*ast.CallExpr]bool // calls of Use between routes, which become With
	movedUse        map[*ast.CallExpr]bool // rewritten or reported calls of Use after routes
}

// A Note describes what to do by hand at a position in the original program.
type Note struct {
	Position token.Position
	Text     string
	Blocks   bool // the package is not changed until this is done
}

func newRewriter(d *dialect, pkg *packages.Package, k *kinds, program []string, skip map[string]bool) (*rewriter, error) {
	x := &rewriter{dialect: d, pkg: pkg, info: pkg.TypesInfo, kinds: k, program: program,
		parents: make(map[ast.Node]ast.Node), done: make(map[*ast.Ident]bool), contextDone: make(map[*ast.Ident]bool),
		makesMiddleware: make(map[*types.Func]bool), halfway: make(map[*ast.CallExpr]bool), movedUse: make(map[*ast.CallExpr]bool)}
	for _, f := range pkg.Syntax {
		name := pkg.Fset.Position(f.FileStart).Filename
		if skip[name] || strings.HasSuffix(name, ".test") || !slices.Contains(pkg.GoFiles, name) {
			continue
		}
		skip[name] = true
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s := &source{fset: pkg.Fset, file: f, name: name, text: text, imports: make(map[string]string), names: make(map[string]string)}
		for _, spec := range f.Imports {
			if name := x.info.PkgNameOf(spec); name != nil {
				s.names[name.Imported().Path()] = name.Name()
				if spec.Name != nil {
					s.names[name.Imported().Path()] = spec.Name.Name
				}
			}
		}
		x.sources = append(x.sources, s)
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			if len(stack) > 0 {
				x.parents[n] = stack[len(stack)-1]
			}
			return true
		})
	}
	return x, nil
}

// run rewrites the package, and reports each remaining use of the old router.
func (x *rewriter) run() {
	for _, visit := range x.dialect.passes {
		for _, s := range x.sources {
			x.visit(s, func(n ast.Node) { visit(x, s, n) })
		}
	}
	x.conflicts(x.dialect == gorilla)
	x.untouchable()
	for _, advised := range []bool{true, false} {
		for _, s := range x.sources {
			x.left(s, advised)
		}
	}
}

// untouchable reports files that are generated or excluded by build
// constraints.
func (x *rewriter) untouchable() {
	for _, s := range x.sources {
		if len(s.edits) > 0 && ast.IsGenerated(s.file) {
			x.todo(s.file, "this file is generated: change its generator")
		}
	}
	for _, name := range x.pkg.IgnoredFiles {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil || !x.usesOld(f) {
			continue
		}
		x.blocked = true
		x.notes = append(x.notes, Note{token.Position{Filename: name, Line: 1, Column: 1}, "build constraints exclude this file: set GOOS or GOFLAGS=-tags to include it, or change it by hand first", true})
	}
}

// usesOld reports whether a file that was only parsed uses the old router.
func (x *rewriter) usesOld(f *ast.File) bool {
	for _, spec := range f.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && x.isOld(path) {
			return true
		}
	}
	found := false
	if x.dialect == servemux {
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && (sel.Sel.Name == "ServeMux" || sel.Sel.Name == "NewServeMux") {
				found = true
			}
			return !found
		})
	}
	return found
}

// left reports the uses of the old router in a file that were not rewritten:
// those with advice, then the others if their line has no note.
func (x *rewriter) left(s *source, advised bool) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || x.done[id] {
			return true
		}
		obj := x.info.Uses[id]
		if obj == nil || obj.Pkg() == nil || !x.isOld(obj.Pkg().Path()) {
			return true
		}
		if _, ok := obj.(*types.PkgName); ok {
			return true
		}
		name := objectName(obj)
		text, ok := x.dialect.advice[name]
		at := x.pkg.Fset.Position(id.Pos())
		switch {
		case ok && advised:
			x.todo(id, "%s: %s", name, text)
		case !ok && !advised && !slices.ContainsFunc(x.notes, func(n Note) bool {
			return n.Blocks && n.Position.Filename == at.Filename && n.Position.Line == at.Line
		}):
			x.todo(id, "%s: can't be rewritten automatically, see docs/migration.md", name)
		}
		return true
	})
}

// visit calls f for each node of the file in postorder.
func (x *rewriter) visit(s *source, f func(ast.Node)) {
	var stack []ast.Node
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n != nil {
			stack = append(stack, n)
			return true
		}
		n = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f(n)
		return true
	})
}

// isOld reports whether an import path is one of the old router's.
func (x *rewriter) isOld(path string) bool { return slices.Contains(x.dialect.paths, path) }

// objectName returns the name of an object, for a method as Type.Method.
func objectName(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		if recv := fn.Signature().Recv(); recv != nil {
			if named := namedType(recv.Type()); named != nil {
				return named.Obj().Name() + "." + fn.Name()
			}
		}
	}
	return obj.Name()
}

func namedType(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// todo adds a note that blocks the rewriting of the package.
func (x *rewriter) todo(n ast.Node, format string, args ...any) {
	x.blocked = true
	x.note(n, true, format, args...)
}

// remark adds a note that doesn't block the rewriting.
func (x *rewriter) remark(n ast.Node, format string, args ...any) { x.note(n, false, format, args...) }

func (x *rewriter) note(n ast.Node, blocks bool, format string, args ...any) {
	note := Note{x.pkg.Fset.Position(n.Pos()), fmt.Sprintf(format, args...), blocks}
	if !slices.Contains(x.notes, note) {
		x.notes = append(x.notes, note)
	}
}

// callee returns the function or method of the old router that is called, as
// Type.Method or Function, or "".
func (x *rewriter) callee(call *ast.CallExpr) string {
	fn, ok := typeutil.Callee(x.info, call).(*types.Func)
	if !ok || fn.Pkg() == nil || !x.isOld(fn.Pkg().Path()) {
		return ""
	}
	return objectName(fn)
}

// handled marks the identifier that names what is called, or a selected type.
func (x *rewriter) handled(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		x.done[e] = true
	case *ast.SelectorExpr:
		x.done[e.Sel] = true
	case *ast.IndexExpr:
		x.handled(e.X)
	case *ast.StarExpr:
		x.handled(e.X)
	}
}

// object returns the object of the old router that e names: a type, a function,
// a variable. Otherwise it returns nil.
func (x *rewriter) object(e ast.Expr) types.Object {
	var id *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return nil
	}
	obj := x.info.Uses[id]
	if obj == nil || obj.Pkg() == nil || !x.isOld(obj.Pkg().Path()) {
		return nil
	}
	return obj
}

// qualify returns the name with which the file refers to a package. It imports
// the package if necessary.
func (x *rewriter) qualify(s *source, path string) string {
	if name, ok := s.names[path]; ok && name != "_" && name != "." {
		return name
	}
	if name, ok := s.imports[path]; ok {
		return name
	}
	name := lastElement(path)
	taken := func(name string) bool {
		for other, n := range s.names {
			if n == name && !x.isOld(other) {
				return true
			}
		}
		return x.pkg.Types.Scope().Lookup(name) != nil
	}
	if taken(name) {
		name = "mux" + name
	}
	s.imports[path] = name
	return name
}

// mux returns the qualified name of an identifier of package muxmaster.
func (x *rewriter) mux(s *source, name string) string { return x.qualify(s, mux.Path) + "." + name }

// text returns the source of a node with the edits applied.
func (x *rewriter) text(s *source, n ast.Node) string { return s.render(n.Pos(), n.End()) }

// replace replaces a node with text.
func (x *rewriter) replace(s *source, n ast.Node, text string) { s.replace(n.Pos(), n.End(), text) }

// rename renames the called method or function.
func (x *rewriter) rename(s *source, call *ast.CallExpr, name string) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	x.handled(sel)
	if sel.Sel.Name != name {
		x.replace(s, sel.Sel, name)
	}
}

// constant returns the value of a constant string.
func (x *rewriter) constant(e ast.Expr) (string, bool) {
	v := x.info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// setString replaces the value of a string constant. It reports false if the
// constant is declared elsewhere and has another value.
func (x *rewriter) setString(s *source, e ast.Expr, value string) bool {
	if old, ok := x.constant(e); ok && old == value {
		return true
	}
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok {
		return false
	}
	if lit.Value[0] == '`' && strconv.CanBackquote(value) {
		x.replace(s, lit, "`"+value+"`")
	} else {
		x.replace(s, lit, strconv.Quote(value))
	}
	return true
}

// receiver returns the receiver expression of a method call.
func receiver(call *ast.CallExpr) ast.Expr {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return sel.X
	}
	return nil
}

// statement returns the statement that consists of the call, or nil.
func (x *rewriter) statement(call ast.Expr) *ast.ExprStmt {
	stmt, _ := x.parents[call].(*ast.ExprStmt)
	return stmt
}

// remove deletes a statement with its line.
func (x *rewriter) remove(s *source, stmt ast.Stmt) {
	from, to := s.offset(stmt.Pos()), s.offset(stmt.End())
	for from > 0 && (s.text[from-1] == '\t' || s.text[from-1] == ' ') {
		from--
	}
	if to < len(s.text) && s.text[to] == '\n' && (from == 0 || s.text[from-1] == '\n') {
		to++
	} else {
		from = s.offset(stmt.Pos())
	}
	file := s.fset.File(stmt.Pos())
	s.replace(file.Pos(from), file.Pos(to), "")
}

// insertAfter puts a statement on the line after another one.
func (x *rewriter) insertAfter(s *source, stmt ast.Stmt, text string) {
	s.replace(stmt.End(), stmt.End(), "\n"+text)
}

// requestOf returns the source of the *http.Request in r.Context().
func (x *rewriter) requestOf(s *source, e ast.Expr) (string, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return "", false
	}
	fn, ok := typeutil.Callee(x.info, call).(*types.Func)
	if !ok || fn.FullName() != "(*net/http.Request).Context" {
		return "", false
	}
	return x.text(s, receiver(call)), true
}

// function returns the innermost function around a node.
func (x *rewriter) function(n ast.Node) ast.Node {
	for n = x.parents[n]; n != nil; n = x.parents[n] {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// uses lists the identifiers in the file that refer to the object.
func (x *rewriter) uses(s *source, obj types.Object) []*ast.Ident {
	var all []*ast.Ident
	ast.Inspect(s.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && x.info.Uses[id] == obj {
			all = append(all, id)
		}
		return true
	})
	return all
}

// blockOf returns the statement list that contains stmt.
func (x *rewriter) blockOf(stmt ast.Stmt) []ast.Stmt {
	switch p := x.parents[stmt].(type) {
	case *ast.BlockStmt:
		return p.List
	case *ast.CaseClause:
		return p.Body
	}
	return nil
}
