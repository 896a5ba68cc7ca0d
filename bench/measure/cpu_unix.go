//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU returns the processor time that this process has used, user and system
// together; 0 where the system doesn't tell.
func CPU() time.Duration { return usage(syscall.RUSAGE_SELF) }

// ChildrenCPU returns the processor time of the processes that this one has
// started and that have ended; 0 where the system doesn't tell.
func ChildrenCPU() time.Duration { return usage(syscall.RUSAGE_CHILDREN) }

func usage(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
