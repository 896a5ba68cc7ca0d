package h2

import (
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

type jobFunc func()

func (f jobFunc) run() { f() }

// TestPoolQueue checks that the queue takes no more memory than the jobs that
// wait, even if it is never empty: the server may be overloaded for hours.
func TestPoolQueue(t *testing.T) {
	var p pool
	done := 0
	for i := range 100_000 {
		p.add(jobFunc(func() {
			if done++; done != i+1 {
				t.Fatalf("job %d ran after %d others", i, done-1)
			}
		}))
		if i >= 10 {
			p.take().run()
		}
	}
	if n := cap(p.queue); n > 100 {
		t.Errorf("the queue has room for %d jobs, of which 10 wait", n)
	}
}

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
	steady.Until(t, time.Minute, "at most one worker is idle", func() bool {
		done := make(chan bool)
		p.start(jobFunc(func() { close(done) }))
		<-done
		return idle() <= 1
	})
	p.detach()
	if n := idle(); n > 0 {
		t.Errorf("%d workers wait although there are no connections", n)
	}
}
