//go:build !unix

package measure

import "time"

// CPU returns 0 because it isn't supported on this system.
func CPU() (self, children time.Duration) { return 0, 0 }
