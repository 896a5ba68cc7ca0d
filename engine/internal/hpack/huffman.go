package hpack

// codeLengths are the lengths in bits of the Huffman codes of all bytes and, at
// the end, of EOS (RFC 7541 appendix B). The code is canonical: shorter codes
// come first, and codes of the same length are in the order of their bytes. So
// the lengths determine the codes.
var codeLengths = [257]uint8{
	13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
	28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
	6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
	5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
	13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
	7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
	15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
	6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
	20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
	24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
	22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
	21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
	26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
	19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
	20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
	26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
	30,
}

const (
	eos       = 256
	longest   = 30 // bits of the longest code
	shortBits = 9
)

// A decoded is the symbol of a code, and the length of the code.
type decoded struct {
	symbol uint16
	length uint8 // 0 if the code is longer than shortBits
}

// A huffmanTable is derived from codeLengths.
type huffmanTable struct {
	codes   [257]uint32
	symbols [257]uint16             // in the order of their codes
	short   [1 << shortBits]decoded // by the next bits of the input

	// For each length: the code after the last one of this length, aligned to
	// the left of 32 bits, the first code, and its place in symbols.
	end   [longest + 1]uint64
	first [longest + 1]uint32
	place [longest + 1]int
}

var huffman = newHuffmanTable()

func newHuffmanTable() *huffmanTable {
	t := new(huffmanTable)
	var code uint32
	n := 0
	for length := uint8(1); length <= longest; length++ {
		code <<= 1
		t.first[length], t.place[length] = code, n
		for symbol, l := range codeLengths {
			if l != length {
				continue
			}
			t.codes[symbol], t.symbols[n] = code, uint16(symbol)
			if length <= shortBits {
				from := code << (shortBits - length)
				for i := range uint32(1) << (shortBits - length) {
					t.short[from+i] = decoded{uint16(symbol), length}
				}
			}
			code++
			n++
		}
		t.end[length] = uint64(code) << (32 - length)
	}
	return t
}

// long decodes a code that is longer than shortBits, at the left of bits.
func (t *huffmanTable) long(bits uint32) decoded {
	length := uint8(shortBits + 1)
	for uint64(bits) >= t.end[length] {
		length++
	}
	i := t.place[length] + int(bits>>(32-length)-t.first[length])
	return decoded{t.symbols[i], length}
}

// appendDecoded appends the decoded form of src to dst. It reports false if src
// contains EOS or wrong padding (RFC 7541 section 5.2).
func appendDecoded(dst, src []byte) ([]byte, bool) {
	var acc uint64 // the next bits are its n lowest
	var n uint8
	for {
		for n <= 56 && len(src) > 0 {
			acc = acc<<8 | uint64(src[0])
			src = src[1:]
			n += 8
		}
		var bits uint32 // the next 32 bits, filled up with ones
		if n >= 32 {
			bits = uint32(acc >> (n - 32))
		} else {
			bits = uint32(acc<<(32-n)) | (1<<(32-n) - 1)
		}
		d := huffman.short[bits>>(32-shortBits)]
		if d.length == 0 {
			d = huffman.long(bits)
		}
		if d.length > n {
			ones := uint64(1)<<n - 1
			return dst, n < 8 && acc&ones == ones
		}
		if d.symbol == eos {
			return dst, false
		}
		dst = append(dst, byte(d.symbol))
		n -= d.length
	}
}

// encodedLen returns the length of s after encoding.
func encodedLen(s string) int {
	n := 0
	for i := range len(s) {
		n += int(codeLengths[s[i]])
	}
	return (n + 7) / 8
}

// appendEncoded appends the encoded form of s to dst.
func appendEncoded(dst []byte, s string) []byte {
	var acc uint64
	var n uint8
	for i := range len(s) {
		length := codeLengths[s[i]]
		acc = acc<<length | uint64(huffman.codes[s[i]])
		for n += length; n >= 8; {
			n -= 8
			dst = append(dst, byte(acc>>n))
		}
	}
	if n > 0 {
		dst = append(dst, byte(acc<<(8-n))|byte(1<<(8-n)-1))
	}
	return dst
}
