package values

import (
	"sync"
	"time"
)

// chunkLen is the number of values in a chunk. With 63, a chunk fills the size
// class of 1,024 bytes. Smaller chunks mean more allocations for routes with
// several values.
const chunkLen = 63

// maxCarve is the maximum number of values to take from a chunk. More values
// would leave too much of each chunk unused, so they are allocated separately.
const maxCarve = 32

// A chunk is memory for the values of several requests.
type chunk struct {
	slots [chunkLen]string
	used  int
}

// take returns the next n slots, or nil if fewer are left.
func (c *chunk) take(n int) []string {
	from := c.used
	if from+n > chunkLen {
		return nil
	}
	c.used = from + n
	return c.slots[from : from+n : from+n]
}

// Carve returns n slots from a chunk. They are never reused, so the caller can
// retain them. One allocation of 1 KB serves 63 values.
//
// A retained slot keeps the whole chunk alive, and the paths that the other
// slots of the chunk point into. So callers must not use Carve for long paths,
// see [Long]. A retained request then keeps at most 63 short paths alive.
func Carve(n int) []string {
	if slots := carve(n); slots != nil {
		return slots
	}
	return make([]string, n)
}

// Long reports whether the path or request target is longer than 256 bytes. The
// values of such a request must be allocated separately.
func Long(path, requestURI string) bool {
	return len(path)|len(requestURI) > 256 && (len(path) > 256 || len(requestURI) > 256)
}

// A Ring is a ring buffer for values. One request at a time uses it. Successive
// requests use successive slots and wrap around at the end. So the values of a
// request remain unchanged for a while after it ends, see [Names.Clear]. A Ring
// that wraps around too often grows.
type Ring struct {
	slots   []string
	used    int
	started time.Time // when it last wrapped around
}

const (
	minRing = 127                   // minimum number of slots
	maxRing = 2047                  // maximum number of slots
	minLap  = 20 * time.Millisecond // time between wraparounds; longer than a goroutine usually waits to run
)

// Slots returns n slots, which later requests will overwrite. A request may
// call it twice: for n slots, and then for at most 2n.
func (g *Ring) Slots(n int) []string {
	from := g.used
	if from+n > len(g.slots) {
		g.startOver(n)
		from = 0
	}
	g.used = from + n
	return g.slots[from : from+n : from+n]
}

// startOver wraps around. It allocates more slots if there are too few for 3n
// or if the last wraparound was less than minLap ago.
func (g *Ring) startOver(n int) {
	now := time.Now()
	size := max(len(g.slots), minRing, 3*n)
	if len(g.slots) < maxRing && now.Sub(g.started) < minLap {
		size = max(size, min(2*len(g.slots)+1, maxRing))
	}
	if size > len(g.slots) {
		g.slots = make([]string, size)
	}
	g.started = now
}

var rings = sync.Pool{New: func() any { return new(Ring) }}
