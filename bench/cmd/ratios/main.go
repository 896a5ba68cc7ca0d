// Command ratios measures muxmaster's performance targets: its speed compared
// to the native handlers of gin, echo, bunrouter, fox and httprouter, and some
// counts. It runs the part of the showdown that the targets need.
//
//	go run ./cmd/ratios                       # about five minutes
//	go run ./cmd/ratios -run 'GitHub|1 parameter'
//	go run ./cmd/ratios -write README.md      # also update the tables in bench/README.md
//	go run ./cmd/ratios -from published.json  # targets of a run of the showdown
//
// The run is kept in results/ratios.json.
//
// It exits with status 1 if a target is missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/command"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/report"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

func main() {
	match := command.Regexp("run", "measure only the targets that match this `expression`")
	rounds := flag.Int("rounds", 60, "interleaved rounds of a race")
	round := flag.Duration("round", 2*time.Millisecond, "time for each contender in a round")
	write := flag.String("write", "", "replace the generated part of this Markdown `file`")
	from := flag.String("from", "", "report the run of the showdown in this `file`, and measure nothing")
	command.Main(func(ctx context.Context) (missed bool, err error) {
		some, units := match.String() != "", report.UnitsOf(match)
		switch {
		case units == "":
			return false, fmt.Errorf("ratios: no target matches %q", match)
		case some && *write != "":
			return false, fmt.Errorf("ratios: -write needs all targets: remove -run")
		case *rounds < 1:
			return false, fmt.Errorf("ratios: -rounds %d, want at least one", *rounds)
		}
		if *write != "" { // find a wrong name before five minutes have passed
			if _, err := figure.Replaced(*write, [2]string{"targets"}); err != nil {
				return false, err
			}
		}
		var r *showdown.Run
		if *from != "" {
			r, err = showdown.Read(*from)
		} else {
			plan := showdown.Usual(false)
			plan.Serving = measure.Plan{Rounds: *rounds, Round: *round}
			if !some {
				units = report.TargetUnits
			}
			progress, end := command.Progress()
			r, err = showdown.Start(ctx, showdown.Options{
				File: "results/ratios.json", Command: strings.Join(append([]string{"go run ./cmd/ratios"}, os.Args[1:]...), " "), Contenders: report.TargetContenders,
				Only: regexp.MustCompile(units), Plan: &plan, Progress: progress,
			})
			end()
		}
		if err != nil {
			return false, err
		}
		lines := slices.DeleteFunc(report.Check(r), func(l report.Line) bool { return !match.MatchString(l.What) || some && math.IsNaN(l.Value) })
		missed = report.PrintTargets(os.Stdout, lines)
		if *write != "" {
			if err := report.Quiet(r); err != nil {
				return false, err
			}
			err = figure.ReplaceIn(*write, "targets", report.TargetTables(r))
		}
		return missed, err
	})
}
