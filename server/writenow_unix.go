//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package server

import (
	"net"
	"syscall"
)

// A directWriter writes to a socket without waiting, and thus without a
// deadline. The connection's lock guards it.
type directWriter struct {
	raw  syscall.RawConn // nil if the connection isn't a plain socket
	call func(fd uintptr) bool
	p    []byte // argument and result of call
	n    int
}

// direct makes c.write try the socket first, if c is a plain socket.
func (c *conn) direct() {
	switch nc := c.Conn.(type) {
	case *net.TCPConn:
		c.now.raw, _ = nc.SyscallConn()
	case *net.UnixConn:
		c.now.raw, _ = nc.SyscallConn()
	}
	c.now.call = c.now.writeOnce
}

func (w *directWriter) writeOnce(fd uintptr) bool {
	n, err := syscall.Write(int(fd), w.p)
	if err == nil {
		w.n = n
	}
	return true // don't wait
}

// writeNow writes as much of p as possible without waiting. The caller writes
// the rest, and gets the error if there is one. writeNow does nothing if another
// write is in progress, because it would wait for that one.
func (c *conn) writeNow(p []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := &c.writes
	if c.now.raw == nil || len(p) == 0 || c.stalled || d.calls > 0 || !d.deadline.IsZero() || c.activity.hijacked {
		return 0
	}
	if !d.socket.IsZero() {
		c.setSocket(d, d.deadline)
	}
	c.now.p, c.now.n = p, 0
	c.now.raw.Write(c.now.call)
	c.now.p = nil
	c.wrote(c.now.n)
	return c.now.n
}
