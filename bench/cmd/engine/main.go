// Command engine compares package engine with other HTTP servers under load:
// CPU time for each request, and requests per second.
//
//	go run ./cmd/engine                              # about four minutes
//	go run ./cmd/engine -run 'hello.*64 connections$'
//	go run ./cmd/engine -write ../docs/engine.md     # also update the table in a document
//
// It exits with status 1 if a target of the engine is missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/child"
	"github.com/seed-1954dcaa/muxmaster/bench/engineload"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

func main() {
	if name, ok := child.Asked(); ok {
		if err := engineload.Serve(name); err != nil {
			fmt.Fprintln(os.Stderr, "engine:", err)
			os.Exit(1)
		}
		return
	}
	missed, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(2)
	}
	if missed {
		os.Exit(1)
	}
}

func run() (missed bool, err error) {
	match := flag.String("run", "", "measure only the cases that match this `expression`")
	rounds := flag.Int("rounds", 15, "interleaved rounds")
	requests := flag.Int("requests", 3000, "requests to each server in a round")
	write := flag.String("write", "", "replace the generated table of this Markdown `file`")
	flag.Parse()
	expr, err := regexp.Compile(*match)
	if err != nil {
		return false, err
	}
	if *write != "" && *match != "" {
		return false, fmt.Errorf("-write needs all cases: remove -run")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pinSelf()

	var cases []engineload.Case
	var results [][]engineload.Result
	for _, c := range engineload.Cases() {
		if !expr.MatchString(c.String()) {
			continue
		}
		fmt.Fprintln(os.Stderr, c)
		r, err := engineload.Run(ctx, c, engineload.Plan{Rounds: *rounds, Requests: *requests})
		if err != nil {
			return false, err
		}
		cases, results = append(cases, c), append(results, r)
	}
	if len(cases) == 0 {
		return false, fmt.Errorf("no case matches %q", *match)
	}
	machine := fmt.Sprintf("%s, %s.", measure.ThisMachine(), time.Now().Format("2 January 2006"))
	text := engineload.Markdown(cases, results, machine, "go run ./cmd/engine -write ../docs/engine.md")
	fmt.Print(text, "\n")
	for _, b := range engineload.Bars(cases, results) {
		if b.Got != b.Got {
			continue // not measured
		}
		verdict := "ok"
		if b.Got < b.Want {
			verdict, missed = "MISSED", true
		}
		fmt.Printf("%-40s %.2f, want %.2f: %s\n", b.Text, b.Got, b.Want, verdict)
	}
	if *write != "" {
		return missed, figure.ReplaceIn(*write, "engine", text)
	}
	return missed, nil
}

// pinSelf keeps the load generator off the servers' processor, if the system
// supports that.
func pinSelf() {
	if taskset, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 {
		exec.Command(taskset, "-a", "-p", "-c", fmt.Sprintf("0-%d", runtime.NumCPU()-2), fmt.Sprint(os.Getpid())).Run()
	}
}
