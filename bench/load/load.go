// Package load measures servers under load, each in a separate process, over
// keep-alive connections, in interleaved rounds. It compares routers with
// net/http's server, and HTTP servers with the same handler: requests per
// second, latencies, and the CPU time of the server's process per request.
package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Plan says how long to load each server. A round of HTTP/1.1 takes at least a
// second.
type Plan struct {
	Rounds int
	Round  time.Duration
}

// Round is what one round of load on one server came to.
type Round struct {
	PerSecond      float64
	P50, P99, P999 float64 // microseconds
	CPU            float64 // microseconds of the server process per request, NaN where the system doesn't tell
	Kernel         float64 // the part of CPU in the kernel, 0 where the system doesn't tell
	Memory         float64 // megabytes that are resident then, 0 where the system doesn't tell
}

// Result is all rounds of one server, or why there are none.
type Result struct {
	Rounds []Round
	Cannot string
}

// Run starts the contenders or HTTP servers with these names, as children of a
// program that calls Help, and loads them in interleaved rounds. Each round begins
// with another server. A round in which the host of a virtual machine took more than
// 5 % of the processors' time for others is repeated, at most twice. If a server
// doesn't start or sends a wrong response, its result has a Cannot. Run returns only
// errors of the context, and if a tool isn't installed.
func Run(ctx context.Context, servers []string, c Case, p Plan) ([]Result, error) {
	if tool := c.tool(); tool != "" {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("load: install %s: %w", tool, err)
		}
	}
	if slices.Contains(servers, "hyper") {
		if _, err := buildHyper(); err != nil {
			return nil, err
		}
	}
	defer pinSelf()()
	defer keepAwake()()
	results := make([]Result, len(servers))
	running := make([]*process, len(servers))
	for i, s := range servers {
		p, err := start(s, c)
		if err != nil {
			results[i].Cannot = err.Error()
			continue
		}
		defer p.stop()
		running[i] = p
	}
	for round := range p.Rounds {
		for k := range servers {
			i := (round + k) % len(servers)
			if running[i] == nil {
				continue
			}
			r, err := running[i].undisturbed(ctx, p)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				results[i] = Result{Cannot: err.Error()}
				running[i] = nil
				continue
			}
			results[i].Rounds = append(results[i].Rounds, r)
		}
	}
	return results, nil
}

