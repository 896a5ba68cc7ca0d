//go:build linux && !muxmaster_portable

package engine

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// A rawListener accepts sockets that are read and written with raw system calls.
type rawListener struct{ net.Listener }

// underTLS returns a listener that accepts the connections of l, for TLS.
func underTLS(l net.Listener) net.Listener { return rawListener{l} }

// Accept implements [net.Listener].
func (l rawListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nc, err
	}
	raw := rawSocket(nc)
	if raw == nil {
		return nc, nil
	}
	switch nc := nc.(type) {
	case *net.TCPConn:
		c := &rawConn{TCPConn: nc}
		c.socket.init(nc, raw)
		return c, nil
	case SocketConn:
		c := &rawWrapper{SocketConn: nc}
		c.socket.init(nc, raw)
		return c, nil
	}
	return nc, nil
}

// A rawConn is a TCP connection under TLS. With ordinary system calls, each
// response that isn't followed by another request at once would also wake the
// scheduler's monitor, which takes up to a third of the CPU time of a request.
type rawConn struct {
	*net.TCPConn
	socket rawStream
}

// NetConn returns the wrapped connection.
func (c *rawConn) NetConn() net.Conn { return c.TCPConn }

// Read implements [net.Conn].
func (c *rawConn) Read(p []byte) (int, error) { return c.socket.read(p) }

// Write implements [net.Conn].
func (c *rawConn) Write(p []byte) (int, error) { return c.socket.write(p) }

// A rawWrapper is the wrapper of a socket under TLS. It is bypassed over HTTP/2
// only: over HTTP/1.1, it reads the bodies of requests.
type rawWrapper struct {
	SocketConn
	http2  atomic.Bool
	socket rawStream
}

// startHTTP2 is called after the handshake if the protocol is HTTP/2.
func (c *rawWrapper) startHTTP2() { c.http2.Store(true) }

// NetConn returns the wrapped connection.
func (c *rawWrapper) NetConn() net.Conn { return c.SocketConn }

// Read implements [net.Conn].
func (c *rawWrapper) Read(p []byte) (int, error) {
	if c.http2.Load() {
		return c.socket.read(p)
	}
	return c.SocketConn.Read(p)
}

// Write implements [net.Conn].
func (c *rawWrapper) Write(p []byte) (int, error) {
	if c.http2.Load() {
		return c.socket.write(p)
	}
	return c.SocketConn.Write(p)
}

// A rawStream reads and writes a socket. Its methods may be called concurrently.
type rawStream struct {
	inMu sync.Mutex // guards the arguments and results of try
	try  func(fd uintptr) bool
	in   []byte
	n    int
	err  error

	outMu sync.Mutex
	out   rawWriter
}

func (s *rawStream) init(nc net.Conn, raw syscall.RawConn) {
	s.try = s.readable
	s.out.init(nc, raw)
}

func (s *rawStream) read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	s.inMu.Lock()
	defer s.inMu.Unlock()
	s.in, s.n, s.err = p, 0, nil
	err := s.out.raw.Read(s.try)
	s.in = nil
	if err == nil {
		err = s.err
	}
	if err != nil {
		return 0, opError(s.out.conn, "read", err)
	}
	if s.n == 0 {
		return 0, io.EOF
	}
	return s.n, nil
}

func (s *rawStream) readable(fd uintptr) bool {
	for {
		n, errno := receive(fd, s.in)
		switch errno {
		case 0:
			s.n = n
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		default:
			s.err = errno
		}
		return true
	}
}

func (s *rawStream) write(p []byte) (int, error) {
	s.outMu.Lock()
	defer s.outMu.Unlock()
	return s.out.write(p)
}
