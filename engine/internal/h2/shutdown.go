package h2

import (
	"errors"
	"time"
)

// A shutdownState is the progress of a graceful shutdown (RFC 9113 section
// 6.8). First, a GOAWAY with the largest identifier asks the client not to open
// streams. Shortly after the answer to a PING shows that it has arrived, or after
// a while, a second one names the last stream that is served. When no stream is
// left, the connection is closed, a while later if the client doesn't do so.
type shutdownState struct {
	begun, final, closing bool
	closed                bool  // for writing: further output is dropped
	by                    int64 // when a connection is closed that remains idle
}

var shutdownPing = [8]byte{'g', 'o', 'o', 'd', 'b', 'y', 'e'}

// Shutdown begins a graceful shutdown. It doesn't wait.
func (c *Conn) Shutdown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shutdown()
	c.flush()
}

// shutdown is Shutdown without flushing. The caller holds c.mu.
func (c *Conn) shutdown() {
	if c.stopping.begun || c.err != nil {
		return
	}
	c.stopping.begun = true
	c.appendControl(appendGoAway(nil, maxStreamID, noError))
	c.appendControl(appendPing(nil, 0, shutdownPing))
	c.setClosing()
	at := c.stopping.by
	if c.isIdle {
		at -= int64(closeDelay) / 2 // for closing
	}
	c.setGoodbye(at)
}

// setClosing sets when the connection is closed if it is idle until then. The
// caller holds c.mu.
func (c *Conn) setClosing() { c.stopping.by = c.server.clock.Now() + int64(closeDelay) }

// setGoodbye limits the current step. The caller holds c.mu.
func (c *Conn) setGoodbye(at int64) {
	c.times.goodbye = at
	c.arm(at)
}

// finalGoAway tells the client which streams are served. The caller holds c.mu.
func (c *Conn) finalGoAway() {
	c.stopping.final = true
	c.times.goodbye = 0
	c.appendControl(appendGoAway(nil, c.lastID, noError))
	c.lastStreamEnded()
}

// lastStreamEnded is called when the connection may be idle. The caller holds
// c.mu.
func (c *Conn) lastStreamEnded() {
	if c.stopping.final && !c.stopping.closing && c.isIdle {
		c.stopping.closing = true
		c.setGoodbye(max(c.stopping.by, c.server.clock.Now()+int64(closeDelay)/2))
		c.flush() // for wroteAll
	}
}

// wroteAll is called when all output is written. The caller holds c.mu, which is
// unlocked meanwhile: over TLS, CloseWrite may wait for the client.
func (c *Conn) wroteAll() {
	if c.stopping.closing && !c.stopping.closed && c.err == nil {
		c.stopping.closed = true
		c.mu.Unlock()
		c.transport.CloseWrite()
		c.mu.Lock()
		c.out, c.control = c.out[:0], 0
	}
}

// nextGoodbye goes on with a shutdown because a step took too long. The caller
// holds c.mu.
func (c *Conn) nextGoodbye() {
	c.times.goodbye = 0
	if !c.stopping.final {
		c.finalGoAway()
		return
	}
	c.cut()
}

// cut ends the connection at once: reads and writes fail, and the reader cleans
// up. It doesn't close the connection, which may wait for the client over TLS.
// The caller holds c.mu.
func (c *Conn) cut() {
	c.broken = true
	c.transport.SetReadDeadline(longAgo)
	c.transport.SetWriteDeadline(longAgo)
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// end ends the connection, whose reader has returned err: it resets all streams
// and, if the client made the error, says so.
func (c *Conn) end(err error) {
	var ce connError
	told := errors.As(err, &ce)
	c.timer.Stop()
	c.mu.Lock()
	c.err = errClosed
	if c.lostPing && !told {
		ce.name = "close_lost_ping"
	}
	lost := make([]orphan, 0, len(c.streams))
	for _, s := range c.streams {
		lost = append(lost, c.drop(s, errDisconnected))
	}
	c.queue = nil
	if told {
		c.out = appendGoAway(c.out, c.lastID, ce.code)
	}
	c.mu.Unlock()
	c.setState() // waits for a call of the hook
	for _, o := range lost {
		o.cancel()
	}
	defer c.lastWords(told) // also if the hook panics
	if ce.name != "" {
		c.server.count("conn_" + ce.name)
	}
}

// lastWords writes the rest of the output, within a second. If the client made
// an error, it then reads until the client closes the connection or the second
// is over: closing a socket with unread input could destroy the GOAWAY frame on
// its way.
func (c *Conn) lastWords(wait bool) {
	deadline := time.Now().Add(closeDelay)
	if c.transport.SetReadDeadline(deadline) != nil { // it has none
		defer time.AfterFunc(closeDelay, func() { c.transport.SetReadDeadline(longAgo) }).Stop()
	}
	c.mu.Lock()
	if !c.broken { // else a write could go on waiting
		c.transport.SetWriteDeadline(deadline)
	}
	for (c.writing || c.queued != 0) && time.Now().Before(deadline) {
		c.mu.Unlock()
		time.Sleep(time.Millisecond)
		c.mu.Lock()
	}
	able, out := !c.writing && !c.broken, append(c.batch.frames[c.batch.sent:], c.out...)
	c.writing = true // for good
	c.out, c.spare, c.batch = nil, nil, batch{}
	c.mu.Unlock()
	if !able {
		return
	}
	c.transport.SetWriteDeadline(deadline) // send may have removed it
	if _, err := c.transport.Write(out); err != nil || !wait {
		return
	}
	c.transport.CloseWrite()
	for {
		b, err := c.transport.Read(1)
		if err != nil {
			return
		}
		c.transport.Discard(len(b))
	}
}

const (
	closeDelay = time.Second // as in net/http

	// lateDelay is how long streams are served after the answer to the PING.
	// Go's client may answer it between the choice of a connection for a
	// request and the write of its HEADERS.
	lateDelay = 20 * time.Millisecond
)
