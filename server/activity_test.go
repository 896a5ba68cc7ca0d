package server

import (
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// TestActivity checks how long a connection has been waiting for its peer after
// a sequence of events.
func TestActivity(t *testing.T) {
	type event struct {
		at   int // seconds after the connection was opened
		what func(*activity, time.Duration)
	}
	begin := func(a *activity, now time.Duration) { a.handlerBegins(now) }
	done := func(a *activity, now time.Duration) { a.handlerReturns(now) }
	wait := func(a *activity, now time.Duration) { a.waitBegins(now) }
	moved := func(n int64) func(*activity, time.Duration) {
		return func(a *activity, now time.Duration) { a.waitEnds(now, n) }
	}
	movedMeanwhile := func(n int64) func(*activity, time.Duration) {
		return func(a *activity, now time.Duration) { a.moved(now, n) }
	}
	hijack := func(a *activity, _ time.Duration) { a.hijacked = true }
	for _, c := range []struct {
		name   string
		events []event
		now    int
		waited int
		idle   bool
	}{
		{"opened", nil, 7, 7, true},
		{"a handler at work", []event{{5, begin}}, 9, 0, false},
		{"idle after a request", []event{{1, begin}, {2, done}}, 9, 7, true},
		{"hijacked", []event{{1, begin}, {1, hijack}, {2, done}}, 9, 0, false},

		{"waiting for a body", []event{{60, begin}, {61, wait}}, 69, 8, false},
		{"waiting for more of a body", []event{{0, begin}, {1, wait}, {4, moved(1)}, {5, wait}}, 9, 7, false},
		{"enough of a body has arrived", []event{{0, begin}, {1, wait}, {4, moved(stall.Bytes)}, {5, wait}}, 9, 4, false},
		{"enough has arrived in small pieces", []event{{0, begin}, {1, wait}, {2, moved(stall.Bytes / 2)}, {3, wait}, {4, moved(stall.Bytes / 2)}, {5, wait}}, 9, 4, false},
		{"at work between two reads", []event{{0, begin}, {1, wait}, {4, moved(1)}}, 9, 0, false},
		{"reading and writing at once", []event{{0, begin}, {1, wait}, {3, wait}}, 9, 8, false},
		{"reading while enough is written", []event{{0, begin}, {1, wait}, {6, movedMeanwhile(stall.Bytes)}}, 9, 3, false},
		{"reading while too little is written", []event{{0, begin}, {1, wait}, {6, movedMeanwhile(1)}}, 9, 8, false},
		{"the end of a response, after the handler", []event{{0, begin}, {1, done}, {2, wait}}, 9, 8, false},
		{"the next request resets the clock", []event{{0, begin}, {1, wait}, {4, moved(1)}, {4, done}, {5, begin}, {6, wait}}, 9, 3, false},

		{"two streams, one at work", []event{{0, begin}, {1, begin}, {2, wait}}, 9, 0, false},
		{"two streams, both waiting", []event{{0, begin}, {1, begin}, {2, wait}, {5, wait}}, 9, 4, false},
		{"two streams, one has moved enough", []event{{0, begin}, {0, begin}, {1, wait}, {2, wait}, {4, moved(stall.Bytes)}, {5, wait}}, 9, 4, false},
		{"a new stream next to a waiting one", []event{{0, begin}, {1, wait}, {4, begin}, {5, wait}}, 9, 7, false},
		{"a served stream next to a waiting one", []event{{0, begin}, {1, wait}, {4, begin}, {5, done}}, 9, 4, false},
	} {
		var a activity
		at := func(s int) time.Duration { return time.Duration(s) * time.Second }
		a.opened(at(0))
		for _, e := range c.events {
			e.what(&a, at(e.at))
		}
		waited, idle := a.waited(at(c.now))
		if want := time.Duration(c.waited) * time.Second; waited != want || idle != c.idle {
			t.Errorf("%s: waited %v, idle %v; want %v, %v", c.name, waited, idle, want, c.idle)
		}
	}
}

// TestWaitForRoomDoesNotCount checks that the time before a connection is
// admitted doesn't count as waiting for its peer. Otherwise it would be closed
// next.
func TestWaitForRoomDoesNotCount(t *testing.T) {
	l := newListener(nil, New("", nil))
	c := &conn{l: l}
	c.opened()
	l.pulse.elapsed.Store(int64(time.Hour))
	if !l.add(c) {
		t.Fatal("there is no room")
	}
	if waited, idle := c.waited(); waited != 0 || !idle {
		t.Errorf("waited %v, idle %v; want no wait, and idle", waited, idle)
	}
}
