package showdown

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
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
func units(entrants []entrant, p plan) []unit {
	var us []unit
	routers := slices.DeleteFunc(slices.Clone(entrants), func(e entrant) bool { return e.In(contender.Floor) })
	for _, s := range bench.Scenarios() {
		us = append(us, servingUnit(entrants, s, p.serving))
		if s.Name == "ParamRead" || s.Name == "GitHub" {
			us = append(us, benchmarkUnit(entrants, s.Name))
		}
	}
	us = append(us, parallelUnit(routers, p.parallel))
	if p.conditions {
		us = append(us, conditionUnits(slices.DeleteFunc(slices.Clone(routers), func(e entrant) bool { return !slices.Contains(inConditions, e.Name) }), p.serving)...)
	}
	for i, n := range p.scales {
		// They don't race here, so that a large size can be done in parts.
		size := len(routers)
		if n > 10_000 {
			size = 7
		}
		part := 0
		for some := range slices.Chunk(routers, size) {
			part++
			us = append(us, scalingUnit(some, part, n, p.scales[:i], p))
		}
	}
	for _, set := range p.heapSets {
		us = append(us, heapUnit(routers, set))
	}
	self, _ := os.Executable() // in localEntrants, it succeeded
	for pass := range p.loadPasses {
		for _, c := range p.loadCases {
			us = append(us, loadUnit(Load, underLoad(entrants), c, pass+1, p.load))
			us = append(us, loadUnit(Servers, load.All(self), c, pass+1, p.load))
		}
	}
	return us
}

// Units lists the keys of a run's units.
func Units(quick bool) (keys []string) {
	for _, u := range units([]entrant{{}}, newPlan(quick)) {
		keys = append(keys, u.key)
	}
	return keys
}

// inConditions are the contenders that are measured under other conditions.
var inConditions = []string{"muxmaster", "muxmaster pooled", "gin", "echo", "bunrouter", "fox", "httprouter"}

// underLoad selects the contenders for the load tests, with both kinds of
// handlers. Fewer servers allow more rounds.
func underLoad(entrants []entrant) (servers []load.Server) {
	for _, e := range entrants {
		router, _, _ := strings.Cut(e.Name, " (")
		switch router {
		case "no router", "muxmaster", "muxmaster pooled", "http.ServeMux", "gin", "echo", "bunrouter", "fox", "httprouter", "chi", "gorilla/mux":
			servers = append(servers, load.Server{Name: e.Name, Binary: e.binary})
		}
	}
	return servers
}

// lap estimates the time of a plan, including calibration and Prove.
func lap(p measure.Plan, entrants []entrant) time.Duration {
	const around = 30 * time.Millisecond
	return time.Duration(len(entrants)) * (around + time.Duration(p.Rounds)*(p.Round+time.Millisecond))
}

// servingUnit measures all contenders in one scenario, on one core.
func servingUnit(entrants []entrant, s bench.Scenario, p measure.Plan) unit {
	return raceUnit(Serving, s.Name, s.Name, bench.Usual, entrants, p)
}

// benchmarkUnit runs a scenario as a Go benchmark, one contender after the
// other, because a garbage collection must not fall into the time of another
// contender.
func benchmarkUnit(entrants []entrant, scenario string) unit {
	const samples = 3
	cost := time.Duration(len(entrants)) * samples * 1200 * time.Millisecond
	return unitOfEach(string(Benchmark)+"/"+scenario, cost, entrants, func(_ context.Context, _ *Run, e entrant) ([]Cell, error) {
		cell := Cell{Section: Benchmark, Scenario: scenario, Contender: e.Name}
		var a Reply
		if _, err := e.proven(scenario, bench.Usual); err != nil {
			cell.Cannot = oneLine(err)
		} else if err := e.call("Benchmark", Job{Samples: samples}, &a); err != nil {
			return nil, err
		}
		cell.Samples = a.Samples
		return []Cell{cell}, e.call("Unload", Job{}, new(Reply))
	})
}

// unitOfEach returns a unit that measures one entrant after the other.
func unitOfEach(key string, cost time.Duration, entrants []entrant, measure func(context.Context, *Run, entrant) ([]Cell, error)) unit {
	return unit{key, cost, func(ctx context.Context, r *Run, step func(float64)) error {
		var cells []Cell
		for i, e := range entrants {
			step(float64(i) / float64(len(entrants)))
			more, err := measure(ctx, r, e)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return err
			}
			cells = append(cells, more...)
		}
		r.Cells = append(r.Cells, cells...)
		return nil
	}}
}

// parallelUnit measures all contenders with one goroutine per core.
func parallelUnit(entrants []entrant, p measure.Plan) unit {
	return raceUnit(Parallel, fmt.Sprintf("1 parameter, %d cores", runtime.NumCPU()), "Param1", bench.AllCores, entrants, p)
}

