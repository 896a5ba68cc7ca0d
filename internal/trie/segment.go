package trie

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A special is a segment that is neither a plain parameter nor a literal that
// fits into an edge, and what follows it:
//
//	{id:[0-9]+}              expr is set
//	user_{name}.json
//	{id:[0-9]+}:cancel       expr is set
//	{year}-{month}
//	{y:[0-9]+}-{m:[0-9]+}    re is set, with a group for each value
//	a%2Fb                    an edge cannot hold its slash
//
// A catch-all inside a path is a special too. Its matcher isn't used.
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
	parts  pattern.Segment
	expr   *pattern.Expr  // constraint, if there is one parameter
	re     *regexp.Regexp // the whole segment, if there are several parameters with constraints
	groups []int          // the capturing group in re of each value
}

func newMatcher(seg pattern.Segment) matcher {
	m := matcher{parts: seg}
	params, constraint := 0, ""
	for _, part := range seg {
		if part.Param {
			params++
		}
		constraint = cmp.Or(constraint, part.Expr)
	}
	switch { // Parse has checked the errors
	case constraint == "":
	case params == 1:
		m.expr, _ = pattern.CompileExpr(constraint)
	default:
		expr, groups := seg.Regexp()
		m.re, m.groups = regexp.MustCompile(expr), groups
	}
	return m
}

// match reports whether the decoded segment seg matches, and adds its values to
// v. Values are never empty, "." or "..". Literal text is compared with text,
// which is seg, or seg in lower case.
func (m *matcher) match(text, seg string, v *Values) bool {
	if m.re != nil {
		return m.matchRegexp(seg, v)
	}
	parts := m.parts
	if first := &parts[0]; !first.Param {
		if !strings.HasPrefix(text, first.Text) {
			return false
		}
		text, seg, parts = text[len(first.Text):], seg[len(first.Text):], parts[1:]
		if len(parts) == 0 {
			return text == ""
		}
	}
	if last := &parts[len(parts)-1]; !last.Param {
		if !strings.HasSuffix(text, last.Text) {
			return false
		}
		text, seg, parts = text[:len(text)-len(last.Text)], seg[:len(seg)-len(last.Text)], parts[:len(parts)-1]
	}
	for ; len(parts) > 1; parts = parts[2:] { // a parameter and the text behind it
		sep := parts[1].Text
		// The first occurrence of a text leaves the most for the next parameters.
		n := shortest(text, sep)
		if n < 0 || !addValue(v, seg[:n]) {
			return false
		}
		text, seg = text[n+len(sep):], seg[n+len(sep):]
	}
	return (m.expr == nil || m.expr.Match(seg)) && addValue(v, seg)
}

func (m *matcher) matchRegexp(seg string, v *Values) bool {
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
