// Command showdown compares the speed of all routers on this machine.
//
//	go run ./cmd/showdown              # in bench/; about 20 minutes on two cores
//	go run ./cmd/showdown -quick       # about 5 minutes
//	go run ./cmd/showdown -resume      # carry on after Ctrl-C
//	go run ./cmd/showdown -report -html DIR                       # the last run as a page
//	go run ./cmd/showdown -report -run published.json -html DIR   # the project's own
//	go run ./cmd/showdown -compare old.json new.json
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/report"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

func main() {
	// The command is also its own helper: a worker that measures, a server that
	// is put under load. Ctrl-C reaches helpers too; they ignore it and end
	// with their input, so that the current unit is dropped in order.
	var err error
	server, isServer := load.Asked()
	switch {
	case len(os.Args) == 2 && os.Args[1] == showdown.WorkerFlag:
		signal.Ignore(os.Interrupt)
		err = showdown.ServeWorker(os.Stdin, os.Stdout)
	case isServer:
		signal.Ignore(os.Interrupt)
		err = load.Serve(server)
	default:
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "fewer rounds and cases: about 5 minutes on two cores")
	resume := flag.Bool("resume", false, "carry on with the run in the file of -run")
	file := flag.String("run", "results/showdown.json", "the `file` in which the run is kept")
	only := flag.String("only", "", "only the units that match the `expression`: serving/GitHub, parallel, scaling/Scale1000, heap/github, load, servers")
	limit := flag.Duration("for", 0, "stop after that long, as Ctrl-C does; -resume carries on")
	compare := flag.Bool("compare", false, "compare two runs, given as two files, and measure nothing")
	docs := flag.String("docs", "", "write benchmarks.md, reference-figures.md and the pictures into this `folder`, the ratios into the comparison.md there, the speed table into the README.md beside it, and the run into "+showdown.File)
	html := flag.String("html", "", "write benchmarks.html into this `folder`")
	reportOnly := flag.Bool("report", false, "report the run in the file of -run, and measure nothing")
	flag.Parse()

	if *compare {
		return compareRuns(flag.Args())
	}
	if flag.NArg() != 0 {
		return fmt.Errorf("showdown: unexpected argument %q", flag.Arg(0))
	}
	var r *showdown.Run
	var err error
	if *reportOnly {
		r, err = showdown.Read(*file)
	} else {
		r, err = measure(showdown.Options{File: *file, Quick: *quick, Resume: *resume}, *only, *limit)
	}
	if err != nil {
		return err
	}
	if err := report.Terminal(os.Stdout, r); err != nil {
		return err
	}
	if r.Finished.IsZero() && !*reportOnly {
		fmt.Printf("\nThe run is not complete; -resume carries on with %s.\n", *file)
	}
	if *html != "" {
		if err := writePage(*html, r); err != nil {
			return err
		}
	}
	if *docs != "" {
		return writeDocs(*docs, r)
	}
	return nil
}

func compareRuns(files []string) error {
	if len(files) != 2 {
		return errors.New("showdown: -compare needs two files: old.json new.json")
	}
	old, err := showdown.Read(files[0])
	if err != nil {
		return err
	}
	new, err := showdown.Read(files[1])
	if err != nil {
		return err
	}
	showdown.Compare(os.Stdout, old, new)
	return nil
}

// writePage writes the page of a run into a folder.
func writePage(folder string, r *showdown.Run) error {
	page, err := report.HTML(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	file := filepath.Join(folder, "benchmarks.html")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		return err
	}
	fmt.Println("wrote", file)
	return nil
}

// writeDocs writes the project's pages into a folder, and the run they show.
func writeDocs(folder string, r *showdown.Run) error {
	http2, err := showdown.Read(showdown.HTTP2File)
	if err != nil {
		return err
	}
	if err := r.Write(showdown.File); err != nil {
		return err
	}
	if r, err = showdown.Read(showdown.File); err != nil { // its figures are rounded
		return err
	}
	files, err := report.Docs(folder, r, http2)
	if err != nil {
		return err
	}
	for _, file := range append(files, showdown.File) {
		fmt.Println("wrote", file)
	}
	return nil
}

// measure runs with a progress bar until done, interrupted, or out of time.
func measure(o showdown.Options, only string, limit time.Duration) (*showdown.Run, error) {
	if only != "" {
		var err error
		if o.Only, err = regexp.Compile(only); err != nil {
			return nil, fmt.Errorf("showdown: -only: %w", err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	bar := progressbar.NewOptions64(1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionFullWidth(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true), progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionSetDescription("getting ready"), progressbar.OptionClearOnFinish())
	o.Progress = func(doing string, done, all time.Duration) {
		bar.ChangeMax64(all.Milliseconds() + 1) // the bar must not finish early
		bar.Describe(fmt.Sprintf("%-34.34s", doing))
		bar.Set64(done.Milliseconds())
	}
	r, err := showdown.Start(ctx, o)
	bar.Finish()
	fmt.Fprintln(os.Stderr)
	return r, err
}
