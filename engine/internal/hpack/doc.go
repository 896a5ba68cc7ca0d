// Package hpack compresses and decompresses the fields of HTTP/2 (RFC 7541).
//
// It is made for a server: a decoded field carries its canonical name, what the
// server must do with it, and whether it is valid. These are computed once for
// each entry of a table, not for each request. The package knows nothing of
// frames and connections.
package hpack

import "errors"

// ErrCompression is returned if a block of fields can't be decoded. The
// connection must then end, because its table is unknown (RFC 9113 section
// 4.3).
var ErrCompression = errors.New("hpack: malformed field block")

// DefaultTableSize is the size of a dynamic table unless SETTINGS change it.
const DefaultTableSize = 4096

// overhead is added to the size of each entry (RFC 7541 section 4.1).
const overhead = 32

// readInt reads an integer with a prefix of n bits (RFC 7541 section 5.1). It
// refuses integers of 2^28 and more, and needlessly long ones.
func readInt(b []byte, n uint) (value int, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	limit := 1<<n - 1
	value = int(b[0]) & limit
	b = b[1:]
	if value < limit {
		return value, b, true
	}
	for shift := uint(0); shift < 28 && len(b) > 0; shift += 7 {
		c := b[0]
		b = b[1:]
		value += int(c&0x7f) << shift
		if c < 0x80 {
			return value, b, true
		}
	}
	return 0, nil, false
}

// appendInt appends an integer with a prefix of n bits. first holds the bits
// before the prefix.
func appendInt(dst []byte, first byte, n uint, value int) []byte {
	limit := 1<<n - 1
	if value < limit {
		return append(dst, first|byte(value))
	}
	dst = append(dst, first|byte(limit))
	for value -= limit; value >= 0x80; value >>= 7 {
		dst = append(dst, byte(value)|0x80)
	}
	return append(dst, byte(value))
}
