//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU returns the user and system CPU time of this process, and that of its child
// processes that have ended, or 0 if it is unknown.
func CPU() (self, children time.Duration) {
	used := func(who int) time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return used(syscall.RUSAGE_SELF), used(syscall.RUSAGE_CHILDREN)
}
