package h2

import (
	"fmt"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A times has the deadlines of a connection, 0 for none. One timer serves them
// and those of the streams.
type times struct {
	read    int64 // of the preface, the first SETTINGS, or a block of fields
	idle    int64 // of a connection without streams
	ping    int64 // when a PING is sent, or its answer is due
	pinged  bool  // ping is for the answer
	goodbye int64 // of the current step of a shutdown
}

const (
	prefaceTimeout  = 10 * time.Second // as in net/http
	settingsTimeout = 2 * time.Second  // as in net/http
)

// setReadBy sets the deadline for what the reader waits for.
func (c *Conn) setReadBy(at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times.read = at
	c.arm(at)
}

// watchRead sets deadlines after input was parsed. rest is an incomplete frame.
func (c *Conn) watchRead(rest []byte) {
	s := c.server
	if s.timeouts.Head != 0 {
		switch waits := c.head.stream != 0 || startsFields(rest); {
		case waits && c.fieldsBy == 0:
			c.fieldsBy = s.clock.Now() + s.timeouts.Head
			c.setReadBy(c.fieldsBy)
		case !waits && c.fieldsBy != 0:
			c.fieldsBy = 0
			c.setReadBy(0)
		}
	}
	if s.sendPing != 0 {
		c.mu.Lock()
		c.times.ping, c.times.pinged = s.clock.Now()+s.sendPing, false
		c.arm(c.times.ping)
		c.mu.Unlock()
	}
}

// errWriteTimeout is why a stream ended that WriteTimeout has reset.
var errWriteTimeout = fmt.Errorf("%w", os.ErrDeadlineExceeded)

// startsFields reports whether incomplete input may be a HEADERS frame.
func startsFields(rest []byte) bool {
	return len(rest) > 0 && (len(rest) < 4 || rest[3] == frameHeaders || rest[3] == frameContinuation)
}

func (c *Conn) arm(at int64) { c.timer.Arm(c.server.clock, at, c) }

// setTimes sets the deadlines of a new stream. The caller holds c.mu.
func (s *stream) setTimes(c *Conn) {
	c.times.idle = 0
	read, write := c.server.timeouts.Read, c.server.timeouts.Write
	s.readBy, s.writeBy = 0, 0
	if read|write == 0 {
		return
	}
	now := c.server.clock.Now()
	if read != 0 && s.body != nil {
		s.readBy = now + read
		c.arm(s.readBy)
	}
	if write != 0 {
		s.writeBy = now + write
		c.arm(s.writeBy)
	}
}

// checkIdle makes the connection idle if it has no streams, and their responses
// are written. The caller holds c.mu.
func (c *Conn) checkIdle() {
	if !c.isIdle && len(c.streams) == 0 && !c.unwritten() {
		c.becameIdle()
	}
}

// becameIdle is called when the connection is idle. The caller holds c.mu.
func (c *Conn) becameIdle() {
	c.isIdle = true
	if c.stopping.begun {
		c.setClosing()
	}
	if c.server.timeouts.Idle != 0 {
		c.times.idle = c.server.clock.Now() + c.server.timeouts.Idle
		c.arm(c.times.idle)
	}
	c.lastStreamEnded()
}

// beginWrite notes when a write began. If it takes longer than WriteTimeout, the
// connection ends, unless a handler has set a deadline of its own. The caller
// holds c.mu.
func (c *Conn) beginWrite() {
	if c.server.timeouts.Write != 0 {
		c.began = c.server.clock.Now()
		c.arm(c.began + c.server.timeouts.Write)
	}
}

// SetDeadline implements a method of [request.Conn].
func (c *Conn) SetDeadline(w *request.Writer, t time.Time, write bool) error {
	var at int64
	if !t.IsZero() {
		at = c.server.clock.Of(t)
	}
	c.mu.Lock()
	if !w.Valid() { // else the stream can't be reused before c.mu is unlocked
		c.mu.Unlock()
		return request.ErrLate
	}
	if s := w.Response.Sender.(*response).stream; s.gone == nil {
		if write {
			s.writeBy, s.setWriteBy = at, true
		} else if s.body != nil && !s.recvEnd {
			s.readBy = at
		}
	}
	c.mu.Unlock()
	if at != 0 && at <= c.server.clock.Now() {
		c.Fire() // a deadline in the past applies at once
	} else {
		c.arm(at)
	}
	return nil
}

// Late implements a method of [request.Conn].
func (c *Conn) Late(method string) { c.server.Late(method) }

// Fire applies the deadlines that have passed.
func (c *Conn) Fire() {
	c.timer.Fired()
	now := c.server.clock.Now()
	var next int64
	due := func(at int64) bool {
		if at != 0 && at > now && (next == 0 || at < next) {
			next = at
		}
		return at != 0 && at <= now
	}
	var orphans []orphan
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	patient := false // a handler has another limit than WriteTimeout
	for _, s := range c.streams {
		if due(s.readBy) {
			s.readBy = 0
			s.body.timeout()
		}
		if due(s.writeBy) {
			s.writeBy = 0
			c.resetStream(s.id, internalError)
			orphans = append(orphans, c.drop(s, errWriteTimeout))
		}
		patient = patient || s.setWriteBy && s.gone == nil
	}
	t := &c.times
	if due(t.ping) {
		c.checkPing(now)
		due(t.ping)
	}
	if due(t.idle) {
		t.idle = 0
		c.shutdown()
	}
	if due(t.goodbye) {
		c.nextGoodbye()
		due(t.goodbye)
	}
	stuck := c.began != 0 && due(c.began+c.server.timeouts.Write)
	if stuck && patient {
		c.began = now
		stuck = due(c.began + c.server.timeouts.Write)
	}
	if due(t.read) || stuck {
		c.cut()
	}
	c.flush()
	c.mu.Unlock()
	for _, o := range orphans {
		o.cancel()
	}
	c.arm(next)
}

// checkPing sends a PING to a silent client, or ends the connection if the last
// one wasn't answered. The caller holds c.mu.
func (c *Conn) checkPing(now int64) {
	t := &c.times
	if t.pinged {
		c.lostPing = true // the reader tells the program's hook, without c.mu
		c.cut()
		t.ping = 0
		return
	}
	t.pinged, t.ping = true, now+c.server.pingTimeout
	c.appendControl(appendPing(nil, 0, [8]byte{'a', 'l', 'i', 'v', 'e'}))
}
