//go:build go1.26 && !go1.28 && !race && !muxmaster_safe

package values

import _ "unsafe" // for go:linkname

// This file hands out chunks per processor, without a lock and without the cost
// of a sync.Pool. It relies on runtime.procPin and procUnpin, which the Go
// source lists as linked from outside ("do not remove or change the type
// signature"). The build constraint names the Go releases that it was verified
// on; pin_portable.go serves all others.

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// maxProcs is how many processors have chunks of their own. The others share a
// pool.
const maxProcs = 256

// local is what a processor has. Only the goroutine that is pinned to the
// processor touches it. It fills two cache lines, so that processors don't
// share one.
type local struct {
	chunk *chunk // to carve from
	ring  *Ring  // nil if it is lent
	_     [128 - 16]byte
}

var locals [maxProcs]local

// carve returns n slots of the processor's chunk; nil if n is too large.
func carve(n int) []string {
	p := procPin()
	if p < maxProcs {
		if c := locals[p].chunk; c != nil {
			if from := c.used; from+n <= chunkLen {
				c.used = from + n
				procUnpin()
				return c.slots[from : from+n : from+n]
			}
		}
	}
	procUnpin()
	return carveNew(n)
}

func carveNew(n int) []string {
	if n > maxCarve {
		return nil
	}
	c := new(chunk)
	slots := c.take(n)
	if p := procPin(); p < maxProcs {
		locals[p].chunk = c
	}
	procUnpin()
	return slots
}

// BorrowRing returns a Ring for one request.
func BorrowRing() *Ring {
	p := procPin()
	if p < maxProcs {
		if l := &locals[p]; l.ring != nil {
			g := l.ring
			l.ring = nil
			procUnpin()
			return g
		}
	}
	procUnpin()
	return rings.Get().(*Ring)
}

// ReturnRing gives a Ring back.
func ReturnRing(g *Ring) {
	p := procPin()
	if p < maxProcs {
		if l := &locals[p]; l.ring == nil {
			l.ring = g
			procUnpin()
			return
		}
	}
	procUnpin()
	rings.Put(g)
}
