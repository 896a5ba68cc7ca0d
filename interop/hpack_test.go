package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// This file compares the engine's compression of fields with that of
// golang.org/x/net/http2/hpack, over connections.

// serveFields serves an engine that sends the fields of requests back. The
// server's table has the given size.
func serveFields(t testing.TB, table int) (addr string) {
	t.Helper()
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for name, values := range r.Header {
				w.Header()["X-"+name] = values
			}
			w.Header().Set("X-Path", r.URL.Path)
		}),
		ErrorLog: log.New(io.Discard, "", 0),
		HTTP2:    &http.HTTP2Config{MaxDecoderHeaderTableSize: table, MaxEncoderHeaderTableSize: table},
	}
	withH2C(srv)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newEngine(srv)
	go s.Serve(ln)
	t.Cleanup(func() { s.Close() })
	return ln.Addr().String()
}

// A fieldsClient encodes requests and decodes responses with x/net.
type fieldsClient struct {
	*http2.Framer
	enc    *hpack.Encoder
	dec    *hpack.Decoder
	block  bytes.Buffer
	stream uint32
}

func newFieldsClient(t *testing.T, addr string, table uint32) *fieldsClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	c := &fieldsClient{Framer: http2.NewFramer(conn, conn), dec: hpack.NewDecoder(4096, nil)}
	c.enc = hpack.NewEncoder(&c.block)
	io.WriteString(conn, http2.ClientPreface)
	c.WriteSettings()
	c.enc.SetMaxDynamicTableSizeLimit(table)
	for { // until its SETTINGS
		f, err := c.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := f.(*http2.SettingsFrame); ok && !s.IsAck() {
			c.WriteSettingsAck()
			return c
		}
	}
}

// do sends a block and returns the fields of the response, or how the stream
// ended.
func (c *fieldsClient) do(block []byte) ([]hpack.HeaderField, error) {
	c.stream += 2
	id := c.stream - 1
	cut := len(block) / 2
	c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block[:cut], EndStream: true})
	c.WriteContinuation(id, true, block[cut:])
	for {
		f, err := c.ReadFrame()
		if err != nil {
			return nil, err
		}
		switch f := f.(type) {
		case *http2.HeadersFrame:
			if !f.HeadersEnded() {
				return nil, errors.New("a response in several frames")
			}
			return c.dec.DecodeFull(f.HeaderBlockFragment())
		case *http2.RSTStreamFrame:
			return nil, http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode}
		case *http2.GoAwayFrame:
			return nil, http2.ConnectionError(f.ErrCode)
		case *http2.SettingsFrame:
			if !f.IsAck() {
				c.WriteSettingsAck()
			}
		}
	}
}

// FuzzHPACK encodes requests with x/net and decodes the responses with it. The
// sizes of both tables change on the way.
func FuzzHPACK(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(seed))
	}
	tables := []uint32{4096, 64 << 10, 100}
	var addrs []string
	for _, table := range tables {
		addrs = append(addrs, serveFields(f, int(table)))
	}
	names := []string{"accept", "user-agent", "cookie", "x-a", "x-long-name-that-nobody-uses", "etag", "if-none-match", "authorization", "set-cookie", "a"}
	f.Fuzz(func(t *testing.T, seed uint64, which uint8) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		table := tables[int(which)%len(tables)]
		c := newFieldsClient(t, addrs[int(which)%len(tables)], table)
		values := []string{""}
		for range 30 {
			if rnd.IntN(4) == 0 {
				c.enc.SetMaxDynamicTableSize(rnd.Uint32N(table + 1))
			}
			if rnd.IntN(4) == 0 { // the server's encoder
				size := rnd.Uint32N(10_000)
				c.dec.SetAllowedMaxDynamicTableSize(max(size, 4096))
				c.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: size})
			}
			c.block.Reset()
			path := "/" + strings.Repeat("p", rnd.IntN(50))
			for _, field := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":path", path}, {":authority", "h"}} {
				c.enc.WriteField(hpack.HeaderField{Name: field[0], Value: field[1], Sensitive: rnd.IntN(8) == 0})
			}
			want := http.Header{"X-Path": {path}}
			for range rnd.IntN(20) {
				name := names[rnd.IntN(len(names))]
				if rnd.IntN(3) == 0 {
					values = append(values, randomValue(rnd))
				}
				value := values[rnd.IntN(len(values))]
				c.enc.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: rnd.IntN(8) == 0})
				key := "X-" + http.CanonicalHeaderKey(name)
				if name == "cookie" && want[key] != nil {
					want[key][0] += "; " + value
				} else {
					want[key] = append(want[key], value)
				}
			}
			fields, err := c.do(c.block.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			got := http.Header{}
			for _, field := range fields {
				if strings.HasPrefix(field.Name, "x-") {
					key := http.CanonicalHeaderKey(field.Name)
					got[key] = append(got[key], field.Value)
				}
			}
			for _, list := range want { // a response has no spaces around values
				for i, value := range list {
					list[i] = strings.Trim(value, " \t")
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got %q\nwant %q", got, want)
			}
		}
	})
}

// randomValue returns a value of any bytes that are valid in a field.
func randomValue(rnd *rand.Rand) string {
	b := make([]byte, rnd.IntN(1+rnd.IntN(300)))
	for i := range b {
		if b[i] = byte(rnd.Uint32()); rnd.IntN(3) > 0 || b[i] < ' ' || b[i] == 0x7f {
			b[i] = byte('!' + rnd.IntN('~'-'!'+1))
		}
	}
	return string(b)
}

// FuzzHPACKBlocks sends any bytes as a block. If x/net can't decode them, the
// engine must end the connection with COMPRESSION_ERROR. It refuses more: a
// change of the table's size after a field (RFC 7541 section 4.2), and
// needlessly long integers.
func FuzzHPACKBlocks(f *testing.F) {
	request := "\x82\x86\x84\x41\x01h"
	for _, block := range []string{
		request, request + "\x40\x01a\x01b\xbe", request + "\xbe", request + "\x80", "\x3f\xe1\x1f" + request, "\x3f\xe2\x1f" + request, request + "\x20",
		request + "\x00\x81\x1f\x01b", request + "\x00\x84\xff\xff\xff\xff\x01b", request + "\x00\x01a\x82\x1f\xff", request + "\x0f", request + "\xff\xff\xff\xff\xff\xff\xff\x7f",
		request + "\x10\x01a\x01b", request + "\x1f\x80\x80\x80\x80\x00\x01b", request + "\x00\x01a\x7f\x80\x01b", "",
	} {
		f.Add([]byte(block), []byte(request))
	}
	addr := serveFields(f, 4096)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		c := newFieldsClient(t, addr, 4096)
		dec := hpack.NewDecoder(4096, nil)
		dec.SetAllowedMaxDynamicTableSize(4096)
		for _, block := range [][]byte{first, second} {
			if len(block) > 10_000 {
				return
			}
			_, want := dec.DecodeFull(block)
			_, got := c.do(block)
			refused := got == http2.ConnectionError(http2.ErrCodeCompression)
			if want != nil && !refused {
				t.Fatalf("block %x: got %v, want COMPRESSION_ERROR: %v", block, got, want)
			}
			if got != nil && !errors.As(got, new(http2.StreamError)) {
				if !refused {
					t.Fatalf("block %x: got %v", block, fmt.Sprint(got))
				}
				return
			}
		}
	})
}
