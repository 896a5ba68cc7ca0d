// Package report presents the results of a run: in the terminal, as Markdown,
// as a picture, and as a self-contained HTML file.
package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// row is one contender in a ranking.
type row struct {
	Name          string
	Kind          string // of handler: "native" or "plain"; "" for the floor
	Ours, Floor   bool
	Mid, Lo, Hi   float64 // median and its confidence interval
	Ratio         float64 // relative to the best, except the floor
	Bytes, Allocs float64
	Cell          showdown.Cell
}

// ranking is the ranking of one scenario, fastest first, including the floor.
type ranking struct {
	Rows   []row
	Cannot []showdown.Cell
}

// kind returns the kind of a contender's handlers: "plain" for
// http.HandlerFuncs that can read parameters, "native" for the router's own
// type, "" for no router.
func kind(e showdown.Entry) string {
	switch {
	case e.In(contender.Floor):
		return ""
	case e.In(contender.Stdlib):
		return "plain"
	}
	return "native"
}

// rank sorts the cells, native and plain handlers together.
func rank(r *showdown.Run, cells []showdown.Cell) ranking {
	var out ranking
	best := math.NaN()
	for _, c := range cells {
		e := r.Entry(c.Contender)
		floor := e.In(contender.Floor)
		if len(c.Samples) == 0 {
			if !floor {
				out.Cannot = append(out.Cannot, c)
			}
			continue
		}
		mid, lo, hi := summary(c.Samples)
		out.Rows = append(out.Rows, row{
			Name: c.Contender, Kind: kind(e), Ours: e.Ours, Floor: floor, Mid: mid, Lo: lo, Hi: hi, Bytes: c.Bytes, Allocs: c.Allocs, Cell: c,
		})
		if !floor && (math.IsNaN(best) || mid < best) {
			best = mid
		}
	}
	for i := range out.Rows {
		out.Rows[i].Ratio = out.Rows[i].Mid / best
	}
	slices.SortStableFunc(out.Rows, func(a, b row) int { return cmp.Compare(a.Mid, b.Mid) })
	return out
}

// summary returns the median with its confidence interval. With few samples,
// the interval would be infinite, so it returns the range of the samples
// instead.
func summary(samples showdown.Samples) (mid, lo, hi float64) {
	s := samples.Summary()
	return s.Center, max(s.Lo, slices.Min(samples)), min(s.Hi, slices.Max(samples))
}

// warnings returns warnings to show before the figures.
func warnings(r *showdown.Run) (out []string) {
	if r.Finished.IsZero() {
		out = append(out, "This run is not complete.")
	}
	if r.Others > 0.1 {
		out = append(out, fmt.Sprintf("Other programs used up to %.0f %% of the machine meanwhile: expect noise.", r.Others*100))
	}
	return out
}

// scenarioTitle returns the long name of a scenario if it has one.
func scenarioTitle(name string) string {
	for _, s := range bench.Scenarios() {
		if strings.EqualFold(s.Name, name) { // route sets have the names of their scenarios, in lower case
			return s.Title
		}
	}
	if n, ok := strings.CutPrefix(name, "Scale"); ok {
		return n + " routes"
	}
	return name
}

// scenarios lists the distinct scenarios of a section in the order of the run.
func scenarios(r *showdown.Run, section showdown.Section) []string {
	var names []string
	for _, c := range r.In(section, "") {
		if !slices.Contains(names, c.Scenario) {
			names = append(names, c.Scenario)
		}
	}
	return names
}

// amount formats a row's figure with its unit.
func amount(section showdown.Section, x row) string {
	if section == showdown.Heap {
		return figure.Count(x.Mid) + " B"
	}
	return figure.Duration(x.Mid)
}

// machineLine describes the machine and the date of the run.
func machineLine(r *showdown.Run) string {
	return fmt.Sprintf("%s, %s.", r.Machine, r.Started.Format("2 January 2006"))
}
