package engineload

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// ServeFlag makes the command serve the server of the name that follows.
const ServeFlag = "-serve"

// Serve is the process under load. It prints its address, answers each line of
// its standard input with the CPU time that it has used, in microseconds, and
// ends with its input.
func Serve(name string) error {
	i := slices.IndexFunc(Servers, func(s Server) bool { return s.Name == name })
	if i < 0 {
		return fmt.Errorf("no server %q", name)
	}
	addr, err := Servers[i].Listen()
	if err != nil {
		return err
	}
	fmt.Println(addr)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(measure.CPU().Microseconds())
	}
	return nil
}

// A process is a running server.
type process struct {
	addr string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// start runs a server on the last processor, if it can be pinned.
func start(name string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{self, ServeFlag, name}
	if taskset, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 {
		args = append([]string{taskset, "-c", strconv.Itoa(runtime.NumCPU() - 1)}, args...)
	}
	p := &process{cmd: exec.Command(args[0], args[1:]...)}
	p.cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s doesn't start: %w", name, err)
	}
	p.addr = strings.TrimSpace(line)
	return p, nil
}

func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}

// cpu returns the CPU time that the process has used, in microseconds.
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

// A Result is what the rounds of one server came to in one case.
type Result struct {
	CPU  []float64 // microseconds a request, by round
	Rate []float64 // requests a second, by round
}

// A Plan says how long to measure.
type Plan struct {
	Rounds   int
	Requests int // of each server in a round
}

// Run measures all servers in a case, in rounds of which each begins with
// another server. The first round warms up and doesn't count.
func Run(ctx context.Context, c Case, plan Plan) ([]Result, error) {
	results := make([]Result, len(Servers))
	procs := make([]*process, len(Servers))
	loads := make([]*loader, len(Servers))
	for i, s := range Servers {
		var err error
		if procs[i], err = start(s.Name); err != nil {
			return nil, err
		}
		defer procs[i].stop()
		if loads[i], err = dial(procs[i].addr, c.Connections); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		defer loads[i].close()
	}
	for round := range plan.Rounds + 1 {
		for k := range Servers {
			i := (round + k) % len(Servers)
			before, err := procs[i].cpu()
			if err != nil {
				return nil, err
			}
			n, took, err := loads[i].run(ctx, c, plan.Requests)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", Servers[i].Name, err)
			}
			after, err := procs[i].cpu()
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
