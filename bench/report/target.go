package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// The names of our contenders.
const (
	defaultMode = "muxmaster"
	pooled      = "muxmaster pooled"
	fastPooled  = "muxmaster fast pooled"
)

// TargetContenders are the contenders that the targets need.
var TargetContenders = []string{defaultMode, pooled, fastPooled, "gin", "echo", "bunrouter", "fox", "httprouter", "http.ServeMux", "chi"}

// A place is the place of a figure in a run.
type place struct {
	section             showdown.Section
	scenario, contender string
}

// A target of the router bounds the figure at ours, or its ratio to that at
// theirs.
type target struct {
	what         string
	ours, theirs place
	peer         string // how theirs is named, if not by its contender
	figure       func(showdown.Cell) float64
	unit         string // "" for a ratio
	bound        float64
}

// targets lists the router's targets in the order of the report.
func targets() []target {
	var ts []target
	serving := func(scenario, mode, peer string, bound float64) {
		ts = append(ts, target{what: scenarioTitle(scenario), bound: bound, figure: least,
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
		ts = append(ts, target{what: what, ours: place{showdown.Serving, scenario, defaultMode}, figure: figure, unit: unit, bound: bound})
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
		ts = append(ts, target{what: fmt.Sprintf(registered, n), ours: scale(showdown.Registration, n, defaultMode), figure: least, unit: "ns", bound: 3000})
	}
	ts = append(ts,
		target{what: fmt.Sprintf(registered, 1000), figure: least, bound: 4,
			ours: scale(showdown.Registration, 1000, defaultMode), theirs: scale(showdown.Registration, 1000, "chi")},
		target{what: fmt.Sprintf(registered, 10_000), figure: least, bound: 2, peer: "itself at 1000 routes",
			ours: scale(showdown.Registration, 10_000, defaultMode), theirs: scale(showdown.Registration, 1000, defaultMode)},
		target{what: "10000 routes, random lookups", figure: least, bound: 0.60,
			ours: scale(showdown.Scaling, 10_000, pooled), theirs: scale(showdown.Scaling, 10_000, "httprouter")},
		target{what: "10000 routes, random lookups", figure: least, bound: 2.5, peer: "itself at 100 routes",
			ours: scale(showdown.Scaling, 10_000, pooled), theirs: scale(showdown.Scaling, 100, pooled)},
	)
	for _, mode := range []string{defaultMode, pooled} {
		ts = append(ts, target{what: "1 parameter, time with two processors", peer: "itself on one", figure: median, bound: 0.53,
			ours: place{"two processors", "Param1", mode}, theirs: place{"caused collections", "Param1", mode}})
	}
	for i, set := range []string{"static", "github", "gplus", "parse"} {
		ts = append(ts, target{what: "heap after loading " + set, figure: least, bound: []float64{0.9, 1.0, 1.4, 1.0}[i],
			ours: place{showdown.Heap, set, defaultMode}, theirs: place{showdown.Heap, set, "httprouter"}})
	}
	return ts
}

// TargetUnits matches the units of a run that have the targets' figures.
const TargetUnits = `^(serving|heap)/|^scaling/Scale(100|1000|10000)/|^(fresh|two|caused|constant|100 MB)`

func least(c showdown.Cell) float64  { return measure.Min(c.Samples) }
func median(c showdown.Cell) float64 { return measure.Median(c.Samples) }

// A Line is one target of the router or the engine with its result.
type Line struct {
	What   string
	Ours   string  // "default"
	Peer   string  // "" for none
	Value  float64 // NaN if the run doesn't have it
	Bound  float64
	Higher bool   // the value has to be at least the bound, otherwise at most
	Unit   string // "" for a ratio
	Detail string
}

// Check returns the results of all targets of the router.
func Check(r *showdown.Run) (lines []Line) {
	for _, t := range targets() {
		l := Line{What: t.what, Ours: short(t.ours.contender), Peer: cmp.Or(t.peer, t.theirs.contender), Bound: t.bound, Unit: t.unit, Value: math.NaN(), Detail: "not measured"}
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
func (l Line) Met() bool {
	if l.Higher {
		return l.Value >= l.Bound
	}
	return l.Value <= l.Bound
}

// UnitsOf returns an expression for the units with the figures of the targets
// that match, or "" if none does.
func UnitsOf(match *regexp.Regexp) string {
	var units []string
	for _, t := range targets() {
		if !match.MatchString(t.what) {
			continue
		}
		for _, p := range []place{t.ours, t.theirs} {
			if p != (place{}) {
				units = append(units, unitOf(p))
			}
		}
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

// short returns the name of a contender for a column.
func short(name string) string {
	switch name {
	case defaultMode:
		return "default"
	case pooled:
		return "pooled"
	case fastPooled:
		return "fast pooled"
	}
	return name
}

func (l Line) wanted() string {
	if l.Higher {
		return "≥ " + l.number(l.Bound)
	}
	return "≤ " + l.number(l.Bound)
}

func (l Line) measured() string {
	if math.IsNaN(l.Value) {
		return "–"
	}
	return l.number(l.Value)
}

func (l Line) number(v float64) string {
	switch l.Unit {
	case "":
		return fmt.Sprintf("%.2f", v)
	case "allocations":
		return fmt.Sprintf("%.3g", v)
	case "B":
		return fmt.Sprintf("%.1f B", v)
	}
	return fmt.Sprintf("%.0f %s", v, l.Unit)
}

// PrintTargets prints targets. It reports whether one of them is missed.
func PrintTargets(w io.Writer, lines []Line) (missed bool) {
	for _, l := range lines {
		verdict := "met   "
		if !l.Met() {
			verdict, missed = "MISSED", true
		}
		what := l.Ours
		if l.Peer != "" {
			what += " to " + l.Peer
		}
		fmt.Fprintf(w, "%s %-34s %8s %-10s %-58s %s\n", verdict, what, l.measured(), l.wanted(), l.What, l.Detail)
	}
	return missed
}

// TargetTables writes the tables of bench/README.md.
func TargetTables(r *showdown.Run) string {
	var b strings.Builder
	lines := Check(r)
	missed := 0
	for _, l := range lines {
		if !l.Met() {
			missed++
		}
	}
	fmt.Fprintf(&b, "%d of %d targets are met. %s\n`%s`\n\n", len(lines)-missed, len(lines), r.MachineLine(), r.Command)
	b.WriteString("| target | ours | peer | wanted | measured | met |\n|---|---|---|---:|---:|---|\n")
	for _, l := range lines {
		met := "yes"
		if !l.Met() {
			met = "**no**"
		}
		b.WriteString(figure.Row(l.What, l.Ours, cmp.Or(l.Peer, "–"), l.wanted(), l.measured(), met))
	}
	b.WriteString("\nNanoseconds per request in the same races; peers have their native handlers.\n\n")
	columns := slices.DeleteFunc(slices.Clone(TargetContenders), func(name string) bool { return name == fastPooled || name == "chi" })
	head := []string{"race"}
	for _, name := range columns {
		head = append(head, short(name))
	}
	b.WriteString(figure.Head(1, head...))
	row := func(text string, section showdown.Section, scenario string, of func(showdown.Cell) float64) {
		cells := []string{text}
		for _, name := range columns {
			cell := "–"
			if c, ok := r.Cell(section, scenario, name); ok {
				cell = fmt.Sprintf("%.1f", of(c))
			}
			cells = append(cells, cell)
		}
		b.WriteString(figure.Row(cells...))
	}
	for _, s := range bench.Scenarios() {
		row(s.Title, showdown.Serving, s.Name, least)
	}
	for _, c := range bench.Conditions() {
		of := least
		if c.Round > 0 {
			of = median
		}
		for _, scenario := range []string{"Param1", "GitHub"} {
			row(scenarioTitle(scenario)+", "+c.Name, showdown.Section(c.Name), scenario, of)
		}
	}
	row("10000 routes, random lookups", showdown.Scaling, "Scale10000", least)
	b.WriteString("\n")
	for _, c := range bench.Conditions() {
		fmt.Fprintf(&b, "- *%s*: %s.\n", c.Name, c.About)
	}
	return b.String()
}
