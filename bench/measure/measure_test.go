package measure

import (
	"runtime"
	"testing"
)

var sink any

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
