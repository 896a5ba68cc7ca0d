package pattern

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// Values collects path values.
type Values struct {
	Vals []string // the first N are set
	N    int
}

// Add adds a value. It reports false if Vals is full.
func (v *Values) Add(value string) bool {
	if uint(v.N) >= uint(len(v.Vals)) {
		return false
	}
	v.Vals[v.N] = value
	v.N++
	return true
}

// A Matcher matches a segment, for example
//
//	{id:[0-9]+}              expr is set
//	user_{name}.json
//	{id:[0-9]+}:cancel       expr is set
//	{year}-{month}
//	{y:[0-9]+}-{m:[0-9]+}    re is set, with a group for each value
//
// If there are several ways to split the segment
// into values, each parameter from the left without a constraint is as short as
// possible, as with non-greedy RE2 expressions. One with a constraint takes what
// the expression prefers; if that is . or .., the segment doesn't match.
type Matcher struct {
	Params int // number of values
	parts  Segment
	expr   *constraint    // constraint, if there is one parameter
	re     *regexp.Regexp // the whole segment, if there are several parameters with constraints
	groups []int          // the capturing group in re of each value
}

// NewMatcher returns a Matcher for seg, which is no catch-all.
func NewMatcher(seg Segment) Matcher {
	m := Matcher{parts: seg}
	expr := ""
	for _, part := range seg {
		if part.Param {
			m.Params++
		}
		expr = cmp.Or(expr, part.Expr)
	}
	switch { // Parse has checked the errors
	case expr == "":
	case m.Params == 1:
		m.expr, _ = compileExpr(expr)
	default:
		whole, groups := seg.regexp()
		m.re, m.groups = regexp.MustCompile(whole), groups
	}
	return m
}

// Match reports whether the decoded segment seg matches, and adds its values to
// v. Values are never empty, "." or "..". Literal text is compared with text,
// which is seg, or seg in lower case.
func (m *Matcher) Match(text, seg string, v *Values) bool {
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
		n := shortestValue(text, sep)
		if n < 0 || !addValue(v, seg[:n]) {
			return false
		}
		text, seg = text[n+len(sep):], seg[n+len(sep):]
	}
	return (m.expr == nil || m.expr.match(seg)) && addValue(v, seg)
}

func (m *Matcher) matchRegexp(seg string, v *Values) bool {
	var loc []int
	if len(seg) < maxRegexp {
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

// shortestValue returns the length of the shortest value, followed by sep, that text
// begins with. It returns -1 if there is none.
func shortestValue(text, sep string) int {
	for n := 1; n < len(text); n++ {
		i := strings.Index(text[n:], sep)
		if i < 0 {
			return -1
		}
		if n += i; !wirepath.Removed(text[:n]) { // at most two values are dots
			return n
		}
	}
	return -1
}

func addValue(v *Values, value string) bool {
	return !wirepath.Removed(value) && v.Add(value)
}

// Match matches an escaped path with p, regardless of methods and host, and
// returns the values. If the path doesn't match, it returns the first reason, and
// the number of segments that match before it.
func (p *Pattern) Match(path string) (values []string, matched int, why string) {
	matchers := make([]Matcher, len(p.Segs))
	for i, seg := range p.Segs {
		matchers[i] = NewMatcher(seg)
	}
	return p.match(matchers, 0, path)
}

// match matches what follows the first i segments.
func (p *Pattern) match(matchers []Matcher, i int, path string) (values []string, matched int, why string) {
	for ; i < len(p.Segs); i++ {
		seg := p.Segs[i]
		if path == "" || path == "/" {
			return nil, i, fmt.Sprintf("the path ends before %s", seg)
		}
		if seg.Kind() == Multi { // the longest value first
			for end := multiEnd(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
				tail, matched, why := p.match(matchers, i+1, path[end:])
				if why == "" {
					return slices.Concat(values, []string{wirepath.Decode(path[1:end])}, tail), matched, ""
				}
				if p.End == All && matched == len(p.Segs) && why != noSlash {
					break // the rest behind a shorter value has the same dots
				}
			}
			return nil, i, fmt.Sprintf("no value of %s matches in %s", seg, path)
		}
		text, _, _ := strings.Cut(path[1:], "/")
		path, text = path[1+len(text):], wirepath.Decode(text)
		v := Values{Vals: make([]string, len(seg))}
		if !matchers[i].Match(text, text, &v) {
			return nil, i, fmt.Sprintf("the segment %q is not %s", text, seg)
		}
		values = append(values, v.Vals[:v.N]...)
	}
	if why = p.end(path); why == "" && p.Rest != "" {
		rest := wirepath.Decode(path)
		if !p.RestSlash {
			rest = rest[1:]
		}
		values = append(values, rest)
	}
	return values, i, why
}

// multiEnd returns the end of the longest value of a catch-all inside a path. No
// segment of it is empty, . or .., not even between escaped slashes.
func multiEnd(path string) (end int) {
	for end < len(path) {
		text, _, _ := strings.Cut(path[end+1:], "/")
		if text == "" || wirepath.DotInside(wirepath.Decode(text)) {
			break
		}
		end += 1 + len(text)
	}
	return end
}

const noSlash = "the path has no slash at its end"

// end returns the reason why the rest of an escaped path can't follow the
// segments, or "".
func (p *Pattern) end(rest string) string {
	switch {
	case p.End == Exact && rest == "/":
		return "the path has a trailing slash"
	case p.End != Exact && rest == "":
		return noSlash
	case p.End == Exact && rest != "", p.End == Slash && rest != "/":
		return fmt.Sprintf("the path goes on with %s", rest)
	case p.End == All && wirepath.DotInside(wirepath.Decode(rest)):
		return fmt.Sprintf("the rest %s has a . or .. behind an escaped slash", rest)
	}
	return ""
}
