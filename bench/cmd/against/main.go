// Command against compares the router of the working tree with that of a git
// commit. Both are in one binary and take turns; a ratio above 1.02 is marked,
// measured again, and makes the exit status 1.
//
//	go run ./cmd/against main
//	go run ./cmd/against -run 'default (Param|GitHub)' -rounds 30 HEAD~3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"

	"github.com/seed-1954dcaa/muxmaster/bench/against"
	"github.com/seed-1954dcaa/muxmaster/bench/against/race"
)

func main() {
	plan := race.DefaultPlan
	run := flag.String("run", "", "measure only the rows whose name matches this `expression`")
	flag.IntVar(&plan.Rounds, "rounds", plan.Rounds, "rounds for each row")
	flag.DurationVar(&plan.Round, "round", plan.Round, "length of one version's share of a round")
	limit := flag.Float64("limit", 1.02, "mark ratios above this `factor`")
	tags := flag.String("tags", "", "build `tags` for both versions")
	keep := flag.String("keep", "", "build in this `folder` and leave it there, for a profiler or a disassembler")
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
	job := race.Job{Plan: plan, Limit: *limit, Rows: against.Matching(against.Rows(), match.MatchString)}
	err = compare(flag.Arg(0), *tags, *keep, job)
	switch {
	case errors.Is(err, against.ErrWorse):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func compare(ref, tags, dir string, job race.Job) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := against.Root(ctx)
	if err != nil {
		return err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "against"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	binary, err := against.Build(ctx, dir, root, ref, tags)
	if err != nil {
		return err
	}
	return against.Run(ctx, os.Stdout, binary, job)
}
