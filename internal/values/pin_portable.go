//go:build !go1.26 || go1.28 || muxmaster_safe

package values

// Borrow returns a Buffer for one request.
func Borrow(k Kind) *Buffer { return pools[k].Get().(*Buffer) }

// Return makes b available for another request.
func (b *Buffer) Return() { pools[b.kind].Put(b) }
