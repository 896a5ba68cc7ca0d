package target

import (
	"runtime"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// A Condition is what a race takes place under. Collections run as they do by
// default under each of them.
type Condition struct {
	Name       string // "" for the usual one
	About      string
	task       func(bench.Loaded) measure.Task
	processors int           // 0 for one
	longer     time.Duration // factor for the length of a round, 0 for 1
	during     func() (end func())
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
	collecting = Condition{
		Name:  "collections running",
		About: "a collection always runs on a second processor: pointers are written through write barriers, and pools are emptied again and again",
		task:  bench.Loaded.Task, processors: 2, during: collect, longer: 5,
	}
	livePointers = Condition{
		Name:  "100 MB of live pointers",
		About: "on one processor, with rounds long enough for whole collections, which mark 100 MB; a router that allocates pays for them",
		task:  bench.Loaded.Task, during: holdPointers, longer: 25,
	}
)

// Conditions lists those with a name.
func Conditions() []Condition { return []Condition{fresh, twoProcessors, collecting, livePointers} }

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
