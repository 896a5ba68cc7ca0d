package inspect

import (
	"net/url"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// plainValues are values for parameters without a constraint. A host takes the
// second to the fourth.
var plainValues = []string{"1", "a", "abc", "x-7", "A1", "2024-01-31", "12345678", "z_9", "00000000-0000-0000-0000-000000000000", "q.txt", "é", "0"}

// A sampler finds values for constraints. It parses each one once.
type sampler map[string]constraint

type constraint struct {
	tree  *syntax.Regexp
	whole *regexp.Regexp // anchored; nil for an invalid one
}

func (s sampler) constraint(expr string) constraint {
	c, ok := s[expr]
	if !ok {
		c.tree, _ = syntax.Parse(expr, syntax.Perl)
		c.whole, _ = regexp.Compile("^(?:" + expr + ")$")
		s[expr] = c
	}
	return c
}

// fill returns a path that p matches, for most patterns another one for each n. The
// parameter number at gets the raw value instead. rest is what follows, for a pattern
// that ends in a catch-all; "" for an example. It reports false if p may not match the
// path, because there is no value for a constraint.
func (s sampler) fill(p *pattern.Pattern, n, at int, raw, rest string) (path string, ok bool) {
	var b strings.Builder
	param := 0
	ok = true
	for _, seg := range p.Segs {
		before := b.Len()
		b.WriteString("/")
		for _, part := range seg {
			switch {
			case !part.Param:
				b.WriteString(url.PathEscape(part.Text))
				continue
			case param == at:
				b.WriteString(raw)
			default:
				value, found := s.value(part.Expr, n+param)
				ok = ok && found
				if part.Multi && n > 0 {
					b.WriteString(url.PathEscape(plainValues[n%4]) + "/")
				}
				b.WriteString(url.PathEscape(value))
			}
			param++
		}
		if text := b.String()[before:]; text == "/" || text == "/." || text == "/.." {
			ok = false
		}
	}
	switch {
	case p.End == pattern.Exact:
	case rest != "":
		b.WriteString(rest)
	case p.Rest != "":
		b.WriteString("/" + []string{"a", "a/b", "a.txt", "1"}[n%4])
	default:
		b.WriteString("/")
	}
	return b.String(), ok
}

// value returns a value that the expression matches, for most expressions
// another one for each n. It reports false if it finds none.
func (s sampler) value(expr string, n int) (string, bool) {
	if expr == "" {
		return plainValues[n%len(plainValues)], true
	}
	c := s.constraint(expr)
	if c.whole == nil {
		return "", false
	}
	var m match
	m.write(c.tree, n)
	value := m.String() // \b, $ and the like may contradict it
	return value, c.whole.MatchString(value)
}

// A match is a text that an expression matches.
type match struct {
	strings.Builder
	steps int // taken so far: nested repetitions of nothing would take forever
}

// write writes a text that re matches, except for its anchors.
func (m *match) write(re *syntax.Regexp, n int) {
	if m.steps++; m.steps > 5000 || m.Len() > 1000 {
		return
	}
	times := 0
	switch re.Op {
	case syntax.OpLiteral:
		m.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		m.WriteRune(pick(re.Rune, n))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		m.WriteByte("ab1xyz"[n%6])
	case syntax.OpCapture:
		m.write(re.Sub[0], n)
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			m.write(sub, n+i)
		}
	case syntax.OpAlternate:
		m.write(re.Sub[n%len(re.Sub)], n/len(re.Sub))
	case syntax.OpStar, syntax.OpPlus:
		times = n%3 + 1
	case syntax.OpQuest:
		times = n % 2
	case syntax.OpRepeat:
		times = re.Min
		if re.Max != re.Min {
			times += n % 3
		}
		if re.Max > 0 {
			times = min(times, re.Max)
		}
	}
	for i := range times {
		m.write(re.Sub[0], n+i)
	}
}

// pick returns a character of the class, which is a list of ranges. It prefers
// letters and digits.
func pick(class []rune, n int) rune {
	var common []rune
	for _, c := range "1a5zAk09Zb2f7" {
		for i := 0; i < len(class); i += 2 {
			if class[i] <= c && c <= class[i+1] {
				common = append(common, c)
			}
		}
	}
	if len(common) > 0 {
		return common[n%len(common)]
	}
	if len(class) == 0 {
		return 'x' // matches nothing
	}
	return class[n*2%len(class)]
}
