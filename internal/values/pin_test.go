package values

import "testing"

// BenchmarkBorrow compares the Buffers of the Ps with a sync.Pool. Without
// pin.go, both are the same.
func BenchmarkBorrow(b *testing.B) {
	b.Run("processor", func(b *testing.B) {
		for b.Loop() {
			Borrow(Ring).Return()
		}
	})
	b.Run("pool", func(b *testing.B) {
		for b.Loop() {
			buf := pools[Ring].Get().(*Buffer)
			pools[Ring].Put(buf)
		}
	})
}
