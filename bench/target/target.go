// Package target defines and measures muxmaster's performance targets. Each
// target is a ratio to another router in the same interleaved run, or a count.
package target

import (
	"fmt"
	"runtime"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// The names of our contenders.
const (
	defaultMode = "muxmaster"
	pooled      = "muxmaster pooled"
	fastPooled  = "muxmaster fast pooled"
)

// natives are the peers in every race, with their native handlers.
var natives = []string{"gin", "echo", "bunrouter", "fox", "httprouter"}

// A Race measures contenders in one scenario under one condition, in interleaved
// rounds.
type Race struct {
	Scenario  func() bench.Scenario
	Title     string
	Condition Condition
	Peers     []string // nil for natives; the peers of targets are added
	Targets   []Target
}

// A Target requires that Mode takes at most Bound times as long as Peer.
type Target struct {
	Mode, Peer string
	Bound      float64
}

// Contenders lists the contenders, ours first.
func (r Race) Contenders() []string {
	names := []string{defaultMode, pooled}
	add := func(name string) {
		for _, n := range names {
			if n == name {
				return
			}
		}
		names = append(names, name)
	}
	peers := r.Peers
	if peers == nil {
		peers = natives
	}
	for _, t := range r.Targets {
		if t.Mode == fastPooled {
			add(fastPooled)
		}
	}
	for _, p := range peers {
		add(p)
	}
	for _, t := range r.Targets {
		add(t.Peer)
	}
	return names
}

// RaceResult contains the time of each contender in nanoseconds per request: the
// minimum of the rounds, or the median if Condition.round is set. If there is no
// time, it contains the reason.
type RaceResult struct {
	Race
	Times  map[string]float64
	Cannot map[string]string
	Err    error // why the race can't be measured
}

// Measure checks the contenders with [bench.Prove] and measures those that pass.
func (r Race) Measure(plan measure.Plan) RaceResult {
	result := RaceResult{Race: r, Times: map[string]float64{}, Cannot: map[string]string{}}
	if r.Condition.processors > runtime.NumCPU() {
		result.Err = fmt.Errorf("it needs %d processors, this machine has %d", r.Condition.processors, runtime.NumCPU())
		return result
	}
	s := r.Scenario()
	var names []string
	var tasks []measure.Task
	for _, name := range r.Contenders() {
		l, err := proven(name, s)
		if err != nil {
			result.Cannot[name] = err.Error()
			continue
		}
		names = append(names, name)
		tasks = append(tasks, r.Condition.task(l))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(1, r.Condition.processors)))
	if r.Condition.during != nil {
		defer r.Condition.during()()
	}
	of := measure.Min
	if r.Condition.round != 0 {
		of = measure.Median
		plan = measure.Plan{Rounds: max(3, plan.Rounds/10), Round: r.Condition.round}
	}
	for i, samples := range measure.Rounds(tasks, plan, nil) {
		result.Times[names[i]] = of(samples)
	}
	return result
}

// proven checks a contender with bench.Prove and loads it.
func proven(name string, s bench.Scenario) (bench.Loaded, error) {
	c, err := contender.Named(name)
	if err != nil {
		return bench.Loaded{}, err
	}
	if err := bench.Prove(c, s); err != nil {
		return bench.Loaded{}, fmt.Errorf("%s routes incorrectly: %w", name, err)
	}
	return bench.Load(c, s)
}

// A Line is one target with its result.
type Line struct {
	What, Mode, Peer string
	Bound            float64
	AtLeast          bool
	Unit             string // "" for a ratio
	Value            float64
	Detail           string
	Err              error
}

// Met reports whether the target is met.
func (l Line) Met() bool {
	if l.Err != nil {
		return false
	}
	if l.AtLeast {
		return l.Value >= l.Bound
	}
	return l.Value <= l.Bound
}

// Lines returns the results of the race's targets.
func (r RaceResult) Lines() []Line {
	var lines []Line
	for _, t := range r.Targets {
		line := Line{What: r.Title, Mode: t.Mode, Peer: t.Peer, Bound: t.Bound, Err: r.Err}
		if r.Condition.Name != "" {
			line.What += ", " + r.Condition.Name
		}
		for _, name := range []string{t.Mode, t.Peer} {
			if reason := r.Cannot[name]; reason != "" && line.Err == nil {
				line.Err = fmt.Errorf("%s", reason)
			}
		}
		if line.Err == nil {
			ours, theirs := r.Times[t.Mode], r.Times[t.Peer]
			line.Value = ours / theirs
			line.Detail = fmt.Sprintf("%.1f ns to %.1f ns", ours, theirs)
		}
		lines = append(lines, line)
	}
	return lines
}
