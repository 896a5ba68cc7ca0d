package hpack

import (
	"sync"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A Field is a decoded field.
type Field struct {
	Key   string // canonical name, as in http.Header; pseudo-header fields as sent
	Value string
	ID    syntax.ID // of the key, or 0
	Kind  Kind
	Valid bool // name and value are valid (RFC 9113 section 8.2.1)

	from, to int // of the value in the decoder's text, if to isn't 0
}

// A Decoder decodes the blocks of fields of a connection, in their order.
type Decoder struct {
	table[entry]     // the dynamic table
	limit        int // maximum of the table's maximum size, which the peer chooses
	*scratch         // nil between blocks, see Release
	list         int // size of the current block's fields
	room         int // maximum of list
}

// A scratch is the memory for decoding a block.
type scratch struct {
	fields []Field
	text   []byte // literal values of the current block
	buf    []byte // a decoded name
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Release gives back the memory for decoding blocks, until the next one. It
// invalidates the fields of the last one.
func (d *Decoder) Release() {
	if s := d.scratch; s != nil {
		d.scratch = nil
		if cap(s.fields) <= 256 && cap(s.text) <= 16<<10 {
			clear(s.fields)
			scratches.Put(s)
		}
	}
}

// Reset makes d ready for a connection whose SETTINGS_HEADER_TABLE_SIZE is
// tableSize.
func (d *Decoder) Reset(tableSize int) {
	*d = Decoder{table: table[entry]{max: tableSize}, limit: tableSize}
}

// Decode decodes a block. The fields are valid until the next call of Decode or
// Release; their strings remain valid. Literal values share the memory of one
// string, unless it would be large.
//
// The size of the fields is that of RFC 9113 section 6.5.2. If it exceeds
// maxSize, Decode drops the rest of the fields and reports tooLarge.
func (d *Decoder) Decode(block []byte, maxSize int) (fields []Field, tooLarge bool, err error) {
	if d.scratch == nil {
		d.scratch = scratches.Get().(*scratch)
	}
	clear(d.fields)
	d.fields, d.text, d.list, d.room = d.fields[:0], d.text[:0], 0, maxSize
	first := true
	for len(block) > 0 {
		var ok bool
		switch b := block[0]; {
		case b >= 0x80:
			block, ok = d.indexed(block)
		case b >= 0x40:
			block, ok = d.literal(block, 6, true)
		case b >= 0x20:
			block, ok = d.resize(block, first)
			if ok {
				continue
			}
		default:
			block, ok = d.literal(block, 4, false)
		}
		if !ok {
			return nil, false, ErrCompression
		}
		first = false
	}
	if len(d.text) > 0 {
		shared := ""
		if len(d.text) <= maxShared {
			shared = string(d.text)
		}
		for i := range d.fields {
			switch f := &d.fields[i]; {
			case f.to == 0:
			case shared != "":
				f.Value = shared[f.from:f.to]
			default:
				f.Value = string(d.text[f.from:f.to])
			}
		}
	}
	return d.fields, d.list > d.room, nil
}

// maxShared is the length of the largest string that the literal values of a block
// share: a value that a program retains keeps all of it in memory.
const maxShared = 1024

// indexed decodes a field that is in a table (RFC 7541 section 6.1).
func (d *Decoder) indexed(block []byte) ([]byte, bool) {
	i, block, ok := readInt(block, 7)
	e := d.entry(i)
	if !ok || e == nil {
		return nil, false
	}
	if d.count(e.size()) {
		d.fields = append(d.fields, Field{Key: e.key, Value: e.value, ID: e.id, Kind: e.kind, Valid: e.valid})
	}
	return block, true
}

// count adds a field's size. It reports whether the field is to be kept.
func (d *Decoder) count(size int) bool {
	d.list += size
	return d.list <= d.room
}

// entry returns the entry with an index, or nil.
func (d *Decoder) entry(i int) *entry {
	if i < len(static) {
		if i == 0 {
			return nil
		}
		return &static[i]
	}
	return d.table.entry(i - len(static) + 1)
}

// literal decodes a field with a literal value (RFC 7541 section 6.2). The index
// of its name has a prefix of n bits.
func (d *Decoder) literal(block []byte, n uint, add bool) ([]byte, bool) {
	i, block, ok := readInt(block, n)
	if !ok {
		return nil, false
	}
	var nm name
	if i == 0 {
		var raw []byte
		if raw, block, ok = d.readName(block); !ok {
			return nil, false
		}
		nm = newName(raw)
	} else {
		e := d.entry(i)
		if e == nil {
			return nil, false
		}
		nm = e.name
	}
	from := len(d.text)
	if block, ok = d.readValue(block); !ok {
		return nil, false
	}
	value := d.text[from:]
	valid := nm.valid && syntax.ValidValue(value)
	keep := d.count(len(nm.wire) + len(value) + overhead)
	f := Field{Key: nm.key, ID: nm.id, Kind: nm.kind, Valid: valid, from: from, to: len(d.text)}
	if add {
		// The table has a string of its own. It must not keep the text of a
		// whole block in memory.
		f.Value, f.to = string(value), 0
		d.add(entry{name: nm, value: f.Value, valid: valid})
	}
	if keep {
		d.fields = append(d.fields, f)
	}
	if add || !keep {
		d.text = d.text[:from]
	}
	return block, true
}

// readName reads the string of a name, which is valid until the next call.
func (d *Decoder) readName(block []byte) (raw, rest []byte, ok bool) {
	raw, rest, huff, ok := readString(block)
	if ok && huff {
		d.buf, ok = appendDecoded(d.buf[:0], raw)
		raw = d.buf
		if cap(d.buf) > 1<<10 {
			d.buf = nil
		}
	}
	return raw, rest, ok
}

// readValue reads the string of a value and appends it to d.text.
func (d *Decoder) readValue(block []byte) (rest []byte, ok bool) {
	raw, rest, huff, ok := readString(block)
	switch {
	case !ok:
	case huff:
		d.text, ok = appendDecoded(d.text, raw)
	default:
		d.text = append(d.text, raw...)
	}
	return rest, ok
}

// readString reads a string (RFC 7541 section 5.2).
func readString(block []byte) (raw, rest []byte, huff, ok bool) {
	if len(block) == 0 {
		return nil, nil, false, false
	}
	huff = block[0] >= 0x80
	n, block, ok := readInt(block, 7)
	if !ok || n > len(block) {
		return nil, nil, false, false
	}
	return block[:n], block[n:], huff, true
}

// resize applies a change of the table's size, which is allowed only before the
// first field of a block (RFC 7541 section 4.2).
func (d *Decoder) resize(block []byte, first bool) ([]byte, bool) {
	n, block, ok := readInt(block, 5)
	if !ok || !first || n > d.limit {
		return nil, false
	}
	d.table.resize(n)
	return block, true
}
