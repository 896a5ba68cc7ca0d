package showdown

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// entrant is a contender with the worker that measures it, in this process or,
// for a binary of its own, in another one.
type entrant struct {
	Entry
	call   func(method string, job Job, answer *Answer) error
	local  *Worker // nil for another process's
	binary string  // that can serve it over HTTP
}

// task loads the contender for a scenario. Each entrant has a worker of its
// own, so that all can be loaded at once.
func (e entrant) task(scenario string, goroutines int) (measure.Task, error) {
	var a Answer
	if err := e.call("Load", Job{Contender: e.Name, Scenario: scenario, Goroutines: goroutines}, &a); err != nil {
		return measure.Task{}, err
	}
	if e.local != nil {
		return e.local.task, nil
	}
	return measure.Task{Ops: a.Ops, Run: func(times int) {
		if err := e.call("Run", Job{Times: times}, new(Answer)); err != nil {
			panic(err) // it ran before
		}
	}}, nil
}

// localEntrants are the contenders of this binary.
func localEntrants() ([]entrant, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var a Answer
	new(Worker).Entries(Job{}, &a)
	var all []entrant
	for _, entry := range a.Entries {
		w := new(Worker)
		methods := map[string]func(Job, *Answer) error{
			"Prove": w.Prove, "Load": w.Load, "Run": w.Run, "Allocs": w.Allocs,
			"Unload": w.Unload, "Heap": w.Heap, "Register": w.Register,
		}
		all = append(all, entrant{
			Entry: entry, local: w, binary: self,
			call: func(method string, job Job, a *Answer) error { return methods[method](job, a) },
		})
	}
	return all, nil
}

// safeTag is the build tag that takes package unsafe out of our router.
const safeTag = "muxmaster_safe"

// safeEntrant builds this command with safeTag and starts it as a worker, for
// our router without package unsafe. stop ends it.
func safeEntrant(dir string) (e entrant, stop func(), err error) {
	binary := filepath.Join(dir, "showdown-safe")
	build := exec.Command("go", "build", "-tags", safeTag, "-o", binary, "github.com/seed-1954dcaa/muxmaster/bench/cmd/showdown")
	if out, err := build.CombinedOutput(); err != nil {
		return entrant{}, nil, fmt.Errorf("%w: %s", err, out)
	}
	client, stop, err := startWorker(binary)
	if err != nil {
		return entrant{}, nil, err
	}
	e.binary = binary
	e.call = func(method string, job Job, a *Answer) error { return client.Call("Worker."+method, job, a) }
	var a Answer
	if err := e.call("Entries", Job{}, &a); err != nil {
		stop()
		return entrant{}, nil, err
	}
	for _, entry := range a.Entries {
		if entry.Ours {
			e.Entry = entry
			return e, stop, nil
		}
	}
	stop()
	return entrant{}, nil, fmt.Errorf("the binary with the tag %s has no contender of ours", safeTag)
}
