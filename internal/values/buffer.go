package values

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Buffer is memory for path values. A request borrows a Buffer, writes values
// to its free slots, takes these slots, and returns the Buffer. No other request
// uses it in between.
type Buffer struct {
	slots   []string
	used    int // the slots before it are taken
	kind    Kind
	home    atomic.Bool // it is the Buffer of a P, see pin.go
	busy    uint32      // 1 while a request uses it; only for the Buffer of a P
	started time.Time   // when a Ring last wrapped around

	_ [56]byte // 128 bytes in all, so that two Ps never write to the same cache line
}

// A Kind says what a Buffer does when all slots are taken.
type Kind uint8

const (
	// A Chunk allocates new slots. It never reuses any, so a request can return
	// the Chunk at once and retain the slots that it took.
	Chunk Kind = iota

	// A Ring starts over with its first slot. A request must keep the Ring while
	// it uses the slots that it took. They remain unchanged for a while after
	// that, see [Names.TryClear]. A Ring that wraps around too often grows.
	Ring
)

// chunkLen is the number of slots that a Chunk allocates at once. With 63, they
// fill the size class of 1,024 bytes. Fewer slots mean more allocations for
// routes with several values.
//
// A retained slot keeps all slots allocated with it alive, and the paths that
// the other slots point into. So a Chunk must not be used for long paths, see
// [Long]. A retained request then keeps at most 63 short paths alive.
const chunkLen = 63

// MaxChunk is the maximum number of slots to take from a Chunk at once. More
// would leave too much of the memory unused; allocate them separately.
const MaxChunk = 32

// Long is the length from which on the values of a path or request target must
// be allocated separately. It is a power of two, so one of two lengths a and b
// is at least Long if a|b is.
const Long = 256

const (
	minRing = 127                   // minimum number of slots
	maxRing = 2047                  // maximum number of slots
	minLap  = 20 * time.Millisecond // time between wraparounds; longer than a goroutine usually waits to run
)

// Slots returns all slots of b and the index of the first free one. At least n
// are free.
func (b *Buffer) Slots(n int) (slots []string, from int) {
	if b.used+n > len(b.slots) {
		b.refill(n)
	}
	return b.slots, b.used
}

// Take takes the free slots before index to.
func (b *Buffer) Take(to int) { b.used = to }

// Carve takes n free slots.
func (b *Buffer) Carve(n int) []string {
	slots, from := b.Slots(n)
	b.Take(from + n)
	return slots[from : from+n : from+n]
}

// Carve returns n slots that r can retain: of a Chunk, unless r or n is too long.
func Carve(r *http.Request, n int) []string {
	if len(r.URL.Path)|len(r.RequestURI) >= Long || n > MaxChunk {
		return make([]string, n)
	}
	b := Borrow(Chunk)
	slots := b.Carve(n)
	b.Return()
	return slots
}

// refill makes room for n slots.
func (b *Buffer) refill(n int) {
	b.used = 0
	if b.kind == Chunk {
		b.slots = make([]string, max(chunkLen, n))
		return
	}
	// Grow if there are too few slots for 3n, or if the last wraparound was less
	// than minLap ago.
	now := time.Now()
	size := max(len(b.slots), minRing, 3*n)
	if len(b.slots) < maxRing && now.Sub(b.started) < minLap {
		size = max(size, min(2*len(b.slots)+1, maxRing))
	}
	if size > len(b.slots) {
		b.slots = make([]string, size)
	}
	b.started = now
}

// pools holds Buffers that no request uses, by Kind.
var pools = [2]sync.Pool{
	Chunk: {New: func() any { return &Buffer{kind: Chunk} }},
	Ring:  {New: func() any { return &Buffer{kind: Ring} }},
}
