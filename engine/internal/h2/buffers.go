package h2

import "sync"

const (
	smallBuffer = 4 << 10
	largeBuffer = maxOut + 32<<10 // for output: also a frame above maxOut, and its head
)

// The pools hold arrays, because putting a slice into a pool allocates.
var (
	smallBuffers = sync.Pool{New: func() any { return new([smallBuffer]byte) }}
	largeBuffers = sync.Pool{New: func() any { return new([largeBuffer]byte) }}
)

func newSmallBuffer() []byte { return smallBuffers.Get().(*[smallBuffer]byte)[:0] }

func newLargeBuffer() []byte { return largeBuffers.Get().(*[largeBuffer]byte)[:0] }

// giveBack gives a buffer back to its pool. It ignores slices that can't be of
// one.
func giveBack(b []byte) {
	switch cap(b) {
	case smallBuffer:
		smallBuffers.Put((*[smallBuffer]byte)(b[:smallBuffer]))
	case largeBuffer:
		largeBuffers.Put((*[largeBuffer]byte)(b[:largeBuffer]))
	}
}
