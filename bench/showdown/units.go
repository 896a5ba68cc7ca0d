package showdown

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// unit is a part of the run. run appends to the Run only if it returns nil.
type unit struct {
	key  string        // "serving/GitHub"
	cost time.Duration // estimated, for the time left
	run  func(ctx context.Context, r *Run, step func(part float64)) error
}

// units returns the units of a run.
func units(contenders []contender.Contender, p Plan) []unit {
	var us []unit
	routers := slices.DeleteFunc(slices.Clone(contenders), func(c contender.Contender) bool { return c.In(contender.Floor) })
	for _, s := range bench.Scenarios() {
		us = append(us, raceUnit(Serving, s.Name, s, 1, contenders, p.Serving))
		if s.Name == "ParamRead" || s.Name == "GitHub" {
			us = append(us, benchmarkUnit(contenders, s))
		}
	}
	us = append(us, raceUnit(Parallel, fmt.Sprintf("1 parameter, %d cores", runtime.NumCPU()), scenario("Param1"), runtime.NumCPU(), routers, p.Parallel))
	for i, n := range p.Scales {
		// They don't race here, so that a large size can be done in parts.
		size := len(routers)
		if n > 10_000 {
			size = 7
		}
		part := 0
		for some := range slices.Chunk(routers, size) {
			part++
			us = append(us, scalingUnit(some, part, n, p.Scales[:i], p))
		}
	}
	for _, set := range []string{"static", "github", "gplus", "parse"} {
		us = append(us, heapUnit(routers, set))
	}
	if contender.Safe {
		return us
	}
	for pass := range p.LoadPasses {
		for _, c := range p.LoadCases {
			us = append(us, loadUnit(Load, underLoad(contenders), c, pass, p))
		}
		for _, c := range p.ServerCases {
			section := Servers
			if c.Protocol != load.HTTP1 {
				section = HTTP2
			}
			us = append(us, loadUnit(section, load.Entrants(c), c, pass, p))
		}
	}
	return us
}

// underLoad selects the contenders for the load tests, with both kinds of
// handlers. Fewer servers allow more rounds.
func underLoad(contenders []contender.Contender) (names []string) {
	for _, c := range contenders {
		router, _, _ := strings.Cut(c.Name, " (")
		switch router {
		case "no router", "muxmaster", "muxmaster pooled", "http.ServeMux", "gin", "echo", "bunrouter", "fox", "httprouter", "chi", "gorilla/mux":
			names = append(names, c.Name)
		}
	}
	return names
}

// lap estimates the time of a plan, including calibration and Prove.
func lap(p measure.Plan, contenders []contender.Contender) time.Duration {
	const around = 30 * time.Millisecond
	return time.Duration(len(contenders)) * (around + time.Duration(p.Rounds)*(p.Round+time.Millisecond))
}

// benchmarkUnit runs a scenario as a Go benchmark, one contender after the
// other, because a garbage collection must not fall into the time of another
// contender.
func benchmarkUnit(contenders []contender.Contender, s bench.Scenario) unit {
	const samples = 3
	cost := time.Duration(len(contenders)) * samples * 1200 * time.Millisecond
	return unit{string(Benchmark) + "/" + s.Name, cost, func(ctx context.Context, r *Run, step func(float64)) error {
		return each(ctx, r, step, contenders, func(c contender.Contender) []Cell {
			cell := Cell{Section: Benchmark, Scenario: s.Name, Contender: c.Name}
			l, err := proven(c, s)
			if err != nil {
				cell.Cannot = oneLine(err)
				return []Cell{cell}
			}
			task := l.Task()
			for range samples {
				result := testing.Benchmark(func(b *testing.B) { measure.Benchmark(b, task) })
				cell.Samples = append(cell.Samples, result.Extra["ns/op"])
			}
			return []Cell{cell}
		})
	}}
}

