package body

import (
	"bytes"
	"sync"
)

// maxPooled is the maximum capacity of a pooled buffer, so that a body of 10 MB
// doesn't keep 10 MB allocated forever. Buffers for bodies of 64 KiB are
// smaller, even if bytes.Buffer doubles their capacity to read the end of the
// body.
const maxPooled = 256 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

// putBuffer resets b and returns it to the pool, unless it is too large.
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

// scribble overwrites a buffer, so that tests detect later reads.
func scribble(p []byte) {
	for i := range p {
		p[i] = 0xDB
	}
}
