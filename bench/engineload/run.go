package engineload

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/bench/child"
)

// Serve runs the server with the given name; see [child.Serve].
func Serve(name string) error {
	i := slices.IndexFunc(Servers, func(s Server) bool { return s.Name == name })
	if i < 0 {
		return fmt.Errorf("no server %q", name)
	}
	return child.Serve(Servers[i].Serve)
}

// A Result contains the measurements of one server in one case.
type Result struct {
	CPU  []float64 // microseconds per request, by round
	Rate []float64 // requests per second, by round
}

// A Plan says how long to measure.
type Plan struct {
	Rounds   int
	Requests int // of each server in a round
}

// Run measures all servers in a case in interleaved rounds. Each round begins
// with another server. The first round is a warm-up and isn't counted.
func Run(ctx context.Context, c Case, plan Plan) ([]Result, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(Servers))
	procs := make([]*child.Process, len(Servers))
	loads := make([]*loader, len(Servers))
	for i, s := range Servers {
		var err error
		if procs[i], err = child.Start(self, s.Name, 1, runtime.NumCPU()-1); err != nil {
			return nil, err
		}
		defer procs[i].Stop()
		if loads[i], err = dial(procs[i].Address, c.Connections); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		defer loads[i].close()
	}
	for round := range plan.Rounds + 1 {
		for k := range Servers {
			i := (round + k) % len(Servers)
			before, err := procs[i].CPU()
			if err != nil {
				return nil, err
			}
			n, took, err := loads[i].run(ctx, c, plan.Requests)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", Servers[i].Name, err)
			}
			after, err := procs[i].CPU()
			if err != nil {
				return nil, err
			}
			if round > 0 {
				results[i].CPU = append(results[i].CPU, (after-before)/float64(n))
				results[i].Rate = append(results[i].Rate, float64(n)/took.Seconds())
			}
		}
	}
	return results, nil
}
