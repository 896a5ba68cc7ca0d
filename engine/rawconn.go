//go:build linux && !muxmaster_portable

package engine

import (
	"io"
	"net"
	"sync"
	"syscall"
)

// A rawListener accepts TCP connections as rawConns.
type rawListener struct{ net.Listener }

// underTLS returns a listener that accepts the connections of l, for TLS.
func underTLS(l net.Listener) net.Listener { return rawListener{l} }

// Accept implements [net.Listener].
func (l rawListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	tcp, ok := nc.(*net.TCPConn)
	if !ok {
		return nc, err
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nc, nil
	}
	c := &rawConn{TCPConn: tcp, raw: raw}
	c.try = c.readable
	c.out.init(raw, false)
	return c, nil
}

// A rawConn is a TCP connection that is read and written with raw system calls,
// as rawIO does. TLS uses it: with ordinary calls, each response that isn't
// followed by another request at once would also wake the scheduler's monitor,
// which takes up to a third of the CPU time of a request.
type rawConn struct {
	*net.TCPConn
	raw syscall.RawConn

	inMu sync.Mutex // guards the fields for Read
	try  func(fd uintptr) bool
	in   []byte // argument and results of Read
	n    int
	err  error

	outMu sync.Mutex // guards out
	out   rawWriter
}

// NetConn returns the wrapped connection.
func (c *rawConn) NetConn() net.Conn { return c.TCPConn }

// Read implements [net.Conn].
func (c *rawConn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c.inMu.Lock()
	defer c.inMu.Unlock()
	c.in, c.n, c.err = p, 0, nil
	err := c.raw.Read(c.try)
	c.in = nil
	if err == nil {
		err = c.err
	}
	if err != nil {
		return 0, opError(c.TCPConn, "read", err)
	}
	if c.n == 0 {
		return 0, io.EOF
	}
	return c.n, nil
}

func (c *rawConn) readable(fd uintptr) bool {
	for {
		n, errno := receive(fd, c.in)
		switch errno {
		case 0:
			c.n = n
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		default:
			c.err = errno
		}
		return true
	}
}

// Write implements [net.Conn].
func (c *rawConn) Write(p []byte) (int, error) {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	n, err := c.out.write(p)
	if err != nil {
		err = opError(c.TCPConn, "write", err)
	}
	return n, err
}
