package body

import (
	"io"
	"os"
	"sync"
)

const copySize = 64 << 10

var copyBuffers = sync.Pool{New: func() any { return new([copySize]byte) }}

// Copy copies src to dst with a pooled buffer of 64 KiB and returns the number
// of bytes copied. Use it in proxies instead of io.Copy, which allocates 32 KiB
// for each response with a Content-Length, because the connection's ReadFrom
// does so. Copy uses ReadFrom only for files, so that sendfile is used.
//
// If Copy fails, the client may have received a partial response. To make the
// client detect this, set Content-Length if it is known, and panic with
// http.ErrAbortHandler.
func Copy(dst io.Writer, src io.Reader) (int64, error) {
	if isFile(src) {
		return io.Copy(dst, src)
	}
	buf := copyBuffers.Get().(*[copySize]byte)
	defer putCopyBuffer(buf)
	return io.CopyBuffer(onlyWriter{dst}, src, buf[:])
}

func isFile(src io.Reader) bool {
	if lr, ok := src.(*io.LimitedReader); ok {
		src = lr.R
	}
	_, ok := src.(*os.File)
	return ok
}

type onlyWriter struct{ io.Writer }

func putCopyBuffer(buf *[copySize]byte) {
	if raceEnabled {
		scribble(buf[:])
	}
	copyBuffers.Put(buf)
}

// Buffers is an httputil.BufferPool that uses Copy's pool. Set it as the
// BufferPool of an httputil.ReverseProxy, which otherwise allocates 32 KiB for
// each response.
type Buffers struct{}

// Get returns a slice of 64 KiB.
func (Buffers) Get() []byte { return copyBuffers.Get().(*[copySize]byte)[:] }

// Put returns a slice to the pool. It ignores slices whose capacity isn't 64
// KiB.
func (Buffers) Put(p []byte) {
	if cap(p) == copySize {
		putCopyBuffer((*[copySize]byte)(p[:copySize]))
	}
}
