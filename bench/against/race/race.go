// Package race compares the speed of two versions of the router in one process.
// Package against copies it to a generated program, so it must import only the
// standard library and package measure.
package race

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Work is what every handler does.
type Work int

const (
	Return Work = iota // return at once
	Read               // look up the first parameter
	Write              // look up the first parameter and write it as the body
)

// Spec describes a router to build.
type Spec struct {
	Routes       []Route
	Work         Work
	Middleware   int
	Pooled, Fast bool
}

// Route is one registration. First is the name of the pattern's first
// parameter, or "" if it has none.
type Route struct{ Method, Pattern, First string }

// Row is one line of the comparison: a router and the requests that it serves.
// If there are no requests, the row measures the time to register the routes
// and serve one request.
type Row struct {
	Name     string
	Spec     Spec
	Fresh    bool // a new request for each call, like a server, instead of one for all
	Requests []Request
	Status   int // expected for each request
}

// Request is a method and a path.
type Request struct{ Method, Path string }

// Order is an order to measure one row.
type Order struct {
	Row  Row
	Plan measure.Plan
}

// Result is the result of an Order. The first of each pair belongs to the new
// version.
type Result struct {
	Samples       [2][]float64 // nanoseconds per request, or per route registered
	Bytes, Allocs [2]float64
	Err           string
}

// Side builds a router with one version.
type Side func(Spec) http.Handler

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
		result, err := Measure(o, new, old)
		if err != nil {
			result.Err = err.Error()
		}
		if err := results.Encode(result); err != nil {
			return
		}
	}
}

// Measure measures one row.
func Measure(o Order, new, old Side) (Result, error) {
	var result Result
	tasks, err := tasks(o.Row, new, old)
	if err != nil {
		return result, fmt.Errorf("%s: %w", o.Row.Name, err)
	}
	if len(o.Row.Requests) == 0 {
		o.Plan.Round *= 10 // one registration takes milliseconds
	}
	copy(result.Samples[:], measure.Rounds(tasks, o.Plan, nil))
	for i, t := range tasks {
		result.Bytes[i], result.Allocs[i] = measure.Allocs(t)
	}
	return result, nil
}

// tasks builds a router with each side and checks its responses.
func tasks(row Row, sides ...Side) ([]measure.Task, error) {
	var tasks []measure.Task
	for i, side := range sides {
		if len(row.Requests) == 0 {
			tasks = append(tasks, registration(row.Spec, side))
			continue
		}
		h := side(row.Spec)
		for _, r := range row.Requests {
			w := measure.NewWriter()
			h.ServeHTTP(w, measure.NewRequest(r.Method, r.Path))
			if w.Status != row.Status {
				return nil, fmt.Errorf("%s version: %s %s: status %d, want %d",
					[]string{"new", "old"}[i], r.Method, r.Path, w.Status, row.Status)
			}
		}
		if row.Fresh {
			tasks = append(tasks, fresh(h, row.Requests))
		} else {
			tasks = append(tasks, reused(h, row.Requests))
		}
	}
	return tasks, nil
}

// registration registers all routes and serves a request, because a Mux
// compiles its routes at the first request.
func registration(s Spec, side Side) measure.Task {
	first := s.Routes[0]
	path := strings.NewReplacer(":", "", "*", "").Replace(first.Pattern)
	return measure.Task{Ops: len(s.Routes), Run: func(times int) {
		for range times {
			h := side(s)
			h.ServeHTTP(measure.NewWriter(), measure.NewRequest(first.Method, path))
		}
	}}
}

// reused serves all requests with one *http.Request.
func reused(h http.Handler, requests []Request) measure.Task {
	r := measure.NewRequest(http.MethodGet, "/")
	w := measure.NewWriter()
	return measure.Task{Ops: len(requests), Run: func(times int) {
		for range times {
			for i := range requests {
				r.Method = requests[i].Method
				r.RequestURI = requests[i].Path
				r.URL.Path = requests[i].Path
				h.ServeHTTP(w, r)
			}
		}
	}}
}

// fresh uses a new request for each call. The time doesn't include the creation
// of the requests.
func fresh(h http.Handler, requests []Request) measure.Task {
	w := measure.NewWriter()
	return measure.Batches(len(requests), 64, func(i int) *http.Request {
		return measure.NewRequest(requests[i].Method, requests[i].Path)
	}, func(r *http.Request) { h.ServeHTTP(w, r) })
}
