package pattern

import (
	"cmp"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Segment matches one path segment, or several if it is a catch-all inside a
// path. It is a sequence of parts:
//
//	users      => {Text: "users"}
//	{id}, :id  => {Text: "id", Param: true}
//	{name...}  => {Text: "name", Param: true, Multi: true}
//	v{major:[0-9]+}
//	           => {Text: "v"} {Text: "major", Param: true, Expr: "[0-9]+"}
//	{id:int}   => {Text: "id", Param: true, Expr: "-?[0-9]+", Type: "int"}
type Segment []Part

// A Part is literal text (decoded), or a parameter with an optional constraint.
type Part struct {
	Text  string // literal text, or the name of the parameter
	Expr  string // constraint, an RE2 expression; "" for none
	Type  string // the name of the constraint, such as int; "" if it is written as an expression
	Param bool   // it is a parameter
	Multi bool   // matches one or more whole segments; then it is the only part
	Fold  bool   // see Pattern.Fold
}

// types are the named constraints, such as int in {id:int}.
var types = map[string]string{
	"int":  `-?[0-9]+`,
	"uuid": `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`,
}

// Kind orders segments by what they match, most specific first.
type Kind uint8

const (
	Literal     Kind = iota // text only
	Mixed                   // text and parameters
	Constrained             // one parameter with an expression
	Plain                   // one parameter
	Multi                   // one parameter for one or more segments
)

// Kind returns the kind of s.
func (s Segment) Kind() Kind {
	switch {
	case len(s) > 1:
		return Mixed
	case !s[0].Param:
		return Literal
	case s[0].Expr != "":
		return Constrained
	case s[0].Multi:
		return Multi
	}
	return Plain
}

// String returns the segment in pattern syntax.
func (s Segment) String() string {
	var b strings.Builder
	for _, part := range s {
		switch {
		case !part.Param:
			b.WriteString(part.Text)
		case part.Multi:
			b.WriteString("{" + part.Text + "...}")
		case part.Expr == "":
			b.WriteString("{" + part.Text + "}")
		default:
			b.WriteString("{" + part.Text + ":" + cmp.Or(part.Type, part.Expr) + "}")
		}
	}
	return b.String()
}

// Shape returns the segment without the names of its parameters.
func (s Segment) Shape() string { return string(s.appendShape(nil)) }

// BareShape returns the segment without the names of its parameters and without
// their constraints.
func (s Segment) BareShape() string {
	s = slices.Clone(s)
	for i := range s {
		s[i].Expr = ""
	}
	return string(s.appendShape(nil))
}

// appendShape appends the segment without the names of its parameters.
func (s Segment) appendShape(b []byte) []byte {
	for _, part := range s {
		switch {
		case !part.Param:
			b = appendEscaped(b, part.Text)
		case part.Multi:
			b = append(b, '*')
		default:
			b = append(appendEscaped(append(b, '{'), part.Expr), '}')
		}
	}
	return b
}

// appendEscaped appends a text of a shape. It escapes what has a meaning there.
func appendEscaped(b []byte, text string) []byte {
	from := 0
	for i := range len(text) {
		if c := text[i]; c <= 1 || c == '{' || c == '*' {
			b = append(append(b, text[from:i]...), 1, c|'@')
			from = i + 1
		}
	}
	return append(b, text[from:]...)
}

// shortest matches a value other than . and .., as short as possible.
const shortest = `[^.].*?|\.[^.].*?|\.\..+?`

// regexp returns an RE2 expression that matches the decoded segment, and the
// capturing group of each parameter.
func (s Segment) regexp() (expr string, groups []int) {
	var b strings.Builder
	b.WriteString(`\A`)
	group := 1
	for _, part := range s {
		switch {
		case part.Fold:
			b.WriteString(foldExpr(part.Text))
			continue
		case !part.Param:
			b.WriteString(regexp.QuoteMeta(part.Text))
			continue
		case part.Expr == "":
			b.WriteString(`((?s:` + shortest + `))`)
		default:
			b.WriteString("(" + part.Expr + ")")
		}
		groups = append(groups, group)
		group++
		if re, err := syntax.Parse(part.Expr, syntax.Perl); err == nil {
			group += re.MaxCap()
		}
	}
	b.WriteString(`\z`)
	return b.String(), groups
}

// check returns an error if s has several parameters and its expressions, which
// are valid, can't be combined.
func (s Segment) check() error {
	params, constrained := 0, false
	for _, part := range s {
		if part.Param {
			params++
		}
		constrained = constrained || part.Expr != ""
	}
	if params < 2 || !constrained {
		return nil
	}
	for _, part := range s {
		if !utf8.ValidString(part.Text) {
			return fmt.Errorf("%q: text next to a parameter with an expression must be UTF-8", s)
		}
	}
	expr, _ := s.regexp()
	if _, err := syntax.Parse(expr, syntax.Perl); err != nil {
		return fmt.Errorf("the expressions of %q can't be combined: %w", s, err)
	}
	return nil
}
