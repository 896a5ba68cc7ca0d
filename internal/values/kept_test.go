//go:build !muxmaster_safe && !race

package values

import "testing"

// With the race detector, sync.Pool drops chunks at random.

// TestReturnedBuffersAreReused checks that the Buffers of requests that run at
// the same time don't become garbage.
func TestReturnedBuffersAreReused(t *testing.T) {
	var lent [4]*Buffer
	allocs := testing.AllocsPerRun(1000, func() {
		for i := range lent {
			lent[i] = Borrow(Ring)
			lent[i].Carve(1)
		}
		for _, b := range lent {
			b.Return()
		}
	})
	if allocs > 0.5 {
		t.Errorf("%v allocations for %d Rings", allocs, len(lent))
	}
}
