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
// methods overlap.
func (p *Pattern) Shape() string { return string(p.AppendShape(nil)) }

// AppendShape appends the shape of p to b. It is the shape of the host, and for
// each segment a zero byte and the shape of the segment; the end follows as
// another segment. So if shapes are sorted, those that begin with the same
// segments are adjacent.
func (p *Pattern) AppendShape(b []byte) []byte {
	b = p.appendHostShape(b)
	for _, s := range p.Segs {
		b = s.appendShape(append(b, 0))
	}
	switch p.End {
	case Slash:
		b = append(b, 0, 1)
	case All:
		b = append(b, 0, 1, 1)
	}
	return b
}
