// Command ratios measures the promises about our modes, one line each: scenario, mode, peer, bar, measured ratio.
//
//	go run ./cmd/ratios -run 'GitHub|1 parameter'
//
// Its exit status is 1 when one of them doesn't hold.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

func main() {
	run := flag.String("run", "", "measure only rows whose scenario, mode and peer match this `expression`")
	rounds := flag.Int("rounds", 30, "interleaved rounds per row")
	round := flag.Duration("round", 20*time.Millisecond, "length of one contender's share of a round")
	flag.Parse()
	match, err := regexp.Compile(*run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios: -run:", err)
		os.Exit(2)
	}
	if !bench.PrintBars(os.Stdout, match, measure.Plan{Rounds: *rounds, Round: *round}) {
		os.Exit(1)
	}
}
