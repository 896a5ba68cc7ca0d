package client

import (
	"fmt"
	"time"
)

// A StalledError is the error if less than 4 KiB were transferred while the
// client waited for the server for StallTimeout.
type StalledError struct {
	After   time.Duration // StallTimeout
	Sending bool          // whether the request stalled, not the response body
}

// Error returns a description of the stall.
func (e *StalledError) Error() string {
	if e.Sending {
		return fmt.Sprintf("client: the server received less than 4 KiB of the request within %v", e.After)
	}
	return fmt.Sprintf("client: less than 4 KiB of the response body arrived within %v", e.After)
}

// Timeout returns true. A *StalledError is a net.Error.
func (e *StalledError) Timeout() bool { return true }

// Temporary returns true. It is deprecated in net.Error.
func (e *StalledError) Temporary() bool { return true }
