package h2

import (
	"sync"
	"testing"
	"time"
)

type jobFunc func()

func (f jobFunc) run() { f() }

// TestPool checks that workers end which aren't needed any more, while another
// one has jobs all the time.
func TestPool(t *testing.T) {
	var p pool
	p.attach()
	idle := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.idle)
	}
	var running sync.WaitGroup
	release := make(chan bool)
	const many = 20
	running.Add(many)
	for range many {
		p.start(jobFunc(func() { running.Done(); <-release }))
	}
	running.Wait() // each has a worker of its own
	close(release)
	for deadline := time.Now().Add(time.Minute); ; {
		done := make(chan bool)
		p.start(jobFunc(func() { close(done) }))
		<-done
		if n := idle(); n <= 1 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("%d workers are idle, want at most 1", n)
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.detach()
	if n := idle(); n > 0 {
		t.Errorf("%d workers wait although there are no connections", n)
	}
}
