// Package load puts servers under load: one real process each, real sockets,
// keep-alive, rounds in turn. It compares routers behind net/http's server, and
// HTTP servers in front of one router.
package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Case is how many processors the server has. Every request is GET of [path],
// which is answered with its last segment.
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

// Server is a contender or an HTTP server in a binary that serves it with
// ServeFlag.
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

// Run starts all servers and loads them in turn, each round beginning with
// another one. step hears what part is done. A server that doesn't start or
// answers wrongly gets a Cannot; the error is the context's.
func Run(ctx context.Context, servers []Server, c Case, p Plan, tool Tool, step func(part float64)) ([]Result, error) {
	results := make([]Result, len(servers))
	running := make([]*process, len(servers))
	for i, s := range servers {
		proc, err := start(s, c)
		if err != nil {
			results[i].Cannot = err.Error()
			continue
		}
		defer proc.stop()
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
func loadOnce(ctx context.Context, proc *process, c Case, p Plan, tool Tool) (Round, error) {
	before, err := proc.cpu()
	if err != nil {
		return Round{}, err
	}
	requests, r, err := tool.load(ctx, "http://"+proc.address+path, c, p)
	if err != nil {
		return Round{}, err
	}
	after, err := proc.cpu()
	if err != nil {
		return Round{}, err
	}
	r.CPU = math.NaN()
	if after > before {
		r.CPU = (after - before) / float64(requests)
	}
	return r, nil
}

// process is a running server: it prints its address, answers every line on its
// standard input with the CPU time that it has used, in microseconds, and ends
// with its input.
type process struct {
	address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// start runs the server and makes sure that it answers.
func start(s Server, c Case) (*process, error) {
	args := []string{s.Binary, ServeFlag, s.Name}
	if c.Cores == 1 && runtime.NumCPU() > 1 {
		if taskset, err := exec.LookPath("taskset"); err == nil {
			args = append([]string{taskset, "-c", "0"}, args...)
		}
	}
	proc := &process{cmd: exec.Command(args[0], args[1:]...)}
	proc.cmd.Env = append(proc.cmd.Environ(), "GOMAXPROCS="+strconv.Itoa(c.Cores))
	var err error
	if proc.in, err = proc.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := proc.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	proc.out = bufio.NewReader(out)
	if err := proc.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := proc.out.ReadString('\n')
	if err != nil {
		proc.stop()
		return nil, fmt.Errorf("the server of %s didn't start: %w", s.Name, err)
	}
	proc.address = strings.TrimSpace(line)
	if err := check(proc.address, path, answer); err != nil {
		proc.stop()
		return nil, err
	}
	return proc, nil
}

// cpu returns the microseconds of CPU time that the process has used.
func (p *process) cpu() (float64, error) {
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		return 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

// stop ends the process and waits for it.
func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}
