package showdown

import (
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Job is the argument of a worker's methods.
type Job struct {
	Contender, Scenario string // Scenario is the name of a route set for Heap
	Condition           string // the name of a bench.Condition
	Times               int
	Samples             int
	Limit               time.Duration
}

// Reply is the result of a worker's method, which documents the fields that it
// sets.
type Reply struct {
	Ops           int
	Bytes, Allocs float64
	Samples       []float64
	Entries       []Entry
}

// Worker measures the contenders in this binary. Its methods have the
// signatures that net/rpc requires.
type Worker struct {
	task  measure.Task
	alone bool // runs in a separate process
}

// Entries lists the contenders in this binary.
func (w *Worker) Entries(_ Job, a *Reply) error {
	for _, c := range contender.All() {
		a.Entries = append(a.Entries, Entry{c.Name, c.Version(), c.Style, c.Classes, c.Ours, c.NotStdlib})
	}
	return nil
}

// call calls a method by its name, as net/rpc does.
func (w *Worker) call(method string, job Job, a *Reply) error {
	out := reflect.ValueOf(w).MethodByName(method).Call([]reflect.Value{reflect.ValueOf(job), reflect.ValueOf(a)})
	err, _ := out[0].Interface().(error)
	return err
}

// Prove returns an error if the contender routes the scenario incorrectly.
func (w *Worker) Prove(job Job, _ *Reply) error {
	c, s, err := find(job)
	if err != nil {
		return err
	}
	return bench.Prove(c, s)
}

// Load builds the router for Run and Allocs. It sets Ops to the operations per
// run.
func (w *Worker) Load(job Job, a *Reply) error {
	c, s, err := find(job)
	if err != nil {
		return err
	}
	l, err := bench.Load(c, s)
	if err != nil {
		return err
	}
	condition, err := bench.ConditionNamed(job.Condition)
	if err != nil {
		return err
	}
	if w.alone {
		runtime.GOMAXPROCS(condition.Processors)
	}
	w.task = condition.Task(l)
	a.Ops = w.task.Ops
	return nil
}

// Run runs the loaded task job.Times times.
func (w *Worker) Run(job Job, _ *Reply) error {
	w.task.Run(job.Times)
	return nil
}

// Allocs counts the allocations of the loaded task: Bytes and Allocs.
func (w *Worker) Allocs(_ Job, a *Reply) error {
	a.Bytes, a.Allocs = measure.Allocs(w.task)
	return nil
}

// Benchmark runs the loaded task as a Go benchmark, and sets Samples to the
// nanoseconds per request of each of job.Samples runs.
func (w *Worker) Benchmark(job Job, a *Reply) error {
	for range job.Samples {
		result := testing.Benchmark(func(b *testing.B) { bench.Benchmark(b, w.task) })
		a.Samples = append(a.Samples, result.Extra["ns/op"])
	}
	return nil
}

// Unload drops the loaded task.
func (w *Worker) Unload(Job, *Reply) error {
	w.task = measure.Task{}
	return nil
}

// Heap sets Bytes to the bytes that the router retains with a route set.
func (w *Worker) Heap(job Job, a *Reply) (err error) {
	c, err := contender.Named(job.Contender)
	if err != nil {
		return err
	}
	defer recovered(&err)
	a.Bytes = bench.Heap(c, routes.Load(job.Scenario).Routes)
	return nil
}

// Register sets Samples to the times to register a scenario's routes, in
// nanoseconds per route.
func (w *Worker) Register(job Job, a *Reply) (err error) {
	c, s, err := find(job)
	if err != nil {
		return err
	}
	defer recovered(&err)
	a.Samples = bench.Registration(c, s.Spec.Routes, job.Samples, job.Limit)
	return nil
}

func find(job Job) (contender.Contender, bench.Scenario, error) {
	c, err := contender.Named(job.Contender)
	if err != nil {
		return c, bench.Scenario{}, err
	}
	lastScenario.Lock()
	defer lastScenario.Unlock()
	if lastScenario.Name != job.Scenario {
		if lastScenario.Scenario, err = bench.ScenarioNamed(job.Scenario); err != nil {
			return c, bench.Scenario{}, err
		}
	}
	return c, lastScenario.Scenario, nil
}

// lastScenario caches the last scenario, because generating a large one is
// slow.
var lastScenario struct {
	sync.Mutex
	bench.Scenario
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
	}
}

// startWorker starts the binary as a worker on one core and talks to it over
// its standard input and output.
func startWorker(binary string) (client *rpc.Client, end func(), err error) {
	cmd := exec.Command(binary, WorkerFlag)
	cmd.Stderr = io.Discard
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	client = rpc.NewClient(pipe{out, in})
	return client, func() {
		client.Close() // closes the worker's input, so it exits
		cmd.Wait()
	}, nil
}

// WorkerFlag starts the command as a worker.
const WorkerFlag = "-worker"

// pipe combines the input and output of a process to an io.ReadWriteCloser.
type pipe struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipe) Write(b []byte) (int, error) { return p.in.Write(b) }

func (p pipe) Close() error { return p.in.Close() }

// ServeWorker serves the worker's methods over standard input and output, until
// the input ends.
func ServeWorker() error {
	server := rpc.NewServer()
	if err := server.RegisterName("Worker", &Worker{alone: true}); err != nil {
		return err
	}
	server.ServeConn(pipe{os.Stdin, os.Stdout})
	return nil
}
