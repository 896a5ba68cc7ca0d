package values

import (
	"sync"
	"time"
)

// chunkLen is how many values a chunk holds: as many as fill a size class of
// 1,024 bytes. With fewer, routes of several values pay more allocations; with
// 127, half of a size class is lost.
const chunkLen = 63

// maxCarve is the most values that come out of a chunk. More get a slice of their
// own, because they would waste the end of too many chunks.
const maxCarve = 32

// A chunk is storage for values of requests.
type chunk struct {
	slots [chunkLen]string
	used  int
}

// take returns the next n slots; nil if there aren't so many left.
func (c *chunk) take(n int) []string {
	from := c.used
	if from+n > chunkLen {
		return nil
	}
	c.used = from + n
	return c.slots[from : from+n : from+n]
}

// Carve returns n slots that are never used again, so whoever keeps them keeps
// them for ever. An allocation of 1 KB serves 63 values.
//
// A request that is kept keeps a whole chunk alive, and with it the paths that
// the other values of the chunk point into. So callers don't carve for long
// paths, see [Long]: a kept request then holds at most 63 short paths.
func Carve(n int) []string {
	if slots := carve(n); slots != nil {
		return slots
	}
	return make([]string, n)
}

// Long reports whether the values of a request need storage of their own: its
// path or request target is longer than 256 bytes.
func Long(path, requestURI string) bool {
	return len(path)|len(requestURI) > 256 && (len(path) > 256 || len(requestURI) > 256)
}

// A Ring is storage for the values of one request at a time. Successive requests
// use successive slots, and start over at the end: so a value stays readable for
// a while after its request has ended, see [Names.Clear]. A Ring that starts over
// too soon grows.
type Ring struct {
	slots   []string
	used    int
	started time.Time // when it last started over
}

const (
	minRing = 127
	maxRing = 2047
	minLap  = 20 * time.Millisecond // more than a goroutine usually waits for a processor
)

// Slots returns n slots, which later requests will overwrite. One request may ask
// twice, for n slots and then for up to 2n.
func (g *Ring) Slots(n int) []string {
	from := g.used
	if from+n > len(g.slots) {
		g.startOver(n)
		from = 0
	}
	g.used = from + n
	return g.slots[from : from+n : from+n]
}

// startOver begins with the first slot again, in more slots if there are too few
// or the last lap was too short.
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
