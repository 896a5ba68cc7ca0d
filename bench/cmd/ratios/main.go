// Command ratios measures muxmaster's performance targets: its speed compared
// to the native handlers of gin, echo, bunrouter, fox and httprouter, and some
// counts.
//
//	go run ./cmd/ratios                       # about three minutes
//	go run ./cmd/ratios -run 'GitHub|1 parameter'
//	go run ./cmd/ratios -write README.md      # also update the tables in bench/README.md
//
// It exits with status 1 if a target is missed.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/target"
)

func main() {
	run := flag.String("run", "", "measure only the rows whose title matches this `expression`")
	rounds := flag.Int("rounds", 60, "interleaved rounds of a race")
	round := flag.Duration("round", 2*time.Millisecond, "time for each contender in a round")
	write := flag.String("write", "", "replace the generated part of this Markdown `file`")
	flag.Parse()
	match, err := regexp.Compile(*run)
	if err == nil && *run != "" && *write != "" {
		err = fmt.Errorf("-write needs all rows: remove -run")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(2)
	}
	results := target.Run(os.Stdout, match.MatchString, measure.Plan{Rounds: *rounds, Round: *round})
	if *write != "" {
		machine := fmt.Sprintf("%s, %s.", measure.ThisMachine(), time.Now().Format("2 January 2006"))
		if err := figure.ReplaceIn(*write, "targets", target.Markdown(results, machine, "go run ./cmd/ratios -write README.md")); err != nil {
			fmt.Fprintln(os.Stderr, "ratios:", err)
			os.Exit(2)
		}
	}
	if results.Missed() > 0 {
		os.Exit(1)
	}
}
