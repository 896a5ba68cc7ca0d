package bench

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"runtime"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Bar is a promise about one of our modes: measured as a ratio to a peer in the same run, it is at most (or, for a
// throughput, at least) Bar.
type Bar struct {
	Scenario   string
	Mode, Peer string
	Bar        float64
	AtLeast    bool
	Measure    func(plan measure.Plan) (ratio float64, detail string, err error)
}

const (
	anyMode = "muxmaster"
	pooled  = "muxmaster pooled"
	fast    = "muxmaster fast pooled"
)

// Bars lists the promises.
func Bars() []Bar {
	timed := func(s Scenario, rows ...Bar) []Bar {
		return timedBars(func() Scenario { return s }, s.Title, rows)
	}
	scaled := func(n int, rows ...Bar) []Bar {
		return timedBars(func() Scenario { return ScaleScenario(n) }, fmt.Sprintf("%d routes, random lookups", n), rows)
	}
	s := map[string]Scenario{}
	for _, x := range Scenarios() {
		s[x.Name] = x
	}
	var bars []Bar
	for _, group := range [][]Bar{
		timed(s["Static"], Bar{Mode: anyMode, Peer: "httprouter", Bar: 0.22}, Bar{Mode: pooled, Peer: "httprouter", Bar: 0.22}),
		timed(s["GitHub"],
			Bar{Mode: pooled, Peer: "gin", Bar: 0.45}, Bar{Mode: pooled, Peer: "bunrouter", Bar: 0.55},
			Bar{Mode: anyMode, Peer: "gin", Bar: 0.85}),
		timed(s["GPlus"], Bar{Mode: pooled, Peer: "bunrouter", Bar: 0.80}),
		timed(s["Parse"], Bar{Mode: pooled, Peer: "bunrouter", Bar: 0.80}),
		timed(s["Param1"],
			Bar{Mode: pooled, Peer: "bunrouter", Bar: 1.0}, Bar{Mode: pooled, Peer: "httprouter", Bar: 0.45},
			Bar{Mode: anyMode, Peer: "httprouter", Bar: 0.95}, Bar{Mode: fast, Peer: "bunrouter", Bar: 1.0}),
		timed(s["Param5"], Bar{Mode: pooled, Peer: "bunrouter", Bar: 0.55}),
		timed(s["Param20"], Bar{Mode: pooled, Peer: "gin", Bar: 0.75}),
		timed(s["CatchAll"], Bar{Mode: pooled, Peer: "httprouter", Bar: 0.60}),
		timed(s["ParamRead"],
			Bar{Mode: pooled, Peer: "http.ServeMux", Bar: 0.22}, Bar{Mode: anyMode, Peer: "http.ServeMux", Bar: 0.35}),
		timed(s["NotFound"], Bar{Mode: anyMode, Peer: "httprouter", Bar: 0.5}),
		{notFoundAllocs()},
		timed(s["MethodNotAllowed"], Bar{Mode: anyMode, Peer: "http.ServeMux", Bar: 0.25}),
		{twoCores(s["Param1"])},
		heapBars("static", "github", "gplus", "parse"),
		scaled(10_000, Bar{Mode: pooled, Peer: "httprouter", Bar: 0.60}),
		scaled(50_000, Bar{Mode: pooled, Peer: "httprouter", Bar: 0.60}),
		{lookupGrowth(10_000, 100), registrationGrowth(50_000, 1_000)},
		{backtrackGrowth(128, 16), backtrackAllocs(128)},
	} {
		bars = append(bars, group...)
	}
	return bars
}

// PrintBars measures the bars that match the expression and prints a line for each as soon as it is known. It tells
// whether all of them hold.
func PrintBars(w io.Writer, match *regexp.Regexp, plan measure.Plan) (ok bool) {
	ok = true
	const columns = "%-58s %-21s %-21s %7s %8s  %-5s %s\n"
	fmt.Fprintf(w, columns, "scenario", "mode", "peer", "bar", "measured", "", "")
	for _, b := range Bars() {
		if !match.MatchString(b.Scenario + " " + b.Mode + " " + b.Peer) {
			continue
		}
		sign, verdict := "<=", "pass"
		if b.AtLeast {
			sign = ">="
		}
		ratio, detail, err := b.Measure(plan)
		switch {
		case err != nil:
			verdict, detail, ok = "ERROR", err.Error(), false
		case b.AtLeast && ratio < b.Bar, !b.AtLeast && ratio > b.Bar:
			verdict, ok = "FAIL", false
		}
		fmt.Fprintf(w, columns, b.Scenario, b.Mode, b.Peer, fmt.Sprintf("%s %.2f", sign, b.Bar), fmt.Sprintf("%.3f", ratio), verdict, detail)
	}
	return ok
}

// timedBars shares one measurement of the scenario between its rows: everyone who is named in one of them runs against
// everyone else.
func timedBars(scenario func() Scenario, title string, rows []Bar) []Bar {
	for i := range rows {
		rows[i].Scenario = title
		rows[i].Measure = func(plan measure.Plan) (float64, string, error) {
			times, err := raceNamed(scenario(), plan, rows[i].Mode, rows[i].Peer)
			if err != nil {
				return math.NaN(), "", err
			}
			return times[0] / times[1], fmt.Sprintf("%.1f ns to %.1f ns", times[0], times[1]), nil
		}
	}
	return rows
}

// raceNamed proves the named contenders and returns the minimum of each one's nanoseconds per request.
func raceNamed(s Scenario, plan measure.Plan, names ...string) ([]float64, error) {
	var tasks []measure.Task
	for _, name := range names {
		c, err := contender.Named(name)
		if err != nil {
			return nil, err
		}
		if err := Prove(c, s); err != nil {
			return nil, fmt.Errorf("%s routes wrongly: %w", name, err)
		}
		task, err := NewTask(c, s)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var best []float64
	for _, samples := range measure.Rounds(tasks, plan, nil) {
		best = append(best, measure.Min(samples))
	}
	return best, nil
}

// notFoundAllocs counts what our 404 allocates beyond what http.NotFound itself does.
func notFoundAllocs() Bar {
	return Bar{
		Scenario: "404, allocations beyond http.NotFound's own", Mode: anyMode, Peer: "http.NotFound", Bar: 1,
		Measure: func(measure.Plan) (float64, string, error) {
			s, err := scenarioNamed("NotFound")
			if err != nil {
				return math.NaN(), "", err
			}
			c, err := contender.Named(anyMode)
			if err != nil {
				return math.NaN(), "", err
			}
			task, err := NewTask(c, s)
			if err != nil {
				return math.NaN(), "", err
			}
			_, ours := measure.Allocs(task)
			_, std := measure.Allocs(measure.Task{Run: httpRunner(http.HandlerFunc(http.NotFound), s.Requests, false), Ops: len(s.Requests)})
			return ours - std, fmt.Sprintf("%.2f and %.2f per request", ours, std), nil
		},
	}
}

func scenarioNamed(name string) (Scenario, error) {
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, nil
		}
	}
	return Scenario{}, fmt.Errorf("bench: there is no scenario %q", name)
}

