//go:build linux && !muxmaster_portable

package engine

import (
	"io"
	"net"
	"os"
	"syscall"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/turns"
)

// A rawIO reads and writes the socket of a connection with raw system calls,
// which don't notify the scheduler. That is safe because they never block: Go's
// sockets are non-blocking. To wait, rawIO uses Go's poller through
// [syscall.RawConn], which also applies deadlines and keeps the descriptor open
// during a call.
//
// A waiting connection has no buffer. It gets one when data arrives.
//
// If the connection wraps the socket (see [SocketConn]), rawIO bypasses the
// wrapper only to read heads and for writes that don't have to wait.
type rawIO struct {
	conn  *conn
	read  func(fd uintptr) bool // the method value, allocated once
	turns turns.Counter

	n   int // results of read
	err error

	out rawWriter
}

// newRawIO returns a rawIO for c, or nil if c isn't a plain socket.
func newRawIO(c *conn) *rawIO {
	raw := rawSocket(c.nc)
	if raw == nil {
		return nil
	}
	io := &rawIO{conn: c}
	io.read = io.readable
	io.out.init(c.nc, raw)
	return io
}

// rawSocket returns access to the socket that nc is or wraps, or nil if that
// isn't a plain socket.
func rawSocket(nc net.Conn) syscall.RawConn {
	if wrapper, ok := nc.(SocketConn); ok {
		nc = wrapper.Socket()
	}
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		raw, _ := nc.(syscall.Conn).SyscallConn()
		return raw
	}
	return nil
}

// fill reads into the connection's buffer. Before the first read for another
// request, it often lets other goroutines run (see [turns.Counter.Yield]).
func (r *rawIO) fill() error {
	if c := r.conn; c.r == c.w && c.work == nil && c.requests.Load() > 0 && c.http2 == nil {
		r.turns.Yield()
	}
	r.n, r.err = 0, nil
	if err := r.out.raw.Read(r.read); err != nil {
		return opError(r.conn.nc, "read", err)
	}
	if r.err == nil && r.n == 0 {
		return io.EOF
	}
	r.conn.w += r.n
	return r.err
}

func (r *rawIO) readable(fd uintptr) bool {
	c := r.conn
	c.makeRoom(1)
	b := c.in.b[c.w:]
	for {
		n, errno := receive(fd, b)
		switch errno {
		case 0:
			r.n = n
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			if c.w == c.r {
				c.giveBackBuffer()
			}
			return false
		default:
			r.err = opError(r.conn.nc, "read", errno)
		}
		return true
	}
}

// Write writes all of p.
func (r *rawIO) Write(p []byte) (int, error) { return r.out.write(p) }

// TryWrite writes what can be written without waiting. If the connection wraps
// the socket, it returns no error, and Write fails afterwards: a deadline of the
// socket that has passed may be one that the wrapper's last Write has left.
func (r *rawIO) TryWrite(p []byte) (int, error) {
	n, err := r.out.start(p, false)
	if r.wraps() {
		return n, nil
	}
	return n, err
}

// wraps reports whether the connection wraps a socket.
func (r *rawIO) wraps() bool { return r.out.wrapper != nil }

// A rawWriter writes to the socket of a connection. If the connection wraps the
// socket, it bypasses the wrapper for writes that don't have to wait.
type rawWriter struct {
	conn    net.Conn
	wrapper SocketConn // conn, or nil if that is the socket
	raw     syscall.RawConn
	try     func(fd uintptr) bool // the method value, allocated once

	rest    []byte // arguments and results of try
	err     error
	waiting bool // writable waits until all is written
}

func (w *rawWriter) init(nc net.Conn, raw syscall.RawConn) {
	w.conn, w.raw, w.try = nc, raw, w.writable
	w.wrapper, _ = nc.(SocketConn)
}

// write writes all of p.
func (w *rawWriter) write(p []byte) (int, error) {
	n, err := w.start(p, w.wrapper == nil)
	if w.wrapper == nil || n == len(p) {
		return n, err
	}
	// Writing the rest would wait or fail.
	m, err := w.wrapper.Write(p[n:])
	return n + m, err
}

// start writes what can be written without waiting, or all.
func (w *rawWriter) start(p []byte, all bool) (int, error) {
	w.rest, w.err, w.waiting = p, nil, all
	err := w.raw.Write(w.try)
	if err == nil {
		err = w.err
	}
	if err != nil {
		err = opError(w.conn, "write", err)
	}
	n := len(p) - len(w.rest)
	w.rest = nil
	if w.wrapper != nil && n > 0 {
		w.wrapper.Wrote(n)
	}
	return n, err
}

func (w *rawWriter) writable(fd uintptr) bool {
	for len(w.rest) > 0 {
		n, errno := send(fd, w.rest)
		switch errno {
		case 0:
			w.rest = w.rest[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return !w.waiting
		default:
			w.err = errno
			return true
		}
	}
	return true
}

// opError returns the error that a method of package net returns for err, which
// is a system call's or that of a [syscall.RawConn].
func opError(nc net.Conn, op string, err error) error {
	e := &net.OpError{Op: op, Net: nc.LocalAddr().Network(), Source: nc.LocalAddr(), Addr: nc.RemoteAddr(), Err: err}
	switch err := err.(type) {
	case syscall.Errno:
		e.Err = os.NewSyscallError(op, err)
	case *net.OpError:
		e.Net, e.Err = err.Net, err.Err
	}
	return e
}
