//go:build linux && !muxmaster_portable && race

package engine

import "syscall"

// receive and send tell the race detector what package syscall tells it: what
// happened before a write happened before the read that gets the bytes. Without
// it the detector would report variables that a test sets before it sends a
// request to a server of its own.

func receive(fd uintptr, b []byte) (int, syscall.Errno) { return called(syscall.Read(int(fd), b)) }

func send(fd uintptr, b []byte) (int, syscall.Errno) { return called(syscall.Write(int(fd), b)) }

func called(n int, err error) (int, syscall.Errno) {
	errno, _ := err.(syscall.Errno)
	return n, errno
}
