package engine

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A phase is what a connection is doing.
type phase uint64

const (
	phaseNew     phase = iota // accepted: handshake, or no request so far
	phaseHead                 // reading a head
	phaseBody                 // a handler runs, its request isn't read to the end
	phaseHandler              // a handler runs
	phaseIdle                 // waiting for another request
	phaseGone                 // closed, hijacked or handed over

	phaseMask phase = 7

	flagReadExpired  phase = 1 << 3 // the sweeper ended reading
	flagWriteExpired phase = 1 << 4 // the sweeper ended writing
	flagOwnRead      phase = 1 << 5 // the handler has set a read deadline
	flagOwnWrite     phase = 1 << 6 // the handler has set a write deadline
	flagClosing      phase = 1 << 7 // closed by Shutdown
	phaseFlags             = flagReadExpired | flagWriteExpired | flagOwnRead | flagOwnWrite | flagClosing

	phaseShift = 8 // above it: when the phase began, in milliseconds
)

func (p phase) phase() phase { return p & phaseMask }

// A phaseWord holds a connection's phase, its flags, and when it began. The
// connection's goroutine and the sweeper change it without a lock: whoever
// changes the phase learns of the flags that were set until then.
type phaseWord struct{ v atomic.Uint64 }

func (w *phaseWord) load() phase { return phase(w.v.Load()) }

// enter begins a phase and returns the word of the one that ended.
func (w *phaseWord) enter(p phase, now int64) (old phase) {
	return phase(w.v.Swap(uint64(p) | uint64(now)<<phaseShift))
}

// mark adds a flag if the word is still old.
func (w *phaseWord) mark(old, flag phase) bool {
	return w.swap(old, old|flag)
}

// add adds a flag.
func (w *phaseWord) add(flag phase) { w.v.Or(uint64(flag)) }

// bodyEnded changes phaseBody to phaseHandler, and nothing else.
func (w *phaseWord) bodyEnded() {
	for {
		old := w.load()
		if old.phase() != phaseBody || w.swap(old, old&^phaseMask|phaseHandler) {
			return
		}
	}
}

func (w *phaseWord) swap(old, new phase) bool {
	return w.v.CompareAndSwap(uint64(old), uint64(new))
}

// A sweeper enforces the server's timeouts. In place of a timer for each
// request, one goroutine looks at all connections at intervals. It exists only
// while there are connections and a timeout is set.
type sweeper struct {
	now  atomic.Int64 // milliseconds, as of the last sweep
	once sync.Once

	head, read, write, idle int64 // timeouts in milliseconds, 0 for none
	interval                time.Duration

	mu      sync.Mutex
	running bool
}

// Bounds of the interval at which the sweeper looks.
const (
	shortestSweep = 2 * time.Millisecond
	longestSweep  = time.Second
)

// configure reads the timeouts of srv, the first time that it is called.
func (sw *sweeper) configure(srv *http.Server) {
	sw.once.Do(func() {
		or := func(d, otherwise time.Duration) int64 {
			if d == 0 {
				d = otherwise
			}
			return max(0, int64((d+time.Millisecond-1)/time.Millisecond))
		}
		sw.read = or(srv.ReadTimeout, 0)
		sw.write = or(srv.WriteTimeout, 0)
		sw.head = or(srv.ReadHeaderTimeout, srv.ReadTimeout)
		sw.idle = or(srv.IdleTimeout, srv.ReadTimeout)
		var shortest int64
		for _, d := range [...]int64{sw.read, sw.write, sw.head, sw.idle} {
			if d > 0 && (shortest == 0 || d < shortest) {
				shortest = d
			}
		}
		if shortest > 0 {
			sw.interval = min(max(time.Duration(shortest)*time.Millisecond/20, shortestSweep), longestSweep)
		}
	})
}

// wake starts the sweeper for a new connection of s.
func (sw *sweeper) wake(s *Server) {
	if sw.interval == 0 {
		return
	}
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if !sw.running {
		sw.running = true
		go sw.run(s)
	}
}

func (sw *sweeper) run(s *Server) {
	start := time.Now().Add(-time.Duration(sw.now.Load()) * time.Millisecond)
	ticker := time.NewTicker(sw.interval)
	defer ticker.Stop()
	var conns []*conn
	for range ticker.C {
		now := time.Since(start).Milliseconds()
		sw.now.Store(now)
		s.mu.Lock()
		for c := range s.conns {
			conns = append(conns, c)
		}
		s.mu.Unlock()
		for _, c := range conns {
			sw.check(c, now)
		}
		if len(conns) == 0 && sw.stop(s) {
			return
		}
		clear(conns)
		conns = conns[:0]
	}
}

// stop ends the sweeper, unless a connection has come.
func (sw *sweeper) stop(s *Server) bool {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	sw.running = len(s.conns) > 0
	return !sw.running
}

// check ends what takes too long on c.
func (sw *sweeper) check(c *conn, now int64) {
	w := c.phase.load()
	took := now - int64(w>>phaseShift)
	slack := sw.interval.Milliseconds() // never early: the clock may be one sweep old
	late := func(timeout int64) bool { return timeout > 0 && took > timeout+slack }
	var flag phase
	switch w.phase() {
	case phaseNew, phaseHead:
		if late(sw.head) {
			flag = flagReadExpired
		}
	case phaseIdle:
		if late(sw.idle) {
			flag = flagReadExpired
		}
	case phaseBody:
		if late(sw.read) && w&flagOwnRead == 0 {
			flag = flagReadExpired
		}
		fallthrough
	case phaseHandler:
		if late(sw.write) && w&flagOwnWrite == 0 {
			flag |= flagWriteExpired
		}
	}
	if flag &^= w; flag == 0 {
		return
	}
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if !c.phase.mark(w, flag) {
		return // it goes on; the next sweep looks again
	}
	if flag&flagReadExpired != 0 {
		c.nc.SetReadDeadline(longAgo)
	}
	if flag&flagWriteExpired != 0 {
		c.nc.SetWriteDeadline(longAgo)
	}
}
