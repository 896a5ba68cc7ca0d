// Package stall has the rule by which the server and the client tell a slow
// peer from one that stalls: while one side waits for the other, at least
// Bytes, or all that is left, must move in each period of waiting. Time between
// waits does not count.
package stall

import "time"

// Bytes is how much must move in each period of waiting.
const Bytes = 4 << 10

// A Clock adds up the waiting in one direction. The zero Clock has not waited.
// It is for one goroutine at a time.
type Clock struct {
	waited time.Duration // since Bytes last moved
	moved  int64         // in that time
}

// Left returns how long the next operation may wait where limit is the period.
// It is at least a millisecond, so that an operation that need not wait
// succeeds.
func (c *Clock) Left(limit time.Duration) time.Duration {
	return max(limit-c.waited, time.Millisecond)
}

// Add counts an operation that waited for d and moved n bytes.
func (c *Clock) Add(d time.Duration, n int64) {
	c.waited += d
	c.moved += n
	if c.moved >= Bytes {
		*c = Clock{}
	}
}

// Waited returns how long the operations have waited since Bytes last moved.
func (c *Clock) Waited() time.Duration { return c.waited }
