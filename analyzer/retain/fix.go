package retain

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
)

// fixes returns edits that copy the strings, the URL or the parameters that
// outlive the handler before the statement. There are none if the request
// itself outlives the handler.
func (c *checker) fixes(f *finding) []analysis.SuggestedFix {
	x := c.newFixer(f)
	if x == nil || !x.rewrite() {
		return nil
	}
	return []analysis.SuggestedFix{{Message: "Copy what outlives the handler", TextEdits: x.edits}}
}

// A fixer rewrites the statement with the sink.
type fixer struct {
	pass    *analysis.Pass
	file    *ast.File
	stmt    ast.Stmt          // an element of a statement list
	sources []types.Object    // the handler's parameters that outlive it
	names   map[string]string // new variable for each copied expression
	others  map[string]bool   // new variables of all fixes in the same declaration
	before  []string          // statements to insert before stmt
	edits   []analysis.TextEdit
}

func (c *checker) newFixer(f *finding) *fixer {
	x := &fixer{pass: c.pass, names: make(map[string]string)}
	for _, file := range c.pass.Files {
		if file.FileStart <= f.sink.pos && f.sink.pos < file.FileEnd {
			x.file = file
		}
	}
	if x.file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(x.file, f.sink.pos, f.sink.pos+1)
	for i, n := range path {
		stmt, ok := n.(ast.Stmt)
		if !ok || i+1 == len(path) {
			continue
		}
		switch path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		default:
			continue
		}
		if clause, ok := path[i+1].(*ast.CommClause); ok && clause.Comm == stmt {
			return nil // evaluated with the select
		}
		x.stmt = stmt
		break
	}
	switch x.stmt.(type) {
	case *ast.GoStmt, *ast.ExprStmt, *ast.AssignStmt, *ast.SendStmt:
	default:
		return nil
	}
	decl := path[len(path)-2]
	if c.named[decl] == nil {
		c.named[decl] = make(map[string]bool)
	}
	x.others = c.named[decl]
	for _, p := range f.sources {
		x.sources = append(x.sources, p.Object())
	}
	return x
}

// rewrite sets the edits. It reports false if it can't copy one of the uses.
func (x *fixer) rewrite() bool {
	ok := true
	ast.PreorderStack(x.stmt, nil, func(n ast.Node, stack []ast.Node) bool {
		id, isIdent := n.(*ast.Ident)
		if !isIdent || !slices.Contains(x.sources, x.pass.TypesInfo.Uses[id]) {
			return true
		}
		if mux.IsParams(x.pass.TypesInfo.TypeOf(id)) {
			ok = ok && x.params(id, stack)
		} else {
			ok = ok && x.request(id, stack)
		}
		return true
	})
	if !ok || len(x.edits) == 0 {
		return false
	}
	if len(x.before) > 0 {
		indent := strings.Repeat("\t", x.pass.Fset.Position(x.stmt.Pos()).Column-1)
		text := strings.Join(x.before, "\n"+indent) + "\n" + indent
		x.edits = append(x.edits, analysis.TextEdit{Pos: x.stmt.Pos(), End: x.stmt.Pos(), NewText: []byte(text)})
	}
	return true
}

func (x *fixer) replace(n ast.Node, text string) {
	x.edits = append(x.edits, analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)})
}

// copied returns the name of a variable that is assigned value before the
// statement.
func (x *fixer) copied(source, base, value string) string {
	if name, ok := x.names[source]; ok {
		return name
	}
	name := x.free(base)
	x.names[source], x.others[name] = name, true
	x.before = append(x.before, name+" := "+value)
	return name
}

// free returns a name that is unused in and around the statement.
func (x *fixer) free(base string) string {
	name := base
	for i := 0; x.taken(name); i++ {
		name = base + "Copy"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
	}
	return name
}

func (x *fixer) taken(name string) bool {
	taken := token.IsKeyword(name) || x.others[name]
	if scope := x.pass.Pkg.Scope().Innermost(x.stmt.Pos()); scope != nil {
		_, obj := scope.LookupParent(name, token.NoPos)
		taken = taken || obj != nil
	}
	ast.Inspect(x.stmt, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		taken = taken || ok && id.Name == name
		return !taken
	})
	return taken
}

