//go:build unix

package load

import "syscall"

// cpuMicros is the CPU time that this process has used, in microseconds.
func cpuMicros() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}
