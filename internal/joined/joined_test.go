package joined_test

import (
	"sync"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/joined"
)

// Goroutines that lock any of the Locks exclude each other once the Locks are
// joined, in whatever order and at the same time.
func TestJoin(t *testing.T) {
	for range 100 {
		locks := make([]joined.Lock, 8)
		var joining, adding sync.WaitGroup
		for i := range locks {
			joining.Go(func() { joined.Join(&locks[i], &locks[(i*3+1)%len(locks)]) })
			joining.Go(func() { joined.Join(&locks[(i+1)%len(locks)], &locks[i]) })
			joining.Go(func() { locks[i].Lock().Unlock() })
		}
		joining.Wait()
		n := 0 // the race detector reports it if the Locks differ
		for i := range locks {
			adding.Go(func() {
				defer locks[i].Lock().Unlock()
				n++
			})
		}
		adding.Wait()
		if n != len(locks) {
			t.Fatalf("%d of %d additions", n, len(locks))
		}
		held := locks[0].Lock()
		for i := range locks {
			if held.Unlock(); locks[i].Lock() != held {
				t.Fatalf("Lock %d is not joined with Lock 0", i)
			}
		}
		held.Unlock()
	}
}

// A Lock that was joined to none excludes nobody else.
func TestLockAlone(t *testing.T) {
	var a, b joined.Lock
	defer a.Lock().Unlock()
	b.Lock().Unlock()
}
