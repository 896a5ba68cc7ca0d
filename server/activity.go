package server

import (
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// An activity measures how long a connection has been waiting for its peer. A
// connection waits for its peer if no handler is running, or if all running
// handlers are reading a body or writing a response. Times are those of the
// server's pulse. The connection's lock guards it.
type activity struct {
	handlers int // number of running handlers
	waits    int // number of reads and writes in progress; for HTTP/2, of streams with any
	used     bool
	hijacked bool
	since    time.Duration // start of the current wait
	clock    stall.Clock   // measures the waits before
}

// waiting reports whether the connection waits for its peer. There can be more
// waits than handlers: a handler may read and write at the same time, and
// net/http sends the end of a response after the handler returns.
func (a *activity) waiting() bool { return a.waits >= a.handlers }

// update adds the time since the last change to the clock if the connection was
// waiting, counts the bytes that were transferred, and changes the counts.
func (a *activity) update(now time.Duration, handlers, waits int, moved int64) {
	var d time.Duration
	if a.waiting() {
		d = now - a.since
	}
	a.clock.Add(d, moved)
	a.since = now
	a.handlers += handlers
	a.waits += waits
}

func (a *activity) opened(now time.Duration) { a.since = now }

// handlerBegins records the start of a handler. For the first handler it resets
// the clock, because the wait for a request doesn't count for its body.
func (a *activity) handlerBegins(now time.Duration) {
	a.used = true
	a.update(now, +1, 0, 0)
	if a.handlers == 1 {
		a.clock = stall.Clock{}
	}
}

// handlerReturns records the end of a handler and resets the clock.
func (a *activity) handlerReturns(now time.Duration) {
	a.update(now, -1, 0, 0)
	a.clock = stall.Clock{}
}

func (a *activity) waitBegins(now time.Duration) { a.update(now, 0, +1, 0) }

func (a *activity) waitEnds(now time.Duration, moved int64) { a.update(now, 0, -1, moved) }

// moved counts bytes that were transferred without waiting, or while another
// wait goes on.
func (a *activity) moved(now time.Duration, n int64) { a.update(now, 0, 0, n) }

// waited returns how long the connection has been waiting for its peer since
// the last 4 KiB were transferred or the last request was served, or 0 if it
// isn't waiting. idle reports whether the connection has no request in
// progress.
func (a *activity) waited(now time.Duration) (d time.Duration, idle bool) {
	if a.hijacked || !a.waiting() {
		return 0, false
	}
	return a.clock.Waited() + now - a.since, a.handlers == 0 && a.waits == 0
}
