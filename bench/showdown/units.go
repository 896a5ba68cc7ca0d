package showdown

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Plan defines the amount of measurements in a run.
type Plan struct {
	Rounds int           // of the Go benchmarks of requests
	Round  time.Duration // for each benchmark in a round
	Few    int           // rounds of the other Go benchmarks

	Load        load.Plan
	LoadPasses  int         // over all cases of load, which share the rounds
	LoadCases   []load.Case // of routers
	ServerCases []load.Case // of HTTP servers
	Strict      bool        // it is an error if an HTTP server doesn't serve its case
	Again       bool        // measure noisy cases again, up to twice as long
}

// Usual returns the plan of the command showdown.
func Usual(quick bool) *Plan {
	p := &Plan{Rounds: 6, Round: 100 * time.Millisecond, Few: 4, LoadPasses: 4, Load: load.Plan{Rounds: 12, Round: time.Second}, Again: true}
	if quick {
		p = &Plan{Rounds: 3, Round: 30 * time.Millisecond, Few: 2, LoadPasses: 1, Load: load.Plan{Rounds: 6, Round: time.Second}}
	}
	overTLS := load.Parameter
	overTLS.Protocol = load.HTTPS
	p.LoadCases, p.ServerCases = []load.Case{load.Parameter}, []load.Case{load.Parameter, overTLS}
	return p
}

// unit is a part of the run. run appends to the Run only if it returns nil.
type unit struct {
	key string // "serving/GitHub"
	run func(ctx context.Context, r *Run) error
}

