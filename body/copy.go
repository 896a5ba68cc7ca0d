package body

import (
	"io"
	"os"
	"sync"
)

const copySize = 64 << 10

var copyBuffers = sync.Pool{New: func() any { return new([copySize]byte) }}

// Copy copies src to dst through a pooled 64 KiB buffer and returns the number
// of bytes copied. It is io.Copy for proxies: with a Content-Length set,
// io.Copy into an http.ResponseWriter allocates 32 KiB for each response,
// because net/http hands the source to the connection's ReadFrom. Copy takes
// that way only for files, where it means sendfile.
//
// An error after the first byte means that the client has part of the answer.
// It must not look complete: set Content-Length where it is known, and
// panic(http.ErrAbortHandler) when Copy fails.
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

// Buffers is Copy's pool as an httputil.BufferPool: set it as the BufferPool
// of an httputil.ReverseProxy, which else allocates 32 KiB for each response.
type Buffers struct{}

// Get returns a slice of 64 KiB.
func (Buffers) Get() []byte { return copyBuffers.Get().(*[copySize]byte)[:] }

// Put takes back a slice from Get. Others are dropped.
func (Buffers) Put(p []byte) {
	if cap(p) == copySize {
		putCopyBuffer((*[copySize]byte)(p[:copySize]))
	}
}
