// Command claims measures fourteen claims about net/http's performance and
// writes the results to docs/claims.md.
//
//	go run ./cmd/claims           # about two minutes, on an idle machine
//	go run ./cmd/claims -quick    # a few seconds, to test the command; writes no file
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/claims"
	"github.com/seed-1954dcaa/muxmaster/bench/command"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

func main() {
	quick := flag.Bool("quick", false, "few short rounds and small bodies; write no file")
	out := flag.String("o", "../docs/claims.md", "write the page to this `file`")
	only := flag.Int("claim", 0, "measure only the claim with this `number`; write no file")
	rounds := flag.Int("rounds", 11, "interleaved rounds per case")
	round := flag.Duration("round", 50*time.Millisecond, "time for each side in a round")
	command.Main(func(ctx context.Context) (missed bool, err error) {
		if *rounds < 1 {
			return false, fmt.Errorf("claims: -rounds %d, want at least one", *rounds)
		}
		plan, how := measure.Plan{Rounds: *rounds, Round: *round}, "go run ./cmd/claims"
		if *quick {
			plan = measure.Plan{Rounds: 3, Round: 2 * time.Millisecond}
		}
		flag.Visit(func(f *flag.Flag) {
			if f.Name == "rounds" || f.Name == "round" {
				how += fmt.Sprintf(" -%s %v", f.Name, f.Value)
			}
		})
		writes := !*quick && *only == 0
		if writes { // find a wrong name before two minutes have passed
			f, err := os.OpenFile(*out, os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				return false, err
			}
			f.Close()
		}
		var results []claims.Result
		for _, c := range claims.All() {
			if *only != 0 && c.Number != *only {
				continue
			}
			r := claims.Result{Claim: c, Rows: claims.Run(c, plan, *quick)}
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			claims.Print(os.Stdout, r)
			results = append(results, r)
		}
		if len(results) == 0 {
			return false, fmt.Errorf("claims: there is no claim %d", *only)
		}
		if !writes {
			return false, nil
		}
		var page bytes.Buffer
		claims.Markdown(&page, results, how, time.Now())
		return false, os.WriteFile(*out, page.Bytes(), 0o644)
	})
}
