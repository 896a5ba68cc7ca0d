//go:build go1.26 && !go1.28 && !muxmaster_safe

package values

import (
	"sync/atomic"
	_ "unsafe" // for go:linkname
)

// This file keeps a Buffer of each Kind for each P of the Go scheduler, which is
// faster than a sync.Pool. It uses runtime.procPin and procUnpin. The Go source
// notes that other packages link to them ("do not remove or change the type
// signature"). The build constraint names the Go releases that this was
// verified with; pin_portable.go is for all others.
//
// A race build uses it as well, with atomic operations, so that the race detector
// sees which request uses a slot next.

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// maxProcs is the number of Ps that have Buffers. Others use sync.Pool.
const maxProcs = 256

// locals holds the Buffers of each P, by Kind. Only a goroutine that is pinned
// to the P accesses its element. The padding prevents false sharing.
var locals [maxProcs]struct {
	buffers [2]atomic.Pointer[Buffer]
	_       [128 - 16]byte
}

// Borrow returns a Buffer for one request: the P's, if no request uses it.
func Borrow(k Kind) *Buffer {
	p := procPin()
	if p < maxProcs {
		if b := locals[p].buffers[k&1].Load(); b != nil && atomic.LoadUint32(&b.busy) == 0 {
			occupy(&b.busy)
			procUnpin()
			return b
		}
	}
	procUnpin()
	return borrowOther(k)
}

// borrowOther returns a Buffer of the pool and makes it the P's. The previous
// one is used by a request that is blocked or moved to another P.
func borrowOther(k Kind) *Buffer {
	b := pools[k].Get().(*Buffer)
	p := procPin()
	if p < maxProcs {
		if old := locals[p].buffers[k].Load(); old != nil {
			old.home.Store(false)
		}
		b.home.Store(true)
		occupy(&b.busy)
		locals[p].buffers[k].Store(b)
	}
	procUnpin()
	return b
}

// Return makes b available for another request.
//
// The goroutine may have moved to another P since Borrow. If the first P
// replaces b at this moment, b is neither the P's nor in the pool. This is
// harmless: b is garbage then.
func (b *Buffer) Return() {
	if b.home.Load() {
		release(&b.busy)
	} else {
		b.putBack()
	}
}

//go:noinline
func (b *Buffer) putBack() { pools[b.kind].Put(b) }
