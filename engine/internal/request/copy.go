package request

import (
	"io"
	"sync"
)

var copyBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// A plainWriter hides all methods of a writer except Write from io.Copy.
type plainWriter struct{ io.Writer }

// Copy is like [io.Copy], but it doesn't call w's ReadFrom, and uses a buffer of
// a pool.
func Copy(w io.Writer, src io.Reader) (int64, error) {
	buf := copyBuffers.Get().(*[32 << 10]byte)
	defer copyBuffers.Put(buf)
	return io.CopyBuffer(plainWriter{w}, src, buf[:])
}
