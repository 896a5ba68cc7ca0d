package trie

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// This file matches single patterns. Where a pattern alone can match a path in
// several ways, it searches a Table of that pattern.

// matchAlone returns the values with which p, without its host, matches an
// escaped path.
func matchAlone(p *pattern.Pattern, path string) (values []string, ok bool) {
	alone := *p
	alone.Host, alone.HostLabels = "", nil
	var b Builder[struct{}]
	b.Add(&alone, ShapeKey(&alone, ""), p.Text, struct{}{}, 0)
	t, s := b.Build(), Search[struct{}]{Method: GET}
	s.Fit(t)
	s.SetPath(wirepath.Decode(path), path, true)
	ok = t.Find(&s, "") != nil
	return s.Values(), ok
}

// Mismatch returns the first reason why the pattern does not match the escaped
// path, or "" if it does, and the number of segments that match before it.
func Mismatch(p *pattern.Pattern, path string) (why string, matched int) {
	for i, seg := range p.Segs {
		if path == "" || path == "/" {
			return fmt.Sprintf("the path ends before %s", seg), i
		}
		if seg.Kind() == pattern.Multi {
			rest := *p
			rest.Segs = p.Segs[i:]
			if _, ok := matchAlone(&rest, path); ok {
				return "", len(p.Segs)
			}
			return fmt.Sprintf("no value of %s matches in %s", seg, path), i
		}
		text := path[1:]
		if end := strings.IndexByte(text, '/'); end >= 0 {
			text = text[:end]
		}
		path, text = path[1+len(text):], wirepath.Decode(text)
		m := newMatcher(seg)
		if !m.match(text, text, &Values{Vals: make([]string, len(seg))}) {
			return fmt.Sprintf("the segment %q is not %s", text, seg), i
		}
	}
	matched = len(p.Segs)
	switch {
	case p.End == pattern.Exact && path == "/":
		return "the path has a trailing slash", matched
	case p.End != pattern.Exact && path == "":
		return "the path has no slash at its end", matched
	case p.End == pattern.Exact && path != "", p.End == pattern.Slash && path != "/":
		return fmt.Sprintf("the path goes on with %s", path), matched
	case p.End == pattern.All && wirepath.DotInside(wirepath.Decode(path[1:])):
		return fmt.Sprintf("the rest %s has a . or .. behind an escaped slash", path), matched
	}
	return "", matched
}

// BuildPath returns the escaped path that a pattern matches with the given
// values. pairs alternates names and values.
func BuildPath(text string, pairs []string) (path string, err error) {
	parse := pattern.Parse
	if strings.HasPrefix(text, "/") {
		parse = pattern.ParsePath
	}
	p, err := parse(text)
	if err != nil {
		return "", err
	}
	names := p.Names()
	values, given := make([]string, len(names)), make([]bool, len(names))
	for i := 0; i < len(pairs); i += 2 {
		at := slices.Index(names, pairs[i])
		switch {
		case i+1 == len(pairs):
			return "", fmt.Errorf("the name %q has no value", pairs[i])
		case at < 0:
			return "", fmt.Errorf("the pattern has no parameter %q; it has %q", pairs[i], names)
		case given[at]:
			return "", fmt.Errorf("the parameter %q is given twice", pairs[i])
		}
		values[at], given[at] = pairs[i+1], true
	}
	hosts := pattern.NamedLabels(p.HostLabels)
	values = values[hosts:]
	if i := slices.Index(given[hosts:], false); i >= 0 {
		return "", fmt.Errorf("the parameter %q has no value", names[hosts+i])
	}
	if p.RestSlash {
		rest := &values[len(values)-1]
		*rest = "/" + strings.TrimPrefix(*rest, "/")
	}
	path, sure := join(p, values)
	if wirepath.Unclean(path) {
		return "", fmt.Errorf("with the values %q, the path is %s: paths are cleaned of empty, . and .. segments", pairs, path)
	}
	if sure {
		return path, nil
	}
	got, ok := matchAlone(p, path)
	if !ok {
		why, _ := Mismatch(p, path)
		return "", fmt.Errorf("with the values %q, the path is %s, which does not match: %s", pairs, path, why)
	}
	if !slices.Equal(got, values) {
		return "", fmt.Errorf("the values of %s would be read back as %q, not as %q", path, got, values)
	}
	return path, nil
}

// join returns the escaped path of a pattern with values. sure says that the
// pattern matches it, with the same values, if it is clean.
func join(p *pattern.Pattern, values []string) (path string, sure bool) {
	var b strings.Builder
	sure = true
	for _, seg := range p.Segs {
		b.WriteByte('/')
		sure = sure && (seg.Kind() == pattern.Literal || seg.Kind() == pattern.Plain && values[0] != "")
		for _, part := range seg {
			text := part.Text
			if part.Param {
				text, values = values[0], values[1:]
			}
			text = url.PathEscape(text)
			if part.Multi {
				text = unescapeSlashes(text)
			}
			b.WriteString(text)
		}
	}
	if p.End != pattern.Exact && !p.RestSlash {
		b.WriteByte('/')
	}
	if p.Rest != "" {
		b.WriteString(unescapeSlashes(url.PathEscape(values[0])))
	}
	return b.String(), sure
}

func unescapeSlashes(path string) string { return strings.ReplaceAll(path, "%2F", "/") }
