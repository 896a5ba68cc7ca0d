package h2

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
)

// TestRegister checks that a stream that both sides have ended doesn't count any
// more, even if its handler hasn't continued: the client may have received the
// end, and open another stream.
func TestRegister(t *testing.T) {
	sendData := func(c *Conn, s *stream) { s.end = true; c.appendData(s) }
	receive := func(c *Conn, s *stream) { c.endReceived(s) }
	for name, ends := range map[string][]func(*Conn, *stream){
		"DATA":                      {receive, sendData},
		"DATA before the request's": {sendData, receive},
		"HEADERS":                   {receive, func(c *Conn, s *stream) { s.res.sendFields(0, true) }},
		"trailers":                  {receive, func(c *Conn, s *stream) { s.res.sendTrailers() }},
	} {
		srv := newMemoryServer(false, nil)
		srv.maxStreams = 1
		c := srv.NewConn(new(memory), &http.Request{}, context.Background())
		open := func(id uint32) (*stream, bool) {
			s := freeStreams.New().(*stream)
			s.conn, s.id = c, id
			ok, _ := c.register(s, id, "")
			return s, ok
		}
		s, _ := open(1)
		for i, end := range ends {
			if _, ok := open(uint32(2*i + 3)); ok {
				t.Errorf("%s: a second stream is accepted after %d of %d ends", name, i, len(ends))
			}
			end(c, s)
		}
		if _, ok := open(11); !ok {
			t.Errorf("%s: a stream that both sides have ended counts", name)
		}
		if c.drop(s, errClosed); c.closed != 0 {
			t.Errorf("%s: %d closed streams are left", name, c.closed)
		}
	}
}

// TestRepeatedEntry checks that a short block can't become a megabyte of fields by
// repeating a large entry of the table.
func TestRepeatedEntry(t *testing.T) {
	for n, status := range map[int]bool{15: false, 17: true} { // 431
		srv := newMemoryServer(false, nil)
		srv.maxList = 1 << 20
		c := srv.NewConn(new(memory), &http.Request{}, context.Background())
		large := "\x40\x01x\x7f\xa1\x1e" + strings.Repeat("v", 4000)
		for i, fields := range []string{large, strings.Repeat("\xbf", n)} { // after :authority
			f := &frame{flags: flagEndStream | flagEndHeaders, stream: uint32(2*i + 1), payload: []byte(getRequest + fields)}
			if err := c.headers(f); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.streams[3].answer != nil; got != status {
			t.Errorf("%d times: refused %v, want %v", n, got, status)
		}
	}
}

// TestTrailerNames checks that each name in Trailer fields counts as a field,
// because it becomes a key of Request.Trailer (CVE-2026-78659).
func TestTrailerNames(t *testing.T) {
	srv := newMemoryServer(false, nil)
	srv.maxList = 4 << 10
	c := srv.NewConn(new(memory), &http.Request{}, context.Background())
	const fits = 4<<10/(32+1) - 1
	for _, tt := range []struct {
		values []string
		max    int  // MaxFields
		status bool // 431
	}{
		{[]string{"a"}, 0, false},
		{[]string{strings.Repeat(",a", fits)}, 0, false},
		{[]string{strings.Repeat(",a", fits+2)}, 0, true},
		{[]string{strings.Repeat(",", 200)}, 0, true},
		{[]string{strings.Repeat(",a", fits/2), strings.Repeat(",a", fits/2+4)}, 0, true},
		{[]string{"a,b,c", "d,e"}, 5, false},
		{[]string{"a,b,c", "d,e"}, 4, true},
	} {
		srv.MaxFields = tt.max
		fields := []hpack.Field{
			{Value: "GET", Kind: hpack.Method, Valid: true}, {Value: "https", Kind: hpack.Scheme, Valid: true}, {Value: "/", Kind: hpack.Path, Valid: true},
		}
		for _, v := range tt.values {
			fields = append(fields, hpack.Field{Key: "Trailer", Value: v, Kind: hpack.Trailer, Valid: true})
		}
		r, problem := c.parseRequest(fields, true, false, 0)
		if status := r.answer != nil; problem != "" || status != tt.status || status && r.trailer() != nil {
			t.Errorf("%.20q: refused %v, %q; want %v", tt.values, status, problem, tt.status)
		}
	}
}
