// Package race compares the speed of two versions of the router in one process.
// Package against copies it to a generated program.
package race

import (
	"encoding/json"
	"fmt"
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
	Err           string
}

// Side returns a row's task for one version. It returns an error if a response
// of the router is wrong.
type Side func(row string) (measure.Task, error)

// Main reads orders from standard input until it ends, and writes their results
// to standard output, all as JSON.
func Main(new, old Side) {
	runtime.GOMAXPROCS(1)
	orders, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o Order
		if err := orders.Decode(&o); err != nil {
			return
		}
		if err := results.Encode(Measure(o, new, old)); err != nil {
			return
		}
	}
}

// Measure measures one row.
func Measure(o Order, new, old Side) (result Result) {
	newTask, err := new(o.Row)
	if err != nil {
		return Result{Err: fmt.Sprintf("%s: new version: %v", o.Row, err)}
	}
	oldTask, err := old(o.Row)
	if err != nil {
		return Result{Err: fmt.Sprintf("%s: old version: %v", o.Row, err)}
	}
	tasks := []measure.Task{newTask, oldTask}
	copy(result.Samples[:], measure.Rounds(tasks, o.Plan, nil))
	for i, t := range tasks {
		result.Bytes[i], result.Allocs[i] = measure.Allocs(t)
	}
	return result
}
