package showdown

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// entrant is a contender with the worker that measures it, in this process or
// in that of another binary.
type entrant struct {
	Entry
	call   func(method string, job Job, answer *Reply) error
	local  *Worker // nil if the worker is another process
	binary string  // can serve the contender over HTTP
}

// task loads the contender for a scenario. Each entrant has its own worker, so
// all can be loaded at the same time.
func (e entrant) task(scenario string, condition bench.Condition) (measure.Task, error) {
	var a Reply
	if err := e.call("Load", Job{Contender: e.Name, Scenario: scenario, Condition: condition.Name}, &a); err != nil {
		return measure.Task{}, err
	}
	if e.local != nil {
		return e.local.task, nil
	}
	return measure.Task{Ops: a.Ops, Run: func(times int) {
		if err := e.call("Run", Job{Times: times}, new(Reply)); err != nil {
			panic(err) // it succeeded before
		}
	}}, nil
}

// localEntrants returns the contenders in this binary.
func localEntrants() ([]entrant, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var a Reply
	new(Worker).Entries(Job{}, &a)
	var all []entrant
	for _, entry := range a.Entries {
		w := new(Worker)
		all = append(all, entrant{Entry: entry, local: w, binary: self, call: w.call})
	}
	return all, nil
}

// safeTag is the build tag for our router without package unsafe.
const safeTag = "muxmaster_safe"

// safeEntrant builds this command with safeTag and starts it as a worker, to
// measure our router without package unsafe. stop ends the worker.
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
	e.call = func(method string, job Job, a *Reply) error { return client.Call("Worker."+method, job, a) }
	var a Reply
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
