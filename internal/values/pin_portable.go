//go:build !go1.26 || go1.28 || race || muxmaster_safe

package values

import "sync"

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// carve returns n slots of a chunk, or nil if n is too large.
func carve(n int) []string {
	if n > maxCarve {
		return nil
	}
	c := chunks.Get().(*chunk)
	slots := c.take(n)
	if slots == nil {
		c = new(chunk)
		slots = c.take(n)
	}
	chunks.Put(c)
	return slots
}

// BorrowRing returns a Ring for one request.
func BorrowRing() *Ring { return rings.Get().(*Ring) }

// ReturnRing makes a Ring available for another request.
func ReturnRing(g *Ring) { rings.Put(g) }
