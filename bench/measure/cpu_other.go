//go:build !unix

package measure

import "time"

// CPU returns 0: this system doesn't tell.
func CPU() time.Duration { return 0 }

// ChildrenCPU returns 0: this system doesn't tell.
func ChildrenCPU() time.Duration { return 0 }
