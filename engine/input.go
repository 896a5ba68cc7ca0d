package engine

import (
	"io"
	"net"
	"sync"
	"time"
)

// A buffer is a read buffer of a connection.
type buffer struct{ b []byte }

var bufferPool = sync.Pool{New: func() any { return &buffer{make([]byte, firstBuffer)} }}

// giveBackUnused gives back what only serving a request needs, while the
// connection waits for one.
func (c *conn) giveBackUnused() {
	c.giveBackWork()
	if c.r < c.w {
		return
	}
	c.r, c.w = 0, 0
	if c.in != nil && len(c.in.b) != firstBuffer {
		c.in = nil
	}
}

// giveBackWork gives back the state for serving a request.
func (c *conn) giveBackWork() {
	if c.work != nil {
		c.work.res.reset()
		workPool.Put(c.work)
		c.work = nil
	}
}

// giveBackAll gives back the buffers of a connection that ends. It doesn't give
// back the response of a handler that panicked: a goroutine may still use it.
func (c *conn) giveBackAll() {
	c.giveBackBuffer()
	if c.inHandler {
		c.work = nil
	}
	c.giveBackWork()
}

// giveBackBuffer gives back the input buffer.
func (c *conn) giveBackBuffer() {
	if c.in != nil {
		switch len(c.in.b) {
		case firstBuffer:
			bufferPool.Put(c.in)
		case largeBuffer:
			largeBufferPool.Put(c.in)
		}
	}
	c.in = nil
}

// write writes to the connection. The caller must hold the response's lock.
func (c *conn) write(p []byte) (int, error) {
	if c.raw != nil {
		return c.raw.Write(p)
	}
	return c.nc.Write(p)
}

// makeRoom makes room for at least n more bytes after c.w.
func (c *conn) makeRoom(n int) {
	if c.in == nil {
		pool := &bufferPool
		if c.manyInput {
			pool = &largeBufferPool // one read instead of several
		}
		c.in = pool.Get().(*buffer)
		c.r, c.w = 0, 0
	}
	if c.r == c.w {
		c.r, c.w = 0, 0
	}
	if len(c.in.b)-c.w >= n {
		return
	}
	b := c.in.b
	if len(b)-(c.w-c.r) < n {
		b = make([]byte, max(2*len(b), len(b)+n))
		c.w = copy(b, c.in.b[c.r:c.w])
		c.in = &buffer{b}
	} else {
		c.w = copy(b, b[c.r:c.w])
	}
	c.r = 0
}

// fill reads more input from the connection.
func (c *conn) fill() error {
	if c.raw != nil {
		return c.raw.fill()
	}
	return c.fillByRead()
}

// fillByRead reads more input with the connection's Read method.
func (c *conn) fillByRead() error {
	c.makeRoom(1)
	for range 100 {
		n, err := c.nc.Read(c.in.b[c.w:])
		c.w += n
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// unread appends b, which was read from the connection, to the input.
func (c *conn) unread(b []byte) {
	if len(b) > 0 {
		c.makeRoom(len(b))
		c.w += copy(c.in.b[c.w:], b)
	}
}

// putBack puts b, which was taken from the input, back in front of it.
func (c *conn) putBack(b []byte) {
	switch {
	case len(b) == 0:
	case c.r == c.w:
		c.unread(b)
	case c.r >= len(b):
		c.r -= len(b)
		copy(c.in.b[c.r:], b)
	default:
		all := append(append(make([]byte, 0, 2*firstBuffer), b...), c.in.b[c.r:c.w]...)
		c.in, c.r, c.w = &buffer{all[:cap(all)]}, 0, len(all)
	}
}

// readBody reads input for the request's body. The caller must hold the body's
// lock, and put back bytes after the end of the body.
func (c *conn) readBody(p []byte) (n int, err error) {
	if c.r == c.w {
		switch {
		case len(p) >= 512:
			n, err = c.nc.Read(p)
		case c.raw != nil && c.raw.wraps():
			err = c.fillByRead()
		default:
			err = c.fill()
		}
		if err != nil {
			c.current.ClientLeft()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	n = copy(p, c.in.b[c.r:c.w])
	c.r += n
	return n, nil
}

// bodyComplete records that the request was read completely, so that the timer
// ignores the read deadline. It removes one that the handler has set before, as
// net/http does.
func (c *conn) bodyComplete() {
	if old := c.state.bodyComplete(); old&flagHandlerRead != 0 {
		c.deadlines.removeRead(c)
	}
}

// abortBodyRead interrupts a read of the body by a goroutine that outlives the
// handler, and makes later ones fail.
func (c *conn) abortBodyRead(b *body) {
	b.over.Store(true)
	if b.mu.TryLock() {
		b.mu.Unlock()
		return
	}
	c.nc.SetReadDeadline(longAgo)
	b.mu.Lock()
	b.mu.Unlock()
	c.nc.SetReadDeadline(time.Time{})
}

// A SocketConn is a connection that wraps a socket. If a listener's connections
// implement it, the engine on Linux bypasses the wrapper for some operations,
// which takes less CPU time:
//
//   - While waiting for a request and reading its head, it reads from the socket.
//     Deadlines set on the wrapper must apply to the socket.
//   - When writing, it first writes to the socket as much as possible without
//     waiting, and calls Wrote. It writes the rest with the wrapper's Write.
//
// The engine reads request bodies with the wrapper's Read, except for data that
// arrived with the head, and except over HTTP/2. It uses the wrapper for
// everything else, from SetDeadline to Close, and hijacking returns the wrapper.
// When the ConnState hook is called with StateIdle, the wrapper must forget
// deadlines that the program has set on it.
// Under the TLS of ServeTLS, it is bypassed only over HTTP/2, after the handshake.
// A wrapper that must see all bytes must not implement SocketConn.
type SocketConn interface {
	net.Conn

	// Socket returns the socket. If its type isn't *net.TCPConn or
	// *net.UnixConn, the engine doesn't bypass the wrapper.
	Socket() net.Conn

	// Wrote is called after n bytes were written directly to the socket, before
	// the next call of Write.
	Wrote(n int)
}
