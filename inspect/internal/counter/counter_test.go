package counter

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSet checks that no event is lost, with fewer processors than there are,
// too.
func TestSet(t *testing.T) {
	for _, processors := range []int{0, 1, runtime.GOMAXPROCS(0)} {
		s := NewSet(3, processors, new(Clock))
		const each = 10_000
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range each {
					s.Add(1 + i%2)
					if i%1000 == 0 {
						runtime.Gosched()
					}
				}
			})
		}
		wg.Wait()
		for i, want := range []uint64{0, 2 * each, 2 * each} {
			if n, last := s.Read(i); n != want || (n == 0) != last.IsZero() {
				t.Errorf("%d processors: counter %d is %d, the last at %v; want %d", processors, i, n, last, want)
			}
		}
	}
}

// TestClock checks that the clock advances while it is used, and that its timer
// stops afterwards.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(Clock)
		for range 200 {
			if got, want := c.Unix(), time.Now().Unix(); got < want-1 || got > want {
				t.Fatalf("the clock says %d, it is %d", got, want)
			}
			time.Sleep(997 * time.Millisecond)
		}
		time.Sleep(2 * time.Minute)
		if c.now.Load() != 0 {
			t.Error("the timer still runs")
		}
		if got, want := c.Unix(), time.Now().Unix(); got != want {
			t.Errorf("after a break, the clock says %d, it is %d", got, want)
		}
		time.Sleep(2 * time.Minute)
	})
}

// BenchmarkAdd measures Add beside an atomic counter.
//
// About half of Add is pinning the goroutine to its processor, and a third are the
// two writes. An atomic counter takes twice as long even if no other processor uses
// it. Choosing one by the address of the stack, by a sync.Pool or by an exchange of
// pointers isn't faster than Add. Omitting the time, writing it only when it has
// changed, or a shift for the multiplication saves a tenth or nothing.
func BenchmarkAdd(b *testing.B) {
	s := NewSet(100, runtime.GOMAXPROCS(0), new(Clock))
	var n atomic.Uint64
	for name, add := range map[string]func(int){"add": s.Add, "atomic": func(int) { n.Add(1) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				add(7)
			}
		})
	}
}
