// Package counter counts events without a lock and without traffic between
// processors: each one counts for itself, and a reader adds them up.
package counter

import (
	"sync/atomic"
	"time"
)

// A Set is a number of counters.
type Set struct {
	local  [][]cell     // by processor
	shared []sharedCell // for processors that came later
	clock  *Clock
}

// A cell is a counter of one processor. Only a goroutine that is pinned to the
// processor writes it.
type cell struct {
	n    uint64
	last int64 // Unix time of the last event
}

type sharedCell struct{ n, last atomic.Uint64 }

// NewSet returns n counters for the given number of processors.
func NewSet(n, processors int, clock *Clock) *Set {
	s := &Set{clock: clock, local: make([][]cell, processors), shared: make([]sharedCell, n)}
	for i := range s.local {
		s.local[i] = make([]cell, n, n+8) // 128 bytes more, so that no two processors share a cache line
	}
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
	for _, cells := range s.local {
		n += atomic.LoadUint64(&cells[i].n)
		at = max(at, atomic.LoadInt64(&cells[i].last))
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