// conditionUnits measure contenders under other conditions.
func conditionUnits(entrants []entrant, p measure.Plan) (us []unit) {
	for _, c := range bench.Conditions() {
		for _, scenario := range []string{"Param1", "GitHub"} {
			if c.Processors <= runtime.NumCPU() {
				us = append(us, raceUnit(Section(c.Name), scenario, scenario, c, entrants, c.Plan(p)))
			}
		}
	}
	return us
}

// raceUnit checks all contenders with Prove and measures those that pass in
// interleaved rounds. title is the scenario of the cells.
func raceUnit(section Section, title, scenario string, condition bench.Condition, entrants []entrant, p measure.Plan) unit {
	run := func(ctx context.Context, r *Run, step func(float64)) error {
		defer condition.Begin()()
		var cells []Cell
		var tasks []measure.Task
		var racing []int // indices of cells
		for _, e := range entrants {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			cell := Cell{Section: section, Scenario: title, Contender: e.Name}
			task, err := e.proven(scenario, condition)
			if err != nil {
				cell.Cannot = oneLine(err)
			} else {
				racing = append(racing, len(cells))
				tasks = append(tasks, task)
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
		}
		for i, e := range entrants {
			var a Reply
			if section == Serving && cells[i].Cannot == "" {
				if err := e.call("Allocs", Job{}, &a); err != nil {
					return err
				}
				cells[i].Bytes, cells[i].Allocs = a.Bytes, a.Allocs
			}
			if err := e.call("Unload", Job{}, &a); err != nil {
				return err
			}
		}
		r.Cells = append(r.Cells, cells...)
		return nil
	}
	return unit{key: string(section) + "/" + title, cost: lap(p, entrants), run: run}
}

// proven checks the entrant with Prove and loads it for a scenario.
func (e entrant) proven(scenario string, condition bench.Condition) (measure.Task, error) {
	if err := e.call("Prove", Job{Contender: e.Name, Scenario: scenario}, new(Reply)); err != nil {
		return measure.Task{}, err
	}
	return e.task(scenario, condition)
}

// scalingUnit measures registration and lookups of a generated API, one entrant
// after the other, because all routers with 100,000 routes would need too much
// memory. It omits contenders that were too slow with fewer routes.
func scalingUnit(entrants []entrant, part, n int, smaller []int, p plan) unit {
	scenario := fmt.Sprint("Scale", n)
	cost := lap(p.scaling, entrants) + time.Duration(len(entrants))*time.Duration(n)*20*time.Microsecond
	return unitOfEach(fmt.Sprintf("%s/%s/%d", Scaling, scenario, part), cost, entrants, func(ctx context.Context, r *Run, e entrant) ([]Cell, error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		lookups := Cell{Section: Scaling, Scenario: scenario, Contender: e.Name}
		registration := Cell{Section: Registration, Scenario: scenario, Contender: e.Name}
		if reason := tooSlow(r, e.Name, n, smaller, p.patience); reason != "" {
			lookups.Cannot, registration.Cannot = reason, reason
			return []Cell{lookups, registration}, nil
		}
		var a Reply
		job := Job{Contender: e.Name, Scenario: scenario, Samples: p.registrations, Limit: time.Second}
		if err := e.call("Register", job, &a); err != nil {
			registration.Cannot = oneLine(err)
		} else {
			registration.Samples = a.Samples
		}
		task, err := e.proven(scenario, bench.Usual)
		if err != nil {
			lookups.Cannot = oneLine(err)
		} else {
			began := time.Now()
			lookups.Samples = measure.Rounds([]measure.Task{task}, p.scaling, func(done int) bool {
				return ctx.Err() == nil && (done < 3 || time.Since(began) < 3*time.Second)
			})[0]
		}
		return []Cell{lookups, registration}, e.call("Unload", Job{}, &a)
	})
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
func heapUnit(entrants []entrant, set string) unit {
	cost := time.Duration(len(entrants)*len(routes.Load(set).Routes)) * time.Millisecond
	return unitOfEach(string(Heap)+"/"+set, cost, entrants, func(_ context.Context, _ *Run, e entrant) ([]Cell, error) {
		var a Reply
		cell := Cell{Section: Heap, Scenario: set, Contender: e.Name}
		if err := e.call("Heap", Job{Contender: e.Name, Scenario: set}, &a); err != nil {
			cell.Cannot = oneLine(err)
		} else {
			cell.Samples = Samples{a.Bytes}
		}
		return []Cell{cell}, nil
	})
}

// loadUnit measures servers under load in interleaved rounds. Later passes add
// samples to those of the first.
func loadUnit(section Section, servers []load.Server, c load.Case, pass int, p load.Plan) unit {
	run := func(ctx context.Context, r *Run, step func(float64)) error {
		results, err := load.Run(ctx, servers, c, p, step)
		if err != nil {
			return err
		}
		for i, s := range servers {
			r.AddLoad(section, c, s.Name, results[i])
		}
		return nil
	}
	cost := time.Duration(len(servers)) * time.Duration(p.Rounds) * (p.Round + 50*time.Millisecond)
	return unit{key: fmt.Sprintf("%s/%s/%d", section, c, pass), cost: cost, run: run}
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
