// Command engine compares package engine with other HTTP servers under load:
// CPU time for each request, and requests per second.
//
//	go run ./cmd/engine                              # about 40 minutes
//	go run ./cmd/engine -run 'hello.*64 connections$'
//	go run ./cmd/engine -docs ../docs                # also update the tables in engine.md
//	go run ./cmd/engine -http2                       # over HTTP/2, about 40 minutes
//	go run ./cmd/engine -http2 -docs ../docs         # also update the documents and http2.json
//	GOTOOLCHAIN=go1.27.4 go run ./cmd/engine -http2  # with another Go release
//	CPUPROFILE=/tmp/profile go run ./cmd/engine      # profile each server: /tmp/profile.engine
//
// It needs wrk, and h2load with -http2. It updates no document if the run wasn't
// quiet.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/report"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// usual are the servers in docs/engine.md.
const usual = "^(engine|engine, recycling|fasthttp|hyper|h2o|grpc-go's own server)$"

func main() {
	match := showdown.Regexp("run", "", "measure only the cases that match this `expression`")
	which := showdown.Regexp("servers", usual, "compare only net/http and the servers that match this `expression`")
	rounds := flag.Uint("rounds", 0, "interleaved rounds, by default 12, or 20 with -http2")
	http2 := flag.Bool("http2", false, "measure HTTP/2 instead of HTTP/1.1")
	resume := flag.Bool("resume", false, "carry on with the last run, with the same flags")
	docs := flag.String("docs", "", "update the tables of engine.md in this `folder`, and with -http2 also the pictures, the README.md beside it and "+showdown.HTTP2File)
	showdown.Main(func(ctx context.Context) error {
		if *docs != "" && (match.String() != "" || which.String() != usual) {
			return errors.New("engine: -docs needs all cases and the usual servers: remove -run and -servers")
		}
		if *docs != "" { // find a wrong name before the measurement
			if _, err := figure.Replaced(filepath.Join(*docs, "engine.md"), [2]string{"engine"}); err != nil {
				return err
			}
		}
		all := load.HTTPServers
		load.HTTPServers = slices.DeleteFunc(slices.Clone(all), func(s load.HTTPServer) bool {
			return s.Name != load.HTTPServers[0].Name && !which.MatchString(s.Name)
		})
		o := showdown.Options{
			File: "results/engine.json", Resume: *resume, Command: "go run ./cmd/engine -docs ../docs",
			Contenders: []string{}, Only: regexp.MustCompile("^(servers|http2)/"), Log: os.Stderr,
		}
		o.Plan = &showdown.Plan{LoadPasses: 2, Strict: true, Again: true, ServerCases: load.Cases(), Load: load.Plan{Rounds: cmp.Or(int(*rounds), 12), Round: time.Second}}
		text, published := report.Engine, ""
		if *http2 {
			o.File, o.Command = "results/http2.json", "go run ./cmd/engine -http2 -docs ../docs"
			o.Plan.ServerCases = load.HTTP2Cases()
			o.Plan.Load = load.Plan{Rounds: cmp.Or(int(*rounds), 20), Round: 300 * time.Millisecond}
			text, published = report.HTTP2, showdown.HTTP2File
		}
		o.Plan.ServerCases = slices.DeleteFunc(o.Plan.ServerCases, func(c load.Case) bool { return !match.MatchString(c.String()) })
		if len(o.Plan.ServerCases) == 0 {
			return errors.New("engine: no case matches -run")
		}
		r, err := showdown.Start(ctx, o)
		if err != nil {
			return err
		}
		r.Finished = time.Now()
		fmt.Print(text(r), "\n")
		load.HTTPServers = all // the other documents name more of them
		if *docs != "" {
			return report.Publish(*docs, published, r)
		}
		return nil
	})
}
