package trie

import (
	"fmt"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// Mismatch returns the first reason why the pattern does not match the escaped
// path, or "" if it does, and the number of segments that match before it.
func Mismatch(p *pattern.Pattern, path string) (why string, matched int) {
	return newComparison(p).mismatch(0, path)
}

// A comparison compares a pattern with paths.
type comparison struct {
	*pattern.Pattern
	matchers []matcher // of Segs
	dots     bool      // the path has dots that no catch-all at the end matches
}

func newComparison(p *pattern.Pattern) *comparison {
	c := &comparison{Pattern: p, matchers: make([]matcher, len(p.Segs))}
	for i, seg := range p.Segs {
		c.matchers[i] = newMatcher(seg)
	}
	return c
}

// mismatch is [Mismatch] for the pattern from the segment with index i on.
func (c *comparison) mismatch(i int, path string) (why string, matched int) {
	for ; i < len(c.Segs); i++ {
		seg := c.Segs[i]
		if path == "" || path == "/" {
			return fmt.Sprintf("the path ends before %s", seg), i
		}
		if seg.Kind() == pattern.Multi {
			return c.mismatchMulti(i, path)
		}
		end := segmentEnd(path)
		text := wirepath.Decode(path[1:end])
		path = path[end:]
		if !c.matches(i, text) {
			return fmt.Sprintf("the segment %q is not %s", text, seg), i
		}
	}
	return c.mismatchEnd(path), len(c.Segs)
}

// matches reports whether the segment with index i matches a decoded segment.
func (c *comparison) matches(i int, text string) bool {
	seg := c.Segs[i]
	switch {
	case seg.Kind() == pattern.Literal:
		return text == seg[0].Text
	case text == "" || wirepath.IsDots(text):
		return false
	case seg.Kind() == pattern.Plain:
		return true
	}
	return c.matchers[i].match(text, text, &Values{Vals: make([]string, len(seg))})
}

// mismatchMulti is mismatch for a catch-all inside the path. It returns the
// reason for the value with which most segments match.
func (c *comparison) mismatchMulti(i int, path string) (why string, matched int) {
	end := 0
	for end < len(path) && path[end:] != "/" {
		n := segmentEnd(path[end:])
		text := wirepath.Decode(path[end+1 : end+n])
		if text == "" || wirepath.DotInside(text) {
			why = fmt.Sprintf("the segment %q cannot be in %s", text, c.Segs[i])
			break
		}
		end += n
	}
	// Without a catch-all at the end, the number of segments determines the value.
	want := strings.Count(path, "/") - (len(c.Segs) - i - 1)
	if strings.HasSuffix(path, "/") {
		want--
	}
	have := strings.Count(path[:end], "/")
	for matched = i; end > 0 && !c.dots; end, have = strings.LastIndexByte(path[:end], '/'), have-1 {
		if c.End != pattern.All && have > max(want, 1) {
			continue
		}
		w, n := c.mismatch(i+1, path[end:])
		if w == "" {
			return "", n
		}
		if n >= matched {
			why, matched = w, n
		}
		if c.End != pattern.All {
			break
		}
	}
	return why, matched
}

// mismatchEnd returns the reason why the pattern does not end where only path is
// left, or "".
func (c *comparison) mismatchEnd(path string) string {
	switch {
	case c.End == pattern.Exact && path == "/":
		return "the path has a trailing slash"
	case c.End == pattern.Exact && path != "":
		return fmt.Sprintf("the path goes on with %s", path)
	case c.End != pattern.Exact && path == "":
		return "the path has no slash at its end"
	case c.End == pattern.Slash && path != "/":
		return fmt.Sprintf("the path goes on with %s", path)
	case c.End == pattern.All && wirepath.DotInside(wirepath.Decode(path[1:])):
		c.dots = true
		return fmt.Sprintf("the rest %s has a . or .. behind an escaped slash", path)
	}
	return ""
}

// segmentEnd returns the index of the slash after the first segment of path, or
// its length.
func segmentEnd(path string) int {
	if end := strings.IndexByte(path[1:], '/') + 1; end > 0 {
		return end
	}
	return len(path)
}
