package bench

import (
	"runtime"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// A Condition is a condition under which contenders are measured. The garbage
// collector has its default settings.
type Condition struct {
	Name       string
	About      string
	Processors int
	Task       func(Loaded) measure.Task // of a loaded contender
	during     func() (end func())

	// Round is the length of a round that includes complete garbage collections.
	// The result is then the median of the rounds. If 0, rounds are short and the
	// result is their minimum, from a round without a collection.
	Round time.Duration
}

// Usual is the condition of published suites: one processor, and one request
// that is used again.
var Usual = Condition{Processors: 1, Task: Loaded.Task}

// AllCores uses one goroutine for each processor of the machine.
var AllCores = Condition{
	Processors: runtime.NumCPU(),
	Task:       func(l Loaded) measure.Task { return l.Spread(runtime.NumCPU()) },
}

// Conditions lists the others.
func Conditions() []Condition {
	return []Condition{
		{
			Name:       "fresh requests",
			About:      "each call gets a new request, like from a server; the time doesn't include creating it",
			Processors: 1, Task: Loaded.Fresh,
		},
		{
			Name:       "two processors",
			About:      "two goroutines at once, medians of rounds of 100 ms; wall-clock time divided by all requests",
			Processors: 2, Task: func(l Loaded) measure.Task { return l.Spread(2) }, Round: 100 * time.Millisecond,
		},
		{
			Name:       "caused collections",
			About:      "on one processor, medians of rounds of 100 ms, including the garbage collections caused by the router's allocations",
			Processors: 1, Task: Loaded.Task, Round: 100 * time.Millisecond,
		},
		{
			Name:       "constant collection",
			About:      "medians; the garbage collector always runs on a second processor, so write barriers are active and pools are emptied repeatedly",
			Processors: 2, Task: Loaded.Task, during: collect, Round: 100 * time.Millisecond,
		},
		{
			Name:       "100 MB of live pointers",
			About:      "like caused collections, with rounds of 500 ms; each collection marks 100 MB",
			Processors: 1, Task: Loaded.Task, during: holdPointers, Round: 500 * time.Millisecond,
		},
	}
}

// Begin creates the condition in this process until end is called.
func (c Condition) Begin() (end func()) {
	before, endDuring := runtime.GOMAXPROCS(c.Processors), func() {}
	if c.during != nil {
		endDuring = c.during()
	}
	return func() {
		endDuring()
		runtime.GOMAXPROCS(before)
	}
}

// Plan returns the plan for the condition: as many rounds as fit in the time
// of about ten times the given plan if it has rounds of its own.
func (c Condition) Plan(p measure.Plan) measure.Plan {
	if c.Round == 0 {
		return p
	}
	return measure.Plan{Rounds: max(3, p.Rounds/10), Round: c.Round}
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
