// Command engine compares package engine with other HTTP servers under load:
// CPU time for each request, and requests per second.
//
//	go run ./cmd/engine                              # about four minutes
//	go run ./cmd/engine -run 'hello.*64 connections$'
//	go run ./cmd/engine -write ../docs/engine.md     # also update the table in a document
//	go run ./cmd/engine -servers 'net/http|^engine$|package server' -write ../docs/server.md
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

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/report"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

func main() {
	if name, ok := load.Asked(); ok {
		if err := load.Serve(name); err != nil {
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
	which := flag.String("servers", "", "compare only net/http and the servers that match this `expression`")
	rounds := flag.Int("rounds", 15, "interleaved rounds")
	requests := flag.Int("requests", 3000, "requests to each server in a round")
	write := flag.String("write", "", "replace the generated table of this Markdown `file`")
	flag.Parse()
	expr, err := regexp.Compile(*match)
	if err != nil {
		return false, err
	}
	if err := restrict(*which); err != nil {
		return false, err
	}
	if *write != "" && *match != "" {
		return false, fmt.Errorf("-write needs all cases: remove -run")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pinSelf()

	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	results := &showdown.Run{Started: time.Now(), Machine: measure.ThisMachine()}
	servers, plan := load.All(self), load.Plan{Rounds: *rounds, Requests: *requests, WarmUp: true}
	var cases []load.Case
	for _, c := range load.Cases() {
		if !expr.MatchString(c.String()) {
			continue
		}
		fmt.Fprintln(os.Stderr, c)
		cases = append(cases, c)
		// Without a tool, this process generates the load: other tools can't send
		// these requests.
		rounds, err := load.Run(ctx, servers, c, plan, load.Tool{}, func(float64) {})
		if err != nil {
			return false, err
		}
		for i, s := range servers {
			if rounds[i].Cannot != "" {
				return false, fmt.Errorf("%s, %s: %s", c, s.Name, rounds[i].Cannot)
			}
			results.AddLoad(showdown.Servers, c, s.Name, rounds[i])
		}
	}
	if len(cases) == 0 {
		return false, fmt.Errorf("no case matches %q", *match)
	}
	command := "go run ./cmd/engine -write ../docs/engine.md"
	if *which != "" {
		command = fmt.Sprintf("go run ./cmd/engine -servers '%s' -write ../docs/server.md", *which)
	}
	text := report.Engine(results, cases, command)
	fmt.Print(text, "\n")
	for _, b := range report.Bars(results, cases) {
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

// restrict removes the servers whose name doesn't match, except the first, which
// the others are compared with.
func restrict(expression string) error {
	expr, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	var kept []load.HTTPServer
	for i, s := range load.HTTPServers {
		if i == 0 || expr.MatchString(s.Name) {
			kept = append(kept, s)
		}
	}
	load.HTTPServers = kept
	return nil
}

// pinSelf keeps the load generator off the servers' processor, if the system
// supports that.
func pinSelf() {
	if taskset, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 {
		exec.Command(taskset, "-a", "-p", "-c", fmt.Sprintf("0-%d", runtime.NumCPU()-2), fmt.Sprint(os.Getpid())).Run()
	}
}
