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
	"slices"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/against"
	"github.com/seed-1954dcaa/muxmaster/bench/against/side"
	"github.com/seed-1954dcaa/muxmaster/bench/command"
)

func main() {
	var o against.Options
	match := command.Regexp("run", "measure only the rows whose name matches this `expression`")
	flag.IntVar(&o.Plan.Rounds, "rounds", 10, "rounds for each row")
	flag.DurationVar(&o.Plan.Round, "round", 10*time.Millisecond, "time for each version in a round")
	flag.Float64Var(&o.Limit, "limit", 1.02, "mark ratios above this `factor`")
	flag.StringVar(&o.Tags, "tags", "", "build `tags` for both versions")
	dir := flag.String("keep", "", "build in this `directory` and keep the binaries, for a profiler or disassembler")
	command.Main(func(ctx context.Context) (worse bool, err error) {
		o.Ref = flag.Arg(0)
		o.Rows = slices.DeleteFunc(side.Rows(), func(r side.Row) bool { return !match.MatchString(r.Name) })
		if len(o.Rows) == 0 {
			return false, fmt.Errorf("against: no row matches %q", match)
		}
		if *dir == "" {
			if *dir, err = os.MkdirTemp("", "against"); err != nil {
				return false, err
			}
			defer os.RemoveAll(*dir)
		}
		n, err := against.Compare(ctx, os.Stdout, *dir, o)
		return n > 0, err
	}, "git ref")
}