func twoCores(s Scenario) Bar {
	return Bar{
		Scenario: "two cores, 1 parameter", Mode: pooled, Peer: "itself on one", Bar: 1.9, AtLeast: true,
		Measure: func(plan measure.Plan) (float64, string, error) {
			if runtime.NumCPU() < 2 {
				return math.NaN(), "", fmt.Errorf("this machine has one core")
			}
			c, err := contender.Named(pooled)
			if err != nil {
				return math.NaN(), "", err
			}
			h := c.Load(s.Spec) // one router, shared
			newTask := func() measure.Task {
				return measure.Task{Run: httpRunner(h, s.Requests, false), Ops: len(s.Requests)}
			}
			one, two := 0.0, 0.0
			for range plan.Rounds {
				one = max(one, measure.Throughput(newTask, 1, 1, plan.Round))
				two = max(two, measure.Throughput(newTask, 2, 1, plan.Round))
			}
			return two / one, fmt.Sprintf("%.1f and %.1f million requests/s", two/1e6, one/1e6), nil
		},
	}
}

// heapBars compare what the loaded sets keep alive.
func heapBars(sets ...string) []Bar {
	var bars []Bar
	for _, name := range sets {
		bars = append(bars, Bar{
			Scenario: "heap after loading " + name, Mode: anyMode, Peer: "httprouter", Bar: 1,
			Measure: func(measure.Plan) (float64, string, error) {
				ours, err := HeapOf(anyMode, routes.Load(name).Routes)
				if err != nil {
					return math.NaN(), "", err
				}
				peer, err := HeapOf("httprouter", routes.Load(name).Routes)
				return ours / peer, fmt.Sprintf("%.0f B to %.0f B", ours, peer), err
			},
		})
	}
	return bars
}

// HeapOf measures the bytes that the contender's router keeps alive with these routes, the first request served.
func HeapOf(name string, rs []routes.Route) (float64, error) {
	c, err := contender.Named(name)
	if err != nil {
		return math.NaN(), err
	}
	spec := contender.Spec{Routes: rs}
	first := Request{Method: rs[0].Method, Path: rs[0].NamedPath()}
	if c.LoadFast != nil {
		return measure.Heap(func() any {
			h := c.LoadFast(spec)
			h(newRequestCtx(first))
			return h
		}), nil
	}
	return measure.Heap(func() any {
		h := c.Load(spec)
		httpRunner(h, []Request{first}, false)(1)
		return h
	}), nil
}

