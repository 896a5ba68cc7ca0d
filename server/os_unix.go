//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package server

import (
	"errors"
	"syscall"
)

// resumableWrites is true because a write that exceeds its deadline returns the
// exact number of bytes sent.
const resumableWrites = true

func setOption(rc syscall.RawConn, option int) error {
	var inner error
	err := rc.Control(func(fd uintptr) {
		inner = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, option, 1)
	})
	return errors.Join(err, inner)
}

// defaultMaxConns leaves a quarter of the file descriptors for other purposes:
// files, databases, connections to other servers.
func defaultMaxConns() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 10_000
	}
	return int(max(16, min(uint64(limit.Cur)/4*3, 10_000)))
}
