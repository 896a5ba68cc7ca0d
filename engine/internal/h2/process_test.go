package h2

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

// TestSettingsSteps checks that the steps for a SETTINGS frame don't depend on
// the number of streams (CVE-2026-78669).
func TestSettingsSteps(t *testing.T) {
	steps.Test(t, ".", map[string]steps.Case{
		"windows": {Small: 20, Prepare: func(n int) func() {
			s := newMemoryServer(false, http.NotFoundHandler())
			c := s.NewConn(&memory{}, &http.Request{RemoteAddr: "test"}, context.Background())
			for id := range uint32(n) {
				c.streams[2*id+1] = &stream{}
			}
			pair := "\x00\x04\x00\x00\x00\x05\x00\x04\x00\x00\x00\x07"
			f := &frame{kind: frameSettings, payload: []byte(strings.Repeat(pair, 10))}
			return func() {
				if err := c.settings(f); err != nil {
					panic(err)
				}
				c.initialWindow = defaultWindow
			}
		}},
	})
}

// TestSettingsOverflow checks a window that is too large for a moment, between
// two settings of a frame.
func TestSettingsOverflow(t *testing.T) {
	s := newMemoryServer(false, http.NotFoundHandler())
	c := s.NewConn(&memory{}, &http.Request{RemoteAddr: "test"}, context.Background())
	c.streams[1] = &stream{sendWindow: 1}
	c.widest = 1
	err := c.settings(&frame{kind: frameSettings, payload: []byte("\x00\x04\x7f\xff\xff\xff\x00\x04\x00\x00\x00\x05")})
	if err != (connError{flowControlError, "setting_win_size"}) {
		t.Errorf("got %v, want a flow control error", err)
	}
}

// TestRefunds checks that what a body has received is given back to the
// connection's window once, however the stream ends and the handler goes on
// (CVE-2026-78663).
func TestRefunds(t *testing.T) {
	const n = 1000
	read := func(c *Conn, s *stream) { s.body.Read(make([]byte, n/2)) }
	closes := func(c *Conn, s *stream) { s.body.Close() }
	reset := func(c *Conn, s *stream) { c.reset(&frame{kind: frameReset, stream: 1, payload: make([]byte, 4)}) }
	wrong := func(c *Conn, s *stream) { c.streamError(1, protocolError, "test") }
	late := func(c *Conn, s *stream) { c.data(&frame{kind: frameData, stream: 1, payload: make([]byte, n)}) }
	for i, calls := range [][]func(*Conn, *stream){
		{closes}, {read, closes}, {reset, read, closes}, {read, reset, read, closes}, {wrong, read, closes, late}, {read, wrong, late, read, closes},
		{closes, reset, late}, {closes, late}, {reset, reset, closes, closes}, {wrong, reset, late, closes},
	} {
		c := newMemoryServer(false, nil).NewConn(new(memory), &http.Request{}, context.Background())
		c.settled = true
		window := func() int64 { return c.recvWindow + c.consumed.Load() }
		before := window()
		s := c.newStream()
		s.id, s.started, s.declared = 1, true, -1
		s.body = new(body)
		s.body.begin(s, &parsedRequest{}, new(http.Request))
		c.register(s, 1, "")
		late(c, s)
		for _, call := range calls {
			call(c, s)
		}
		if got := window(); got != before {
			t.Errorf("%d: the window is %d bytes larger than before", i, got-before)
		}
	}
}
