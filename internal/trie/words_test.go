package trie

import (
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

func FuzzSuspect(f *testing.F) {
	for _, path := range []string{"", "a", "a/", "/", "a//b", "a/./b", "a/../b", "a/..", ".", "..", "...", "a/...", "a/.b", "seven77/.", "eight888/.",
		"eight888//", "seven77//b", "sixsix/./and-more-behind", "sixsix//and-more-behind", "sixsix/and-thirt/./and-more", "a/b.c/d", "sixteen-bytes-00/../x", "a/.\x01", "a/\x2e\x2e\x2f"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		want := false
		segs := strings.Split(path, "/")
		for i, seg := range segs {
			want = want || seg == "." || seg == ".." || seg == "" && i < len(segs)-1
		}
		if got := wirepath.Unclean("/" + path); got != want {
			t.Errorf("wirepath.Unclean(%q) = %v, want %v", "/"+path, got, want)
		}
		if want && !suspect("/"+path) {
			t.Errorf("suspect(%q) = false", "/"+path)
		}
	})
}

func FuzzNextSegment(f *testing.F) {
	for _, path := range []string{"a", "a/b", "eight888", "eight888/x", "nine99999/x", "sixteen-bytes-00", "sixteen-bytes-00/x", "seventeen-bytes-0/x",
		"a-segment-of-more-than-24-bytes/and/more", "/", "//"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for pos := range path {
			seg, _, _ := strings.Cut(path[pos:], "/")
			end, w0, w1 := nextSegment(path, pos)
			if end != pos+len(seg) {
				t.Fatalf("nextSegment(%q, %d) ends at %d, want %d", path, pos, end, pos+len(seg))
			}
			first, second := seg, ""
			switch {
			case len(seg) > 16:
				first, second = seg[:8], seg[len(seg)-8:]
			case len(seg) > 8:
				first, second = seg[:8], seg[8:]
			}
			if w0 != word(first) || w1 != word(second) {
				t.Errorf("nextSegment(%q, %d): words %#x and %#x, want %#x and %#x", path, pos, w0, w1, word(first), word(second))
			}
		}
	})
}

// word returns up to eight bytes as a little-endian number.
func word(s string) (w uint64) {
	for i := range len(s) {
		w |= uint64(s[i]) << (8 * i)
	}
	return w
}
