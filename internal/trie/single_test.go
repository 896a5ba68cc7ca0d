package trie

import (
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

func TestMismatch(t *testing.T) {
	for _, c := range []struct {
		pattern, path, want string
		matched             int // segments of the pattern
	}{
		{"/a/{x}", "/a/b", "", 2},
		{"/a/{x}", "/a/b%2Fc", "", 2},
		{"/a/{x}", "/a", "the path ends before {x}", 1},
		{"/a/{x}", "/a/", "the path ends before {x}", 1},
		{"/a/{x}", "/a/.", `the segment "." is not {x}`, 1},
		{"/a/{x}", "/a/%2E%2E", `the segment ".." is not {x}`, 1},
		{"/a/{x}/b", "/a//b", `the segment "" is not {x}`, 1},
		{"/a/{x}", "/b/c", `the segment "b" is not a`, 0},
		{"/a/{x}", "/a/b/", "the path has a trailing slash", 2},
		{"/a/{x}", "/a/b/c", "the path goes on with /c", 2},
		{"/a/{x:[0-9]+}", "/a/b", `the segment "b" is not {x:[0-9]+}`, 1},
		{"/a/v{x}.{y}", "/a/v1", `the segment "v1" is not v{x}.{y}`, 1},
		{"/a/{$}", "/a/", "", 1},
		{"/a/{$}", "/a", "the path has no slash at its end", 1},
		{"/a/{$}", "/a/b", "the path goes on with /b", 1},
		{"/a/", "/a/b/c", "", 1},
		{"/a/", "/a", "the path has no slash at its end", 1},
		{"/a/*rest", "/a/b%2F..", "the rest /b%2F.. has a . or .. behind an escaped slash", 1},
		{"/a/", "/a/b%2F..", "the rest /b%2F.. has a . or .. behind an escaped slash", 1},
		{"/a/{x...}/b", "/a/1/2/b", "", 3},
		{"/a/{x...}/b", "/a/1/2/c", "no value of {x...} matches in /1/2/c", 1},
		{"/a/{x...}/b", "/a/b", "no value of {x...} matches in /b", 1},
		{"/a/{x...}/b", "/a/", "the path ends before {x...}", 1},
		{"/a/{x...}/b", "/a/1/b/", "no value of {x...} matches in /1/b/", 1},
		{"/a/{x...}/b", "/a/1%2F../b", "no value of {x...} matches in /1%2F../b", 1},
		{"/a/{x...}/{y}", "/a/1/2", "", 3},
		{"/{x...}/{$}", "/a/b/", "", 1},
		{"/{x...}/{$}", "/a/b", "no value of {x...} matches in /a/b", 0},
		{"/{x...}/b/{y...}", "/a/c/b/d/b", "", 2},
		{"/{x...}/b/{y...}", "/a/c/b", "no value of {x...} matches in /a/c/b", 0},
		{"/{x...}/b/{y...}", "/a/b/c%2F..", "no value of {x...} matches in /a/b/c%2F..", 0},
		{"/{x...}/{y:[0-9]+}/{z...}", "/a/1/b/c", "", 2},
		{"/{x...}/{y:[0-9]+}/{z...}", "/a/b/c", "no value of {x...} matches in /a/b/c", 0},
	} {
		p, err := pattern.Parse(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got, matched := Mismatch(p, c.path); got != c.want || matched != c.matched {
			t.Errorf("Mismatch(%q, %q) = %q, %d, want %q, %d", c.pattern, c.path, got, matched, c.want, c.matched)
		}
	}
}
