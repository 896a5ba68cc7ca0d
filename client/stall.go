package client

import (
	"fmt"
	"time"
)

// stallBytes is how much must move in each StallTimeout of waiting, as in
// package server.
const stallBytes = 4 << 10

// A stallClock adds up the time that was spent waiting for the peer. Its zero
// value has waited for nothing yet.
type stallClock struct {
	spent time.Duration
	moved int
}

// left returns how long the next operation may wait.
func (k *stallClock) left(limit time.Duration) time.Duration {
	return max(limit-k.spent, time.Millisecond)
}

// add counts an operation that took d and moved n bytes.
func (k *stallClock) add(d time.Duration, n int) {
	k.spent += d
	k.moved += n
	if k.moved >= stallBytes {
		*k = stallClock{}
	}
}

// A StalledError says that the peer took or sent less than 4 KiB while the
// client waited for it for StallTimeout.
type StalledError struct {
	After   time.Duration // StallTimeout
	Sending bool          // it was the request that stalled, not the answer's body
}

// Error says which side stalled, and for how long.
func (e *StalledError) Error() string {
	if e.Sending {
		return fmt.Sprintf("client: the server took less than 4 KiB of the request within %v", e.After)
	}
	return fmt.Sprintf("client: less than 4 KiB of the answer's body came within %v", e.After)
}

// Timeout returns true, as a net.Error's does for a timeout.
func (e *StalledError) Timeout() bool { return true }
