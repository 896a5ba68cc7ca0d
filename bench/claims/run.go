package claims

import (
	"runtime"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// A Figure is the measurement of one side.
type Figure struct {
	NS            float64 // per operation, median of the rounds; 0 if connections are counted
	Bytes, Allocs float64 // per operation, of client and server, including background goroutines
}

// A Row is one measured case.
type Row struct {
	Case               string
	Before, After      Figure
	Ours               *Figure
	Ratio, Least, Most float64 // before/after: median of the rounds, and their range
	OursRatio          float64 // before/ours; 0 without ours
	Held               []int   // connections held before, after and with ours, if they are counted
	ConnsPerOp         float64 // new connections per request before; -1 if they aren't counted
}

// Run measures all cases of c.
func Run(c Claim, plan measure.Plan, quick bool) []Row {
	var rows []Row
	for _, k := range c.Cases {
		rows = append(rows, run(c, k, plan, quick))
	}
	return rows
}

func run(c Claim, k Case, plan measure.Plan, quick bool) Row {
	w := &World{Quick: quick}
	defer w.Close()
	sides := k.Open(w)
	row := Row{Case: k.Name, ConnsPerOp: -1}
	if sides.Held != nil {
		before, after, ours := sides.Held()
		row.Held = []int{before, after, ours}
		row.Ratio = float64(before) / float64(max(after, 1))
		return row
	}
	tasks := []measure.Task{{Run: sides.Before, Ops: 1}, {Run: sides.After, Ops: 1}}
	if sides.Ours != nil {
		tasks = append(tasks, measure.Task{Run: sides.Ours, Ops: 1})
	}
	if c.Conns {
		row.ConnsPerOp = w.connsPerOp(sides.Before)
	}
	samples := measure.Rounds(tasks, plan, nil)
	var figures []Figure
	for i, t := range tasks {
		f := Figure{NS: measure.Median(samples[i])}
		f.Bytes, f.Allocs = garbage(t.Run, f.NS)
		figures = append(figures, f)
	}
	ratios := measure.Ratios(samples[0], samples[1])
	row.Before, row.After = figures[0], figures[1]
	row.Ratio, row.Least, row.Most = measure.Median(ratios), slices.Min(ratios), slices.Max(ratios)
	if sides.Ours != nil {
		row.Ours = &figures[2]
		row.OursRatio = measure.Median(measure.Ratios(samples[0], samples[2]))
	}
	return row
}

func (w *World) connsPerOp(f func(int)) float64 {
	const n = 50
	f(1)
	before := w.conns.Load()
	f(n)
	return float64(w.conns.Load()-before) / n
}

// garbage counts allocations for about a tenth of a second. Unlike
// measure.Allocs, it doesn't limit processors or disable collections, because
// client and server share the process and bodies have up to 200 MB.
func garbage(f func(int), ns float64) (bytes, allocs float64) {
	n := int(min(2000, max(1, 1e8/ns)))
	f(1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f(n)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n)
}
