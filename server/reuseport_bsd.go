//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package server

import (
	"runtime"
	"syscall"
)

// reusePort is a function for net.ListenConfig.Control. FreeBSD distributes
// connections among the sockets only with SO_REUSEPORT_LB.
func reusePort(_, _ string, rc syscall.RawConn) error {
	option := syscall.SO_REUSEPORT
	if runtime.GOOS == "freebsd" {
		option = 0x10000
	}
	return setOption(rc, option)
}
