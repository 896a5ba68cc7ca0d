package showdown

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// othersWatch finds out how much of the machine others use while we measure.
type othersWatch struct {
	started   time.Time
	all, ours time.Duration
}

func watchOthers() othersWatch {
	return othersWatch{time.Now(), machineCPU(), measure.CPU() + measure.ChildrenCPU()}
}

// share is the part of all processors' time that other processes, and neighbors of
// a virtual machine, have used since; 0 where the system doesn't tell. Processes
// that we started count as ours once they have ended.
func (w othersWatch) share() float64 {
	all := machineCPU()
	if all == 0 {
		return 0
	}
	others := (all - w.all) - (measure.CPU() + measure.ChildrenCPU() - w.ours)
	return max(0, float64(others)/float64(time.Since(w.started))/float64(runtime.NumCPU()))
}

// machineCPU is the time that all processors have worked since the system started,
// from the first line of /proc/stat. Its unit is a hundredth of a second.
func machineCPU() time.Duration {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0
	}
	var ticks int64
	for i, field := range fields[1:9] {
		const idle, iowait = 3, 4
		if i == idle || i == iowait {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
