package pattern

import (
	"regexp"
	"slices"
	"strings"
)

// Fold returns p with its literal text in lower case. It is for paths that were
// converted by [Lower], and its expressions match the text in either case. Only
// ASCII letters have a case here, so that the length of a path doesn't change.
func (p *Pattern) Fold() *Pattern {
	folded := *p
	folded.Segs = make([]Segment, len(p.Segs))
	for i, seg := range p.Segs {
		seg = slices.Clone(seg)
		for k := range seg {
			if part := &seg[k]; !part.Param {
				part.Text, part.Fold = Lower(part.Text), true
			}
		}
		folded.Segs[i] = seg
	}
	return &folded
}

// foldExpr returns an expression for text, which is in lower case, in either
// case. The flag i would also match letters beyond ASCII, such as the Kelvin
// sign for k.
func foldExpr(text string) string {
	return asciiLower.ReplaceAllStringFunc(regexp.QuoteMeta(text), func(c string) string { return "[" + c + strings.ToUpper(c) + "]" })
}

var asciiLower = regexp.MustCompile(`[a-z]`)