// each measures one contender after the other.
func each(ctx context.Context, r *Run, step func(float64), contenders []contender.Contender, measure func(contender.Contender) []Cell) error {
	var cells []Cell
	for i, c := range contenders {
		step(float64(i) / float64(len(contenders)))
		cells = append(cells, measure(c)...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	r.Cells = append(r.Cells, cells...)
	return nil
}

// scenario returns the scenario with a name, which must exist.
func scenario(name string) bench.Scenario {
	s, err := bench.ScenarioNamed(name)
	if err != nil {
		panic(err)
	}
	return s
}

// raceUnit checks all contenders with Prove and measures those that pass in
// interleaved rounds, each with one goroutine for each processor. title is the
// scenario of the cells.
func raceUnit(section Section, title string, s bench.Scenario, processors int, contenders []contender.Contender, p measure.Plan) unit {
	run := func(ctx context.Context, r *Run, step func(float64)) error {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		var cells []Cell
		var tasks []measure.Task
		var racing []int // indices of cells
		for _, c := range contenders {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			cell := Cell{Section: section, Scenario: title, Contender: c.Name}
			if l, err := proven(c, s); err != nil {
				cell.Cannot = oneLine(err)
			} else {
				racing = append(racing, len(cells))
				tasks = append(tasks, l.Spread(processors))
			}
			cells = append(cells, cell)
		}
		samples := measure.Rounds(tasks, p, func(done int) bool {
			step(float64(done) / float64(p.Rounds))
			return ctx.Err() == nil
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for k, i := range racing {
			cells[i].Samples = samples[k]
			if section == Serving {
				cells[i].Bytes, cells[i].Allocs = measure.Allocs(tasks[k])
			}
		}
		r.Cells = append(r.Cells, cells...)
		return nil
	}
	return unit{key: string(section) + "/" + title, cost: lap(p, contenders), run: run}
}

// proven loads a contender that passes Prove for a scenario.
func proven(c contender.Contender, s bench.Scenario) (bench.Loaded, error) {
	if err := bench.Prove(c, s); err != nil {
		return bench.Loaded{}, err
	}
	return bench.Load(c, s)
}

// scalingUnit measures registration and lookups of a generated API, one
// contender after the other, because all routers with 100,000 routes would need
// too much memory. It omits contenders that were too slow with fewer routes.
func scalingUnit(contenders []contender.Contender, part, n int, smaller []int, p Plan) unit {
	name := fmt.Sprint("Scale", n)
	cost := lap(p.Scaling, contenders) + time.Duration(len(contenders))*time.Duration(n)*20*time.Microsecond
	return unit{fmt.Sprintf("%s/%s/%d", Scaling, name, part), cost, func(ctx context.Context, r *Run, step func(float64)) error {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		s := bench.ScaleScenario(n)
		return each(ctx, r, step, contenders, func(c contender.Contender) []Cell {
			lookups := Cell{Section: Scaling, Scenario: name, Contender: c.Name}
			registration := Cell{Section: Registration, Scenario: name, Contender: c.Name}
			if reason := tooSlow(r, c.Name, n, smaller, p.Patience); reason != "" {
				lookups.Cannot, registration.Cannot = reason, reason
				return []Cell{lookups, registration}
			}
			var err error
			if registration.Samples, err = bench.Registration(c, s.Spec.Routes, p.Registrations, time.Second); err != nil {
				registration.Cannot = oneLine(err)
			}
			l, err := proven(c, s)
			if err != nil {
				lookups.Cannot = oneLine(err)
				return []Cell{lookups, registration}
			}
			began := time.Now()
			lookups.Samples = measure.Rounds([]measure.Task{l.Task()}, p.Scaling, func(done int) bool {
				return ctx.Err() == nil && (done < 3 || time.Since(began) < 3*time.Second)
			})[0]
			return []Cell{lookups, registration}
		})
	}}
}

// tooSlow returns the reason why registering n routes would take too long, or
// "". It extrapolates the growth between the two largest measured sizes, and at
// least linear growth.
func tooSlow(r *Run, name string, n int, smaller []int, patience time.Duration) string {
	var sizes []int
	var took []float64 // nanoseconds for all routes
	for _, size := range smaller {
		cell, ok := r.Cell(Registration, fmt.Sprint("Scale", size), name)
		switch {
		case ok:
			sizes = append(sizes, size)
			took = append(took, cell.Samples.Min()*float64(size))
		case len(r.In(Registration, fmt.Sprint("Scale", size))) > 0:
			return fmt.Sprintf("left out: has no figure at %d routes", size)
		}
	}
	if len(sizes) == 0 {
		return ""
	}
	last := len(sizes) - 1
	power := 1.0
	if last > 0 {
		power = max(power, math.Log(took[last]/took[last-1])/math.Log(float64(sizes[last])/float64(sizes[last-1])))
	}
	expected := time.Duration(took[last] * math.Pow(float64(n)/float64(sizes[last]), power))
	if expected > patience {
		return fmt.Sprintf("left out: registering %d routes took %v", sizes[last], time.Duration(took[last]).Round(time.Millisecond))
	}
	return ""
}

// heapUnit measures the heap of each contender with a route set.
func heapUnit(contenders []contender.Contender, set string) unit {
	cost := time.Duration(len(contenders)*len(routes.Load(set).Routes)) * time.Millisecond
	return unit{string(Heap) + "/" + set, cost, func(ctx context.Context, r *Run, step func(float64)) error {
		return each(ctx, r, step, contenders, func(c contender.Contender) []Cell {
			cell := Cell{Section: Heap, Scenario: set, Contender: c.Name}
			bytes, err := bench.Heap(c, routes.Load(set).Routes)
			if cell.Samples = (Samples{bytes}); err != nil {
				cell.Samples, cell.Cannot = nil, oneLine(err)
			}
			return []Cell{cell}
		})
	}}
}

// loadUnit measures servers under load in interleaved rounds. The rounds are
// spread over the passes, so that a few slow seconds of the machine don't decide
// a case. Later passes add samples to those of the first.
func loadUnit(section Section, servers []string, c load.Case, pass int, p Plan) unit {
	plan := p.Load
	plan.Rounds = p.Load.Rounds*(pass+1)/p.LoadPasses - p.Load.Rounds*pass/p.LoadPasses
	run := func(ctx context.Context, r *Run, step func(float64)) error {
		results, err := load.Run(ctx, servers, c, plan, step)
		if err != nil {
			return err
		}
		for i, s := range servers {
			if p.Strict && results[i].Cannot != "" {
				return fmt.Errorf("%s: %s", s, results[i].Cannot)
			}
			r.AddLoad(section, c, s, results[i])
		}
		return nil
	}
	cost := time.Duration(len(servers)) * time.Duration(plan.Rounds) * (plan.Round + 50*time.Millisecond)
	return unit{key: fmt.Sprintf("%s/%s/%d", section, c, pass+1), cost: cost, run: run}
}

// AddLoad adds the rounds of a server to its cell. If there is no cell, it adds
// one.
func (r *Run) AddLoad(section Section, c load.Case, server string, result load.Result) {
	at := slices.IndexFunc(r.Cells, func(cell Cell) bool {
		return cell.Section == section && cell.Scenario == c.String() && cell.Contender == server
	})
	if at < 0 {
		at = len(r.Cells)
		r.Cells = append(r.Cells, Cell{Section: section, Scenario: c.String(), Contender: server, Cannot: result.Cannot})
	}
	cell := &r.Cells[at]
	for _, round := range result.Rounds {
		cell.Samples = append(cell.Samples, round.PerSecond)
		cell.P50 = append(cell.P50, micros(round.P50))
		cell.P99 = append(cell.P99, micros(round.P99))
		if !math.IsNaN(round.CPU) {
			cell.CPU = append(cell.CPU, round.CPU)
		}
	}
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func oneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Plan defines the amount of measurements in a run.
type Plan struct {
	Serving, Parallel, Scaling measure.Plan
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
