package trie

import (
	"math/bits"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// This file reads paths eight bytes at a time.

// load returns s[i:i+8] as a little-endian word. Bytes beyond the end of s are
// zero.
func load(s string, i int) uint64 {
	if i+8 <= len(s) {
		return load8(s[i:])
	}
	return loadTail(s, i)
}

// ends returns the first and the last eight bytes of path. If path is shorter,
// first has zeros after it and last has zeros before it.
func ends(path string) (first, last uint64) {
	if len(path) >= 8 {
		return load8(path), load8(path[len(path)-8:])
	}
	first = loadTail(path, 0)
	return first, first << (64 - 8*uint(len(path)))
}

// loadTail is load if s[i:] has fewer than eight bytes.
func loadTail(s string, i int) (w uint64) {
	if len(s) >= 8 {
		return load8(s[len(s)-8:]) >> (8 * uint(i+8-len(s)) & 63)
	}
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

// slashes returns a word whose lowest set bit is the high bit of the byte that
// holds the first slash in w, or 0 if w has no slash.
func slashes(w uint64) uint64 {
	w ^= ones * '/'
	return (w - ones) &^ w & highs
}

// before returns a mask of the bytes before the one that holds z's lowest set
// bit.
func before(z uint64) uint64 { return (z ^ (z - 1)) >> 8 }

// nextSegment returns the end of the segment of path that begins at pos, and
// its words as an edge holds them: its first eight bytes and the next eight, or
// the last eight if it is longer than 16 bytes.
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

// hashEdge hashes the words of a literal segment, or its text if that is longer
// than 16 bytes. The words of long segments can be equal, as in
// customer-001-dashboard and customer-002-dashboard.
func hashEdge(w0, w1 uint64, long string, seed uint8) uint32 {
	if long != "" {
		return uint32(hashWhole(long) >> 32)
	}
	return hashWords(w0, w1, seed)
}

// hashWords hashes the words of a segment. Different seeds give different hashes.
func hashWords(w0, w1 uint64, seed uint8) uint32 {
	key := w0 ^ bits.RotateLeft64(w1, 29)
	return uint32((key ^ key>>32) * (mixer + uint64(seed)<<24) >> 32)
}

// hashWhole hashes all bytes of a text.
func hashWhole(text string) uint64 {
	h := uint64(len(text))
	for i := 0; i < len(text); i += 8 {
		hi, lo := bits.Mul64(h^load(text, i)^mixer, mixer2)
		h = hi ^ lo
	}
	return h
}

// Odd constants whose bits look random.
const (
	mixer  = 0x9E3779B97F4A7C15
	mixer2 = 0xD6E8FEB86659FD93
)

// unclean is wirepath.Unclean with a fast check that rules out most paths.
func unclean(path string) bool { return suspect(path) && wirepath.Unclean(path) }

// suspect reports whether path, which begins with a slash, may be unclean: it
// has a segment that is empty or begins with a dot. It may report true for some
// other paths, but never reports false for an unclean path.
func suspect(path string) bool {
	if len(path) < 8 {
		return suspectBytes(loadTail(path, 0)) != 0
	}
	bad := suspectBytes(load8(path[len(path)-8:]))
	for ; len(path) > 8; path = path[7:] { // words overlap by one byte
		bad |= suspectBytes(load8(path))
	}
	return bad != 0
}

// suspectBytes returns nonzero if w has a slash or a dot directly after a
// slash. It relies on an error of slashes: a dot after a slash also counts as a
// slash, because '.' is '/'-1 and the subtraction borrows from the next byte.
func suspectBytes(w uint64) uint64 {
	z := slashes(w)
	return z << 8 & z
}
