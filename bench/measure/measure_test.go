package measure

import (
	"runtime"
	"testing"
)

var sink any

func TestAllocsCountsPerOperation(t *testing.T) {
	for _, tt := range []struct {
		name          string
		ops           int
		run           func(int)
		bytes, allocs float64
	}{
		{"none", 1, func(int) {}, 0, 0},
		{"64 bytes once in two operations", 2, func(n int) {
			for range n {
				sink = new([64]byte)
			}
		}, 32, 0.5},
	} {
		if bytes, allocs := Allocs(Task{Run: tt.run, Ops: tt.ops}); bytes != tt.bytes || allocs != tt.allocs {
			t.Errorf("%s: %v B, %v allocations; want %v, %v", tt.name, bytes, allocs, tt.bytes, tt.allocs)
		}
	}
}

func TestHeapCountsRetainedBytes(t *testing.T) {
	got := Heap(func() any { sink = make([]byte, 5000); return make([]byte, 100_000) })
	if got < 100_000 || got > 115_000 {
		t.Errorf("a slice of 100,000 bytes: %v bytes", got)
	}
}

func TestMachineTime(t *testing.T) {
	busy, stolen := MachineTime()
	if runtime.GOOS == "linux" && (busy <= 0 || stolen < 0 || stolen > busy) {
		t.Errorf("busy for %v, %v of it stolen", busy, stolen)
	}
}
