package trie

import (
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A Folded finds patterns for paths whose literal text has letters of another
// case. It is a Table of patterns in lower case, which paths in lower case are
// searched in. Values come from the path as it is.
type Folded struct {
	builder Builder[*pattern.Pattern]
	table   *Table[*pattern.Pattern]
}

// Add adds a route, as [Builder.Add] does.
func (f *Folded) Add(p *pattern.Pattern, method string) {
	f.builder.trieOnly = true // a static table has no use for decoded paths
	f.builder.Add(p.Fold(), method, p.Text, p, 0)
}

// Build must be called between Add and Recase.
func (f *Folded) Build() { f.table = f.builder.Build() }

// Recase returns an escaped and clean path with the literal text in the case of
// the pattern that then matches. It also finds patterns that match with a slash
// more or less at the end. It reports false if there is no pattern, or if the
// path has its case.
func (f *Folded) Recase(path, host, method string) (recased string, ok bool) {
	other, slashed := strings.CutSuffix(path, "/")
	if !slashed {
		other += "/"
	}
	want, ok := f.find(path, host, method)
	if !ok {
		want, ok = f.find(other, host, method)
	}
	if !ok {
		return "", false
	}
	recased = withCase(path, want)
	return recased, recased != path
}

// find returns the decoded path in the case of the pattern that matches it.
func (f *Folded) find(path, host, method string) (want string, ok bool) {
	decoded := wirepath.Decode(path)
	s := &Search[*pattern.Pattern]{Method: f.table.MethodOf(method)}
	s.Fit(f.table)
	s.SetPath(decoded, path, false)
	s.path, s.text = pattern.Lower(s.path), pattern.Lower(decoded)
	rt := f.table.Find(s, host)
	if rt == nil {
		return "", false
	}
	p := rt.Payload
	vals := s.Values()[pattern.NamedLabels(p.HostLabels):]
	var b strings.Builder
	for _, seg := range p.Segs {
		b.WriteByte('/')
		for _, part := range seg {
			if !part.Param {
				b.WriteString(part.Text)
			} else {
				b.WriteString(vals[0])
				vals = vals[1:]
			}
		}
	}
	return b.String() + decoded[b.Len():], true
}

// withCase returns an escaped path with the letters of want, a decoded path that
// differs in the case of letters, and perhaps in a slash at the end.
func withCase(path, want string) string {
	var b strings.Builder
	b.Grow(len(path))
	for i := 0; path != ""; i++ {
		n := 1
		if path[0] == '%' {
			n = 3
		}
		if unit := path[:n]; i < len(want) && wirepath.Decode(unit) != want[i:i+1] {
			b.WriteByte(want[i])
		} else {
			b.WriteString(unit)
		}
		path = path[n:]
	}
	return b.String()
}
