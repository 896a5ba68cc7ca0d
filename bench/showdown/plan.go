package showdown

import (
	"runtime"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// plan defines the amount of measurements in a run.
type plan struct {
	serving, parallel, scaling measure.Plan
	conditions                 bool // measure under other conditions, too
	scales                     []int
	registrations              int
	patience                   time.Duration // for one registration; slower contenders are omitted
	heapSets                   []string
	load                       load.Plan
	loadPasses                 int // passes over the rounds of load; each pass is a separate unit
	loadCases                  []load.Case
}

// newPlan returns the plan of a run. serving replaces that of one scenario if
// it has rounds.
func newPlan(quick bool, serving measure.Plan) plan {
	p := usualPlan(quick)
	if serving.Rounds > 0 {
		p.serving = serving
	}
	return p
}

func usualPlan(quick bool) plan {
	sets := []string{"static", "github", "gplus", "parse"}
	if quick {
		return plan{
			serving:       measure.Plan{Rounds: 6, Round: 10 * time.Millisecond},
			parallel:      measure.Plan{Rounds: 6, Round: 5 * time.Millisecond},
			scaling:       measure.Plan{Rounds: 5, Round: 5 * time.Millisecond},
			scales:        []int{10, 100, 1_000, 10_000},
			registrations: 2,
			patience:      2 * time.Second,
			heapSets:      sets,
			loadPasses:    1,
			load:          load.Plan{Rounds: 4, Round: time.Second},
			loadCases:     []load.Case{load.Parameter(50, 1)},
		}
	}
	p := plan{
		serving:       measure.Plan{Rounds: 20, Round: 15 * time.Millisecond},
		parallel:      measure.Plan{Rounds: 20, Round: 10 * time.Millisecond},
		scaling:       measure.Plan{Rounds: 10, Round: 15 * time.Millisecond},
		scales:        []int{10, 100, 1_000, 10_000, 100_000},
		registrations: 6,
		patience:      8 * time.Second,
		heapSets:      sets,
		conditions:    true,
		loadPasses:    4,
		load:          load.Plan{Rounds: 3, Round: time.Second},
		loadCases:     []load.Case{load.Parameter(100, 1)},
	}
	if all := runtime.NumCPU(); all > 1 {
		p.loadCases = append(p.loadCases, load.Parameter(100, all))
	}
	return p
}
