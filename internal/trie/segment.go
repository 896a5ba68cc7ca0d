package trie

import (
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A special is a segment that is neither a plain parameter nor a literal that
// fits into an edge, and what follows it. Such segments set these fields of
// matcher:
//
//	{id:[0-9]+}              => expr
//	user_{name}.json         => prefix, suffix
//	{id:[0-9]+}:cancel       => expr, suffix
//	{year}-{month}           => prefix, between, suffix
//	{y:[0-9]+}-{m:[0-9]+}    => re, with a group for each value
//	a%2Fb                    => literal: an edge cannot hold its slash
//
// A catch-all inside a path is a special too, without a matcher.
type special[P any] struct {
	matcher
	to    target[P]
	multi bool // a catch-all; see Tree.multi
	last  bool // this is the node's last special
}

// A matcher matches a segment. If there are several ways to split the segment
// into values, each parameter from the left without a constraint is as short as
// possible, as with non-greedy RE2 expressions. One with a constraint takes what
// the expression prefers; if that is . or .., the segment doesn't match.
type matcher struct {
	literal *string
	prefix  string
	suffix  string
	between []string       // literal texts between the parameters
	expr    *pattern.Expr  // constraint, if there is one parameter
	re      *regexp.Regexp // the whole segment, if there are several parameters with constraints
	groups  []int          // the capturing group in re of each value
}

func newMatcher(seg pattern.Segment) matcher {
	var m matcher
	if seg.Kind() == pattern.Literal {
		m.literal = &seg[0].Text
		return m
	}
	constrained := false
	params := 0
	for i, part := range seg {
		constrained = constrained || part.Expr != ""
		switch {
		case part.Param:
			params++
		case i == 0:
			m.prefix = part.Text
		case i == len(seg)-1:
			m.suffix = part.Text
		default:
			m.between = append(m.between, part.Text)
		}
	}
	switch {
	case !constrained:
	case params == 1:
		for _, part := range seg {
			if part.Expr != "" {
				m.expr, _ = pattern.CompileExpr(part.Expr) // Parse has checked the error
			}
		}
	default:
		expr, groups := seg.Regexp()
		m.re, m.groups = regexp.MustCompile(expr), groups // Parse has checked the error
	}
	return m
}

// match reports whether the decoded segment seg matches, and adds its values to
// v. Values are never empty, "." or "..". Literal text is compared with text,
// which is seg, or seg in lower case.
func (m *matcher) match(text, seg string, v *Values) bool {
	if m.literal != nil {
		return text == *m.literal
	}
	if m.re != nil {
		var loc []int
		if len(seg) < pattern.MaxRegexp {
			loc = m.re.FindStringSubmatchIndex(seg)
		}
		if loc == nil {
			return false
		}
		for _, g := range m.groups {
			if !addValue(v, seg[loc[2*g]:loc[2*g+1]]) {
				return false
			}
		}
		return true
	}
	if !m.hasEnds(text) {
		return false
	}
	text, seg = text[len(m.prefix):len(text)-len(m.suffix)], seg[len(m.prefix):len(seg)-len(m.suffix)]
	// The first occurrence of a text leaves the most for the next parameters.
	for _, sep := range m.between {
		n := shortest(text, sep)
		if n < 0 || !addValue(v, seg[:n]) {
			return false
		}
		text, seg = text[n+len(sep):], seg[n+len(sep):]
	}
	return (m.expr == nil || m.expr.Match(seg)) && addValue(v, seg)
}

// shortest returns the length of the shortest value, followed by sep, that text
// begins with. It returns -1 if there is none.
func shortest(text, sep string) int {
	for n := 1; n < len(text); n++ {
		i := strings.Index(text[n:], sep)
		if i < 0 {
			return -1
		}
		if n += i; !wirepath.IsDots(text[:n]) { // at most two values are dots
			return n
		}
	}
	return -1
}

func addValue(v *Values, value string) bool {
	return value != "" && !wirepath.IsDots(value) && v.add(value)
}

// hasEnds reports whether seg has the prefix and the suffix, with at least one
// byte between them.
func (m *matcher) hasEnds(seg string) bool {
	return len(seg) > len(m.prefix)+len(m.suffix) && seg[:len(m.prefix)] == m.prefix && seg[len(seg)-len(m.suffix):] == m.suffix
}
