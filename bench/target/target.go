// Package target defines muxmaster's performance targets, and reports whether a
// run of package showdown meets them. Each target is a ratio to another figure
// of the same run, or a count.
package target

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// The names of our contenders.
const (
	defaultMode = "muxmaster"
	pooled      = "muxmaster pooled"
	fastPooled  = "muxmaster fast pooled"
)

// Contenders are the contenders that the targets need.
var Contenders = []string{defaultMode, pooled, fastPooled, "gin", "echo", "bunrouter", "fox", "httprouter", "http.ServeMux", "chi"}

// A place is the place of a figure in a run.
type place struct {
	section             showdown.Section
	scenario, contender string
}

// A Target bounds the figure at ours, or its ratio to that at theirs.
type Target struct {
	What         string
	ours, theirs place
	peer         string // how theirs is named, if not by its contender
	figure       func(showdown.Cell) float64
	unit         string // "" for a ratio
	bound        float64
}

// Targets lists the targets in the order of the report.
func Targets() []Target {
	var ts []Target
	serving := func(scenario, mode, peer string, bound float64) {
		ts = append(ts, Target{What: title(scenario), bound: bound, figure: least,
			ours: place{showdown.Serving, scenario, mode}, theirs: place{showdown.Serving, scenario, peer}})
	}
	serving("Static", defaultMode, "httprouter", 0.27)
	serving("Static", pooled, "httprouter", 0.27)
	serving("GitHub", defaultMode, "gin", 0.95)
	serving("GitHub", pooled, "gin", 0.46)
	serving("GitHub", pooled, "bunrouter", 0.50)
	serving("GPlus", defaultMode, "gin", 0.80)
	serving("GPlus", pooled, "bunrouter", 0.80)
	serving("Parse", defaultMode, "gin", 0.80)
	serving("Parse", pooled, "bunrouter", 0.80)
	serving("Param1", defaultMode, "gin", 0.80)
	serving("Param1", defaultMode, "httprouter", 0.62)
	serving("Param1", pooled, "bunrouter", 1.00)
	serving("Param1", fastPooled, "httprouter", 1.00)
	serving("Param5", defaultMode, "gin", 1.10)
	serving("Param5", pooled, "bunrouter", 0.55)
	serving("Param20", defaultMode, "gin", 1.50)
	serving("Param20", pooled, "gin", 0.75)
	serving("ParamRead", defaultMode, "http.ServeMux", 0.28)
	serving("ParamRead", pooled, "http.ServeMux", 0.23)
	serving("ParamWrite", defaultMode, "gin", 0.75)
	serving("CatchAll", defaultMode, "gin", 0.90)
	serving("CatchAll", pooled, "httprouter", 0.60)
	serving("NotFound", defaultMode, "httprouter", 0.40)
	serving("MethodNotAllowed", defaultMode, "httprouter", 0.50)
	serving("MethodNotAllowed", defaultMode, "http.ServeMux", 0.25)

	count := func(what, scenario, unit string, bound float64, figure func(showdown.Cell) float64) {
		ts = append(ts, Target{What: what, ours: place{showdown.Serving, scenario, defaultMode}, figure: figure, unit: unit, bound: bound})
	}
	allocs := func(c showdown.Cell) float64 { return c.Allocs }
	count("1 parameter, allocations per request", "Param1", "allocations", 0.02, allocs)
	count("1 parameter, bytes per request", "Param1", "B", 17, func(c showdown.Cell) float64 { return c.Bytes })
	count("404, allocations per request", "NotFound", "allocations", 1, allocs)

	scale := func(section showdown.Section, n int, contender string) place {
		return place{section, fmt.Sprint("Scale", n), contender}
	}
	const registered = "%d routes registered, one request served, per route"
	for _, n := range []int{100, 1000, 10_000} {
		ts = append(ts, Target{What: fmt.Sprintf(registered, n), ours: scale(showdown.Registration, n, defaultMode), figure: least, unit: "ns", bound: 3000})
	}
	ts = append(ts,
		Target{What: fmt.Sprintf(registered, 1000), figure: least, bound: 4,
			ours: scale(showdown.Registration, 1000, defaultMode), theirs: scale(showdown.Registration, 1000, "chi")},
		Target{What: fmt.Sprintf(registered, 10_000), figure: least, bound: 2, peer: "itself at 1000 routes",
			ours: scale(showdown.Registration, 10_000, defaultMode), theirs: scale(showdown.Registration, 1000, defaultMode)},
		Target{What: "10000 routes, random lookups", figure: least, bound: 0.60,
			ours: scale(showdown.Scaling, 10_000, pooled), theirs: scale(showdown.Scaling, 10_000, "httprouter")},
		Target{What: "10000 routes, random lookups", figure: least, bound: 2.5, peer: "itself at 100 routes",
			ours: scale(showdown.Scaling, 10_000, pooled), theirs: scale(showdown.Scaling, 100, pooled)},
	)
	for _, mode := range []string{defaultMode, pooled} {
		ts = append(ts, Target{What: "1 parameter, time with two processors", peer: "itself on one", figure: median, bound: 0.53,
			ours: place{"two processors", "Param1", mode}, theirs: place{"caused collections", "Param1", mode}})
	}
	for i, set := range []string{"static", "github", "gplus", "parse"} {
		ts = append(ts, Target{What: "heap after loading " + set, figure: least, bound: []float64{0.9, 1.0, 1.4, 1.0}[i],
			ours: place{showdown.Heap, set, defaultMode}, theirs: place{showdown.Heap, set, "httprouter"}})
	}
	return ts
}

