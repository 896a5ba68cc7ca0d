// Package load measures servers under load, each in a separate process, over
// keep-alive connections, in interleaved rounds. It compares routers with
// net/http's server, and HTTP servers with the same router.
package load

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/child"
)

// Case is the number of the server's processors. Every request is a GET of
// [path], and the response is its last segment.
type Case struct{ Cores int }

const (
	path   = "/some/page/123"
	answer = "123"
)

func (c Case) String() string {
	if c.Cores == 1 {
		return "1 parameter, 1 core"
	}
	return fmt.Sprintf("1 parameter, %d cores", c.Cores)
}

// Plan says how long to load each server.
type Plan struct {
	Rounds      int
	Round       time.Duration
	Connections int
}

// Server is a contender or an HTTP server in a binary that serves it as a
// child.
type Server struct{ Name, Binary string }

// Round is what one round of load on one server came to.
type Round struct {
	PerSecond float64
	P50, P99  time.Duration
	CPU       float64 // microseconds of the server process per request, NaN where the system doesn't tell
}

// Result is all rounds of one server, or why there are none.
type Result struct {
	Rounds []Round
	Cannot string
}

// Run starts all servers and loads them in interleaved rounds. Each round
// begins with another server. Run calls step with the completed fraction. If a
// server doesn't start or sends a wrong response, its result has a Cannot. Run
// returns only errors of the context.
func Run(ctx context.Context, servers []Server, c Case, p Plan, tool Tool, step func(part float64)) ([]Result, error) {
	results := make([]Result, len(servers))
	running := make([]*child.Process, len(servers))
	for i, s := range servers {
		proc, err := start(s, c)
		if err != nil {
			results[i].Cannot = err.Error()
			continue
		}
		defer proc.Stop()
		running[i] = proc
	}
	for round := range p.Rounds {
		for k := range servers {
			i := (round + k) % len(servers)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if running[i] == nil {
				continue
			}
			r, err := loadOnce(ctx, running[i], c, p, tool)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				results[i] = Result{Cannot: err.Error()}
				running[i] = nil
				continue
			}
			results[i].Rounds = append(results[i].Rounds, r)
			step((float64(round) + float64(k+1)/float64(len(servers))) / float64(p.Rounds))
		}
	}
	return results, nil
}

// loadOnce loads one server for a round.
func loadOnce(ctx context.Context, proc *child.Process, c Case, p Plan, tool Tool) (Round, error) {
	before, err := proc.CPU()
	if err != nil {
		return Round{}, err
	}
	requests, r, err := tool.load(ctx, "http://"+proc.Address+path, c, p)
	if err != nil {
		return Round{}, err
	}
	after, err := proc.CPU()
	if err != nil {
		return Round{}, err
	}
	r.CPU = math.NaN()
	if after > before {
		r.CPU = (after - before) / float64(requests)
	}
	return r, nil
}

// start starts the server and checks its response.
func start(s Server, c Case) (*child.Process, error) {
	proc, err := child.Start(s.Binary, s.Name, c.Cores, 0)
	if err != nil {
		return nil, err
	}
	if err := check(proc.Address, path, answer); err != nil {
		proc.Stop()
		return nil, err
	}
	return proc, nil
}
