// Package pattern parses route patterns, matches segments, and matches whole paths
// with one pattern. Package trie finds the one of many. For example, Parse returns
// for
//
//	GET example.com/users/{id:[0-9]+}/posts/
//
// a Pattern with
//
//	Methods  [GET]
//	Host     example.com
//	Segs     literal "users", parameter id with the constraint [0-9]+, literal "posts"
//	End      All
//
// Parse and ParsePath differ only in the meaning of a trailing slash. So the
// trailing slash is not a segment; it is represented by End.
package pattern

import (
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// End says what may follow the last segment of a pattern.
type End uint8

const (
	Exact End = iota // nothing: /users
	Slash            // a slash: /users/{$}, and /users/ in ParsePath
	All              // a slash and anything: /users/*rest, /users/{rest...}, and /users/ in Parse
)

// A Pattern is a parsed pattern.
type Pattern struct {
	Text       string    // as written
	Methods    []string  // in the order written; nil means every method
	Host       string    // normalized by [HostPort]; "" means every host
	HostLabels []Segment // the labels of a host with parameters, each of one part; else nil
	Path       string    // the path as written, a suffix of Text
	Segs       []Segment // the segments before End
	Rest       string    // if End is All, the name of the catch-all; "" for a trailing slash
	RestSlash  bool      // the value of the catch-all starts with a slash (*rest)
	End        End
	names      []string  // of the parameters, from left to right
	fewNames   [2]string // memory for names
}

// Names returns the names of the parameters from left to right. The caller must
// not modify the slice.
func (p *Pattern) Names() []string { return p.names }

// Multi returns the index in Segs of the catch-all inside the path, or -1.
func (p *Pattern) Multi() int {
	return slices.IndexFunc(p.Segs, func(s Segment) bool { return s[0].Multi })
}

// Static reports whether the pattern matches its own path and no other. It
// reports false if a literal segment would be removed by path cleaning or has
// an escape.
func (p *Pattern) Static() bool {
	if p.End == All {
		return false
	}
	n := 0
	for _, s := range p.Segs {
		t := s[0].Text
		if s.Kind() != Literal || wirepath.Removed(t) {
			return false
		}
		n += 1 + len(t)
	}
	if p.End == Slash {
		n++
	}
	return n == len(p.Path) // nothing is escaped, and there is no {$}
}

// Shape returns a key that is equal for patterns whose hosts and paths differ
// only in the names of their parameters. Such patterns conflict if their
// methods overlap. It is the shape of the host, and for each segment a zero byte and
// the shape of the segment; the end follows as another segment. So if shapes are
// sorted, those that begin with the same segments are adjacent.
func (p *Pattern) Shape() string {
	var room [128]byte
	b := p.appendHostShape(room[:0])
	for _, s := range p.Segs {
		b = s.appendShape(append(b, 0))
	}
	switch p.End {
	case Slash:
		b = append(b, 0, 1)
	case All:
		b = append(b, 0, 1, 1)
	}
	return string(b)
}

// NameRest returns p, whose End is All, with a name for what follows the slash at its
// end. The value begins with this slash.
func (p *Pattern) NameRest(name string) *Pattern {
	q := *p
	q.Rest, q.RestSlash = name, true
	q.names = append(slices.Clip(p.names), name)
	return &q
}

// Bare returns p, which ends in a slash, without it.
func (p *Pattern) Bare() *Pattern {
	q := *p
	q.Path = strings.TrimSuffix(strings.TrimSuffix(p.Path, "{$}"), "/")
	q.Text = p.Text[:len(p.Text)-len(p.Path)] + q.Path
	if p.Rest != "" {
		q.names = p.names[:len(p.names)-1]
	}
	q.End, q.Rest = Exact, ""
	return &q
}

// Below returns p with a prefix, an Exact pattern, in front of its path, and with the
// host of the prefix if p has none. A name of the prefix that p uses, too, is hidden:
// the byte 0 is in front of it. It is p if the prefix is empty.
func (p *Pattern) Below(prefix *Pattern) *Pattern {
	if prefix.Text == "" {
		return p
	}
	q := *p
	head, host := p.Text[:len(p.Text)-len(p.Path)], prefix.Text[:len(prefix.Text)-len(prefix.Path)]
	q.Path = prefix.Path + p.Path
	hosts, outer := NamedLabels(p.HostLabels), prefix.names
	if p.Host == "" {
		head += host
		q.Host, q.HostLabels = prefix.Host, prefix.HostLabels
	} else {
		outer = outer[NamedLabels(prefix.HostLabels):]
	}
	q.Text = head + q.Path
	q.Segs = slices.Concat(prefix.Segs, p.Segs)
	q.names = slices.Concat(p.names[:hosts], outer, p.names[hosts:])
	for i, name := range outer {
		if slices.Contains(p.names, name) {
			q.names[hosts+i] = "\x00" + name
		}
	}
	return &q
}
