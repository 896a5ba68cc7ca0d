package body

import (
	"bytes"
	"sync"
)

// maxPooled is the largest capacity of a buffer that goes back to the pool, so
// that one body of 10 MB doesn't keep 10 MB in use for ever. With 256 KiB,
// buffers for bodies of 64 KiB are pooled even if bytes.Buffer has doubled them
// for the read that finds the end.
const maxPooled = 256 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

// putBuffer empties b and returns it to the pool, unless it has grown too
// large.
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

// scribble overwrites a buffer that nobody may read any more.
func scribble(p []byte) {
	for i := range p {
		p[i] = 0xDB
	}
}
