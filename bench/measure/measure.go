// Package measure times tasks against each other in one process. They take
// turns in short rounds, so a slow spell of the machine hits all of them.
// Allocations and memory are counted separately.
package measure

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Task is something to time. Run does its work the given number of times; each
// time is Ops operations.
type Task struct {
	Run func(times int)
	Ops int
	// Timed, if not nil, does what Run does and returns how long it took, less
	// the time that belongs to no operation.
	Timed func(times int) time.Duration
}

// Time runs t and returns how long it took.
func (t Task) Time(times int) time.Duration {
	if t.Timed != nil {
		return t.Timed(times)
	}
	start := time.Now()
	t.Run(times)
	return time.Since(start)
}

// Batches makes a task of ops operations, each on a value made for it. Only the
// operations are timed; the values are made in batches before.
func Batches[T any](ops, batch int, prepare func(i int) T, operate func(T)) Task {
	values := make([]T, 0, batch)
	timed := func(times int) (took time.Duration) {
		flush := func() {
			start := time.Now()
			for _, v := range values {
				operate(v)
			}
			took += time.Since(start)
			values = values[:0]
		}
		for range times {
			for i := range ops {
				values = append(values, prepare(i))
				if len(values) == batch {
					flush()
				}
			}
		}
		flush()
		return took
	}
	return Task{Ops: ops, Run: func(times int) { timed(times) }, Timed: timed}
}

// Plan says how long to measure. A round of at least 10 ms includes an
// allocating task's own garbage collections.
type Plan struct {
	Rounds int
	Round  time.Duration // aimed at for one task's share of a round
}

// Rounds times the tasks in turn, each round beginning with another one, and
// returns the samples of each in nanoseconds per operation. GOMAXPROCS is the
// caller's to set. A collection runs before each task's share of a round, so no
// task sweeps the garbage of another. report, if not nil, is called after every
// round and stops the measurement by returning false.
func Rounds(tasks []Task, plan Plan, report func(done int) bool) [][]float64 {
	samples := make([][]float64, len(tasks))
	times := make([]int, len(tasks))
	for i, t := range tasks {
		times[i] = calibrate(t, plan.Round)
	}
	for round := range plan.Rounds {
		for k := range tasks {
			i := (round + k) % len(tasks)
			runtime.GC()
			ns := float64(tasks[i].Time(times[i]).Nanoseconds())
			samples[i] = append(samples[i], ns/float64(times[i]*tasks[i].Ops))
		}
		if report != nil && !report(round+1) {
			break
		}
	}
	return samples
}

// calibrate finds how often t has to run to fill d. It believes a long time
// only after three tries, since another process may have caused it.
func calibrate(t Task, d time.Duration) int {
	t.Run(1)
	for n := 1; ; {
		took := d
		for try := 0; try < 3 && took >= d/4; try++ {
			took = min(took, t.Time(n))
		}
		if took >= d/4 {
			return max(1, int(float64(n)*float64(d)/float64(took)))
		}
		n *= max(2, min(16, int(d/4/max(took, 1))))
	}
}

// Min is the smallest sample, Median the middle one; NaN for none.
func Min(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	return slices.Min(samples)
}

func Median(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// Ratios divides a by b round by round.
func Ratios(a, b []float64) []float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return ratios
}

// Allocs counts bytes and allocations per operation, averaged over so many
// operations that one-time allocations don't show. The collector is off
// meanwhile, so it empties no pools.
func Allocs(t Task) (bytes, allocs float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	t.Run(1)
	times := max(1, 20_000/t.Ops)
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	t.Run(1) // refill pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	t.Run(times)
	runtime.ReadMemStats(&after)
	n := float64(times * t.Ops)
	// Below a thousandth it is a background goroutine, not the task.
	round := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	return round(float64(after.TotalAlloc-before.TotalAlloc) / n), round(float64(after.Mallocs-before.Mallocs) / n)
}

// Heap returns how many bytes one result of load keeps alive, averaged over so
// many copies that noise doesn't show.
func Heap(load func() any) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	load() // what a package allocates once
	one := heapOf(load, 1)
	copies := int(min(200, max(4, 8<<20/max(one, 1))))
	return heapOf(load, copies)
}

func heapOf(load func() any, copies int) float64 {
	keep := make([]any, copies)
	before := liveHeap()
	for i := range keep {
		keep[i] = load()
	}
	after := liveHeap()
	runtime.KeepAlive(keep)
	return max(0, float64(after)-float64(before)) / float64(copies)
}

// liveHeap collects until pools are empty and finalisers have run.
func liveHeap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Spread makes one task of several that run at the same time, each on a
// goroutine of its own. Its time per operation is the wall clock's over the
// operations of all.
func Spread(tasks []Task) Task {
	spread := Task{Run: func(times int) {
		var wg sync.WaitGroup
		for _, t := range tasks {
			wg.Go(func() { t.Run(times) })
		}
		wg.Wait()
	}}
	for _, t := range tasks {
		spread.Ops += t.Ops
	}
	return spread
}
