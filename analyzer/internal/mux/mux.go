// Package mux defines the names and types of the router and of net/http that
// the checks use.
package mux

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// Path is the import path of the router.
const Path = "github.com/seed-1954dcaa/muxmaster"

// Docs is the address of the page that describes the checks.
const Docs = "https://" + Path + "/blob/main/docs/checks.md"

// IsNamed reports whether t, or the type it points to, is the named type in the
// package with the given path.
func IsNamed(t types.Type, path, name string) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	obj := n.Obj()
	return obj.Name() == name && obj.Pkg() != nil && obj.Pkg().Path() == path
}

// IsRequest reports whether t is *http.Request.
func IsRequest(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok && IsNamed(t, "net/http", "Request")
}

// IsResponseWriter reports whether t is http.ResponseWriter.
func IsResponseWriter(t types.Type) bool { return IsNamed(t, "net/http", "ResponseWriter") }

// IsParams reports whether t is muxmaster.Params or a slice of its elements.
func IsParams(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	_, pointers := s.Elem().(*types.Pointer)
	return !pointers && IsNamed(s.Elem(), Path, "Param")
}

// IsHandler reports whether the signature is that of a handler: an
// http.HandlerFunc, a fast handler, or one that returns an error.
func IsHandler(sig *types.Signature) bool {
	in, out := sig.Params(), sig.Results()
	switch {
	case in.Len() < 2 || in.Len() > 3 || out.Len() > 1 || sig.Variadic():
		return false
	case !IsResponseWriter(in.At(0).Type()) || !IsRequest(in.At(1).Type()):
		return false
	case in.Len() == 3 && !IsParams(in.At(2).Type()):
		return false
	}
	return out.Len() == 0 || types.Identical(out.At(0).Type(), types.Universe.Lookup("error").Type())
}

// InTest reports whether n is in a test file.
func InTest(pass *analysis.Pass, n ast.Node) bool {
	return strings.HasSuffix(pass.Fset.Position(n.Pos()).Filename, "_test.go")
}

// Constant returns the value of a constant string.
func Constant(info *types.Info, e ast.Expr) (text string, ok bool) {
	v := info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// Callee returns the full name of the called function, such as
// "(*net/http.Request).PathValue", or "" if it is unknown.
func Callee(info *types.Info, call *ast.CallExpr) string {
	fn := typeutil.StaticCallee(info, call)
	if fn == nil {
		return ""
	}
	return fn.Origin().FullName()
}

// Position formats a position for messages: the file without its directory, and
// the line.
func Position(fset *token.FileSet, pos token.Pos) string {
	p := fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}
