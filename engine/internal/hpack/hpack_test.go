package hpack

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// decodeAll decodes a block and returns its fields as text.
func decodeAll(d *Decoder, block []byte, limit int) (string, bool, error) {
	fields, tooLarge, err := d.Decode(block, limit)
	var sb strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&sb, "%s=%s", f.Key, f.Value)
		if !f.Valid {
			sb.WriteString(" invalid")
		}
		sb.WriteString("\n")
	}
	return sb.String(), tooLarge, err
}

// TestDecoderErrors decodes malformed blocks.
func TestDecoderErrors(t *testing.T) {
	for _, tt := range []struct{ name, block string }{
		{"index 0", "80"},
		{"index beyond the table", "be"},
		{"index of a name beyond the table", "7e0161"},
		{"no value", "40"},
		{"cut name", "4005616263"},
		{"cut value", "0405616263"},
		{"cut integer", "ff80"},
		{"huge integer", "ffffffffff7f"},
		{"EOS in a string", "0484ffffffff"},
		{"padding of 8 bits", "04821fff"},
		{"padding of zeros", "048110"},
		{"size above the limit", "3fe21f"},
		{"size after a field", "8220"},
	} {
		block, err := hex.DecodeString(tt.block)
		if err != nil {
			t.Fatal(err)
		}
		var d Decoder
		d.Reset(DefaultTableSize)
		if _, _, err := d.Decode(block, 1<<20); err != ErrCompression {
			t.Errorf("%s: got %v, want ErrCompression", tt.name, err)
		}
	}
}

// TestDecoderValid tells valid from invalid fields.
func TestDecoderValid(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		kind        Kind
		valid       bool
	}{
		{"user-agent", "x", Other, true},
		{"x-custom", "a\tb", Other, true},
		{"x-custom", "a\nb", Other, false},
		{"x-custom", "a\x00b", Other, false},
		{"User-Agent", "x", Other, false},
		{"X-custom", "x", Other, false},
		{"", "x", Other, false},
		{"a b", "x", Other, false},
		{"cookie", "x", Cookie, true},
		{"content-length", "5", ContentLength, true},
		{"te", "trailers", TE, true},
		{"connection", "close", Forbidden, true},
		{"transfer-encoding", "chunked", Forbidden, true},
		{":method", "GET", Method, true},
		{":status", "200", UnknownPseudo, true},
		{":", "200", UnknownPseudo, true},
	} {
		for _, first := range []byte{0, 0x10, 0x40} {
			block := append([]byte{first, byte(len(tt.name))}, tt.name...)
			block = append(append(block, byte(len(tt.value))), tt.value...)
			var d Decoder
			d.Reset(DefaultTableSize)
			fields, _, err := d.Decode(block, 1<<20)
			if err != nil || len(fields) != 1 || fields[0].Valid != tt.valid || tt.valid && (fields[0].Kind != tt.kind || fields[0].Value != tt.value) {
				t.Errorf("%q: %q: got %+v, %v", tt.name, tt.value, fields, err)
			}
		}
	}
}

// TestDecoderLimit decodes small blocks with large lists of fields.
func TestDecoderLimit(t *testing.T) {
	var d Decoder
	d.Reset(DefaultTableSize)
	value := strings.Repeat("v", 3000)
	block := appendString(append([]byte{0x40, 1}, 'x'), value, false)
	bomb := append(block, bytes.Repeat([]byte{0xbe}, 10_000)...)
	fields, tooLarge, err := d.Decode(bomb, 10_000)
	if len(fields) != 3 || !tooLarge || err != nil {
		t.Errorf("got %d fields, %v, %v, want 3, too large", len(fields), tooLarge, err)
	}
	if got, tooLarge, err := decodeAll(&d, []byte{0xbe}, 10_000); got != "X="+value+"\n" || tooLarge || err != nil {
		t.Errorf("next block: got %.20q, %v, %v", got, tooLarge, err)
	}
	// A small field after a large one is dropped, too: the rest is unknown.
	large := appendString([]byte{0x00, 1, 'y'}, strings.Repeat("v", 20_000), false)
	fields, tooLarge, err = d.Decode(append(large, 0x82), 10_000)
	if len(fields) != 0 || !tooLarge || err != nil {
		t.Errorf("got %v, %v, %v, want none, too large", fields, tooLarge, err)
	}
}

// TestDecoderAllocations counts allocations of a repeated block, which is sent
// as indexes, and of one with literal values, which share one string.
func TestDecoderAllocations(t *testing.T) {
	var d Decoder
	d.Reset(DefaultTableSize)
	block, _ := hex.DecodeString("828684410f7777772e6578616d706c652e636f6d")
	if _, _, err := d.Decode(block, 1<<20); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		block []byte
		want  float64
	}{
		{[]byte{0x82, 0x86, 0x84, 0xbe}, 0},
		{[]byte("\x82\x86\x04\x04/abc\x0f\x01\x02xx"), 1},
	} {
		if n := testing.AllocsPerRun(100, func() { d.Decode(tt.block, 1<<20) }); n != tt.want {
			t.Errorf("%q: %v allocations, want %v", tt.block, n, tt.want)
		}
	}
}

