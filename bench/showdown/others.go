package showdown

import (
	"os"
	"runtime"
	"strconv"
	"strings"
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
	return othersWatch{time.Now(), machineCPU(), measure.CPU() + measure.ChildrenCPU()}
}

// share returns the fraction of all processors' time that other processes and
// other virtual machines have used since watchOthers, or 0 if it is unknown.
// Child processes count as ours after they have ended.
func (w othersWatch) share() float64 {
	all := machineCPU()
	if all == 0 {
		return 0
	}
	others := (all - w.all) - (measure.CPU() + measure.ChildrenCPU() - w.ours)
	return max(0, float64(others)/float64(time.Since(w.started))/float64(runtime.NumCPU()))
}

// machineCPU returns the total busy time of all processors since the system
// started, from the first line of /proc/stat. The unit there is 10 ms.
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
