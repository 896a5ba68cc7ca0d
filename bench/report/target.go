package report

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

//go:embed targets.txt
var targets string

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
	for line := range strings.Lines(targets) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			continue
		}
		got, ok := value(f[0], f[1])
		if theirs, ok2 := value(f[1], ""); strings.Contains(f[1], "/") {
			got, ok = got/theirs, ok && ok2
		}
		bound, err := strconv.ParseFloat(f[2], 64)
		if !ok || err != nil {
			continue
		}
		verdict := "**no**"
		if got <= bound {
			verdict = "yes"
			met++
		}
		all++
		rows += figure.Row(f[0], f[1], "≤ "+f[2], fmt.Sprintf("%.3g", got), verdict)
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d targets are met.\n\n", met, all) + figure.Head(2, "target", "relative to", "wanted", "measured", "met") + rows
}