// start starts the server and checks its response.
func start(server string, c Case) (*process, error) {
	p, err := startProcess(strings.TrimSpace(string(c.Protocol) + " " + server))
	if err != nil {
		return nil, err
	}
	p.c = c
	// External servers open a listener of their own.
	for range 100 {
		client := c.client()
		err = c.exchange(context.Background(), client, p.address)
		client.CloseIdleConnections()
		if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// The host of a virtual machine may take processor time for others. That also
// makes the time that is left count for more, because caches are lost.
const (
	disturbed = 0.05 // the share of the processors' time from which on a round is repeated
	attempts  = 3    // of a round at most
)

// undisturbed loads the server for a round, and repeats a round in which the
// host took too much time.
func (p *process) undisturbed(ctx context.Context, plan Plan) (r Round, err error) {
	for range attempts {
		began := time.Now()
		_, before := measure.MachineTime()
		r, err = p.load(ctx, plan)
		_, after := measure.MachineTime()
		all := time.Since(began) * time.Duration(runtime.NumCPU())
		if err != nil || (after-before).Seconds() < disturbed*all.Seconds() {
			break
		}
	}
	return r, err
}

// load loads the server for a round, and before the first one with a few requests.
func (p *process) load(ctx context.Context, plan Plan) (r Round, err error) {
	if p.rate == 0 && p.c.tool() == "h2load" {
		if _, r, err = p.c.send(ctx, p.address, 0, 0); err != nil {
			return r, err
		}
		p.rate = r.PerSecond
	}
	stop, err := p.c.beside(p.address)
	defer stop()
	if err != nil {
		return r, err
	}
	before, kernelBefore, _, err := p.usage()
	if err != nil {
		return r, err
	}
	requests, r, err := p.c.send(ctx, p.address, plan.Round, p.rate)
	if err != nil {
		return r, err
	}
	if requests == 0 {
		return r, errors.New("no response in a round")
	}
	p.rate = r.PerSecond
	after, kernelAfter, memory, err := p.usage()
	r.CPU, r.Memory = math.NaN(), memory
	if after > before {
		r.CPU, r.Kernel = (after-before)/float64(requests), (kernelAfter-kernelBefore)/float64(requests)
	}
	return r, err
}

// Servers run in child processes of this program. A child prints its address, responds
// to each line of input with what it has used, and exits at the end of input.

const serveFlag = "-serve"

// Help serves requests and ends the process if it was started to be a server under
// load. Such processes ignore Ctrl-C, which reaches them too, and end with their
// input.
func Help() {
	if len(os.Args) != 3 || os.Args[1] != serveFlag {
		return
	}
	signal.Ignore(os.Interrupt)
	if err := serve(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve is the child: it runs the contender or server with the given name on a
// free port of the loopback interface until its standard input ends. The environment
// variable CPUPROFILE is the start of the name of a file for a profile.
func serve(name string) error {
	run, err := named(name)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- run(listener) }()
	if profile := os.Getenv("CPUPROFILE"); profile != "" {
		f, err := os.Create(profile + "." + strings.ReplaceAll(name, "/", "-"))
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Println(listener.Addr())
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println(usage())
		}
		ended <- nil
	}()
	defer stopExternal()
	return <-ended
}

// A process is a running child.
type process struct {
	c       Case
	rate    float64 // requests per second of the last round
	address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startProcess starts this program as a child that serves name with one processor:
// the last one, if the system supports that.
func startProcess(name string) (*process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{binary, serveFlag, name}
	if taskset, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 {
		args = append([]string{taskset, "-c", strconv.Itoa(runtime.NumCPU() - 1)}, args...)
	}
	p := &process{cmd: exec.Command(args[0], args[1:]...)}
	p.cmd.Env = append(p.cmd.Environ(), "GOMAXPROCS=1")
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	var problem strings.Builder
	p.cmd.Stderr = &problem
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
		return nil, fmt.Errorf("the server of %s didn't start: %w; %s", name, err, problem.String())
	}
	p.address = strings.TrimSpace(line)
	return p, nil
}

// pinSelf keeps the load generator off the processor of a pinned child until
// undo is called, if the system supports that.
func pinSelf() (undo func()) {
	taskset, err := exec.LookPath("taskset")
	if err != nil || runtime.NumCPU() == 1 {
		return func() {}
	}
	pin := func(last int) {
		exec.Command(taskset, "-a", "-p", "-c", fmt.Sprintf("0-%d", last), strconv.Itoa(os.Getpid())).Run()
	}
	pin(runtime.NumCPU() - 2)
	return func() { pin(runtime.NumCPU() - 1) }
}

// keepAwake keeps the processors busy with processes that run only while nothing
// else does. The time until the host of a virtual machine runs an idle processor
// again would be in latencies, and count as stolen. It does nothing without chrt.
func keepAwake() (undo func()) {
	const spin = "while kill -0 $PPID; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done"
	var spinning []*exec.Cmd
	for i := range runtime.NumCPU() {
		cmd := exec.Command("chrt", "--idle", "0", "taskset", "-c", strconv.Itoa(i), "sh", "-c", spin)
		if cmd.Start() == nil {
			spinning = append(spinning, cmd)
		}
	}
	return func() {
		for _, cmd := range spinning {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
}

// usage returns the CPU time that the process has used, and the part of it in the
// kernel, in microseconds, and its resident memory, in megabytes.
func (p *process) usage() (cpu, kernel, memory float64, err error) {
	if _, err = io.WriteString(p.in, "\n"); err == nil {
		_, err = fmt.Fscan(p.out, &cpu, &kernel, &memory)
	}
	return cpu, kernel, memory, err
}

// stop ends the process and waits for it.
func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}
