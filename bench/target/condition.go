package target

import (
	"runtime"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// A Condition is a condition under which a race is measured. The garbage collector
// has its default settings.
type Condition struct {
	Name       string // "" for the usual one
	About      string
	task       func(bench.Loaded) measure.Task
	processors int // 0 for one
	during     func() (end func())

	// round is the length of a round that includes complete garbage collections.
	// The result is then the median of the rounds. If 0, rounds are short and the
	// result is their minimum, from a round without a collection.
	round time.Duration
}

var (
	// usual reuses one request, as published suites do.
	usual = Condition{task: bench.Loaded.Task}

	fresh = Condition{
		Name:  "fresh requests",
		About: "each call gets a new request, like from a server; the time doesn't include creating it",
		task:  bench.Loaded.Fresh,
	}
	twoProcessors = Condition{
		Name:  "two processors",
		About: "two goroutines at once; wall-clock time divided by all requests",
		task:  func(l bench.Loaded) measure.Task { return l.Spread(2) }, processors: 2,
	}
	ownCollections = Condition{
		Name:  "caused collections",
		About: "on one processor, medians of rounds of 100 ms, including the garbage collections caused by the router's allocations",
		task:  bench.Loaded.Task, round: 100 * time.Millisecond,
	}
	collecting = Condition{
		Name:  "constant collection",
		About: "medians; the garbage collector always runs on a second processor, so write barriers are active and pools are emptied repeatedly",
		task:  bench.Loaded.Task, processors: 2, during: collect, round: 100 * time.Millisecond,
	}
	livePointers = Condition{
		Name:  "100 MB of live pointers",
		About: "like caused collections, with rounds of 500 ms; each collection marks 100 MB",
		task:  bench.Loaded.Task, during: holdPointers, round: 500 * time.Millisecond,
	}
)

// Conditions lists those with a name.
func Conditions() []Condition {
	return []Condition{fresh, twoProcessors, ownCollections, collecting, livePointers}
}

// collect runs garbage collections repeatedly until end is called.
func collect() (end func()) {
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		garbage := pointers(4 << 20)
		for {
			select {
			case <-stop:
				runtime.KeepAlive(garbage)
				return
			default:
				runtime.GC()
			}
		}
	})
	return func() {
		close(stop)
		done.Wait()
	}
}

// holdPointers retains 100 MB of pointers until end is called.
func holdPointers() (end func()) {
	live := pointers(100 << 20)
	return func() { runtime.KeepAlive(live) }
}

// node has 64 bytes of pointers.
type node struct{ next [8]*node }

// pointers returns nodes with the given total size, each reachable from several
// others.
func pointers(bytes int) []*node {
	nodes := make([]*node, bytes/64)
	for i := range nodes {
		nodes[i] = new(node)
		for k := range nodes[i].next {
			nodes[i].next[k] = nodes[i/(k+2)]
		}
	}
	return nodes
}
