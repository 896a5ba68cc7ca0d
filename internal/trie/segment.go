package trie

import (
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A special leads along segments that are more than a literal or a plain
// parameter:
//
//	{id:[0-9]+}              => expr
//	user_{name}.json         => prefix, suffix
//	{id:[0-9]+}:cancel       => expr, suffix
//	{year}-{month}           => prefix, between, suffix
//	{y:[0-9]+}-{m:[0-9]+}    => re, with a group for each value
//	a%2Fb                    => literal: an edge cannot hold its slash
type special[P any] struct {
	matcher
	seg  pattern.Segment
	to   target[P]
	last bool // the next special is another node's
}

// A matcher matches one segment. Where it has several values, they are those
// that RE2 finds with every parameter as short as possible.
type matcher struct {
	literal *string
	prefix  string
	suffix  string
	between []string      // texts between the parameters
	expr    *pattern.Expr // of the only parameter
	re      *regexp.Regexp
	groups  []int // of re, one for each value
}

func newMatcher(seg pattern.Segment) matcher {
	var mt matcher
	if seg.Kind() == pattern.Literal {
		mt.literal = &seg[0].Text
		return mt
	}
	constrained := false
	params := 0
	for i, part := range seg {
		constrained = constrained || part.Expr != ""
		switch {
		case part.Name != "":
			params++
		case i == 0:
			mt.prefix = part.Text
		case i == len(seg)-1:
			mt.suffix = part.Text
		default:
			mt.between = append(mt.between, part.Text)
		}
	}
	switch {
	case !constrained:
	case params == 1:
		for _, part := range seg {
			if part.Expr != "" {
				mt.expr, _ = pattern.CompileExpr(part.Expr) // the parser has compiled it before
			}
		}
	default:
		mt.compile(seg)
	}
	return mt
}

func (mt *matcher) compile(seg pattern.Segment) {
	var b strings.Builder
	b.WriteString(`\A`)
	group := 1
	for _, part := range seg {
		switch {
		case part.Name == "":
			b.WriteString(regexp.QuoteMeta(part.Text))
			continue
		case part.Expr == "":
			b.WriteString(`((?s:.+?))`)
		default:
			b.WriteString("(" + part.Expr + ")")
		}
		mt.groups = append(mt.groups, group)
		group++
		if part.Expr != "" {
			group += regexp.MustCompile(part.Expr).NumSubexp()
		}
	}
	b.WriteString(`\z`)
	mt.re = regexp.MustCompile(b.String())
}

// match matches the decoded segment seg and adds its values to v. No value is
// empty, . or .. .
func (mt *matcher) match(seg string, v *Values) bool {
	if mt.literal != nil {
		return seg == *mt.literal
	}
	if mt.re != nil {
		m := mt.re.FindStringSubmatchIndex(seg)
		if m == nil {
			return false
		}
		for _, g := range mt.groups {
			if !addValue(v, seg[m[2*g]:m[2*g+1]]) {
				return false
			}
		}
		return true
	}
	if mt.between == nil {
		value, ok := mt.cut(seg)
		return ok && addValue(v, value)
	}
	if !mt.fits(seg) {
		return false
	}
	rest := seg[len(mt.prefix) : len(seg)-len(mt.suffix)]
	// The first place of each text leaves the most for the next ones.
	for _, sep := range mt.between {
		i := strings.Index(rest[min(1, len(rest)):], sep)
		if i < 0 || !addValue(v, rest[:1+i]) {
			return false
		}
		rest = rest[1+i+len(sep):]
	}
	return addValue(v, rest)
}

func addValue(v *Values, value string) bool {
	return value != "" && !dots(value) && v.add(value)
}

// fits reports whether seg has the prefix and the suffix and more between them.
func (mt *matcher) fits(seg string) bool {
	return len(seg) > len(mt.prefix)+len(mt.suffix) && seg[:len(mt.prefix)] == mt.prefix && seg[len(seg)-len(mt.suffix):] == mt.suffix
}

// cut returns the value of the only parameter.
func (mt *matcher) cut(seg string) (value string, ok bool) {
	if !mt.fits(seg) {
		return "", false
	}
	value = seg[len(mt.prefix) : len(seg)-len(mt.suffix)]
	return value, mt.expr == nil || mt.expr.Match(value)
}

// MatchSegment reports whether seg matches the decoded text of a path segment,
// and with which values.
func MatchSegment(seg pattern.Segment, text string) (values []string, ok bool) {
	if seg.Kind() == pattern.Literal {
		return nil, text == seg[0].Text
	}
	if dots(text) {
		return nil, false
	}
	v := Values{Vals: make([]string, len(seg))}
	mt := newMatcher(seg)
	ok = mt.match(text, &v)
	return v.Vals[:v.N], ok
}
