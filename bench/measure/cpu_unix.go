//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU returns the user and system CPU time of this process, or 0 if it is
// unknown.
func CPU() time.Duration { return usage(syscall.RUSAGE_SELF) }

// ChildrenCPU returns the CPU time of child processes that have ended, or 0 if
// it is unknown.
func ChildrenCPU() time.Duration { return usage(syscall.RUSAGE_CHILDREN) }

func usage(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
