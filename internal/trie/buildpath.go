package trie

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// BuildPath returns the escaped path that p matches with the given values. pairs
// alternates names and values.
func BuildPath(p *pattern.Pattern, pairs []string) (string, error) {
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("the name %q has no value", pairs[len(pairs)-1])
	}
	b := pathBuilder{values: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		if _, twice := b.values[pairs[i]]; twice {
			return "", fmt.Errorf("the parameter %q is given twice", pairs[i])
		}
		b.values[pairs[i]] = pairs[i+1]
	}
	for _, seg := range p.Segs {
		add := b.segment
		if seg.Kind() == pattern.Multi {
			add = b.multi
		}
		if err := add(seg); err != nil {
			return "", err
		}
	}
	if err := b.end(p); err != nil {
		return "", err
	}
	if len(b.taken) < len(b.values) {
		names := p.Names()
		for i := 0; i < len(pairs); i += 2 {
			if !slices.Contains(names, pairs[i]) {
				return "", fmt.Errorf("the pattern has no parameter %q", pairs[i])
			}
		}
	}
	path := b.path.String()
	if p.Multi() >= 0 {
		if got := matchAlone(p, path); !slices.Equal(got, b.taken) {
			return "", fmt.Errorf("the values of %s would be read back as %q, not as %q", path, got, b.taken)
		}
	}
	return path, nil
}

// A pathBuilder writes the path of a pattern.
type pathBuilder struct {
	path   strings.Builder
	values map[string]string // by name
	taken  []string          // the values in the path
}

// take returns the value of a parameter.
func (b *pathBuilder) take(name string) (string, error) {
	v, ok := b.values[name]
	if !ok {
		return "", fmt.Errorf("the parameter %q has no value", name)
	}
	b.taken = append(b.taken, v)
	return v, nil
}

func (b *pathBuilder) segment(seg pattern.Segment) error {
	decoded, first := "", len(b.taken)
	for _, part := range seg {
		v := part.Text
		if part.Name != "" {
			var err error
			if v, err = b.take(part.Name); err != nil {
				return err
			}
			if v == "" || v == "." || v == ".." {
				return fmt.Errorf("the parameter %q cannot be %q: paths are cleaned of such segments", part.Name, v)
			}
		}
		decoded += v
	}
	if seg.Kind() == pattern.Literal && (decoded == "" || decoded == "." || decoded == "..") {
		return fmt.Errorf("it never matches: paths are cleaned of its segment %q", decoded)
	}
	if err := matches(seg, decoded, b.taken[first:]); err != nil {
		return err
	}
	b.write(decoded)
	return nil
}

func (b *pathBuilder) multi(seg pattern.Segment) error {
	v, err := b.take(seg[0].Name)
	if err != nil {
		return err
	}
	if v == "" || strings.HasSuffix(v, "/") || wirepath.Unclean("/"+v) {
		return fmt.Errorf("the catch-all %q cannot be %q: paths are cleaned of empty, . and .. segments", seg[0].Name, v)
	}
	b.writeAll(v)
	return nil
}

// end writes what follows the segments of p.
func (b *pathBuilder) end(p *pattern.Pattern) error {
	if p.Rest == "" {
		if p.End != pattern.Exact {
			b.path.WriteString("/")
		}
		return nil
	}
	v, err := b.take(p.Rest)
	if err != nil {
		return err
	}
	if p.RestSlash {
		v = strings.TrimPrefix(v, "/")
		b.taken[len(b.taken)-1] = "/" + v
	}
	if wirepath.Unclean("/" + v) {
		return fmt.Errorf("the catch-all %q cannot be %q: paths are cleaned of empty, . and .. segments", p.Rest, v)
	}
	b.writeAll(v)
	return nil
}

// write writes a segment.
func (b *pathBuilder) write(decoded string) {
	b.path.WriteString("/")
	b.path.WriteString(url.PathEscape(decoded))
}

// writeAll writes the segments of the value of a catch-all.
func (b *pathBuilder) writeAll(value string) {
	for seg := range strings.SplitSeq(value, "/") {
		b.write(seg)
	}
}

// matches returns an error unless seg matches the decoded segment and yields
// the values in want.
func matches(seg pattern.Segment, decoded string, want []string) error {
	switch seg.Kind() {
	case pattern.Literal, pattern.Plain:
		return nil
	}
	if decoded == "." || decoded == ".." {
		return fmt.Errorf("the segment cannot be %q: paths are cleaned of it", decoded)
	}
	got, ok := matchSegment(seg, decoded)
	if !ok {
		return fmt.Errorf("the expression in %q does not match %q", seg, decoded)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%q would be read back as %q, not as %q", decoded, got, want)
	}
	return nil
}

// matchAlone returns the values with which p, without its host, matches an
// escaped path, or nil if it doesn't.
func matchAlone(p *pattern.Pattern, path string) []string {
	alone := *p
	alone.Host, alone.HostLabels = "", nil
	var b Builder[struct{}]
	b.Add(&alone, "", p.Text, struct{}{}, 0)
	t, s := b.Build(), Search[struct{}]{Method: GET}
	s.Fit(t)
	s.SetPath(wirepath.Decode(path), path, false)
	if t.Find(&s, "") == nil {
		return nil
	}
	return s.Vals[:s.N]
}