// Units matches the units of a run that have the figures.
const Units = `^(serving|heap)/|^scaling/Scale(100|1000|10000)/|^(fresh|two|caused|constant|100 MB)`

func title(scenario string) string {
	s, err := bench.ScenarioNamed(scenario)
	if err != nil {
		panic(err)
	}
	return s.Title
}

func least(c showdown.Cell) float64  { return measure.Min(c.Samples) }
func median(c showdown.Cell) float64 { return measure.Median(c.Samples) }

// A Line is one target with its result.
type Line struct {
	Target
	Value  float64 // NaN if the run doesn't have it
	Detail string
}

// Check returns the results of all targets.
func Check(r *showdown.Run) (lines []Line) {
	for _, t := range Targets() {
		l := Line{Target: t, Value: math.NaN(), Detail: "not measured"}
		ours, ok := r.Cell(t.ours.section, t.ours.scenario, t.ours.contender)
		theirs, ok2 := r.Cell(t.theirs.section, t.theirs.scenario, t.theirs.contender)
		switch {
		case !ok:
		case t.theirs == place{}:
			l.Value, l.Detail = t.figure(ours), ""
		case ok2:
			a, b := t.figure(ours), t.figure(theirs)
			l.Value, l.Detail = a/b, fmt.Sprintf("%.4g to %.4g %s", a, b, t.ours.section.Unit())
		}
		lines = append(lines, l)
	}
	return lines
}

// Met reports whether the target is met.
func (l Line) Met() bool { return l.Value <= l.bound }

// UnitsOf returns an expression for the units with the figures of the targets
// that match.
func UnitsOf(match *regexp.Regexp) string {
	var units []string
	for _, t := range Targets() {
		if !match.MatchString(t.What) {
			continue
		}
		for _, p := range []place{t.ours, t.theirs} {
			if p != (place{}) {
				units = append(units, unitOf(p))
			}
		}
	}
	if len(units) == 0 {
		return "^$"
	}
	return strings.Join(units, "|")
}

// unitOf returns an expression for the unit that has a figure.
func unitOf(p place) string {
	if p.section == showdown.Registration {
		p.section = showdown.Scaling
	}
	return fmt.Sprintf("^%s/%s(/|$)", p.section, p.scenario)
}
