package migrate

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// rest is the new name of a catch-all without a name in the old program.
const rest = "rest"

// A translate function translates a path of the old router to muxmaster's
// syntax for verb methods.
type translate func(path string) (string, error)

// path rewrites an argument with a path. It keeps a path that isn't constant,
// if the path begins with a constant and its constant parts mean the same in
// muxmaster.
func (x *rewriter) path(s *source, arg ast.Expr, to translate) {
	old, ok := x.constant(arg)
	if !ok {
		x.composed(arg, to)
		return
	}
	path, err := to(old)
	if err == nil {
		err = x.valid(path)
	}
	if err == nil {
		err = x.namedOnce(arg, path, to)
	}
	if err != nil {
		x.todo(arg, "%q: %v", old, err)
	} else if !x.setString(s, arg, path) {
		x.todo(arg, "%q: write %q instead", old, path)
	}
}

// valid returns an error if a translated path or pattern is invalid.
func (x *rewriter) valid(path string) error {
	if path == "" {
		return nil // of a Group
	}
	parse := pattern.ParsePath
	if len(x.dialect.paths) == 0 { // http.ServeMux
		parse = pattern.Parse
	}
	_, err := parse(path)
	return err
}

// namedOnce returns an error if the prefix of a scope around a route has a
// parameter of the same name.
func (x *rewriter) namedOnce(arg ast.Expr, path string, to translate) error {
	p, err := pattern.ParsePath(path)
	if err != nil {
		return nil // of http.ServeMux, which has no scopes
	}
	for n := x.parents[arg]; n != nil; n = x.parents[n] {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			continue
		}
		call, ok := x.parents[lit].(*ast.CallExpr)
		if !ok || x.callee(call) == "" || len(call.Args) != 2 {
			continue
		}
		text, ok := x.constant(call.Args[0])
		if !ok {
			continue
		}
		if text, err = to(text); err != nil {
			continue
		}
		prefix, err := pattern.ParsePath(text)
		if err != nil {
			continue
		}
		for _, name := range p.Names() {
			if slices.Contains(prefix.Names(), name) {
				return fmt.Errorf("the prefix %s also has a parameter %q: rename one of them", text, name)
			}
		}
	}
	return nil
}

// composed checks whether a path that is computed at run time can be kept.
func (x *rewriter) composed(arg ast.Expr, to translate) {
	var constants func(e ast.Expr) bool
	constants = func(e ast.Expr) bool {
		if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == token.ADD {
			return constants(b.X) && constants(b.Y)
		}
		text, ok := x.constant(e)
		if !ok {
			return true
		}
		same, err := to(text)
		return err == nil && same == text
	}
	if _, ok := ast.Unparen(arg).(*ast.BinaryExpr); ok && constants(arg) {
		x.remark(arg, "this path is computed at run time: check that all of it means the same in muxmaster")
		return
	}
	if x.dialect.samePaths {
		return
	}
	x.todo(arg, "this path is computed at run time: make it constant, or register the route by hand")
}

// everything matches regular expressions that match every segment.
var everything = regexp.MustCompile(`^\(?(?:\.\*|\.\+|\[\^/\]\+|\[\^/\]\*)\)?$`)

// braces applies f to each {name:expression} of a path. tail is the text after
// it.
func braces(path string, f func(name, expr string, last bool, tail string) (string, error)) (string, error) {
	var b strings.Builder
	for {
		i := strings.IndexByte(path, '{')
		if i < 0 {
			b.WriteString(path)
			return b.String(), nil
		}
		depth, end := 0, -1
		for j := i; j < len(path) && end < 0; j++ {
			switch path[j] {
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					end = j
				}
			}
		}
		if end < 0 {
			return "", errors.New("a brace is not closed")
		}
		name, expr, _ := strings.Cut(path[i+1:end], ":")
		b.WriteString(path[:i])
		whole := strings.HasSuffix(path[:i], "/") && end == len(path)-1
		text, err := f(strings.TrimSpace(name), strings.TrimSpace(expr), whole, path[end+1:])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		path = path[end+1:]
	}
}

// parameter returns {name:expr}. An expression in a group needs no change,
// because muxmaster also matches the whole segment.
func parameter(name, expr string) string {
	expr = strings.TrimPrefix(expr, "^")
	if !strings.HasSuffix(expr, `\$`) {
		expr = strings.TrimSuffix(expr, "$")
	}
	if expr == "" || everything.MatchString(expr) {
		return "{" + name + "}"
	}
	return "{" + name + ":" + expr + "}"
}

// matchesSlash reports whether an expression may match text with a slash.
func matchesSlash(expr string) bool {
	tree, err := syntax.Parse(expr, syntax.Perl)
	return err != nil || hasSlash(tree)
}

func hasSlash(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '/')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '/' && '/' <= re.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, hasSlash)
}

// alternatives reports whether an expression has alternatives outside of
// groups.
func alternatives(expr string) bool {
	depth, class := 0, false
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			return true
		}
	}
	return false
}

