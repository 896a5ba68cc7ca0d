package muxmaster

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// BuildPath returns the escaped path of a pattern with the given parameter
// values. pairs alternates names and values:
//
//	BuildPath("/users/:id/posts/:post", "id", "42", "post", "a b") // /users/42/posts/a%20b
//
// The pattern matches the path, with the same values. Methods and a host in the
// pattern are ignored.
//
// BuildPath returns an error if a parameter has no value, a name is given twice
// or is not a parameter of the pattern, a value is empty, "." or "..", or a
// constraint does not match a value. It also returns an error if a segment has
// several parameters and matching the path would yield other values. The value
// of a catch-all may contain slashes, but no empty, "." or ".." segment. The
// leading slash in the value of a *name catch-all is optional.
func BuildPath(text string, pairs ...string) (string, error) {
	fail := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("muxmaster: BuildPath %q: %w", text, fmt.Errorf(format, args...))
	}
	var p *pattern.Pattern
	var err error
	if strings.HasPrefix(text, "/") {
		p, err = pattern.ParsePath(text)
	} else {
		p, err = pattern.Parse(text)
	}
	if err != nil {
		return fail("%w", err)
	}
	if len(pairs)%2 != 0 {
		return fail("the name %q has no value", pairs[len(pairs)-1])
	}
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if _, twice := values[pairs[i]]; twice {
			return fail("the parameter %q is given twice", pairs[i])
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
				if v, err = take(part.Name); err != nil {
					return fail("%w", err)
				}
				if v == "" || v == "." || v == ".." {
					return fail("the parameter %q cannot be %q: paths are cleaned of such segments", part.Name, v)
				}
				want = append(want, v)
			}
			decoded += v
		}
		if seg.Kind() == pattern.Literal && (decoded == "" || decoded == "." || decoded == "..") {
			return fail("it never matches: paths are cleaned of its segment %q", decoded)
		}
		if err := matches(seg, decoded, want); err != nil {
			return fail("%w", err)
		}
		b.WriteString("/")
		b.WriteString(url.PathEscape(decoded))
	}
	switch {
	case p.Rest != "":
		v, err := take(p.Rest)
		if err != nil {
			return fail("%w", err)
		}
		if p.RestSlash {
			v = strings.TrimPrefix(v, "/")
		}
		if trie.Unclean("/" + v) {
			return fail("the catch-all %q cannot be %q: paths are cleaned of empty, . and .. segments", p.Rest, v)
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
				return fail("the pattern has no parameter %q", pairs[i])
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
	got, ok := trie.MatchSegment(seg, decoded)
	if !ok {
		return fmt.Errorf("the expression in %q does not match %q", seg, decoded)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%q would be read back as %q, not as %q", decoded, got, want)
	}
	return nil
}
