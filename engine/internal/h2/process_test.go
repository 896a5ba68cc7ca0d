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
