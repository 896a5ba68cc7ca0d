package engine

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// hijack returns the connection for the handler, and a reader and writer that
// include the unread input.
func (c *conn) hijack(x *requestContext) (net.Conn, *bufio.ReadWriter) {
	c.unread(x.stopWatch())
	if x.body != nil {
		c.abortBodyRead(x.body)
		x.body.detach()
	}
	var rest []byte
	if c.w > c.r {
		rest = append(rest, c.in.b[c.r:c.w]...)
		c.r, c.w = 0, 0
	}
	c.gone = true
	c.phase.enter(phaseGone)
	c.deadlines.end(c)
	c.server.untrackConn(c)

	br := bufio.NewReaderSize(&restReader{rest, c.nc}, max(firstBuffer, len(rest)))
	br.Peek(len(rest)) // fills the buffer, for br.Buffered
	c.hook(http.StateHijacked)
	return c.nc, bufio.NewReadWriter(br, bufio.NewWriterSize(c.nc, outputSize))
}

// A restReader reads the rest of the buffered input, then the connection.
type restReader struct {
	rest []byte
	nc   io.Reader
}

func (r *restReader) Read(p []byte) (int, error) {
	if len(r.rest) > 0 {
		n := copy(p, r.rest)
		if r.rest = r.rest[n:]; len(r.rest) == 0 {
			r.rest = nil
		}
		return n, nil
	}
	return r.nc.Read(p)
}
