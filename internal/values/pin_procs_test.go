//go:build go1.26 && !go1.28 && !muxmaster_safe

package values

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestBorrowOnManyProcessors counts how often a request gets a Buffer that
// another P has used before, which moves its cache lines between processors.
// There are 64 Ps, on as many processors as the machine has.
func TestBorrowOnManyProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	for _, c := range []struct {
		name  string
		waits int // each request of this number waits while its handler runs; 0 for none
		most  int // moves in 1,000 requests
	}{
		{"no handler waits", 0, 10},
		{"one handler in 100 waits", 100, 50},
		{"each handler waits", 1, 750},
	} {
		type use struct {
			at     int64
			buffer *Buffer
			p      int
		}
		const goroutines, requests = 64, 1000
		var clock atomic.Int64
		var wg sync.WaitGroup
		uses := make([][]use, goroutines)
		for i := range uses {
			wg.Go(func() {
				list := make([]use, 0, requests)
				for n := range requests {
					b := Borrow(0)
					p := procPin()
					procUnpin()
					list = append(list, use{clock.Add(1), b, p})
					if c.waits > 0 && n%c.waits == 0 {
						runtime.Gosched()
					}
					b.Return()
				}
				uses[i] = list
			})
		}
		wg.Wait()
		all := slices.Concat(uses...)
		slices.SortFunc(all, func(a, b use) int { return cmp.Compare(a.at, b.at) })
		last, moves, ps := map[*Buffer]int{}, 0, map[int]bool{}
		for _, u := range all {
			if p, ok := last[u.buffer]; ok && p != u.p {
				moves++
			}
			last[u.buffer], ps[u.p] = u.p, true
		}
		t.Logf("%s: %d requests on %d Ps, %d Buffers, %d moves", c.name, len(all), len(ps), len(last), moves)
		if moves*1000 > c.most*len(all) {
			t.Errorf("%s: %d moves in %d requests, want at most %d in 1,000", c.name, moves, len(all), c.most)
		}
	}
}
