// Package counter counts events without a lock and without traffic between
// processors: each one counts for itself, and a reader adds them up.
package counter

import (
	"sync/atomic"
	"time"
)

// A Set is a number of counters.
type Set struct {
	cells  []cell // those of the first processor, then those of the next one
	stride int    // number of cells of a processor
	clock  *Clock
	shared []sharedCell // for processors that came later
}

// A cell is a counter of one processor. Only a goroutine that is pinned to the
// processor writes it.
type cell struct {
	n    uint64
	last int64 // Unix time of the last event
}

// apart is the number of cells in 128 bytes, between those of two processors, so
// that they share no cache line.
const apart = 8

type sharedCell struct{ n, last atomic.Uint64 }

// NewSet returns n counters for the given number of processors.
func NewSet(n, processors int, clock *Clock) *Set {
	s := &Set{stride: n + apart, clock: clock, shared: make([]sharedCell, n)}
	s.cells = make([]cell, processors*s.stride)
	return s
}

// addShared counts an event for all processors that have no cell.
//
//go:noinline
func (s *Set) addShared(i int, now int64) {
	s.shared[i].n.Add(1)
	s.shared[i].last.Store(uint64(now))
}

// Read returns how often Add was called for a counter, and when last, to the
// second. It may miss events of this moment.
func (s *Set) Read(i int) (n uint64, last time.Time) {
	n = s.shared[i].n.Load()
	at := int64(s.shared[i].last.Load())
	for k := i; k < len(s.cells); k += s.stride {
		n += atomic.LoadUint64(&s.cells[k].n)
		at = max(at, atomic.LoadInt64(&s.cells[k].last))
	}
	if n == 0 {
		return 0, time.Time{}
	}
	return n, time.Unix(at, 0)
}

// A Clock tells the time to the second for less than time.Now. A timer runs for
// a minute after it was asked, not longer.
type Clock struct {
	now   atomic.Int64 // Unix time; 0 if no timer runs
	ticks atomic.Int64 // until the timer stops
}

// Unix returns the time.
func (c *Clock) Unix() int64 {
	if t := c.now.Load(); t != 0 {
		return t
	}
	return c.start()
}

// start isn't inlined, so that Unix can be.
//
//go:noinline
func (c *Clock) start() int64 {
	t := time.Now().Unix()
	if c.now.CompareAndSwap(0, t) {
		c.ticks.Store(60)
		time.AfterFunc(time.Second, c.tick)
	}
	return t
}

func (c *Clock) tick() {
	if c.ticks.Add(-1) == 0 {
		c.now.Store(0)
		return
	}
	c.now.Store(time.Now().Unix())
	time.AfterFunc(time.Second, c.tick)
}
