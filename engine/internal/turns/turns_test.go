package turns

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestYield counts how often another goroutine runs while one yields.
func TestYield(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	count := func(busy time.Duration) int32 {
		var end atomic.Bool
		var yields atomic.Int32
		go func() {
			for start := time.Now(); time.Since(start) < busy; {
			}
			for ; !end.Load(); runtime.Gosched() {
				yields.Add(1)
			}
		}()
		var c Counter
		for range timeEvery {
			c.Yield()
		}
		end.Store(true)
		return yields.Load()
	}
	if n := count(4 * tooLong); n > timeEvery/4 {
		t.Errorf("%d yields of %d after a slow one", n, timeEvery)
	}
	for range 100 { // a yield may be slow by chance
		if n := count(0); n > timeEvery/2 && n < timeEvery {
			return
		}
	}
	t.Error("it doesn't yield when others are fast")
}
