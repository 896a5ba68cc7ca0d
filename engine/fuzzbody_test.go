package engine

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"testing"
)

// FuzzBody compares reading a chunked body with net/http: the body, its
// trailers and the rest of the input. The sizes of the arriving pieces and of
// the handler's reads must not matter.
func FuzzBody(f *testing.F) {
	for i, body := range oddChunks {
		if len(body) < 20<<10 {
			f.Add([]byte(body+"GET /next HTTP/1.1\r\nHost: h\r\n\r\n"), uint(i), uint(1+i%9), uint(1+i%5))
		}
	}
	srv := New(&http.Server{})
	const head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
	f.Fuzz(func(t *testing.T, body []byte, first, piece, portion uint) {
		input := append([]byte(head), body...)
		br := bufio.NewReader(bytes.NewReader(input))
		want, err := http.ReadRequest(br)
		if err != nil {
			t.Fatal(err)
		}
		wantBody, wantErr := io.ReadAll(want.Body)

		at := len(head) + int(first%uint(len(body)+1))
		c := &conn{server: srv, connCtx: t.Context(), nc: &cutConn{parts: slices.Collect(slices.Chunk(input[at:], int(piece%2000)+1))}}
		c.tmpl = c.template()
		h, out := parseAll(input[:at])
		if out != complete {
			t.Fatalf("outcome %d", out)
		}
		c.in, c.r, c.w = &buffer{slices.Clone(input[:at])}, len(head), at
		bd := c.newRequest(h, input)
		x := c.current
		x.res, x.gen = new(response), 1 // not the response of x any more
		got, err := readPortions(x.body, int(portion%1000)+1)
		if !bytes.Equal(got, wantBody) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q: body\ngot  %q, %v\nwant %q, %v", body, got, err, wantBody, wantErr)
		}
		if err != nil {
			return
		}
		if !reflect.DeepEqual(bd.Request.Trailer, want.Trailer) {
			t.Fatalf("%q: trailers\ngot  %q\nwant %q", body, bd.Request.Trailer, want.Trailer)
		}
		unused, _ := io.ReadAll(c.nc)
		rest := append(slices.Clone(c.in.b[c.r:c.w]), unused...)
		if wantRest, _ := io.ReadAll(br); !bytes.Equal(rest, wantRest) {
			t.Fatalf("%q: the engine leaves %q for the next request, http.ReadRequest leaves %q", body, rest, wantRest)
		}
	})
}

// TestPutBack puts bytes back in front of the input, with as much room as
// needed, more, or less.
func TestPutBack(t *testing.T) {
	for _, tt := range []struct{ used, left, back string }{
		{"", "", "back"}, {"used", "", "back"}, {"used", "left", "back"}, {"used", "left", "bac"},
		{"us", "left", "back"}, {"", "left", "back"}, {"used", "left", ""},
	} {
		c := new(conn)
		if input := tt.used + tt.left; input != "" {
			c.in, c.r, c.w = &buffer{[]byte(input)}, len(tt.used), len(input)
		}
		c.putBack([]byte(tt.back))
		got := ""
		if c.in != nil {
			got = string(c.in.b[c.r:c.w])
		}
		if want := tt.back + tt.left; got != want {
			t.Errorf("%+v: got %q, want %q", tt, got, want)
		}
	}
}

// readPortions is io.ReadAll with reads of the given size.
func readPortions(r io.Reader, size int) (all []byte, err error) {
	p := make([]byte, size)
	for {
		n, err := r.Read(p)
		all = append(all, p[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}
