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
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if _, twice := values[pairs[i]]; twice {
			return "", fmt.Errorf("the parameter %q is given twice", pairs[i])
		}
		values[pairs[i]] = pairs[i+1]
	}
	taken := 0
	take := func(name string) (string, error) {
		v, ok := values[name]
		if !ok {
			return "", fmt.Errorf("the parameter %q has no value", name)
		}
		taken++
		return v, nil
	}
	var b strings.Builder
	for _, seg := range p.Segs {
		decoded := ""
		var want []string
		for _, part := range seg {
			v := part.Text
			if part.Name != "" {
				var err error
				if v, err = take(part.Name); err != nil {
					return "", err
				}
				if v == "" || v == "." || v == ".." {
					return "", fmt.Errorf("the parameter %q cannot be %q: paths are cleaned of such segments", part.Name, v)
				}
				want = append(want, v)
			}
			decoded += v
		}
		if seg.Kind() == pattern.Literal && (decoded == "" || decoded == "." || decoded == "..") {
			return "", fmt.Errorf("it never matches: paths are cleaned of its segment %q", decoded)
		}
		if err := matches(seg, decoded, want); err != nil {
			return "", err
		}
		b.WriteString("/")
		b.WriteString(url.PathEscape(decoded))
	}
	switch {
	case p.Rest != "":
		v, err := take(p.Rest)
		if err != nil {
			return "", err
		}
		if p.RestSlash {
			v = strings.TrimPrefix(v, "/")
		}
		if wirepath.Unclean("/" + v) {
			return "", fmt.Errorf("the catch-all %q cannot be %q: paths are cleaned of empty, . and .. segments", p.Rest, v)
		}
		for seg := range strings.SplitSeq(v, "/") {
			b.WriteString("/")
			b.WriteString(url.PathEscape(seg))
		}
	case p.End != pattern.Exact:
		b.WriteString("/")
	}
	if taken < len(values) {
		names := p.Names()
		for i := 0; i < len(pairs); i += 2 {
			if !slices.Contains(names, pairs[i]) {
				return "", fmt.Errorf("the pattern has no parameter %q", pairs[i])
			}
		}
	}
	return b.String(), nil
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
