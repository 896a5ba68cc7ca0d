package client

import (
	"fmt"
	"time"
)

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