// units returns the units of a run, which build programs in dir.
func units(contenders []contender.Contender, p Plan, dir string) (us []unit) {
	routers := slices.DeleteFunc(slices.Clone(contenders), func(c contender.Contender) bool { return c.In(contender.Floor) })
	go1 := func(section Section, title, benchmark string, contenders []contender.Contender, s *bench.Scenario, rounds int) {
		us = append(us, unit{string(section) + "/" + title, goUnit{section, title, benchmark, contenders, s, rounds, p.Round, dir}.run})
	}
	for _, s := range bench.Scenarios() {
		go1(Serving, s.Name, "Showdown/CONTENDER/"+s.Name, contenders, &s, p.Rounds)
		if s.Name == "Param1" {
			go1(Parallel, fmt.Sprintf("1 parameter, %d cores", runtime.NumCPU()), "Parallel/CONTENDER/Param1", routers, &s, p.Rounds)
		}
	}
	for _, n := range bench.Scales {
		s := bench.ScaleScenario(n)
		go1(Scaling, s.Name, "Scale/CONTENDER/"+s.Name, routers, &s, p.Few)
		go1(Registration, s.Name, "Register/CONTENDER/"+s.Name, routers, nil, p.Few)
	}
	for _, set := range []string{"static", "github", "gplus", "parse"} {
		go1(Heap, set, "Heap/CONTENDER/"+set, routers, nil, 1)
	}
	passes := p.LoadPasses
	if p.Again {
		passes++
	}
	for pass := range passes {
		for _, c := range p.LoadCases {
			us = append(us, loadUnit(Load, underLoad(contenders), c, pass, p))
		}
		for _, c := range p.ServerCases {
			section := Servers
			if c.Protocol.HTTP2() {
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

// A goUnit runs a Go benchmark of package bench in rounds, each in a new process,
// with all contenders that pass Prove for the scenario, if there is one.
type goUnit struct {
	section    Section
	title      string
	benchmark  string // with CONTENDER for the name of one
	contenders []contender.Contender
	scenario   *bench.Scenario
	rounds     int
	round      time.Duration
	dir        string // of the programs
}

func (u goUnit) run(ctx context.Context, r *Run) error {
	var cells []Cell
	at := map[string]int{}         // indices of cells by the name of the benchmark
	names := map[string][]string{} // of contenders in benchmarks by build tag
	for _, c := range u.contenders {
		cell := Cell{Section: u.section, Scenario: u.title, Contender: c.Name}
		tag := ""
		if c.Name == SafeName {
			tag = "muxmaster_safe"
		} else if u.scenario != nil {
			if err := bench.Prove(c, *u.scenario); err != nil {
				cell.Cannot, _, _ = strings.Cut(err.Error(), "\n")
			}
		}
		if cell.Cannot == "" {
			name := strings.NewReplacer(" ", "_", "/", "-").Replace(c.Name)
			at[strings.Replace(u.benchmark, "CONTENDER", name, 1)] = len(cells)
			names[tag] = append(names[tag], regexp.QuoteMeta(name))
		}
		cells = append(cells, cell)
	}
	processors := 1
	if u.section == Parallel {
		processors = runtime.NumCPU()
	}
	for range u.rounds {
		for tag, names := range names {
			expr := "^Benchmark" + strings.ReplaceAll(u.benchmark, "/", "$/^") + "$"
			expr = strings.Replace(expr, "CONTENDER", "("+strings.Join(names, "|")+")", 1)
			results, err := runBenchmarks(ctx, u.dir, tag, expr, u.round, processors)
			if err != nil {
				return err
			}
			for name, values := range results {
				i, ok := at[name]
				if !ok {
					return fmt.Errorf("unknown benchmark %s", name)
				}
				if heap, ok := values["heap-bytes"]; ok {
					cells[i].Samples = append(cells[i].Samples, heap)
					continue
				}
				cells[i].Samples = append(cells[i].Samples, values["sec/op"]*1e9)
				if u.section == Serving {
					cells[i].Bytes, cells[i].Allocs = values["B/op"], values["allocs/op"]
				}
			}
		}
	}
	for i := range cells {
		if cells[i].Cannot == "" && len(cells[i].Samples) == 0 {
			cells[i].Cannot = "its routes were rejected"
		}
	}
	r.Cells = append(r.Cells, cells...)
	return nil
}

// runBenchmarks runs the Go benchmarks of package bench that match, and returns
// their values by unit. It builds them in dir, with a build tag, if they aren't
// there.
func runBenchmarks(ctx context.Context, dir, tag, expr string, round time.Duration, processors int) (map[string]map[string]float64, error) {
	run := func(name string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = append(cmd.Environ(), fmt.Sprint("GOMAXPROCS=", processors))
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w\n%s", name, args, err, out)
		}
		return out, nil
	}
	program := filepath.Join(dir, "bench"+tag+".test")
	if _, err := os.Stat(program); err != nil {
		if _, err := run("go", "test", "-c", "-tags", tag, "-o", program, "github.com/seed-1954dcaa/muxmaster/bench"); err != nil {
			return nil, err
		}
	}
	out, err := run(program, "-test.run", "^$", "-test.bench", expr, "-test.benchtime", round.String(), "-proven")
	if err != nil {
		return nil, err
	}
	results := map[string]map[string]float64{}
	for reader := benchfmt.NewReader(bytes.NewReader(out), program); reader.Scan(); {
		if result, ok := reader.Result().(*benchfmt.Result); ok {
			values := map[string]float64{}
			for _, v := range result.Values {
				values[v.Unit] = v.Value
			}
			results[regexp.MustCompile(`-\d+$`).ReplaceAllString(string(result.Name.Full()), "")] = values
		}
	}
	return results, nil
}

// loadUnit measures servers under load in interleaved rounds. The rounds are
// spread over the passes, so that a few slow seconds of the machine don't decide
// a case. Later passes add samples to those of the first. A pass after those of the
// plan measures the case again while it is noisy.
func loadUnit(section Section, servers []string, c load.Case, pass int, p Plan) unit {
	once := func(ctx context.Context, r *Run, rounds int) error {
		results, err := load.Run(ctx, servers, c, load.Plan{Rounds: rounds, Round: p.Load.Round})
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
	run := func(ctx context.Context, r *Run) error {
		if pass < p.LoadPasses {
			return once(ctx, r, p.Load.Rounds*(pass+1)/p.LoadPasses-p.Load.Rounds*pass/p.LoadPasses)
		}
		for range 2 {
			if !r.noisy(section, c.String()) {
				break
			}
			if err := once(ctx, r, p.Load.Rounds/2); err != nil {
				return err
			}
		}
		return nil
	}
	return unit{key: fmt.Sprintf("%s/%s/%d", section, c, pass+1), run: run}
}

// MaxInterval is the largest width of an interval, as a part of the ratio, with which
// a run is published.
const MaxInterval = 0.25

// noisy reports whether the interval of a ratio of CPU time to the base is wider than
// MaxInterval.
func (r *Run) noisy(section Section, scenario string) bool {
	base, _ := r.Cell(section, scenario, section.Base())
	for _, c := range r.In(section, scenario) {
		if len(c.CPU) > 0 && len(c.CPU) == len(base.CPU) {
			s := Samples(measure.Ratios(base.CPU, c.CPU)).Summary()
			if s.Hi-s.Lo > MaxInterval*s.Center {
				return true
			}
		}
	}
	return false
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
		cell.P50 = append(cell.P50, round.P50)
		cell.P99 = append(cell.P99, round.P99)
		cell.P999 = append(cell.P999, round.P999)
		cell.Memory = append(cell.Memory, round.Memory)
		if !math.IsNaN(round.CPU) {
			cell.CPU = append(cell.CPU, round.CPU)
			cell.Kernel = append(cell.Kernel, round.Kernel)
		}
	}
}
