//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU returns the processor time that this process has used, user and system
// together; 0 where the system doesn't tell.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
