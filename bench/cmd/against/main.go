// Command against compares the speed of the router in the working tree with
// that of a git commit. Both run interleaved in one process. It measures a row
// whose ratio is above the limit again. If the ratio remains above the limit,
// it marks the row and exits with status 1.
//
//	go run ./cmd/against main
//	go run ./cmd/against -run 'default (Param|GitHub)' -rounds 30 HEAD~3
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/against"
	"github.com/seed-1954dcaa/muxmaster/bench/against/side"
)

func main() {
	var o against.Options
	run := flag.String("run", "", "measure only the rows whose name matches this `expression`")
	flag.IntVar(&o.Plan.Rounds, "rounds", 10, "rounds for each row")
	flag.DurationVar(&o.Plan.Round, "round", 10*time.Millisecond, "time for each version in a round")
	flag.Float64Var(&o.Limit, "limit", 1.02, "mark ratios above this `factor`")
	flag.StringVar(&o.Tags, "tags", "", "build `tags` for both versions")
	keep := flag.String("keep", "", "build in this `directory` and keep the binaries, for a profiler or disassembler")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./cmd/against [flags] <git ref>")
		flag.PrintDefaults()
	}
	flag.Parse()
	match, err := regexp.Compile(*run)
	if err != nil || flag.NArg() != 1 {
		if err != nil {
			fmt.Fprintln(os.Stderr, "against: -run:", err)
		}
		flag.Usage()
		os.Exit(2)
	}
	o.Ref = flag.Arg(0)
	o.Rows = slices.DeleteFunc(side.Rows(), func(r side.Row) bool { return !match.MatchString(r.Name) })
	worse, err := compare(*keep, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if worse > 0 {
		os.Exit(1)
	}
}

func compare(dir string, o against.Options) (worse int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if dir == "" {
		if dir, err = os.MkdirTemp("", "against"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
	}
	return against.Compare(ctx, os.Stdout, dir, o)
}
