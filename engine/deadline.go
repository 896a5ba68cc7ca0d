package engine

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/alarm"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// timeouts are a server's timeouts in nanoseconds, 0 for none.
type timeouts struct {
	once  sync.Once
	any   bool
	clock alarm.Clock
	alarm.Timeouts
}

// configure reads the timeouts of srv when it is called for the first time.
func (t *timeouts) configure(srv *http.Server) {
	t.once.Do(func() {
		t.Timeouts = alarm.TimeoutsOf(srv)
		t.any = t.Timeouts != alarm.Timeouts{}
		t.clock = alarm.NewClock()
	})
}

// now is the time in nanoseconds, or 0 if there are no timeouts.
func (t *timeouts) now() int64 {
	if !t.any {
		return 0
	}
	return t.clock.Now()
}

// by returns the deadline of something that began at start, or 0 for none.
func by(start, timeout int64) int64 {
	if timeout == 0 {
		return 0
	}
	return start + timeout
}

// deadlines enforces the timeouts of a connection with one timer, instead of
// several for each request. When a phase begins, its deadlines are stored. When
// the timer fires, it applies the deadlines of the current phase and is armed
// for the next deadline.
type deadlines struct {
	read, write atomic.Int64 // in nanoseconds; 0 for none
	timer       alarm.Timer

	mu sync.Mutex // guards setting deadlines of the connection
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
	old := c.state.enter(ph)
	if t.any {
		// After the phase, so that a timer that fires now, and thus won't
		// see fires, sees the phase.
		d.arm(c, read)
		d.arm(c, write)
	}
	// Like net/http, remove the deadlines that a listener has set before the first
	// request, and those of a program with access to the connection.
	mayBeSet := old.phase() == phaseNew && ph != phaseNew || c.exposed && old.serving()
	if old&flags == 0 && !mayBeSet {
		return false
	}
	if old&flagClosing != 0 || !old.serving() && old&flagReadExpired != 0 {
		return true
	}
	// Or a handler has set deadlines, or one passed while it ran.
	d.mu.Lock()
	defer d.mu.Unlock()
	c.nc.SetDeadline(time.Time{})
	c.expire(c.state.load()) // the timer may have fired meanwhile
	return false
}

// expire ends reading or writing, or both, as the flags of w say.
func (c *conn) expire(w state) {
	if w&flagReadExpired != 0 {
		c.nc.SetReadDeadline(longAgo)
		if !w.serving() { // over TLS, Read may wait to send new keys
			c.nc.SetWriteDeadline(longAgo)
		}
	}
	if w&flagWriteExpired != 0 {
		c.nc.SetWriteDeadline(longAgo)
	}
}

// arm makes the timer fire at the given time or earlier.
func (d *deadlines) arm(c *conn, at int64) { d.timer.Arm(c.server.timeouts.clock, at, c) }

// Fire is called by the timer.
func (c *conn) Fire() {
	d := &c.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer.Fired()
	w := c.state.load()
	now := c.server.timeouts.now()
	var next int64
	var flag state
	look := func(at int64, expired, byHandler state) {
		switch {
		case at == 0 || w&(expired|byHandler) != 0:
		case at <= now:
			flag |= expired
		case next == 0 || at < next:
			next = at
		}
	}
	switch w.phase() {
	case phaseNew, phaseHead, phaseIdle, phaseBody:
		look(d.read.Load(), flagReadExpired, flagHandlerRead)
	}
	if w.serving() {
		look(d.write.Load(), flagWriteExpired, flagHandlerWrite)
	}
	if flag != 0 && !c.state.mark(w, flag) {
		// The phase has changed meanwhile. Try again soon.
		d.arm(c, now+int64(time.Millisecond))
		return
	}
	c.expire(w&phaseMask | flag)
	d.arm(c, next)
}

// setByHandler sets a deadline of the handler with the writer w, which replaces
// the server's timeout for the current request.
func (d *deadlines) setByHandler(c *conn, w *request.Writer, flag state, t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for marked := false; !marked; { // a later phase belongs to another request
		old := c.state.load()
		if !w.Valid() {
			return request.ErrLate
		}
		marked = c.state.mark(old, flag)
	}
	if flag == flagHandlerRead {
		return c.nc.SetReadDeadline(t)
	}
	return c.nc.SetWriteDeadline(t)
}

// removeRead removes the read deadline, unless the handler has set it.
func (d *deadlines) removeRead(c *conn) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.state.load()&flagHandlerRead == 0 {
		return c.nc.SetReadDeadline(time.Time{})
	}
	return nil
}

// stop stops the timer and clears the deadlines, when the connection ends, is
// hijacked or passed to net/http.
func (d *deadlines) stop(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer.Stop()
	c.nc.SetDeadline(time.Time{})
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// A phase is what a connection is doing.
type phase uint64

const (
	phaseNew     phase = iota // accepted: handshake, or no request so far
	phaseHead                 // reading a head
	phaseBody                 // a handler runs, and the request isn't read completely
	phaseHandler              // a handler runs, and the request is read completely
	phaseIdle                 // waiting for another request
	phaseHTTP2                // using HTTP/2, see package h2
	phaseGone                 // closed, hijacked or passed to net/http
)

// A state is a connection's phase, its flags, and the number of the phase.
type state uint64

const (
	phaseMask state = 7

	flagReadExpired  state = 1 << 3 // the timer ended reading
	flagWriteExpired state = 1 << 4 // the timer ended writing
	flagHandlerRead  state = 1 << 5 // the handler has set a read deadline
	flagHandlerWrite state = 1 << 6 // the handler has set a write deadline
	flagClosing      state = 1 << 7 // closed by Shutdown
	flags                  = flagReadExpired | flagWriteExpired | flagHandlerRead | flagHandlerWrite | flagClosing

	phaseStep state = 1 << 8 // above the flags: the number of phases so far
)

func (s state) phase() phase { return phase(s & phaseMask) }

// serving reports whether a handler runs.
func (s state) serving() bool { return s.phase() == phaseBody || s.phase() == phaseHandler }

// A stateWord holds a connection's state in one atomic word. The connection's
// goroutine changes the phase. The timer and Shutdown add flags. This needs no
// lock: changing the phase returns the flags set before, and adding a flag
// fails if the phase has changed.
type stateWord struct{ v atomic.Uint64 }

func (w *stateWord) load() state { return state(w.v.Load()) }

// enter begins a phase and returns the state of the one that ended. Only the
// connection's goroutine calls it.
func (w *stateWord) enter(p phase) (old state) {
	old = w.load()
	for !w.swap(old, old&^(phaseStep-1)+phaseStep|state(p)) {
		old = w.load()
	}
	return old
}

// mark adds a flag if the state is still old.
func (w *stateWord) mark(old, flag state) bool {
	return w.swap(old, old|flag)
}

// bodyComplete changes phaseBody to phaseHandler, removes flagHandlerRead, and
// returns the previous state. In other phases it does nothing and returns 0.
func (w *stateWord) bodyComplete() (old state) {
	for {
		old := w.load()
		if old.phase() != phaseBody {
			return 0
		}
		if w.swap(old, old&^(phaseMask|flagHandlerRead)|state(phaseHandler)) {
			return old
		}
	}
}

func (w *stateWord) swap(old, new state) bool {
	return w.v.CompareAndSwap(uint64(old), uint64(new))
}