var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// checkEscapes returns an error if a path has an escape. The other routers
// compare it with the decoded path, or with the one that the client sent.
func checkEscapes(path string) error {
	if e := escape.FindString(path); e != "" {
		return fmt.Errorf("%s is literal text in the old router and a character in muxmaster: write %%25%s for the text, or the character itself", e, e[1:])
	}
	return nil
}

// chiPath translates a path of chi. There, * at the end is the rest of the
// path, without a leading slash, and an expression matches within one segment.
func chiPath(path string) (string, error) {
	if err := checkEscapes(path); err != nil {
		return "", err
	}
	named := strings.Contains(path, "{"+rest)
	path, err := braces(path, func(name, expr string, last bool, tail string) (string, error) {
		switch {
		case tail != "" && tail[0] != '/' && matchesSlash(expr):
			return "", fmt.Errorf("{%s:%s} may match a slash before %q: in muxmaster, an expression matches one segment", name, expr, tail[:1])
		case alternatives(expr):
			return "", fmt.Errorf("{%s:%s}: chi matches each segment that begins with the first alternative or ends with the last: write {%s:(%s)}", name, expr, name, expr)
		}
		return parameter(name, expr), nil
	})
	if err != nil {
		return "", err
	}
	path = literalColons(path)
	i := strings.IndexByte(path, '*')
	for ; i >= 0 && inBraces(path, i); i = next(path, '*', i+1) {
	}
	switch {
	case i < 0:
		return path, nil
	case i != len(path)-1 || i == 0 || path[i-1] != '/':
		return "", errors.New("muxmaster supports a catch-all only after a slash: rewrite the route")
	case named:
		return "", fmt.Errorf("the catch-all would be named {%s...}, but another parameter has this name", rest)
	}
	return path[:i] + "{" + rest + "...}", nil
}

// literalColons escapes the colons of a path that are literal text in a router
// whose parameters have braces. Here a segment that has a colon and no brace
// ends with a parameter.
func literalColons(path string) string {
	segments := strings.Split(path, "/")
	for i, seg := range segments {
		if !strings.ContainsAny(seg, "{}") {
			segments[i] = strings.ReplaceAll(seg, ":", "%3A")
		}
	}
	return strings.Join(segments, "/")
}

func next(s string, c byte, from int) int {
	if i := strings.IndexByte(s[from:], c); i >= 0 {
		return from + i
	}
	return -1
}

func inBraces(path string, i int) bool {
	return strings.Count(path[:i], "{") > strings.Count(path[:i], "}")
}

// gorillaPath translates a path of gorilla/mux, where an expression can match
// several segments. It supports only common expressions of this kind.
func gorillaPath(path string) (string, error) {
	if err := checkEscapes(path); err != nil {
		return "", err
	}
	path, err := braces(path, func(name, expr string, last bool, _ string) (string, error) {
		switch {
		case expr == "", expr == "[^/]+":
			return "{" + name + "}", nil
		case everything.MatchString(expr) && expr != "[^/]*":
			if last {
				return "{" + name + "...}", nil
			}
			return "", fmt.Errorf("{%s:%s} matches several segments in the middle of a path", name, expr)
		case matchesSlash(expr):
			return "", fmt.Errorf("{%s:%s} may match a slash: in muxmaster, an expression matches one segment", name, expr)
		}
		return parameter(name, expr), nil
	})
	return strings.ReplaceAll(literalColons(path), "/*", "/%2A"), err
}

// echoPath translates a path of echo, where * at the end is the rest of the
// path, without a leading slash.
func echoPath(path string) (string, error) {
	if strings.ContainsAny(path, "{}\\") {
		return "", errors.New("braces and backslashes have another meaning in muxmaster")
	}
	if err := checkEscapes(path); err != nil {
		return "", err
	}
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	switch i := strings.IndexByte(path, '*'); {
	case i < 0:
		return path, nil
	case i != len(path)-1 || path[i-1] != '/':
		return "", errors.New("muxmaster supports a catch-all only after a slash: rewrite the route")
	default:
		return path[:i] + "{" + rest + "...}", nil
	}
}

// colonPath checks a path of httprouter or gin. It means the same in muxmaster
// unless it has braces.
func colonPath(path string) (string, error) {
	if strings.ContainsAny(path, "{}") {
		return "", errors.New("braces are literal text in the old router and a parameter in muxmaster: write them as %7B and %7D")
	}
	return path, checkEscapes(path)
}

// stdPath checks a pattern of http.ServeMux.
func stdPath(pattern string) (string, error) {
	_, path, _ := strings.Cut(pattern, "/") // a host may have a port
	for seg := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(seg, "*") || strings.Contains(seg, ":") && !strings.Contains(seg, "{") {
			return "", fmt.Errorf("the segment %q is literal text in http.ServeMux and has a parameter in muxmaster: write : as %%3A and * as %%2A", seg)
		}
	}
	return pattern, nil
}