// later reports whether the node with this stack is inside a function literal,
// so it isn't evaluated with the statement.
func later(stack []ast.Node) bool {
	return slices.ContainsFunc(stack, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
}

// params replaces a use of the parameters with a clone.
func (x *fixer) params(id *ast.Ident, stack []ast.Node) bool {
	if changes(stack[len(stack)-1], id) {
		return false
	}
	x.replace(id, x.copied(id.Name, id.Name, fmt.Sprintf("append(%s[:0:0], %[1]s...)", id.Name)))
	return true
}

// pure lists methods that have no side effects and return a copy.
var pure = map[string]bool{
	"(*net/http.Request).Context": true, "(*net/http.Request).UserAgent": true, "(*net/http.Request).Referer": true,
	"(*net/http.Request).PathValue": true, "(net/http.Header).Get": true, "(*net/url.URL).Query": true,
	"(*net/url.URL).String": true, "(*net/url.URL).EscapedPath": true, "(*net/url.URL).Hostname": true,
	"(*net/url.URL).Port": true, "(*net/url.URL).RequestURI": true, "(net/url.Values).Get": true,
}

// request replaces the longest expression around r whose value is a string, a
// number, a context or the URL with a copy of the value.
func (x *fixer) request(id *ast.Ident, stack []ast.Node) bool {
	info := x.pass.TypesInfo
	var e ast.Expr = id
	var best ast.Expr
	var parent ast.Node // of best
	base, label := "", ""
walk:
	for i := len(stack) - 1; i >= 0; i-- {
		switch p := stack[i].(type) {
		case *ast.SelectorExpr:
			if p.X != e {
				break walk
			}
			e, label = p, p.Sel.Name
			if _, isFunc := info.Uses[p.Sel].(*types.Func); isFunc {
				continue
			}
		case *ast.CallExpr:
			name, ok := x.pureCall(p, e)
			if !ok {
				break walk
			}
			e = p
			if name != "" {
				label = name
			}
		default:
			break walk
		}
		if isCopy(info.TypeOf(e)) || mux.IsNamed(info.TypeOf(e), "net/url", "URL") {
			best, base, parent = e, label, nil
			if i > 0 {
				parent = stack[i-1]
			}
		}
	}
	if best == nil || changes(parent, best) {
		return false
	}
	text := x.text(best)
	if isCopy(info.TypeOf(best)) {
		if later(stack) { // otherwise it is evaluated immediately
			x.replace(best, x.copied(text, variableName(base), text))
		}
		return true
	}
	u := x.copied(text, "u", "*"+text)
	switch parent.(type) {
	case *ast.SelectorExpr:
		x.replace(best, u)
	case *ast.StarExpr:
		x.replace(parent, u)
	default:
		x.replace(best, "&"+u)
	}
	return true
}

// changes reports whether the node n changes its operand e or takes its
// address.
func changes(n ast.Node, e ast.Expr) bool {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		return n.Op == token.AND
	case *ast.AssignStmt:
		return slices.Contains(n.Lhs, e)
	case *ast.IncDecStmt:
		return true
	}
	return false
}

// pureCall reports whether a call of a method of e, or of PathParam with e, can
// be moved before the statement. name is its constant argument, if any.
func (x *fixer) pureCall(call *ast.CallExpr, e ast.Expr) (name string, ok bool) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	fn, ok := x.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok {
		return "", false
	}
	args := call.Args
	if fn.FullName() == mux.Path+".PathParam" && args[0] == e {
		args = args[1:]
	} else if !pure[fn.FullName()] || call.Fun != e {
		return "", false
	}
	for _, arg := range args {
		if name, ok = mux.Constant(x.pass.TypesInfo, arg); !ok {
			return "", false
		}
	}
	return name, true
}

// isCopy reports whether a value of type t shares no memory with a request: it
// has a basic type or is a context.
func isCopy(t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	return basic || mux.IsNamed(t, "context", "Context")
}

// variableName returns a variable name for the name of a field, method or
// header: "remoteAddr" for "RemoteAddr", "xRequestId" for "X-Request-Id".
func variableName(s string) string {
	if s == "Context" {
		return "ctx"
	}
	if strings.ToUpper(s) == s {
		s = strings.ToLower(s)
	}
	name := strings.ReplaceAll(s, "-", "")
	if !token.IsIdentifier(name) {
		return "value"
	}
	first, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[n:]
}

func (x *fixer) text(n ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, x.pass.Fset, n); err != nil {
		return ""
	}
	return b.String()
}