// lookupGrowth compares one of our routers with another of its own, smaller.
func lookupGrowth(many, few int) Bar {
	return Bar{
		Scenario: fmt.Sprintf("%d routes, random lookups", many), Mode: pooled, Peer: fmt.Sprintf("itself at %d routes", few), Bar: 2.5,
		Measure: func(plan measure.Plan) (float64, string, error) {
			c, err := contender.Named(pooled)
			if err != nil {
				return math.NaN(), "", err
			}
			large, err := NewTask(c, ScaleScenario(many))
			if err != nil {
				return math.NaN(), "", err
			}
			small, err := NewTask(c, ScaleScenario(few))
			if err != nil {
				return math.NaN(), "", err
			}
			a, b := race(plan, large, small)
			return a / b, fmt.Sprintf("%.1f ns to %.1f ns", a, b), nil
		},
	}
}

// race returns the minimum of each of two tasks on one core.
func race(plan measure.Plan, a, b measure.Task) (minA, minB float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	samples := measure.Rounds([]measure.Task{a, b}, plan, nil)
	return measure.Min(samples[0]), measure.Min(samples[1])
}

// RegistrationTime is the best of rounds: nanoseconds per route to register them all and serve a first request.
func RegistrationTime(c contender.Contender, rs []routes.Route, rounds int, deadline time.Time) float64 {
	spec := contender.Spec{Routes: rs}
	first := Request{Method: rs[0].Method, Path: rs[0].NamedPath()}
	best := math.Inf(1)
	for i := range rounds {
		if i > 0 && time.Now().After(deadline) {
			break
		}
		runtime.GC()
		start := time.Now()
		if c.LoadFast != nil {
			c.LoadFast(spec)(newRequestCtx(first))
		} else {
			httpRunner(c.Load(spec), []Request{first}, false)(1)
		}
		best = min(best, float64(time.Since(start).Nanoseconds())/float64(len(rs)))
	}
	return best
}

func registrationGrowth(many, few int) Bar {
	return Bar{
		Scenario: fmt.Sprintf("%d routes registered, first request served, per route", many), Mode: anyMode,
		Peer: fmt.Sprintf("itself at %d routes", few), Bar: 2,
		Measure: func(plan measure.Plan) (float64, string, error) {
			c, err := contender.Named(anyMode)
			if err != nil {
				return math.NaN(), "", err
			}
			deadline := time.Now().Add(2 * time.Second)
			large := RegistrationTime(c, routes.Scale(many).Routes, 5, deadline)
			small := RegistrationTime(c, routes.Scale(few).Routes, 20, deadline.Add(time.Second))
			return large / small, fmt.Sprintf("%.0f ns to %.0f ns per route", large, small), nil
		},
	}
}

// backtrackScenario is the search that has to come back from every level.
func backtrackScenario(depth int) Scenario {
	set, path := routes.Backtrack(depth)
	return Scenario{
		Name: fmt.Sprintf("Backtrack%d", depth), Spec: contender.Spec{Routes: set.Routes}, Status: http.StatusOK,
		Requests: []Request{{Method: http.MethodGet, Path: path, Route: 0, Values: []string{path[1:]}}},
	}
}

func backtrackGrowth(deep, shallow int) Bar {
	return Bar{
		Scenario: fmt.Sprintf("backtracking over %d levels, per level", deep), Mode: pooled,
		Peer: fmt.Sprintf("itself over %d", shallow), Bar: 1.5,
		Measure: func(plan measure.Plan) (float64, string, error) {
			c, err := contender.Named(pooled)
			if err != nil {
				return math.NaN(), "", err
			}
			var tasks []measure.Task
			for _, depth := range []int{deep, shallow} {
				s := backtrackScenario(depth)
				if err := Prove(c, s); err != nil {
					return math.NaN(), "", err
				}
				task, err := NewTask(c, s)
				if err != nil {
					return math.NaN(), "", err
				}
				tasks = append(tasks, task)
			}
			a, b := race(plan, tasks[0], tasks[1])
			a, b = a/float64(deep), b/float64(shallow)
			return a / b, fmt.Sprintf("%.1f ns to %.1f ns per level", a, b), nil
		},
	}
}

func backtrackAllocs(depth int) Bar {
	return Bar{
		Scenario: fmt.Sprintf("backtracking over %d levels, allocations", depth), Mode: pooled, Peer: "none", Bar: 0,
		Measure: func(measure.Plan) (float64, string, error) {
			c, err := contender.Named(pooled)
			if err != nil {
				return math.NaN(), "", err
			}
			task, err := NewTask(c, backtrackScenario(depth))
			if err != nil {
				return math.NaN(), "", err
			}
			bytes, allocs := measure.Allocs(task)
			return allocs, fmt.Sprintf("%.0f B per request", bytes), nil
		},
	}
}
