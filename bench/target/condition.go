package target

import (
	"runtime"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// A Condition is what a race takes place under. The garbage collector runs as it
// does by default.
type Condition struct {
	Name       string // "" for the usual one
	About      string
	task       func(bench.Loaded) measure.Task
	processors int // 0 for one
	during     func() (end func())

	// round is the length of a round that has whole collections in it. The
	// result is then the median of the rounds. If 0, rounds are short and the
	// result is their minimum, which is that of rounds without a collection.
	round time.Duration
}

var (
	// usual reuses one request, as published suites do.
	usual = Condition{task: bench.Loaded.Task}

	fresh = Condition{
		Name:  "fresh requests",
		About: "each call gets a request of its own, as from a server; making it is not timed",
		task:  bench.Loaded.Fresh,
	}
	twoProcessors = Condition{
		Name:  "two processors",
		About: "two goroutines at once; wall-clock time divided by all requests",
		task:  func(l bench.Loaded) measure.Task { return l.Spread(2) }, processors: 2,
	}
	ownCollections = Condition{
		Name:  "collections of its own",
		About: "on one processor, medians of rounds of 100 ms; a router that allocates pays for the collections that it causes",
		task:  bench.Loaded.Task, round: 100 * time.Millisecond,
	}
	collecting = Condition{
		Name:  "collections running",
		About: "medians; a collection always runs on a second processor: pointers are written through write barriers, and pools are emptied again and again",
		task:  bench.Loaded.Task, processors: 2, during: collect, round: 100 * time.Millisecond,
	}
	livePointers = Condition{
		Name:  "100 MB of live pointers",
		About: "as collections of its own, in rounds of 500 ms, with collections that mark 100 MB",
		task:  bench.Loaded.Task, during: holdPointers, round: 500 * time.Millisecond,
	}
)

// Conditions lists those with a name.
func Conditions() []Condition {
	return []Condition{fresh, twoProcessors, ownCollections, collecting, livePointers}
}

// collect runs one collection after the other until end is called.
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

// holdPointers keeps 100 MB of pointers alive until end is called.
func holdPointers() (end func()) {
	live := pointers(100 << 20)
	return func() { runtime.KeepAlive(live) }
}

// node is 64 bytes, all of them pointers.
type node struct{ next [8]*node }

// pointers makes nodes of so many bytes altogether, each reachable from
// several.
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
