// Command ratios measures muxmaster's performance targets: its speed compared
// to the native handlers of gin, echo, bunrouter, fox and httprouter, and some
// counts. It runs the part of the showdown that the targets need.
//
//	go run ./cmd/ratios                       # about five minutes
//	go run ./cmd/ratios -run 'GitHub|1 parameter'
//	go run ./cmd/ratios -write README.md      # also update the tables in bench/README.md
//	go run ./cmd/ratios -from published.json  # targets of a run of the showdown
//
// It exits with status 1 if a target is missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
	"github.com/seed-1954dcaa/muxmaster/bench/target"
)

func main() {
	missed, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(2)
	}
	if missed {
		os.Exit(1)
	}
}

func run() (missed bool, err error) {
	only := flag.String("run", "", "measure only the targets that match this `expression`")
	rounds := flag.Int("rounds", 60, "interleaved rounds of a race")
	round := flag.Duration("round", 2*time.Millisecond, "time for each contender in a round")
	write := flag.String("write", "", "replace the generated part of this Markdown `file`")
	from := flag.String("from", "", "report the run of the showdown in this `file`, and measure nothing")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil {
		return false, err
	}
	if *only != "" && *write != "" {
		return false, fmt.Errorf("-write needs all targets: remove -run")
	}
	units := target.Units
	if *only != "" {
		units = target.UnitsOf(match)
	}
	var r *showdown.Run
	if *from != "" {
		r, err = showdown.Read(*from)
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		r, err = showdown.Start(ctx, showdown.Options{
			Command: strings.Join(append([]string{"go run ./cmd/ratios"}, os.Args[1:]...), " "), Contenders: target.Contenders,
			Only: regexp.MustCompile(units), Serving: measure.Plan{Rounds: *rounds, Round: *round},
			Progress: func(doing string, done, all time.Duration) { fmt.Fprintf(os.Stderr, "\r%-40s", doing) },
		})
		fmt.Fprintln(os.Stderr)
	}
	if err != nil {
		return false, err
	}
	for _, l := range target.Check(r) {
		if !match.MatchString(l.What) || *only != "" && math.IsNaN(l.Value) {
			continue
		}
		fmt.Println(l.Text())
		missed = missed || !l.Met()
	}
	if *write == "" {
		return missed, nil
	}
	machine := fmt.Sprintf("%s, %s.", r.Machine, r.Started.Format("2 January 2006"))
	return missed, figure.ReplaceIn(*write, "targets", target.Markdown(r, machine))
}
