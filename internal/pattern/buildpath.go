package pattern

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// BuildPath returns the escaped path that a pattern matches with the given
// values. pairs alternates names and values.
func BuildPath(text string, pairs []string) (path string, err error) {
	p, err := parse(text, !strings.HasPrefix(text, "/"))
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
	hosts := NamedLabels(p.HostLabels)
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
	got, _, why := p.Match(path)
	if why != "" {
		return "", fmt.Errorf("with the values %q, the path is %s, which does not match: %s", pairs, path, why)
	}
	if !slices.Equal(got, values) {
		return "", fmt.Errorf("the values of %s would be read back as %q, not as %q", path, got, values)
	}
	return path, nil
}

// join returns the escaped path of a pattern with values. sure says that the
// pattern matches it, with the same values, if it is clean.
func join(p *Pattern, values []string) (path string, sure bool) {
	var b strings.Builder
	sure = true
	for _, seg := range p.Segs {
		b.WriteByte('/')
		sure = sure && (seg.Kind() == Literal || seg.Kind() == Plain && values[0] != "")
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
	if p.End != Exact && !p.RestSlash {
		b.WriteByte('/')
	}
	if p.Rest != "" {
		b.WriteString(unescapeSlashes(url.PathEscape(values[0])))
	}
	return b.String(), sure
}

func unescapeSlashes(path string) string { return strings.ReplaceAll(path, "%2F", "/") }
