package target

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// A Check is a target that isn't a race. Measure sets its value.
type Check struct {
	Line
	Measure func(plan measure.Plan) (value float64, detail string, err error)
}

// Run measures the check.
func (c Check) Run(plan measure.Plan) Line {
	c.Line.Value, c.Line.Detail, c.Line.Err = c.Measure(plan)
	return c.Line
}

// Checks lists the checks in the order of the report.
func Checks() []Check {
	checks := allocations()
	for _, n := range []int{100, 1000, 10_000} {
		checks = append(checks, Check{
			Line{What: fmt.Sprintf("%d routes registered, one request served, per route", n), Mode: defaultMode, Bound: 3000, Unit: "ns"},
			func(plan measure.Plan) (float64, string, error) {
				samples, err := register(plan, n, defaultMode)
				return samples[0], "", err
			},
		})
	}
	return append(checks,
		registrationRatio(),
		oneMoreRoute(),
		registrationGrowth(50_000, 1000),
		twoCores(defaultMode), twoCores(pooled),
		heap("static"), heap("github"), heap("gplus"), heap("parse"),
		lookupGrowth(10_000, 100),
		backtracking(128, 16), backtrackingAllocations(128),
	)
}

// allocations returns the checks of allocations per request. They count enough
// requests to average allocations that serve several requests.
func allocations() []Check {
	count := func(scenario string, pick func(bytes, allocs float64) float64) func(measure.Plan) (float64, string, error) {
		return func(measure.Plan) (float64, string, error) {
			s, err := bench.ScenarioNamed(scenario)
			if err != nil {
				return 0, "", err
			}
			l, err := proven(defaultMode, s)
			if err != nil {
				return 0, "", err
			}
			return pick(measure.Allocs(l.Task())), "", nil
		}
	}
	allocs := func(_, allocs float64) float64 { return allocs }
	bytes := func(bytes, _ float64) float64 { return bytes }
	return []Check{
		{Line{What: "1 parameter, allocations per request", Mode: defaultMode, Bound: 0.02, Unit: "allocations"}, count("Param1", allocs)},
		{Line{What: "1 parameter, bytes per request", Mode: defaultMode, Bound: 17, Unit: "B"}, count("Param1", bytes)},
		{Line{What: "404, allocations per request", Mode: defaultMode, Bound: 1, Unit: "allocations"}, count("NotFound", allocs)},
	}
}

// register returns the minimum of nanoseconds per route of each contender for
// registering a generated API and serving its first route.
func register(plan measure.Plan, n int, names ...string) ([]float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rs := routes.Scale(n).Routes
	var tasks []measure.Task
	for _, name := range names {
		c, err := contender.Named(name)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, measure.Task{Ops: n, Run: func(times int) {
			for range times {
				bench.LoadAndServe(c, rs)
			}
		}})
	}
	plan.Rounds = max(3, min(plan.Rounds, 10))
	var out []float64
	for _, samples := range measure.Rounds(tasks, plan, nil) {
		out = append(out, measure.Min(samples))
	}
	return out, nil
}

func registrationRatio() Check {
	return Check{
		Line{What: "1000 routes registered, one request served", Mode: defaultMode, Peer: "chi", Bound: 4},
		func(plan measure.Plan) (float64, string, error) {
			ns, err := register(plan, 1000, defaultMode, "chi")
			if err != nil {
				return 0, "", err
			}
			return ns[0] / ns[1], fmt.Sprintf("%.0f ns to %.0f ns a route", ns[0], ns[1]), nil
		},
	}
}

func registrationGrowth(many, few int) Check {
	return Check{
		Line{
			What: fmt.Sprintf("%d routes registered, one request served, per route", many), Mode: defaultMode,
			Peer: fmt.Sprintf("itself at %d routes", few), Bound: 2,
		},
		func(plan measure.Plan) (float64, string, error) {
			plan.Rounds = min(plan.Rounds, 5)
			a, err := register(plan, many, defaultMode)
			if err != nil {
				return 0, "", err
			}
			b, err := register(plan, few, defaultMode)
			if err != nil {
				return 0, "", err
			}
			return a[0] / b[0], fmt.Sprintf("%.0f ns to %.0f ns a route", a[0], b[0]), nil
		},
	}
}

// oneMoreRoute adds routes to a Mux that already has 10,000. It measures the CPU
// time, of all processors, until a request for the new route is served.
func oneMoreRoute() Check {
	return Check{
		Line{What: "adding a route to a Mux with 10000 routes, CPU time until the route is served", Mode: defaultMode, Bound: 10, Unit: "ms"},
		func(plan measure.Plan) (float64, string, error) {
			l, err := proven(defaultMode, bench.ScaleScenario(10_000))
			if err != nil {
				return 0, "", err
			}
			mux, ok := l.Handler().(*muxmaster.Mux)
			if !ok {
				return 0, "", fmt.Errorf("the contender %s is a %T", defaultMode, l.Handler())
			}
			serve := func(path string) int {
				r, err := http.NewRequest(http.MethodGet, "http://example.com"+path, nil)
				if err != nil {
					panic(err)
				}
				w := bench.NewWriter()
				mux.ServeHTTP(w, r)
				return w.Status
			}
			serve("/")
			var ms []float64
			for i := range max(5, plan.Rounds) {
				before := measure.CPU()
				mux.GET(fmt.Sprintf("/one/more/%d/:id", i), func(http.ResponseWriter, *http.Request) {})
				if status := serve(fmt.Sprintf("/one/more/%d/x", i)); status != http.StatusOK {
					return 0, "", fmt.Errorf("the new route returns status %d", status)
				}
				took := measure.CPU() - before
				if took == 0 {
					return 0, "", errors.New("the CPU time is unknown on this system")
				}
				ms = append(ms, float64(took)/float64(time.Millisecond))
			}
			return measure.Median(ms), fmt.Sprintf("median of %d, the least is %.1f ms", len(ms), measure.Min(ms)), nil
		},
	}
}

