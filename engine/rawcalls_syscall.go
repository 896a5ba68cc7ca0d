//go:build linux && !muxmaster_portable && (race || 386)

package engine

import "syscall"

// receive and send use package syscall here, because it tells the race detector
// that a write happens before the read of the same bytes. Otherwise the race
// detector would report a variable that a test sets before it sends a request
// and that the handler reads. Also, package syscall has no numbers for recvfrom
// and sendto on 386.

func receive(fd uintptr, b []byte) (int, syscall.Errno) { return called(syscall.Read(int(fd), b)) }

func send(fd uintptr, b []byte) (int, syscall.Errno) { return called(syscall.Write(int(fd), b)) }

func called(n int, err error) (int, syscall.Errno) {
	errno, _ := err.(syscall.Errno)
	return n, errno
}
