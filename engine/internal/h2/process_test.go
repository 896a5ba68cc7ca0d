package h2

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

// TestSteps checks that the steps for a SETTINGS frame (CVE-2026-78669), and for
// DATA, don't depend on the number of streams and of responses that wait.
func TestSteps(t *testing.T) {
	steps.Test(t, ".", map[string]steps.Case{
		"windows": {Small: 1000, Prepare: func(n int) func() {
			s := newMemoryServer(false, http.NotFoundHandler())
			c := s.NewConn(&memory{}, &http.Request{RemoteAddr: "test"}, context.Background())
			for id := range uint32(n) {
				s := &stream{sendWindow: -defaultWindow, queued: queued{data: []byte("x"), isWaiting: true}}
				c.streams[2*id+1] = s
				c.waiting = append(c.waiting, s)
			}
			c.initialWindow = 1
			pair := "\x00\x04\x00\x00\x00\x05\x00\x04\x00\x00\x00\x07"
			f := &frame{kind: frameSettings, payload: []byte(strings.Repeat(pair, 10))}
			return func() {
				if err := c.settings(f); err != nil {
					panic(err)
				}
				c.initialWindow = 1
			}
		}},
		"turns": {Small: 1000, Prepare: func(n int) func() {
			s := newMemoryServer(false, http.NotFoundHandler())
			c := s.NewConn(&memory{}, &http.Request{RemoteAddr: "test"}, context.Background())
			p := make([]byte, 1<<20)
			for range n {
				c.waiting = append(c.waiting, &stream{queued: queued{data: p, isWaiting: true}})
			}
			return func() {
				c.sendWindow, c.out = maxWindow, c.out[:0]
				c.pump()
			}
		}},
	})
}

// TestGoAwayLog checks that a client can't fill the log with GOAWAY frames.
func TestGoAwayLog(t *testing.T) {
	s := newMemoryServer(false, http.NotFoundHandler())
	lines := 0
	s.Logf = func(string, ...any) { lines++ }
	c := s.NewConn(&memory{}, &http.Request{}, context.Background())
	defer c.timer.Stop()
	for code := range byte(5) {
		if err := c.goAway(&frame{kind: frameGoAway, payload: []byte{0, 0, 0, 0, 0, 0, 0, code}}); err != nil {
			t.Fatal(err)
		}
	}
	if lines != 1 {
		t.Errorf("%d lines, want 1", lines)
	}
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
// connection's window once, at the latest when the stream ends, however it ends and
// the handler goes on (CVE-2026-78663).
func TestRefunds(t *testing.T) {
	const n = 1000
	read := func(c *Conn, s *stream) { s.body.Read(make([]byte, n/2)) }
	closes := func(c *Conn, s *stream) { s.body.Close() }
	reset := func(c *Conn, s *stream) { c.reset(&frame{kind: frameReset, stream: 1, payload: make([]byte, 4)}) }
	wrong := func(c *Conn, s *stream) { c.streamError(1, protocolError, "test") }
	late := func(c *Conn, s *stream) { c.data(&frame{kind: frameData, stream: 1, payload: make([]byte, n)}) }
	for i, calls := range [][]func(*Conn, *stream){
		{reset}, {wrong}, {closes}, {read, closes}, {reset, read, closes}, {read, reset, read, closes}, {wrong, read, closes, late}, {read, wrong, late, read, closes},
		{closes, reset, late}, {closes, late}, {reset, reset, closes, closes}, {wrong, reset, late, closes},
	} {
		for _, started := range []bool{false, true} { // the handler
			c := newMemoryServer(false, nil).NewConn(new(memory), &http.Request{}, context.Background())
			c.settled = true
			window := func() int64 { return c.recvWindow + c.consumed.Load() }
			before := window()
			s := openUpload(c)
			s.started = started
			late(c, s)
			for _, call := range calls {
				call(c, s)
			}
			if got := window(); got != before {
				t.Errorf("%d, started %v: the window is %d bytes larger than before", i, started, got-before)
			}
		}
	}
}

// openUpload opens stream 1 for a request with a body.
func openUpload(c *Conn) *stream {
	s := c.newStream()
	s.id, s.started, s.declared = 1, true, -1
	s.body = new(body)
	s.body.begin(s, &parsedRequest{}, new(http.Request))
	c.register(s, 1, "")
	return s
}

// TestNegativeWindow checks that an empty DATA frame may end a stream whose window
// is negative (RFC 9113 section 6.9.1), because the client has sent more before it
// knew of a smaller window.
func TestNegativeWindow(t *testing.T) {
	for n, want := range map[int]bool{0: true, 1: false} {
		c := newMemoryServer(false, nil).NewConn(new(memory), &http.Request{}, context.Background())
		s := openUpload(c)
		s.recvWindow = -1
		if err := c.data(&frame{kind: frameData, flags: flagEndStream, stream: 1, payload: make([]byte, n)}); err != nil {
			t.Error(err)
		}
		if s.recvEnd != want {
			t.Errorf("%d bytes: the stream ended: %v, want %v", n, s.recvEnd, want)
		}
	}
}

// TestDecay checks that useless frames are forgiven after any time: a client may
// send one now and then for months.
func TestDecay(t *testing.T) {
	c := newMemoryServer(false, nil).NewConn(new(memory), &http.Request{}, context.Background())
	for _, days := range []int64{1, 100, 110, 220, 10_000} {
		l := limits{useless: maxUseless, lastDecay: c.server.clock.Now() - days*int64(24*time.Hour)}
		if err := l.uselessFrame(c); err != nil || l.useless != 1 {
			t.Errorf("after %d days: %d, %v, want 1", days, l.useless, err)
		}
	}
}

// TestConcurrentReads checks that no Read of a body waits while there is data.
func TestConcurrentReads(t *testing.T) {
	s := newMemoryServer(false, nil)
	c := s.NewConn(new(memory), &http.Request{}, context.Background())
	b := new(body)
	b.begin(&stream{conn: c}, &parsedRequest{}, new(http.Request))
	const readers = 4
	got := make(chan int, readers)
	for range readers {
		go func() {
			n, _ := b.Read(make([]byte, 1))
			got <- n
		}()
	}
	for waiting := false; !waiting; { // all of them, for the first data
		time.Sleep(time.Millisecond)
		stacks := make([]byte, 1<<20)
		waiting = strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "sync.(*Cond).Wait(") == readers
	}
	b.append(make([]byte, readers))
	for range readers {
		steady.Receive(t, "a Read", got)
	}
}

// TestAppendMoves checks that not each frame moves all unread data, where a handler
// reads a few bytes for each.
func TestAppendMoves(t *testing.T) {
	c := newMemoryServer(false, nil).NewConn(new(memory), &http.Request{}, context.Background())
	b := &body{conn: c}
	b.append(make([]byte, 900<<10))
	b.append(make([]byte, cap(b.data)-len(b.data)))
	moves := 0
	for range 50_000 {
		n, _ := b.Read(make([]byte, 10))
		if b.append(make([]byte, n)); b.read == 0 {
			moves++
		}
	}
	if moves > 10 || cap(b.data) > 2<<20 {
		t.Errorf("%d moves, and a buffer of %d bytes", moves, cap(b.data))
	}
	if b.Read(make([]byte, len(b.data)-b.read-1)); cap(b.data) > 64<<10 {
		t.Errorf("%d bytes for one that isn't read", cap(b.data))
	}
}
