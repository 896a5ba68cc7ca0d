// Command engine compares package engine with other HTTP servers under load:
// CPU time for each request, and requests per second.
//
//	go run ./cmd/engine                              # about four minutes
//	go run ./cmd/engine -run 'hello.*64 connections$'
//	go run ./cmd/engine -write ../docs/engine.md     # also update the table in a document
//	go run ./cmd/engine -servers 'net/http|^engine$|package server' -write ../docs/server.md
//	go run ./cmd/engine -http2                       # over HTTP/2, about nine minutes
//	go run ./cmd/engine -http2 -docs ../docs         # also update the documents and http2.json
//	GOTOOLCHAIN=go1.27.1 go run ./cmd/engine -http2  # with another Go release
//
// It exits with status 1 if a target of the engine is missed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"regexp"
	"slices"
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
	rounds := flag.Int("rounds", 0, "interleaved rounds (default 15; 8 with -http2)")
	requests := flag.Int("requests", 3000, "requests to each server in a round, without -http2")
	write := flag.String("write", "", "replace the generated table of this Markdown `file`, without -http2")
	http2 := flag.Bool("http2", false, "measure HTTP/2 instead of HTTP/1.1")
	docs := flag.String("docs", "", "with -http2, update the documents in this `folder`, the README.md beside it and "+showdown.HTTP2File)
	flag.Parse()
	expr, err := regexp.Compile(*match)
	if err != nil {
		return false, err
	}
	if err := restrict(*which); err != nil {
		return false, err
	}
	if *write+*docs != "" && *match != "" {
		return false, fmt.Errorf("-write and -docs need all cases: remove -run")
	}
	if *http2 && *write != "" || !*http2 && *docs != "" {
		return false, fmt.Errorf("-http2 needs -docs instead of -write, and -docs needs -http2")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *http2 {
		return runHTTP2(ctx, expr, cmp.Or(*rounds, 8), *docs)
	}

	results := &showdown.Run{Started: time.Now(), Machine: measure.ThisMachine()}
	plan := load.Plan{Rounds: cmp.Or(*rounds, 15), Requests: *requests, WarmUp: true}
	cases, err := measureAll(ctx, results, showdown.Servers, matching(load.Cases(), expr), plan)
	if err != nil {
		return false, err
	}
	command := "go run ./cmd/engine -write ../docs/engine.md"
	if *which != "" {
		command = fmt.Sprintf("go run ./cmd/engine -servers '%s' -write ../docs/server.md", *which)
	}
	text := report.Engine(results, cases, command)
	fmt.Print(text, "\n")
	missed = judge(report.Bars(results, cases))
	if *write != "" {
		return missed, figure.ReplaceIn(*write, "engine", text)
	}
	return missed, nil
}

// runHTTP2 measures servers over HTTP/2.
func runHTTP2(ctx context.Context, expr *regexp.Regexp, rounds int, docs string) (missed bool, err error) {
	all := load.HTTP2Cases()
	if load.HasH2load() {
		all = append(all, load.H2loadCases()...)
	}
	results := &showdown.Run{Started: time.Now(), Machine: measure.ThisMachine(), Command: "go run ./cmd/engine -http2 -docs ../docs"}
	plan := load.Plan{Rounds: rounds, Round: 120 * time.Millisecond, WarmUp: true}
	if _, err := measureAll(ctx, results, showdown.HTTP2, matching(all, expr), plan); err != nil {
		return false, err
	}
	results.Finished = time.Now()
	fmt.Print(report.HTTP2(results), "\n")
	missed = judge(report.HTTP2Bars(results))
	if docs == "" {
		return missed, nil
	}
	published, err := showdown.Read(showdown.File)
	if err != nil {
		return missed, err
	}
	if err := results.Write(showdown.HTTP2File); err != nil {
		return missed, err
	}
	if results, err = showdown.Read(showdown.HTTP2File); err != nil { // its figures are rounded
		return missed, err
	}
	files, err := report.Docs(docs, published, results)
	for _, file := range append(files, showdown.HTTP2File) {
		fmt.Println("wrote", file)
	}
	return missed, err
}

func matching(cases []load.Case, expr *regexp.Regexp) []load.Case {
	return slices.DeleteFunc(cases, func(c load.Case) bool { return !expr.MatchString(c.String()) })
}

// passes is how often all cases are measured. Their rounds are spread over the
// whole time, so that a few slow seconds of the machine don't decide a case.
const passes = 4

// measureAll measures all servers in all cases. It returns an error if a
// response is wrong.
func measureAll(ctx context.Context, results *showdown.Run, section showdown.Section, cases []load.Case, plan load.Plan) ([]load.Case, error) {
	if len(cases) == 0 {
		return nil, errors.New("no case matches -run")
	}
	rounds := plan.Rounds
	for pass := range passes {
		plan.Rounds = rounds*(pass+1)/passes - rounds*pass/passes
		for i := 0; i < len(cases) && plan.Rounds > 0; i++ {
			if err := measureCase(ctx, results, section, cases[i], plan); err != nil {
				return nil, err
			}
		}
	}
	return cases, nil
}

// measureCase measures all servers in a case.
func measureCase(ctx context.Context, results *showdown.Run, section showdown.Section, c load.Case, plan load.Plan) error {
	fmt.Fprintln(os.Stderr, c)
	servers := load.Entrants(c)
	rounds, err := load.Run(ctx, servers, c, plan, func(float64) {})
	if err != nil {
		return err
	}
	for i, s := range servers {
		if rounds[i].Cannot != "" {
			return fmt.Errorf("%s, %s: %s", c, s, rounds[i].Cannot)
		}
		results.AddLoad(section, c, s, rounds[i])
	}
	return nil
}

// judge prints whether the targets are met. It reports whether one was missed.
func judge(bars []report.Bar) (missed bool) {
	for _, b := range bars {
		if math.IsNaN(b.Got) {
			continue // not measured
		}
		verdict := "ok"
		if b.Got < b.Want {
			verdict, missed = "MISSED", true
		}
		fmt.Printf("%-40s %.2f, want %.2f: %s\n", b.Text, b.Got, b.Want, verdict)
	}
	return missed
}

// restrict removes the servers whose name doesn't match, except the first, which
// the others are compared with.
func restrict(expression string) error {
	expr, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	first := load.HTTPServers[0].Name
	unwanted := func(s load.HTTPServer) bool { return s.Name != first && !expr.MatchString(s.Name) }
	load.HTTPServers = slices.DeleteFunc(load.HTTPServers, unwanted)
	load.HTTP2Servers = slices.DeleteFunc(load.HTTP2Servers, unwanted)
	return nil
}