// twoCores compares one router that serves two goroutines with the same router
// and one goroutine.
func twoCores(mode string) Check {
	return Check{
		Line{What: "1 parameter, throughput of two processors", Mode: mode, Peer: "itself on one", Bound: 1.9, AtLeast: true},
		func(plan measure.Plan) (float64, string, error) {
			if runtime.NumCPU() < 2 {
				return 0, "", errors.New("it needs 2 processors")
			}
			s, err := bench.ScenarioNamed("Param1")
			if err != nil {
				return 0, "", err
			}
			l, err := proven(mode, s)
			if err != nil {
				return 0, "", err
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			// Short rounds would mostly measure how long the second processor takes
			// to wake up.
			plan = measure.Plan{Rounds: max(3, plan.Rounds/10), Round: 50 * plan.Round}
			samples := measure.Rounds([]measure.Task{l.Spread(2), l.Task()}, plan, nil)
			two, one := measure.Min(samples[0]), measure.Min(samples[1])
			return one / two, fmt.Sprintf("%.1f to %.1f million requests/s", 1e3/two, 1e3/one), nil
		},
	}
}

// heap compares the heap that routers use for a route set.
func heap(set string) Check {
	return Check{
		Line{What: "heap after loading " + set, Mode: defaultMode, Peer: "httprouter", Bound: 1},
		func(measure.Plan) (float64, string, error) {
			var bytes [2]float64
			for i, name := range []string{defaultMode, "httprouter"} {
				c, err := contender.Named(name)
				if err != nil {
					return 0, "", err
				}
				bytes[i] = bench.Heap(c, routes.Load(set).Routes)
			}
			return bytes[0] / bytes[1], fmt.Sprintf("%.0f B to %.0f B", bytes[0], bytes[1]), nil
		},
	}
}

// pair measures one of our modes in two scenarios.
func pair(plan measure.Plan, a, b bench.Scenario) (nsA, nsB float64, err error) {
	var tasks []measure.Task
	for _, s := range []bench.Scenario{a, b} {
		l, err := proven(pooled, s)
		if err != nil {
			return 0, 0, err
		}
		tasks = append(tasks, l.Task())
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	samples := measure.Rounds(tasks, plan, nil)
	return measure.Min(samples[0]), measure.Min(samples[1]), nil
}

func lookupGrowth(many, few int) Check {
	return Check{
		Line{What: fmt.Sprintf("%d routes, random lookups", many), Mode: pooled, Peer: fmt.Sprintf("itself at %d routes", few), Bound: 2.5},
		func(plan measure.Plan) (float64, string, error) {
			a, b, err := pair(plan, bench.ScaleScenario(many), bench.ScaleScenario(few))
			return a / b, fmt.Sprintf("%.1f ns to %.1f ns", a, b), err
		},
	}
}

// backtrackScenario returns a scenario in which the search must backtrack from
// every level.
func backtrackScenario(depth int) bench.Scenario {
	set, path := routes.Backtrack(depth)
	return bench.Scenario{
		Name: fmt.Sprintf("Backtrack%d", depth), Spec: contender.Spec{Routes: set.Routes}, Status: http.StatusOK,
		Requests: []bench.Request{{Method: http.MethodGet, Path: path, Route: 0, Values: []string{path[1:]}}},
	}
}

func backtracking(deep, shallow int) Check {
	return Check{
		Line{What: fmt.Sprintf("backtracking over %d levels, per level", deep), Mode: pooled, Peer: fmt.Sprintf("itself with %d levels", shallow), Bound: 1.5},
		func(plan measure.Plan) (float64, string, error) {
			a, b, err := pair(plan, backtrackScenario(deep), backtrackScenario(shallow))
			a, b = a/float64(deep), b/float64(shallow)
			return a / b, fmt.Sprintf("%.1f ns to %.1f ns a level", a, b), err
		},
	}
}

func backtrackingAllocations(depth int) Check {
	return Check{
		Line{What: fmt.Sprintf("backtracking over %d levels", depth), Mode: pooled, Bound: 0, Unit: "allocations"},
		func(measure.Plan) (float64, string, error) {
			l, err := proven(pooled, backtrackScenario(depth))
			if err != nil {
				return 0, "", err
			}
			_, allocs := measure.Allocs(l.Task())
			return allocs, "", nil
		},
	}
}
