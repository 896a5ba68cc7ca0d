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
		{notFoundAllocs(s["NotFound"])},
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

// timedBars completes rows about one scenario.
func timedBars(scenario func() Scenario, title string, rows []Bar) []Bar {
	for i := range rows {
		rows[i].Scenario = title
		rows[i].Measure = func(plan measure.Plan) (float64, string, error) {
			s := scenario()
			a, b, err := raceNamed(plan, rows[i].Mode, s, rows[i].Peer, s)
			return a / b, fmt.Sprintf("%.1f ns to %.1f ns", a, b), err
		}
	}
	return rows
}

// provenTask proves that the contender of that name routes the scenario rightly, and loads it.
func provenTask(name string, s Scenario) (measure.Task, error) {
	c, err := contender.Named(name)
	if err != nil {
		return measure.Task{}, err
	}
	if err := Prove(c, s); err != nil {
		return measure.Task{}, fmt.Errorf("%s routes wrongly: %w", name, err)
	}
	l, err := Load(c, s)
	if err != nil {
		return measure.Task{}, err
	}
	return l.Task(), nil
}

// race returns the minimum of nanoseconds per operation of each of two tasks.
func race(plan measure.Plan, cores int, a, b measure.Task) (minA, minB float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	samples := measure.Rounds([]measure.Task{a, b}, plan, nil)
	return measure.Min(samples[0]), measure.Min(samples[1])
}

// raceNamed races two contenders over a scenario, on one core.
func raceNamed(plan measure.Plan, mode string, s Scenario, peer string, peerScenario Scenario) (ours, theirs float64, err error) {
	a, err := provenTask(mode, s)
	if err != nil {
		return 0, 0, err
	}
	b, err := provenTask(peer, peerScenario)
	if err != nil {
		return 0, 0, err
	}
	ours, theirs = race(plan, 1, a, b)
	return ours, theirs, nil
}

// notFoundAllocs counts what our 404 allocates beyond what http.NotFound itself does.
func notFoundAllocs(s Scenario) Bar {
	return Bar{
		Scenario: "404, allocations beyond http.NotFound's own", Mode: anyMode, Peer: "http.NotFound", Bar: 1,
		Measure: func(measure.Plan) (float64, string, error) {
			task, err := provenTask(anyMode, s)
			if err != nil {
				return math.NaN(), "", err
			}
			run := httpRunner(http.HandlerFunc(http.NotFound), false)
			_, ours := measure.Allocs(task)
			_, std := measure.Allocs(measure.Task{Run: func(n int) { run(n, s.Requests) }, Ops: len(s.Requests)})
			return ours - std, fmt.Sprintf("%.2f and %.2f per request", ours, std), nil
		},
	}
}

// twoCores holds one router served from two goroutines against the same from one.
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
			l, err := Load(c, s)
			if err != nil {
				return math.NaN(), "", err
			}
			two, one := race(plan, 2, l.Spread(2), l.Task())
			return one / two, fmt.Sprintf("%.1f to %.1f million requests/s", 1e3/two, 1e3/one), nil
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
				set := routes.Load(name)
				var bytes [2]float64
				for i, name := range []string{anyMode, "httprouter"} {
					c, err := contender.Named(name)
					if err != nil {
						return math.NaN(), "", err
					}
					bytes[i] = Heap(c, set.Routes)
				}
				return bytes[0] / bytes[1], fmt.Sprintf("%.0f B to %.0f B", bytes[0], bytes[1]), nil
			},
		})
	}
	return bars
}

// lookupGrowth compares one of our routers with a smaller one.
func lookupGrowth(many, few int) Bar {
	return Bar{
		Scenario: fmt.Sprintf("%d routes, random lookups", many), Mode: pooled, Peer: fmt.Sprintf("itself at %d routes", few), Bar: 2.5,
		Measure: func(plan measure.Plan) (float64, string, error) {
			a, b, err := raceNamed(plan, pooled, ScaleScenario(many), pooled, ScaleScenario(few))
			return a / b, fmt.Sprintf("%.1f ns to %.1f ns", a, b), err
		},
	}
}

func registrationGrowth(many, few int) Bar {
	return Bar{
		Scenario: fmt.Sprintf("%d routes registered and one served, per route", many), Mode: anyMode,
		Peer: fmt.Sprintf("itself at %d routes", few), Bar: 2,
		Measure: func(plan measure.Plan) (float64, string, error) {
			c, err := contender.Named(anyMode)
			if err != nil {
				return math.NaN(), "", err
			}
			large := measure.Min(Registration(c, routes.Scale(many).Routes, 5, time.Second))
			small := measure.Min(Registration(c, routes.Scale(few).Routes, 20, time.Second))
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
			a, b, err := raceNamed(plan, pooled, backtrackScenario(deep), pooled, backtrackScenario(shallow))
			a, b = a/float64(deep), b/float64(shallow)
			return a / b, fmt.Sprintf("%.1f ns to %.1f ns per level", a, b), err
		},
	}
}

func backtrackAllocs(depth int) Bar {
	return Bar{
		Scenario: fmt.Sprintf("backtracking over %d levels, allocations", depth), Mode: pooled, Peer: "none", Bar: 0,
		Measure: func(measure.Plan) (float64, string, error) {
			task, err := provenTask(pooled, backtrackScenario(depth))
			if err != nil {
				return math.NaN(), "", err
			}
			bytes, allocs := measure.Allocs(task)
			return allocs, fmt.Sprintf("%.0f B per request", bytes), nil
		},
	}
}
