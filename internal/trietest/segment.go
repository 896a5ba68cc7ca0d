package trietest

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// A Part is literal text or a parameter of a segment.
type Part struct {
	Text  string
	Param bool
	Expr  string // constraint of the parameter, or ""
	Multi bool   // the parameter is a catch-all inside a path
	fold  bool   // the case of the letters of Text doesn't matter
}

// Param is a parameter without a constraint.
var Param = Part{Param: true}

// Expr returns a parameter with the constraint e.
func Expr(e string) Part { return Part{Param: true, Expr: e} }

// Text returns literal text.
func Text(s string) Part { return Part{Text: s} }

// A Segment is a segment in pattern syntax and its parts. # represents a number
// that makes names of parameters unique.
type Segment struct {
	Written string
	Parts   []Part
}

// NewSegment returns a segment with the given syntax and parts.
func NewSegment(written string, parts ...Part) Segment { return Segment{written, parts} }

// Literal returns a segment of literal text without escapes.
func Literal(s string) Segment { return Segment{s, []Part{Text(s)}} }

// IsMulti reports whether s is a catch-all inside a path.
func (s Segment) IsMulti() bool { return s.Parts[0].Multi }

// IsLiteral reports whether s has no parameters.
func (s Segment) IsLiteral() bool { return len(s.Parts) == 1 && !s.Parts[0].Param }

// Segments are segments of all kinds.
var Segments = []Segment{
	Literal("a"), Literal("b"), Literal("ab"), Literal("1"), NewSegment("%2E%2E%2E", Text("...")), Literal("a.b"),
	Literal("Ab"), Literal("é"), Literal("12345678"), Literal("123456789abcdef0"), Literal("longer-than-sixteen-bytes"),
	NewSegment("a%2Fb", Text("a/b")),
	NewSegment("%FF", Text("\xff")),
	NewSegment("a%2Fb|", Text("a/b|")),
	NewSegment("{p#}", Param),
	NewSegment(":p#", Param),
	NewSegment("{p#:[0-9]+}", Expr("[0-9]+")),
	NewSegment("{p#:[ab]+}", Expr("[ab]+")),
	NewSegment("{p#:a|b.*}", Expr("a|b.*")),
	NewSegment("a{p#}", Text("a"), Param),
	NewSegment("{p#}Ab{q#}", Param, Text("Ab"), Param),
	NewSegment("{p#:[ab]+}-B{q#:[a-zA-Z]+}", Expr("[ab]+"), Text("-B"), Expr("[a-zA-Z]+")),
	NewSegment("a:p#", Text("a"), Param),
	NewSegment("{p#}b", Param, Text("b")),
	NewSegment("a{p#}b", Text("a"), Param, Text("b")),
	NewSegment("{p#}.{q#}", Param, Text("."), Param),
	NewSegment("{p#}.{q#}.{r#}", Param, Text("."), Param, Text("."), Param),
	NewSegment("{p#:[ab]+}b", Expr("[ab]+"), Text("b")),
	NewSegment("{p#:[a.]+}b", Expr("[a.]+"), Text("b")),
	NewSegment("{p#:[0-9.]+}.{q#}", Expr("[0-9.]+"), Text("."), Param),
	NewSegment("{p#...}", Part{Param: true, Multi: true}),
	NewSegment("{p#...}", Part{Param: true, Multi: true}),
}

// PathSegments are escaped segments of request paths: some that Segments match,
// some that almost match, and some that path cleaning removes.
var PathSegments = []string{
	"a", "b", "ab", "A", "B", "AB", "aB", "%41b", "xaBy", "xAby", "a-bX", "b-BX", "%C3%A9", "É", "\u212A", "LONGER-than-sixteen-bytes", "A%2fB", "1", "12", "1.2", "aab", "abb", "a.b", "a.b.c", "a..b", "a...b", "...", "....", "a.", "a..", ".b", "..b",
	".", "..", "%2e", ".%2E", "",
	"a%2Fb", "%2F", "a%2F", "..%2Fb", "a%2F%2e%2Fb", "b%2F...", "%FF", "a%FFb", "%61", "x", "12345678", "1234567", "123456789abcdef0",
	"longer-than-sixteen-bytes", "longer-THAN-sixteen-bytes", "1.2.b", "%25", "a%20b", "%00",
	"a%2Fb|", "a|b", "b\\%2F", "a\"", "%61^", "a`%2F..", "\xff", "a\xc3%2F", "{%2F}", "<",
}

// Fits returns the escaped segments that s matches.
func (s Segment) Fits(escaped []string) (fits []string) {
	for _, e := range escaped {
		if text, err := url.PathUnescape(e); err == nil && s.Matches(text) {
			fits = append(fits, e)
		}
	}
	return fits
}

// Matches reports whether s matches the decoded text.
func (s Segment) Matches(text string) bool {
	if s.IsLiteral() {
		return s.Parts[0].begins(text) && len(text) == len(s.Parts[0].Text)
	}
	if s.IsMulti() {
		return s.Parts[0].accepts(text)
	}
	return reads(s.Parts, text)
}

// reads reports whether text consists of the parts.
func reads(parts []Part, text string) bool {
	if len(parts) == 0 {
		return text == ""
	}
	first, others := parts[0], parts[1:]
	if !first.Param {
		return first.begins(text) && reads(others, text[len(first.Text):])
	}
	for n := 1; n <= len(text); n++ {
		if first.accepts(text[:n]) && reads(others, text[n:]) {
			return true
		}
	}
	return false
}

// Holds reports whether s matches the decoded text with the values vals.
func (s Segment) Holds(text string, vals []string) bool {
	var b strings.Builder
	for _, p := range s.Parts {
		if !p.Param {
			b.WriteString(p.Text)
			continue
		}
		if len(vals) == 0 || !p.accepts(vals[0]) {
			return false
		}
		b.WriteString(vals[0])
		vals = vals[1:]
	}
	return len(vals) == 0 && b.String() == text
}

// params counts the parameters of s.
func (s Segment) params() (n int) {
	for _, p := range s.Parts {
		if p.Param {
			n++
		}
	}
	return n
}

// begins reports whether text begins with the literal text p.
func (p Part) begins(text string) bool {
	if len(text) < len(p.Text) {
		return false
	}
	text = text[:len(p.Text)]
	return text == p.Text || p.fold && lower(text) == lower(p.Text)
}

// lower converts ASCII letters.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// accepts reports whether the parameter may have the value.
func (p Part) accepts(value string) bool {
	if value == "" || value == "." || value == ".." {
		return false
	}
	if p.Multi {
		return !hasDots(strings.Split(value, "/"))
	}
	return p.Expr == "" || compile(p.Expr).MatchString(value)
}

var compiled sync.Map // expression => *regexp.Regexp

func compile(expr string) *regexp.Regexp {
	if re, ok := compiled.Load(expr); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(`\A(?:` + expr + `)\z`)
	compiled.Store(expr, re)
	return re
}
