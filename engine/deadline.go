package engine

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// timeouts are a server's timeouts in nanoseconds, 0 for none.
type timeouts struct {
	once                    sync.Once
	any                     bool
	base                    time.Time
	head, read, write, idle int64
}

// configure reads the timeouts of srv when it is called for the first time.
func (t *timeouts) configure(srv *http.Server) {
	t.once.Do(func() {
		or := func(d, otherwise time.Duration) int64 {
			if d == 0 {
				d = otherwise
			}
			return max(0, int64(d))
		}
		t.read = or(srv.ReadTimeout, 0)
		t.write = or(srv.WriteTimeout, 0)
		t.head = or(srv.ReadHeaderTimeout, srv.ReadTimeout)
		t.idle = or(srv.IdleTimeout, srv.ReadTimeout)
		t.any = t.read|t.write|t.head|t.idle != 0
		t.base = time.Now().Add(-time.Second) // so that now is never 0
	})
}

// now is the time in nanoseconds, or 0 if there are no timeouts.
func (t *timeouts) now() int64 {
	if !t.any {
		return 0
	}
	return int64(time.Since(t.base))
}

// by returns the deadline of something that began at start, or 0 for none.
func by(start, timeout int64) int64 {
	if timeout == 0 {
		return 0
	}
	return start + timeout
}

// deadlines enforces the timeouts of a connection with one timer, instead of
// several for each request. When a phase begins, its deadlines are stored, and
// the timer is reset only if it would fire too late. When the timer fires, it
// applies the deadlines of the current phase and is reset to the next deadline.
// So a busy connection resets the timer only once in the duration of a timeout.
type deadlines struct {
	read, write atomic.Int64 // in nanoseconds; 0 for none
	fires       atomic.Int64 // when the timer fires; 0 if it is not set

	mu    sync.Mutex // guards timer, and setting deadlines of the connection
	timer *time.Timer
}

// enter begins a phase with its deadlines. It reports whether the connection
// must end instead, because Shutdown closed it or a deadline passed.
func (c *conn) enter(ph phase, read, write int64) (condemned bool) {
	t := &c.server.timeouts
	d := &c.deadlines
	if t.any {
		d.read.Store(read)
		d.write.Store(write)
	}
	old := c.phase.enter(ph)
	if t.any {
		// After the phase, so that a timer that fires now, and thus won't
		// see fires, sees the phase.
		d.arm(c, read)
		d.arm(c, write)
	}
	if old&phaseFlags == 0 {
		return false
	}
	if old&flagClosing != 0 || !old.serving() && old&flagReadExpired != 0 {
		return true
	}
	// A handler has set deadlines, or one passed while it ran.
	d.mu.Lock()
	defer d.mu.Unlock()
	c.nc.SetDeadline(time.Time{})
	return false
}

// arm makes the timer fire at the given time or earlier.
func (d *deadlines) arm(c *conn, at int64) {
	if at == 0 {
		return
	}
	if f := d.fires.Load(); f != 0 && f <= at {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.fires.Load(); f == 0 || f > at {
		d.set(c, at)
	}
}

// set sets the timer. The caller holds d.mu.
func (d *deadlines) set(c *conn, at int64) {
	wait := time.Duration(at - c.server.timeouts.now())
	d.fires.Store(at)
	if d.timer == nil {
		d.timer = time.AfterFunc(wait, c.fire)
	} else {
		d.timer.Reset(wait)
	}
}

// fire is called by the timer.
func (c *conn) fire() {
	d := &c.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fires.Store(0)
	w := c.phase.load()
	now := c.server.timeouts.now()
	var next int64
	var flag phase
	look := func(at int64, expired, own phase) {
		switch {
		case at == 0 || w&(expired|own) != 0:
		case at <= now:
			flag |= expired
		case next == 0 || at < next:
			next = at
		}
	}
	switch w.phase() {
	case phaseNew, phaseHead, phaseIdle, phaseBody:
		look(d.read.Load(), flagReadExpired, flagOwnRead)
	}
	if w.serving() {
		look(d.write.Load(), flagWriteExpired, flagOwnWrite)
	}
	if flag != 0 && !c.phase.mark(w, flag) {
		// The phase has changed meanwhile. Try again soon.
		d.set(c, now+int64(time.Millisecond))
		return
	}
	if flag&flagReadExpired != 0 {
		c.nc.SetReadDeadline(longAgo)
	}
	if flag&flagWriteExpired != 0 {
		c.nc.SetWriteDeadline(longAgo)
	}
	if next != 0 {
		d.set(c, next)
	}
}

// own sets a deadline of the handler, which replaces the server's timeout for
// the current request.
func (d *deadlines) own(c *conn, flag phase, t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.phase.add(flag)
	if flag == flagOwnRead {
		return c.nc.SetReadDeadline(t)
	}
	return c.nc.SetWriteDeadline(t)
}

// end stops the timer and clears the deadlines, when the connection ends, is
// hijacked or passed to net/http.
func (d *deadlines) end(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
	c.nc.SetDeadline(time.Time{})
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)
