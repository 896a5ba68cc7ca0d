package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// targets are the performance targets of the router: the place of a figure in a
// run, that of the figure to which its ratio counts, or a unit, and the bound.
var targets = []struct {
	ours, theirs string
	bound        float64
}{
	{"serving/Static/muxmaster", "serving/Static/httprouter", 0.27},
	{"serving/Static/muxmaster pooled", "serving/Static/httprouter", 0.27},
	{"serving/GitHub/muxmaster", "serving/GitHub/gin", 0.95},
	{"serving/GitHub/muxmaster pooled", "serving/GitHub/gin", 0.46},
	{"serving/GitHub/muxmaster pooled", "serving/GitHub/bunrouter", 0.50},
	{"serving/GPlus/muxmaster", "serving/GPlus/gin", 0.80},
	{"serving/GPlus/muxmaster pooled", "serving/GPlus/bunrouter", 0.80},
	{"serving/Parse/muxmaster", "serving/Parse/gin", 0.80},
	{"serving/Parse/muxmaster pooled", "serving/Parse/bunrouter", 0.80},
	{"serving/Param1/muxmaster", "serving/Param1/gin", 0.80},
	{"serving/Param1/muxmaster", "serving/Param1/httprouter", 0.62},
	{"serving/Param1/muxmaster pooled", "serving/Param1/bunrouter", 1.00},
	{"serving/Param1/muxmaster fast pooled", "serving/Param1/httprouter", 1.00},
	{"serving/Param5/muxmaster", "serving/Param5/gin", 1.10},
	{"serving/Param5/muxmaster pooled", "serving/Param5/bunrouter", 0.55},
	{"serving/Param20/muxmaster", "serving/Param20/gin", 1.50},
	{"serving/Param20/muxmaster pooled", "serving/Param20/gin", 0.75},
	{"serving/ParamRead/muxmaster", "serving/ParamRead/http.ServeMux", 0.28},
	{"serving/ParamRead/muxmaster pooled", "serving/ParamRead/http.ServeMux", 0.23},
	{"serving/ParamWrite/muxmaster", "serving/ParamWrite/gin", 0.75},
	{"serving/CatchAll/muxmaster", "serving/CatchAll/gin", 0.90},
	{"serving/CatchAll/muxmaster pooled", "serving/CatchAll/httprouter", 0.60},
	{"serving/NotFound/muxmaster", "serving/NotFound/httprouter", 0.40},
	{"serving/MethodNotAllowed/muxmaster", "serving/MethodNotAllowed/httprouter", 0.50},
	{"serving/MethodNotAllowed/muxmaster", "serving/MethodNotAllowed/http.ServeMux", 0.25},
	{"serving/Param1/muxmaster", "allocations", 0.02},
	{"serving/Param1/muxmaster", "B", 17},
	{"serving/NotFound/muxmaster", "allocations", 1},
	{"registration/Scale100/muxmaster", "ns", 3000},
	{"registration/Scale1000/muxmaster", "ns", 3000},
	{"registration/Scale10000/muxmaster", "ns", 3000},
	{"registration/Scale1000/muxmaster", "registration/Scale1000/chi", 4.00},
	{"registration/Scale10000/muxmaster", "registration/Scale1000/muxmaster", 2.00},
	{"scaling/Scale10000/muxmaster pooled", "scaling/Scale10000/httprouter", 0.60},
	{"scaling/Scale10000/muxmaster pooled", "scaling/Scale100/muxmaster pooled", 2.50},
	{"parallel/1 parameter, 2 cores/muxmaster", "serving/Param1/muxmaster", 0.53},
	{"parallel/1 parameter, 2 cores/muxmaster pooled", "serving/Param1/muxmaster pooled", 0.53},
	{"heap/static/muxmaster", "heap/static/httprouter", 0.90},
	{"heap/github/muxmaster", "heap/github/httprouter", 1.00},
	{"heap/gplus/muxmaster", "heap/gplus/httprouter", 1.40},
	{"heap/parse/muxmaster", "heap/parse/httprouter", 1.00},
}

// Targets returns the router's targets and whether the run meets them, as a
// Markdown table, without those that it didn't measure.
func Targets(r *showdown.Run) string {
	// value returns the least figure at a place, or its allocations or bytes.
	value := func(at, unit string) (float64, bool) {
		section, rest, _ := strings.Cut(at, "/")
		scenario, contender, _ := strings.Cut(rest, "/")
		cell, ok := r.Cell(showdown.Section(section), scenario, contender)
		switch {
		case !ok:
			return 0, false
		case unit == "allocations":
			return cell.Allocs, true
		case unit == "B":
			return cell.Bytes, true
		}
		return slices.Min(cell.Samples), true
	}
	rows, met, all := "", 0, 0
	for _, t := range targets {
		got, ok := value(t.ours, t.theirs)
		if theirs, ok2 := value(t.theirs, ""); strings.Contains(t.theirs, "/") {
			got, ok = got/theirs, ok && ok2
		}
		if !ok {
			continue
		}
		verdict := "**no**"
		if got <= t.bound {
			verdict = "yes"
			met++
		}
		all++
		rows += figure.Row(t.ours, t.theirs, fmt.Sprintf("≤ %v", t.bound), fmt.Sprintf("%.3g", got), verdict)
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d targets are met.\n\n", met, all) + figure.Head(2, "target", "relative to", "wanted", "measured", "met") + rows
}
