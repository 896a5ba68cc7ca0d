//go:build !muxmaster_safe && !race

package values

import "testing"

// With the race detector, sync.Pool drops chunks at random.

// TestKeptSlots checks that a value takes 16 bytes, and that a retained value
// keeps its chunk of 1 KB alive and nothing else.
func TestKeptSlots(t *testing.T) {
	const n = 60_000
	for _, c := range []struct {
		values int // per request
		every  int // retain one of this number of requests
		most   int // maximum bytes per retained request, without its slice of 24 bytes
	}{
		{1, 1, 18}, {2, 1, 36}, {3, 1, 52}, {20, 1, 360}, {1, 63, 1100}, {1, 1000, 1100}, {20, 100, 1100},
	} {
		got := heapBytes(func() any {
			kept := make([][]string, 0, n/c.every+1)
			for i := range n {
				slots := Carve(c.values)
				if i%c.every == 0 {
					kept = append(kept, slots)
				}
			}
			return kept
		})/(n/c.every) - 24
		if got > c.most {
			t.Errorf("1 in %d of %d values: %d bytes are alive for each, want at most %d", c.every, c.values, got, c.most)
		}
	}
}

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
