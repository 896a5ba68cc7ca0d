//go:build go1.26 && !go1.28 && !race && !muxmaster_safe

package values

import _ "unsafe" // for go:linkname

// This file keeps a chunk and a Ring for each P of the Go scheduler, which is
// faster than a sync.Pool. It uses runtime.procPin and procUnpin. The Go source
// notes that other packages link to them ("do not remove or change the type
// signature"). The build constraint names the Go releases that this was
// verified with; pin_portable.go is for all others.

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// maxProcs is the number of Ps that have a chunk and a Ring. Others use
// sync.Pool.
const maxProcs = 256

// local is the chunk and Ring of a P. Only the goroutine that is pinned to the
// P accesses it. The padding prevents false sharing.
type local struct {
	chunk *chunk // for carve
	ring  *Ring  // nil while a request uses it
	_     [128 - 16]byte
}

var locals [maxProcs]local

// carve returns n slots of the P's chunk, or nil if n is too large.
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

// carveNew returns n slots of a new chunk, which becomes the P's chunk.
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

// ReturnRing makes a Ring available for another request.
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
