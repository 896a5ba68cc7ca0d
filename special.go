package muxmaster

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
//	a%2Fb                    => literal, for an edge cannot hold its slash
//
// Which value takes what, where there are several, is decided as by RE2 with
// every parameter as short as it can be.
type special struct {
	literal *string
	prefix  string
	suffix  string
	between []string      // texts between the parameters
	expr    *pattern.Expr // of the only parameter
	re      *regexp.Regexp
	groups  []int // of re, one for each value
	to      way
	last    bool // the next special is another node's
}

func newSpecial(seg pattern.Segment) special {
	var sp special
	if seg.Kind() == pattern.Literal {
		sp.literal = &seg[0].Text
		return sp
	}
	constrained := false
	params := 0
	for i, part := range seg {
		constrained = constrained || part.Expr != ""
		switch {
		case part.Name != "":
			params++
		case i == 0:
			sp.prefix = part.Text
		case i == len(seg)-1:
			sp.suffix = part.Text
		default:
			sp.between = append(sp.between, part.Text)
		}
	}
	switch {
	case !constrained:
	case params == 1:
		for _, part := range seg {
			if part.Expr != "" {
				sp.expr, _ = pattern.CompileExpr(part.Expr) // compiled before, by the parser
			}
		}
	default:
		sp.compile(seg)
	}
	return sp
}

func (sp *special) compile(seg pattern.Segment) {
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
		sp.groups = append(sp.groups, group)
		group++
		if part.Expr != "" {
			group += regexp.MustCompile(part.Expr).NumSubexp()
		}
	}
	b.WriteString(`\z`)
	sp.re = regexp.MustCompile(b.String())
}

// match matches the segment path[pos:end] and marks its values. No value is
// empty, . or .. .
func (sp *special) match(s *search, pos, end int) bool {
	text := s.path
	if s.text != "" {
		text = s.text
	}
	seg := text[pos:end]
	if sp.literal != nil {
		return seg == *sp.literal
	}
	if sp.re != nil {
		m := sp.re.FindStringSubmatchIndex(seg)
		if m == nil {
			return false
		}
		for _, g := range sp.groups {
			if !sp.push(s, text, pos+m[2*g], pos+m[2*g+1]) {
				return false
			}
		}
		return true
	}
	if sp.between == nil {
		value, ok := sp.cut(seg)
		return ok && sp.push(s, text, pos+len(sp.prefix), pos+len(sp.prefix)+len(value))
	}
	if !sp.fits(seg) {
		return false
	}
	pos += len(sp.prefix)
	end -= len(sp.suffix)
	// Taking the first place for each text leaves the most for the next ones.
	for _, sep := range sp.between {
		i := strings.Index(text[min(pos+1, end):end], sep)
		if i < 0 || !sp.push(s, text, pos, pos+1+i) {
			return false
		}
		pos += 1 + i + len(sep)
	}
	return sp.push(s, text, pos, end)
}

// fits reports whether seg has the prefix and the suffix and more between them.
func (sp *special) fits(seg string) bool {
	return len(seg) > len(sp.prefix)+len(sp.suffix) && seg[:len(sp.prefix)] == sp.prefix && seg[len(seg)-len(sp.suffix):] == sp.suffix
}

// cut returns the value of the only parameter.
func (sp *special) cut(seg string) (value string, ok bool) {
	if !sp.fits(seg) {
		return "", false
	}
	value = seg[len(sp.prefix) : len(seg)-len(sp.suffix)]
	return value, sp.expr == nil || sp.expr.Match(value)
}

func (sp *special) push(s *search, text string, start, end int) bool {
	if start >= end || !s.raw && dots(text[start:end]) {
		return false
	}
	s.push(start, end)
	return true
}

// text returns how many bytes of literal text a segment holds.
func textLen(seg pattern.Segment) (n int) {
	for _, part := range seg {
		n += len(part.Text)
	}
	return n
}
