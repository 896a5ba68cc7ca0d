// Package race compares the speed of two versions of the router in one process.
// Package against copies it to a generated program.
package race

import (
	"encoding/json"
	"os"
	"runtime"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Order is an order to measure one row.
type Order struct {
	Row  string
	Plan measure.Plan
}

// Result is the result of an Order. The first of each pair belongs to the new
// version.
type Result struct {
	Samples       [2][]float64 // nanoseconds per request, or per route registered
	Bytes, Allocs [2]float64
	Err           string // why nothing was measured: the new version is wrong
	Unknown       string // why nothing was measured: the old version can't do it
}

// Side returns a row's task for one version. It returns an error if the router
// rejects the routes, or if a response is wrong.
type Side func(row string) (measure.Task, error)

// Main measures the order in the first argument of the program, as JSON, and
// prints the result as JSON.
func Main(new, old Side) {
	runtime.GOMAXPROCS(1)
	var o Order
	if err := json.Unmarshal([]byte(os.Args[1]), &o); err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(Measure(o, new, old)); err != nil {
		panic(err)
	}
}

// Measure measures one row.
func Measure(o Order, new, old Side) (result Result) {
	newTask, err := new(o.Row)
	if err != nil {
		return Result{Err: err.Error()}
	}
	oldTask, err := old(o.Row)
	if err != nil {
		return Result{Unknown: err.Error()}
	}
	tasks := []measure.Task{newTask, oldTask}
	copy(result.Samples[:], measure.Rounds(tasks, o.Plan, nil))
	for i, t := range tasks {
		result.Bytes[i], result.Allocs[i] = measure.Allocs(t)
	}
	return result
}
