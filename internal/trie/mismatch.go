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
	for i, seg := range p.Segs {
		if path == "" || path == "/" {
			return fmt.Sprintf("the path ends before %s", seg), i
		}
		end := strings.IndexByte(path[1:], '/') + 1
		if end == 0 {
			end = len(path)
		}
		text := wirepath.Decode(path[1:end])
		path = path[end:]
		ok := text != "" && !wirepath.IsDots(text)
		switch seg.Kind() {
		case pattern.Literal:
			ok = text == seg[0].Text
		case pattern.Mixed, pattern.Constrained:
			if ok {
				_, ok = matchSegment(seg, text)
			}
		}
		if !ok {
			return fmt.Sprintf("the segment %q is not %s", text, seg), i
		}
	}
	switch {
	case p.End == pattern.Exact && path == "/":
		return "the path has a trailing slash", len(p.Segs)
	case p.End == pattern.Exact && path != "":
		return fmt.Sprintf("the path goes on with %s", path), len(p.Segs)
	case p.End == pattern.Slash && path == "", p.End == pattern.All && path == "":
		return "the path has no slash at its end", len(p.Segs)
	case p.End == pattern.Slash && path != "/":
		return fmt.Sprintf("the path goes on with %s", path), len(p.Segs)
	case p.End == pattern.All && wirepath.DotInside(wirepath.Decode(path[1:])):
		return fmt.Sprintf("the rest %s has a . or .. behind an escaped slash", path), len(p.Segs)
	}
	return "", len(p.Segs)
}
