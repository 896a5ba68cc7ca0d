package h2

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestYield checks that the reader lets other goroutines run before two of
// three reads.
func TestYield(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var turns, stop atomic.Int64
	go func() {
		for stop.Load() == 0 {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	defer stop.Store(1)
	c := new(Conn)
	yields := 0
	for range 300 {
		before := turns.Load()
		if c.yield(); turns.Load() > before {
			yields++
		}
	}
	if yields < 150 || yields > 250 {
		t.Errorf("%d of 300 calls let another goroutine run, want 200", yields)
	}
}
