//go:build !unix

package measure

import "time"

// CPU returns 0 because it isn't supported on this system.
func CPU() time.Duration { return 0 }

// ChildrenCPU returns 0 because it isn't supported on this system.
func ChildrenCPU() time.Duration { return 0 }
