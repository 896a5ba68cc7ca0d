package hpack

import (
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// An Encoder encodes the fields of a connection's responses. Fields that occur
// again are sent as an index of its dynamic table.
type Encoder struct {
	table[pair]               // the dynamic table
	added       uint32        // number of entries added so far
	slots       [slots]uint32 // by hash: 1 + the number of an entry, counted from 0

	lowest  int  // smallest max since the last block
	resized bool // max has changed since the last block
}

// A pair is an entry of the encoder's table.
type pair struct {
	key, value string
	id         syntax.ID
}

func (p pair) size() int { return len(p.key) + len(p.value) + overhead }

const slots = 64

// staticNames are the static table's indexes of known names.
var staticNames = func() (list [len(syntax.Names)]uint8) {
	for i := len(static) - 1; i > 0; i-- {
		if id := syntax.Lookup(static[i].wire); id > 0 {
			list[id] = uint8(i)
		}
	}
	return list
}()

// Reset makes e ready for a connection, with a table of DefaultTableSize.
func (e *Encoder) Reset() { *e = Encoder{table: table[pair]{max: DefaultTableSize}} }

// Resize sets the maximum size of the table.
func (e *Encoder) Resize(max int) {
	if max == e.max {
		return
	}
	if !e.resized || max < e.lowest {
		e.lowest = max
	}
	e.resized = true
	e.resize(max)
}

// Begin begins a block: it appends changes of the table's size.
func (e *Encoder) Begin(dst []byte) []byte {
	if !e.resized {
		return dst
	}
	e.resized = false
	if e.lowest < e.max {
		dst = appendInt(dst, 0x20, 5, e.lowest)
	}
	return appendInt(dst, 0x20, 5, e.max)
}

// AppendStatus appends the pseudo-header field :status.
func (e *Encoder) AppendStatus(dst []byte, code int) []byte {
	switch code {
	case 200:
		return append(dst, 0x80|8)
	case 204:
		return append(dst, 0x80|9)
	case 206:
		return append(dst, 0x80|10)
	case 304:
		return append(dst, 0x80|11)
	case 400:
		return append(dst, 0x80|12)
	case 404:
		return append(dst, 0x80|13)
	case 500:
		return append(dst, 0x80|14)
	}
	return append(dst, 0x08, 3, byte('0'+code/100), byte('0'+code/10%10), byte('0'+code%10))
}

// AppendContentLength appends the field content-length.
func AppendContentLength(dst []byte, n int) []byte {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], int64(n), 10)
	return append(append(appendInt(dst, 0, 4, 28), byte(len(text))), text...)
}

// AppendField appends a field. The key must be a valid name, in any case; it is
// sent in lower case. If often is true, the field may go into the table, because
// it is likely to occur again.
func (e *Encoder) AppendField(dst []byte, key, value string, often bool) []byte {
	id := syntax.Lookup(key)
	if !often || len(value) > 256 || len(key)+len(value)+overhead > e.max/2 {
		return appendString(appendName(dst, 0, 4, id, key), value, false)
	}
	slot := &e.slots[hash(id, key, value)]
	age := int(e.added - (*slot - 1))
	if p := e.entry(age); p != nil && p.id == id && p.value == value && (id > 0 || p.key == key) {
		return appendInt(dst, 0x80, 7, len(static)-1+age)
	}
	e.add(pair{strings.Clone(key), strings.Clone(value), id})
	e.added++
	*slot = e.added
	return appendString(appendName(dst, 0x40, 6, id, key), value, true)
}

func hash(id syntax.ID, key, value string) uint32 {
	h := uint32(id)*31 + uint32(len(value))*7
	if id == 0 {
		h += uint32(len(key))*13 + uint32(key[len(key)-1])
	}
	if n := len(value); n > 0 {
		h = h*31 + uint32(value[0]) + uint32(value[n/2])*5 + uint32(value[n-1])*17
	}
	return h % slots
}

// appendName appends the begin of a literal field: the index of its name, or
// the name.
func appendName(dst []byte, first byte, n uint, id syntax.ID, key string) []byte {
	if id > 0 && staticNames[id] > 0 {
		return appendInt(dst, first, n, int(staticNames[id]))
	}
	dst = append(dst, first)
	dst = appendInt(dst, 0, 7, len(key))
	for i := range len(key) {
		c := key[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// appendString appends a string. Only strings that go into the table are worth
// the time for Huffman coding.
func appendString(dst []byte, s string, code bool) []byte {
	if code {
		if n := encodedLen(s); n < len(s) {
			return appendEncoded(appendInt(dst, 0x80, 7, n), s)
		}
	}
	return append(appendInt(dst, 0, 7, len(s)), s...)
}
