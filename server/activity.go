package server

import (
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// An activity tells what a connection is doing, and for how long it has been
// waiting for its peer. A connection waits for its peer while it has no request
// whose handler runs, and while all handlers that run are inside a read of a
// body or a write of an answer.
type activity struct {
	mu       sync.Mutex
	handlers int // running now
	waits    int // reads and writes in progress
	used     bool
	hijacked bool
	since    time.Time   // when the current wait began
	clock    stall.Clock // the waits before that
}

// waiting reports whether the connection waits for its peer. The waits can
// outnumber the handlers: a handler may read and write at once, and net/http
// sends the last of an answer after the handler has returned.
func (a *activity) waiting() bool { return a.waits >= a.handlers }

// update changes the counts, having added the wait that has just passed, if
// there was one, to the clock.
func (a *activity) update(now time.Time, handlers, waits int, moved int64) {
	var d time.Duration
	if a.waiting() {
		d = now.Sub(a.since)
	}
	a.clock.Add(d, moved)
	a.since = now
	a.handlers += handlers
	a.waits += waits
}

func (a *activity) opened(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since = now
}

// handlerBegins resets the clock for the first handler: the wait for a request
// says nothing about the wait for its body.
func (a *activity) handlerBegins(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used = true
	a.update(now, +1, 0, 0)
	if a.handlers == 1 {
		a.clock = stall.Clock{}
	}
}

// handlerReturns resets the clock, because a request has been served.
func (a *activity) handlerReturns(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.update(now, -1, 0, 0)
	a.clock = stall.Clock{}
}

func (a *activity) waitBegins(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.update(now, 0, +1, 0)
}

func (a *activity) waitEnds(now time.Time, moved int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.update(now, 0, -1, moved)
}

// moved counts bytes that were written without waiting.
func (a *activity) moved(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock.Add(0, n)
}

func (a *activity) hijack() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hijacked = true
}

func (a *activity) wasUsed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// waited returns for how long the connection has been waiting for its peer, in
// all, since 4 KiB last moved or a request was last served; 0 if it is not
// waiting now. It is idle if closing it would cut off no request.
func (a *activity) waited(now time.Time) (d time.Duration, idle bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hijacked || !a.waiting() {
		return 0, false
	}
	return a.clock.Waited() + now.Sub(a.since), a.handlers == 0 && a.waits == 0
}
