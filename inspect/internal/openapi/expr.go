package openapi

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// plain matches expressions that mean the same in RE2 and in ECMAScript with
// the flag u, which JSON Schema uses. It also matches some other expressions
// with (?, so the caller must check for that.
var plain = regexp.MustCompile(`^(?:[\w~:;=@!&', <>"#%/|()+*?^$-]|\\[dDwWbB^$.*+?()[\]{}|]|\{\d+(?:,\d*)?\}` +
	`|\[\^?(?:[\w~:;=@!&', <>"#%/|()+*?$.-]|\\[dDwW^$.*+?()[\]{}|-])+\])*$`)

// ecmaScript translates an RE2 expression to the syntax of ECMAScript. The
// result is valid RE2, too.
func ecmaScript(expr string) string {
	if plain.MatchString(expr) && !strings.Contains(strings.ReplaceAll(expr, "(?:", "("), "(?") {
		return expr
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return expr // can't happen for a registered route
	}
	var b strings.Builder
	write(&b, tree)
	return b.String()
}

func write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpNoMatch:
		b.WriteString(`[^\s\S]`)
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase == 0 || unicode.SimpleFold(r) == r {
				writeRune(b, r)
				continue
			}
			b.WriteByte('[')
			writeRune(b, r)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				writeRune(b, f)
			}
			b.WriteByte(']')
		}
	case syntax.OpCharClass:
		writeClass(b, re.Rune)
	case syntax.OpAnyCharNotNL:
		b.WriteString(`[^\n]`)
	case syntax.OpAnyChar:
		b.WriteString(`[\s\S]`)
	case syntax.OpBeginLine, syntax.OpBeginText:
		b.WriteByte('^')
	case syntax.OpEndLine, syntax.OpEndText:
		b.WriteByte('$')
	case syntax.OpWordBoundary:
		b.WriteString(`\b`)
	case syntax.OpNoWordBoundary:
		b.WriteString(`\B`)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			writeGroup(b, sub, sub.Op == syntax.OpAlternate)
		}
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			if i > 0 {
				b.WriteByte('|')
			}
			write(b, sub)
		}
	case syntax.OpCapture:
		writeGroup(b, re.Sub[0], true)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		sub := re.Sub[0]
		single := sub.Op == syntax.OpCharClass || sub.Op == syntax.OpCapture || sub.Op == syntax.OpAnyChar || sub.Op == syntax.OpAnyCharNotNL ||
			sub.Op == syntax.OpLiteral && len(sub.Rune) == 1
		writeGroup(b, sub, !single)
		b.WriteString(quantifier(re))
		if re.Flags&syntax.NonGreedy != 0 {
			b.WriteByte('?')
		}
	}
}

func quantifier(re *syntax.Regexp) string {
	switch {
	case re.Op == syntax.OpStar:
		return "*"
	case re.Op == syntax.OpPlus:
		return "+"
	case re.Op == syntax.OpQuest:
		return "?"
	case re.Min == re.Max:
		return fmt.Sprintf("{%d}", re.Min)
	case re.Max < 0:
		return fmt.Sprintf("{%d,}", re.Min)
	}
	return fmt.Sprintf("{%d,%d}", re.Min, re.Max)
}

func writeGroup(b *strings.Builder, re *syntax.Regexp, group bool) {
	if !group {
		write(b, re)
		return
	}
	b.WriteString("(?:")
	write(b, re)
	b.WriteByte(')')
}

// writeClass writes a class of ranges, negated if that is shorter.
func writeClass(b *strings.Builder, ranges []rune) {
	b.WriteByte('[')
	if n := len(ranges); n > 2 && ranges[0] == 0 && ranges[n-1] == unicode.MaxRune {
		b.WriteByte('^')
		inner := make([]rune, 0, n)
		for i := 1; i+1 < n; i += 2 {
			inner = append(inner, ranges[i]+1, ranges[i+1]-1)
		}
		ranges = inner
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		writeRune(b, ranges[i])
		if ranges[i] == ranges[i+1] {
			continue
		}
		if ranges[i]+1 < ranges[i+1] {
			b.WriteByte('-')
		}
		writeRune(b, ranges[i+1])
	}
	b.WriteByte(']')
}

// writeRune writes a literal character, which can be inside or outside of a
// class.
func writeRune(b *strings.Builder, r rune) {
	switch {
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, r):
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '-' || r < ' ' || r == 0x7F || 0x80 <= r && r <= 0xFF && !unicode.IsPrint(r):
		fmt.Fprintf(b, `\x%02x`, r)
	default:
		b.WriteRune(r)
	}
}
