package showdown

import (
	"runtime"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// othersWatch measures the CPU time that other processes use during a
// measurement.
type othersWatch struct {
	started   time.Time
	all, ours time.Duration
}

func watchOthers() othersWatch {
	all, _ := measure.MachineTime()
	return othersWatch{time.Now(), all, measure.CPU() + measure.ChildrenCPU()}
}

// share returns the fraction of all processors' time that other processes and
// other virtual machines have used since watchOthers, or 0 if it is unknown.
// Child processes count as ours after they have ended.
func (w othersWatch) share() float64 {
	all, _ := measure.MachineTime()
	if all == 0 {
		return 0
	}
	others := (all - w.all) - (measure.CPU() + measure.ChildrenCPU() - w.ours)
	return max(0, float64(others)/float64(time.Since(w.started))/float64(runtime.NumCPU()))
}
