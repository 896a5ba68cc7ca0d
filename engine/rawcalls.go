//go:build linux && !muxmaster_portable && !race && !386

package engine

import (
	"syscall"
	"unsafe"
)

// receive reads from a socket without waiting. b must not be empty.
func receive(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), syscall.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}

// send writes to a socket without waiting. b must not be empty.
func send(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}
