// Command showdown compares the speed of all routers on this machine.
//
//	go run ./cmd/showdown              # in bench/; about 40 minutes on two cores
//	go run ./cmd/showdown -quick       # about 5 minutes
//	go run ./cmd/showdown -resume      # carry on after Ctrl-C
//	go run ./cmd/showdown -report -html DIR                       # the last run as a page
//	go run ./cmd/showdown -report -run published.json -html DIR   # the project's own
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-1954dcaa/muxmaster/bench/report"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

func main() {
	var o showdown.Options
	flag.BoolVar(&o.Quick, "quick", false, "fewer rounds and cases: about 5 minutes on two cores")
	flag.BoolVar(&o.Resume, "resume", false, "carry on with the run in the file of -run")
	flag.StringVar(&o.File, "run", "results/showdown.json", "the `file` in which the run is kept")
	o.Only = showdown.Regexp("only", "", "only the units that match the `expression`: serving/GitHub, parallel, scaling/Scale1000, heap/github, load, servers")
	limit := flag.Duration("for", 0, "stop after that long, as Ctrl-C does; -resume carries on")
	docs := flag.String("docs", "", "write benchmarks.md and the pictures into this `folder`, the ratios into the comparison.md there, the speed table into the README.md beside it, and the run into "+showdown.File)
	html := flag.String("html", "", "write benchmarks.html into this `folder`")
	reportOnly := flag.Bool("report", false, "report the run in the file of -run, and measure nothing")
	showdown.Main(func(ctx context.Context) (err error) {
		var r *showdown.Run
		if *reportOnly {
			r, err = showdown.Read(o.File)
		} else {
			if *limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, *limit)
				defer cancel()
			}
			o.Log = os.Stderr
			r, err = showdown.Start(ctx, o)
		}
		stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		if err != nil && (!stopped || r == nil) {
			return err
		}
		fmt.Print(report.Terminal(r))
		if r.Finished.IsZero() && !*reportOnly {
			fmt.Printf("\nThe run is not complete; -resume carries on with %s.\n", o.File)
		}
		if *html != "" {
			if err := report.Write(map[string]string{filepath.Join(*html, "benchmarks.html"): report.HTML(r)}); err != nil {
				return err
			}
		}
		if *docs != "" {
			return report.Publish(*docs, showdown.File, r)
		}
		return nil
	})
}
