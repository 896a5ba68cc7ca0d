package trie

import (
	"strings"
	"testing"
)

// TestSetPath checks that an escaped slash never separates segments.
func TestSetPath(t *testing.T) {
	for _, c := range []struct {
		path, raw string
		split     string // the path's segments, in brackets
		rooted    bool
		clean     bool
	}{
		{"/a/b", "", "[a][b]", true, true},
		{"/a b/c", "/a%20b/c", "[a b][c]", true, true},
		{"/a/b", "/a%2Fb", "[a/b]", true, true},
		{"/a/b", "/a%2fb", "[a/b]", true, true},
		{"/a/b/c", "/a%2Fb/c", "[a/b][c]", true, true},
		{"/a//", "/a%2F/", "[a/][]", true, true},
		{"/a/../b", "/a%2F..%2Fb", "[a/../b]", true, true}, // one segment of literal text
		{"/a/../b", "/a%2F../b", "[a/..][b]", true, true},
		{"/a/../b", "/a/..%2Fb", "[a][../b]", true, true},
		{"/a/../b", "/a/%2E%2e/b", "[a][..][b]", true, false},
		{"/\xff/a/b", "/\xff/a%2Fb", "[\xff][a/b]", true, true},
		{"/a\"/b", "/a\"%2Fb", "[a\"/b]", true, true}, // raw is used, although net/http considers it invalid
		// The path was changed, but not raw: the path is used.
		{"/x/b", "/a%2Fb", "[x][b]", true, true},
		{"/a/b", "/a%2Fbc", "[a][b]", true, true},
		{"/a/bc", "/a%2Fb", "[a][bc]", true, true},
		{"/a/b", "/a%2Fb%", "[a][b]", true, true},
		{"/a/b", "/a%2Fb%2", "[a][b]", true, true},
		{"/a/b%zz", "/a%2Fb%zz", "[a][b%zz]", true, true},
		{"/", "", "[]", true, true},
		{"//", "", "[][]", true, false},
		{"/a//b", "", "[a][][b]", true, false},
		{"/a/./b", "", "[a][.][b]", true, false},
		{"/a/..", "", "[a][..]", true, false},
		{"/a/...", "", "[a][...]", true, true},
		{"", "", "[]", false, false},
		{"a/b", "", "[a][b]", false, false},
		{"*", "", "[*]", false, false},
	} {
		var s Search[int]
		s.SetPath(c.path, c.raw, false)
		var split strings.Builder
		rest := strings.TrimPrefix(s.path, "/")
		at := len(s.path) - len(rest)
		for more := true; more; {
			var seg string
			seg, rest, more = strings.Cut(rest, "/")
			split.WriteString("[" + s.decoded[at:at+len(seg)] + "]")
			at += len(seg) + 1
		}
		if split.String() != c.split || s.Rooted() != c.rooted || s.Clean != c.clean {
			t.Errorf("SetPath(%q, %q): %s, rooted %v, clean %v, want %+v", c.path, c.raw, split.String(), s.Rooted(), s.Clean, c)
		}
		s.SetPath(c.path, c.raw, true)
		if !s.Clean {
			t.Errorf("SetPath(%q, %q, true): not clean", c.path, c.raw)
		}
	}
}

func TestTrimSlash(t *testing.T) {
	for _, c := range [][4]string{ // path, raw, and the path and decoded path without the slash
		{"/a/", "", "/a", "/a"},
		{"/a/b/", "/a%2Fb/", "/a\xffb", "/a/b"},
		{"/a//", "/a/%2F", "", ""}, // ends with a slash inside of a segment
		{"/a", "", "", ""},
		{"/", "", "", ""},
		{"", "", "", ""},
	} {
		var s Search[int]
		s.SetPath(c[0], c[1], true)
		if ok := s.TrimSlash(); ok != (c[2] != "") {
			t.Errorf("TrimSlash of %q, %q: %v", c[0], c[1], ok)
		} else if ok && (s.path != c[2] || s.decoded != c[3]) {
			t.Errorf("TrimSlash of %q, %q: %q and %q", c[0], c[1], s.path, s.decoded)
		}
	}
}
