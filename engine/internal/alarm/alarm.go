// Package alarm lets a connection have one timer for all its timeouts.
package alarm

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Clock gives the time in nanoseconds since it was created. It is never 0, so
// that 0 can mean that there is no deadline.
type Clock struct{ base time.Time }

// NewClock returns a clock that starts now.
func NewClock() Clock { return Clock{time.Now().Add(-time.Second)} }

// Now returns the time.
func (c Clock) Now() int64 { return int64(time.Since(c.base)) }

// Time converts a time of the clock.
func (c Clock) Time(t int64) time.Time { return c.base.Add(time.Duration(t)) }

// Of converts t to a time of the clock.
func (c Clock) Of(t time.Time) int64 { return max(1, int64(t.Sub(c.base))) }

// A Timer calls a method at the earliest of several times or a little later.
// Arm changes the timer only if it would fire too late. So a busy connection
// changes it only once in the duration of a timeout.
type Timer struct {
	fires atomic.Int64 // when the timer fires; 0 if it is not set

	mu      sync.Mutex // guards timer
	timer   *time.Timer
	stopped bool
}

// Arm makes the timer call f.Fire at the given time or earlier, unless that is 0
// or the timer was stopped. All calls must pass the same f. Its method should
// first call Fired, and finally Arm for the next time.
func (t *Timer) Arm(c Clock, at int64, f interface{ Fire() }) {
	if at == 0 {
		return
	}
	if next := t.fires.Load(); next != 0 && next <= at {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if next := t.fires.Load(); t.stopped || next != 0 && next <= at {
		return
	}
	t.fires.Store(at)
	wait := time.Duration(at - c.Now())
	if t.timer == nil {
		t.timer = time.AfterFunc(wait, f.Fire)
	} else {
		t.timer.Reset(wait)
	}
}

// Fired records that the timer has fired.
func (t *Timer) Fired() { t.fires.Store(0) }

// Stop stops the timer for good.
func (t *Timer) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
