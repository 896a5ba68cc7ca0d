package body

import (
	"bytes"
	"sync"
)

// maxPooled is the largest capacity that goes back to the pool. One 10 MB body
// must not leave 10 MB with every later borrower; 256 KiB keeps bodies of
// 64 KiB pooled even after bytes.Buffer has doubled to make room for the read
// that finds their end.
const maxPooled = 256 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

// putBuffer empties b and keeps it for the next borrower, unless it has grown
// too large.
func putBuffer(b *bytes.Buffer) {
	if b.Cap() > maxPooled {
		return
	}
	b.Reset()
	if raceEnabled {
		scribble(b.AvailableBuffer()[:b.Available()])
	}
	buffers.Put(b)
}

// scribble overwrites a buffer that nobody may look at any more.
func scribble(p []byte) {
	for i := range p {
		p[i] = 0xDB
	}
}
