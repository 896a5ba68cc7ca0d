package trie

import (
	"math/bits"
	"strings"
)

// This file reads paths eight bytes at a time.

// load returns the eight bytes of s from i on, zeros behind its end.
func load(s string, i int) uint64 {
	if i+8 <= len(s) {
		return load8(s[i:])
	}
	return loadTail(s, i)
}

// ends returns the first and the last eight bytes of path; if it is shorter, both
// are all of it, the last one behind zeros.
func ends(path string) (first, last uint64) {
	if len(path) >= 8 {
		return load8(path), load8(path[len(path)-8:])
	}
	first = loadTail(path, 0)
	return first, first << (64 - 8*uint(len(path)))
}

// loadTail is load where fewer than eight bytes are left.
func loadTail(s string, i int) uint64 {
	if len(s) >= 8 {
		return load8(s[len(s)-8:]) >> (8 * uint(i+8-len(s)) & 63)
	}
	var w uint64
	for k := len(s) - 1; k >= i; k-- {
		w = w<<8 | uint64(s[k])
	}
	return w
}

func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// slashes returns a word whose lowest set bit is the high bit of the first slash
// in w, and 0 if there is none.
func slashes(w uint64) uint64 {
	w ^= ones * '/'
	return (w - ones) &^ w & highs
}

// before returns the bits of the bytes before that of z's lowest bit.
func before(z uint64) uint64 { return (z ^ (z - 1)) >> 8 }

// nextSegment returns where the segment of path that begins at pos ends, and its words:
// its first eight bytes and, if it is longer, the next eight, or the last eight of
// more than 16.
func nextSegment(path string, pos int) (end int, w0, w1 uint64) {
	w0 = load(path, pos)
	if z := slashes(w0); z != 0 {
		return pos + bits.TrailingZeros64(z)>>3, w0 & before(z), 0
	}
	if pos+8 >= len(path) {
		return len(path), w0, 0
	}
	w1 = load(path, pos+8)
	if z := slashes(w1); z != 0 {
		return pos + 8 + bits.TrailingZeros64(z)>>3, w0, w1 & before(z)
	}
	if pos+16 >= len(path) {
		return len(path), w0, w1
	}
	end = len(path)
	if i := strings.IndexByte(path[pos+16:], '/'); i >= 0 {
		end = pos + 16 + i
	}
	return end, w0, load8(path[end-8:])
}

// hashWords mixes the words of a segment with the seed.
func hashWords(w0, w1 uint64, seed nodeFlags) uint32 { return hashKey(foldWords(w0, w1), seed) }

// foldWords makes one key of the words of a segment.
func foldWords(w0, w1 uint64) uint64 {
	key := w0 ^ bits.RotateLeft64(w1, 29)
	return key ^ key>>32
}

// hashKey mixes a key with the seed.
func hashKey(key uint64, seed nodeFlags) uint32 {
	return uint32(key * (mixer + uint64(seed&^(seedUnit-1))<<22) >> 32)
}

const mixer = 0x9E3779B97F4A7C15

// dots reports whether the segment is . or .. .
func dots(seg string) bool { return seg == "." || seg == ".." }

// Unclean reports whether path, which begins with a slash, has an empty, . or ..
// segment. An empty last segment is a trailing slash. Call it only if Suspect
// reports true.
func Unclean(path string) bool {
	seg, rest, more := "", path[1:], true
	for more {
		seg, rest, more = strings.Cut(rest, "/")
		if dots(seg) || seg == "" && more {
			return true
		}
	}
	return false
}

// Suspect reports whether a segment of path, which begins with a slash, begins
// with a dot or is empty. It may report true for other paths too, but never
// false for a path that is unclean.
func Suspect(path string) bool {
	if len(path) < 8 {
		return suspectBytes(loadTail(path, 0)) != 0
	}
	bad := suspectBytes(load8(path[len(path)-8:]))
	for ; len(path) > 8; path = path[7:] { // the eighth byte is the next one's first
		bad |= suspectBytes(load8(path))
	}
	return bad != 0
}

// suspects returns the high bits of the slashes and dots that follow a slash in w,
// and of some other bytes. slashes takes such a dot for a slash, because the
// subtraction for the slash before it borrows the one by which they differ.
func suspectBytes(w uint64) uint64 {
	z := slashes(w)
	return z << 8 & z
}
