package muxmaster

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

// hashWords mixes the words of a segment.
func hashWords(w0, w1 uint64, seed uint8) uint32 {
	key := w0 ^ bits.RotateLeft64(w1, 29)
	return uint32((key ^ key>>32) * (mixer + uint64(seed)<<1) >> 32)
}

const mixer = 0x9E3779B97F4A7C15

// dots reports whether the segment is . or .. .
func dots(seg string) bool { return seg == "." || seg == ".." }

// unclean reports whether path has an empty, . or .. segment from pos on, which
// is behind a slash. An empty last segment is a trailing slash.
func unclean(path string, pos int) bool {
	if !suspect(path[pos:]) {
		return false
	}
	for pos < len(path) {
		end := strings.IndexByte(path[pos:], '/')
		if end < 0 {
			return dots(path[pos:])
		}
		if end == 0 || dots(path[pos:pos+end]) {
			return true
		}
		pos += end + 1
	}
	return false
}

// suspect reports whether rest has a segment that begins with a dot or is empty.
// It sees some others too, but none that is harmful.
func suspect(rest string) bool {
	begins := uint64(0x80) // the high bit of each byte that a segment begins with
	i := 0
	for ; i+8 <= len(rest); i += 8 {
		w := load8(rest[i:])
		z := slashes(w | ones) // and dots, which differ from slashes in the lowest bit
		slash := z & (w & ones << 7)
		if (begins|slash<<8)&z != 0 {
			return true
		}
		begins = slash >> 56
	}
	if i == len(rest) {
		return false
	}
	w := loadTail(rest, i)
	return (begins|slashes(w)<<8)&slashes(w|ones) != 0
}
