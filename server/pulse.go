package server

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A pulse is a clock for waiting times. It advances by pulsePeriod whenever its
// goroutine has run, so time in which the host doesn't run this process, or the
// process doesn't get to all its goroutines, doesn't count against clients.
// Reading it costs much less than time.Now.
type pulse struct {
	elapsed atomic.Int64 // sum of all periods
	latest  atomic.Int64 // time of the last beat, in nanoseconds since start
	start   time.Time
}

// pulsePeriod is the resolution of a pulse.
const pulsePeriod = 100 * time.Millisecond

func newPulse() *pulse { return &pulse{start: time.Now()} }

// run advances the pulse until done is closed.
func (p *pulse) run(done <-chan struct{}) {
	ticker := time.NewTicker(pulsePeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C: // drops the beats that this goroutine missed
		case <-done:
			return
		}
		runtime.Gosched() // the goroutines that can run come first
		p.latest.Store(int64(time.Since(p.start)))
		p.elapsed.Add(int64(pulsePeriod))
	}
}

// now returns the time that counts as waiting time.
func (p *pulse) now() time.Duration { return time.Duration(p.elapsed.Load()) }

// lately returns the time of the last beat. It is earlier than time.Now, usually
// by less than pulsePeriod.
func (p *pulse) lately() time.Time { return p.start.Add(time.Duration(p.latest.Load())) }
