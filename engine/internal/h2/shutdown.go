package h2

// A shutdownState is the progress of a graceful shutdown (RFC 9113 section
// 6.8). First, a GOAWAY with the largest identifier asks the client not to open
// streams. When the answer to a PING shows that it has arrived, or after a
// while, a second one names the last stream that is served. When no stream is
// left, the connection is closed, a while later if the client doesn't do so.
type shutdownState struct {
	begun, final, closing bool
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
	c.setGoodbye()
}

// setGoodbye limits the current step. The caller holds c.mu.
func (c *Conn) setGoodbye() {
	c.times.goodbye = c.server.clock.Now() + int64(closeDelay)
	c.arm(c.times.goodbye)
}

// finalGoAway tells the client which streams are served. The caller holds c.mu.
func (c *Conn) finalGoAway() {
	if !c.stopping.begun || c.stopping.final {
		return
	}
	c.stopping.final = true
	c.times.goodbye = 0
	c.appendControl(appendGoAway(nil, c.lastID, noError))
	c.lastStreamEnded()
}

// lastStreamEnded is called when the connection has no streams. The caller
// holds c.mu.
func (c *Conn) lastStreamEnded() {
	if c.stopping.final && !c.stopping.closing && len(c.streams) == 0 {
		c.stopping.closing = true
		c.setGoodbye()
	}
}

// wroteAll is called when all output is written. The caller holds c.mu.
func (c *Conn) wroteAll() {
	if c.stopping.closing && c.err == nil {
		c.transport.CloseWrite()
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
	c.broken = true
	c.transport.Close()
}
