package engine

import "sync/atomic"

// A phase is the state of a connection.
type phase uint64

const (
	phaseNew     phase = iota // accepted: handshake, or no request so far
	phaseHead                 // reading a head
	phaseBody                 // a handler runs, and the request isn't read completely
	phaseHandler              // a handler runs, and the request is read completely
	phaseIdle                 // waiting for another request
	phaseGone                 // closed, hijacked or passed to net/http

	phaseMask phase = 7

	flagReadExpired  phase = 1 << 3 // the timer ended reading
	flagWriteExpired phase = 1 << 4 // the timer ended writing
	flagOwnRead      phase = 1 << 5 // the handler has set a read deadline
	flagOwnWrite     phase = 1 << 6 // the handler has set a write deadline
	flagClosing      phase = 1 << 7 // closed by Shutdown
	phaseFlags             = flagReadExpired | flagWriteExpired | flagOwnRead | flagOwnWrite | flagClosing

	phaseStep phase = 1 << 8 // above the flags: the number of phases so far
)

func (p phase) phase() phase { return p & phaseMask }

// serving reports whether a handler runs.
func (p phase) serving() bool { return p.phase() == phaseBody || p.phase() == phaseHandler }

// A phaseWord holds a connection's phase, its flags, and the number of the
// phase in one atomic word. The connection's goroutine changes the phase. The
// timer and Shutdown add flags. This needs no lock: changing the phase returns
// the flags set before, and adding a flag fails if the phase has changed.
type phaseWord struct{ v atomic.Uint64 }

func (w *phaseWord) load() phase { return phase(w.v.Load()) }

// enter begins a phase and returns the word of the one that ended. Only the
// connection's goroutine calls it.
func (w *phaseWord) enter(p phase) (old phase) {
	old = w.load()
	for !w.swap(old, old&^(phaseStep-1)+phaseStep|p) {
		old = w.load()
	}
	return old
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