// TestDecoderRetained checks that a value that a program retains doesn't keep large
// values of the same block in memory.
func TestDecoderRetained(t *testing.T) {
	var d Decoder
	d.Reset(DefaultTableSize)
	block := appendString([]byte{0x00, 1, 'x'}, "small", false)
	block = appendString(append(block, 0x00, 1, 'y'), strings.Repeat("v", 1<<20), false)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var kept []string
	for range 20 {
		fields, _, err := d.Decode(block, 2<<20)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, fields[0].Value)
		d.Release()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d small values keep %d bytes", len(kept), grown)
	}
	runtime.KeepAlive(kept)
}

// TestEncoder encodes fields repeatedly, with changing sizes of the table, and
// decodes them.
func TestEncoder(t *testing.T) {
	var e Encoder
	e.Reset()
	var d Decoder
	d.Reset(DefaultTableSize)
	for i := range 2000 {
		switch i {
		case 500:
			e.Resize(0)
		case 900:
			e.Resize(100)
			e.Resize(50)
			e.Resize(200)
		case 1300:
			e.Resize(4096)
		}
		block := e.Begin(nil)
		block = e.AppendStatus(block, 200+i%3)
		want := fmt.Sprintf(":status=%d\n", 200+i%3)
		for _, f := range []struct {
			key, value string
			often      bool
		}{
			{"Content-Type", "text/html; charset=utf-8", true},
			{"Content-Length", fmt.Sprint(i), false},
			{"Date", fmt.Sprintf("Mon, 02 Jan 2006 15:04:%02d GMT", i/50), true},
			{"X-Other", fmt.Sprint(i % 7), true},
			{"x-lower", "", true},
			{"Set-Cookie", strings.Repeat("c", i), true},
			{"X-Bytes", "\xff\x80\x00\r\n\t", i%2 == 0},
		} {
			block = e.AppendField(block, f.key, f.value, f.often)
			key := f.key
			if key == "x-lower" {
				key = "X-Lower"
			}
			want += key + "=" + f.value
			if key == "X-Bytes" {
				want += " invalid"
			}
			want += "\n"
		}
		if got, _, err := decodeAll(&d, block, 1<<20); got != want || err != nil {
			t.Fatalf("block %d: got %q, %v, want %q", i, got, err, want)
		}
		if d.size != e.size {
			t.Fatalf("block %d: the tables have sizes %d and %d", i, e.size, d.size)
		}
	}
}

// TestEvict fills large tables. If each removal moved all entries, it wouldn't
// end.
func TestEvict(t *testing.T) {
	var d Decoder
	d.Reset(4 << 20)
	var e Encoder
	e.Reset()
	e.Resize(4 << 20)
	var block []byte
	for i := range 400_000 {
		block = e.AppendField(e.Begin(block[:0]), "x", strconv.Itoa(i), true)
		fields, _, err := d.Decode(block, 1000)
		if err != nil || len(fields) != 1 || fields[0].Value != strconv.Itoa(i) {
			t.Fatalf("%d: got %v, %v", i, fields, err)
		}
	}
	if got, want := len(e.entries)-e.first, len(d.entries)-d.first; got != want || got < 100_000 {
		t.Errorf("the tables have %d and %d entries", got, want)
	}
}

// FuzzDecoder checks that decoding never fails in another way than with an
// error, that the table keeps its size, and that decoding a block in which
// nothing is dropped gives the same fields after encoding them.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"828684410f7777772e6578616d706c652e636f6d", "3fe11f40016101", "208284", "0484ffffffff", "40830000017f"} {
		b, _ := hex.DecodeString(s)
		f.Add(b, b)
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var d Decoder
		d.Reset(DefaultTableSize)
		for _, block := range [][]byte{one, two} {
			fields, tooLarge, err := d.Decode(block, 2000)
			if err != nil {
				return
			}
			size := 0
			for _, e := range d.entries[d.first:] {
				size += e.size()
			}
			if size != d.size || size > d.max {
				t.Fatalf("the table has the size %d, recorded %d, at most %d", size, d.size, d.max)
			}
			if tooLarge {
				continue
			}
			var e Encoder
			e.Reset()
			var again []byte
			var want strings.Builder
			for _, f := range fields {
				if f.Valid && !f.Kind.Pseudo() {
					again = e.AppendField(again, f.Key, f.Value, true)
					fmt.Fprintf(&want, "%s=%s\n", f.Key, f.Value)
				}
			}
			var back Decoder
			back.Reset(DefaultTableSize)
			if got, _, err := decodeAll(&back, again, 1<<20); got != want.String() || err != nil {
				t.Fatalf("got %q, %v, want %q", got, err, want.String())
			}
		}
	})
}

// FuzzHuffman encodes and decodes strings.
func FuzzHuffman(f *testing.F) {
	f.Add([]byte("www.example.com"))
	f.Add([]byte{0, 10, 13, 22, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		coded := appendEncoded(nil, string(b))
		if len(coded) != encodedLen(string(b)) {
			t.Fatalf("%q: %d bytes, encodedLen is %d", b, len(coded), encodedLen(string(b)))
		}
		if got, ok := appendDecoded(nil, coded); !ok || !bytes.Equal(got, b) {
			t.Fatalf("%q: got %q, %v", b, got, ok)
		}
		if plain, ok := appendDecoded(nil, b); ok {
			if again := appendEncoded(nil, string(plain)); !bytes.Equal(again, b) {
				t.Fatalf("%q decodes to %q, which encodes to %q", b, plain, again)
			}
		}
	})
}
