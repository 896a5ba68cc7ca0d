package measure

import (
	"testing"
	"time"
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

func TestSpreadRunsEveryTaskOncePerTime(t *testing.T) {
	counts := make([]int, 3)
	var tasks []Task
	for i := range counts {
		tasks = append(tasks, Task{Ops: i + 1, Run: func(times int) { counts[i] += times }})
	}
	spread := Spread(tasks)
	spread.Run(5)
	if spread.Ops != 6 || counts[0] != 5 || counts[1] != 5 || counts[2] != 5 {
		t.Errorf("%d operations, runs %v; want 6 and 5 of each", spread.Ops, counts)
	}
}

func TestMachineTime(t *testing.T) {
	for stat, want := range map[string][2]time.Duration{
		"":           {},
		"cpu  1 2\n": {},
		"cpu  10132153 290696 3084719 46828483 16683 0 25195 175628 0 0\ncpu0 1 2 3 4 5 6 7 8 9\n": {137_083_910 * time.Millisecond, 1_756_280 * time.Millisecond},
	} {
		if busy, stolen := machineTime(stat); busy != want[0] || stolen != want[1] {
			t.Errorf("machineTime(%q) = %v, %v, want %v", stat, busy, stolen, want)
		}
	}
}
