//go:build !muxmaster_portable

package server

import (
	"syscall"
	"unsafe"
)

// unsent returns how many bytes of the connection's output the peer has not
// acknowledged, as far as that is known.
func (c *conn) unsent() int {
	n := int32(0)
	if c.now.raw != nil {
		c.now.raw.Control(func(fd uintptr) {
			syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&n))) // SIOCOUTQ of tcp(7)
		})
	}
	return int(n)
}
