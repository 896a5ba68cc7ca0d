package showdown

import (
	"runtime"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Plan defines the amount of measurements in a run.
type Plan struct {
	Serving, Parallel, Scaling measure.Plan
	Conditions                 bool // measure under other conditions, too
	Scales                     []int
	Registrations              int
	Patience                   time.Duration // for one registration; slower contenders are omitted

	Load        load.Plan
	LoadPasses  int         // over all cases of load, which share the rounds
	LoadCases   []load.Case // of routers
	ServerCases []load.Case // of HTTP servers
	Strict      bool        // it is an error if an HTTP server doesn't serve its case
}

// Usual returns the plan of the command showdown.
func Usual(quick bool) Plan {
	p := Plan{
		Serving:       measure.Plan{Rounds: 20, Round: 15 * time.Millisecond},
		Parallel:      measure.Plan{Rounds: 20, Round: 10 * time.Millisecond},
		Scaling:       measure.Plan{Rounds: 10, Round: 15 * time.Millisecond},
		Scales:        []int{10, 100, 1_000, 10_000, 100_000},
		Registrations: 6,
		Patience:      8 * time.Second,
		Conditions:    true,
		LoadPasses:    4,
		Load:          load.Plan{Rounds: 12, Round: time.Second},
		LoadCases:     []load.Case{load.Parameter(100, 1)},
	}
	if quick {
		p = Plan{
			Serving:       measure.Plan{Rounds: 6, Round: 10 * time.Millisecond},
			Parallel:      measure.Plan{Rounds: 6, Round: 5 * time.Millisecond},
			Scaling:       measure.Plan{Rounds: 5, Round: 5 * time.Millisecond},
			Scales:        []int{10, 100, 1_000, 10_000},
			Registrations: 2,
			Patience:      2 * time.Second,
			LoadPasses:    1,
			Load:          load.Plan{Rounds: 4, Round: time.Second},
			LoadCases:     []load.Case{load.Parameter(50, 1)},
		}
	} else if all := runtime.NumCPU(); all > 1 {
		p.LoadCases = append(p.LoadCases, load.Parameter(100, all))
	}
	p.ServerCases = p.LoadCases
	return p
}
