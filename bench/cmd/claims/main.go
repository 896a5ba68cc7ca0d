// Command claims measures fourteen claims about net/http's performance and
// writes the results to docs/claims.md.
//
//	go run ./cmd/claims           # about two minutes, on an idle machine
//	go run ./cmd/claims -quick    # a few seconds, to test the command; writes no file
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/claims"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

func main() {
	quick := flag.Bool("quick", false, "few short rounds and small bodies; write no file")
	out := flag.String("o", "../docs/claims.md", "write the page to this `file`")
	only := flag.Int("claim", 0, "measure only the claim with this `number`; write no file")
	rounds := flag.Int("rounds", 11, "interleaved rounds per case")
	round := flag.Duration("round", 50*time.Millisecond, "time for each side in a round")
	flag.Parse()
	plan, command := measure.Plan{Rounds: *rounds, Round: *round}, "go run ./cmd/claims"
	if *quick {
		plan = measure.Plan{Rounds: 3, Round: 2 * time.Millisecond}
	}
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "rounds" || f.Name == "round" {
			command += fmt.Sprintf(" -%s %v", f.Name, f.Value)
		}
	})
	var results []claims.Result
	for _, c := range claims.All() {
		if *only != 0 && c.Number != *only {
			continue
		}
		r := claims.Result{Claim: c, Rows: claims.Run(c, plan, *quick)}
		claims.Print(os.Stdout, r)
		results = append(results, r)
	}
	if *quick || *only != 0 {
		return
	}
	var page bytes.Buffer
	claims.Markdown(&page, results, command, time.Now())
	if err := os.WriteFile(*out, page.Bytes(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(1)
	}
}
