// Package race runs two versions of the router against each other in one
// process. Package against copies it into the binary that it builds, so it may
// import the standard library and package measure only.
package race

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Work is what every handler does.
type Work int

const (
	Return Work = iota // return at once
	Read               // look up the first parameter
	Write              // look up the first parameter and write it as the body
)

// Spec says what to load into a router.
type Spec struct {
	Routes       []Route
	Work         Work
	Middleware   int
	Pooled, Fast bool
}

// Route is one registration. First names the first parameter of the pattern,
// "" if it has none.
type Route struct{ Method, Pattern, First string }

// Row is one line of the comparison: a router and the requests that it serves.
// Without requests, the time to register the routes and serve one of them is
// measured instead.
type Row struct {
	Name     string
	Spec     Spec
	Fresh    bool // a new request for each call, as from a server, instead of one for all
	Requests []Request
	Status   int // wanted for each request
}

// Request is a method and a path.
type Request struct{ Method, Path string }

// Job is the whole comparison.
type Job struct {
	Rows  []Row
	Plan  measure.Plan
	Limit float64 // a row whose ratio is above it is worse
}

// Side builds a router of one version.
type Side func(Spec) http.Handler

// Main reads a [Job] as JSON from standard input, measures it, and prints a line
// for each row. It exits with status 1 if a row is worse.
func Main(new, old Side) {
	var job Job
	if err := json.NewDecoder(os.Stdin).Decode(&job); err != nil {
		fmt.Fprintln(os.Stderr, "against:", err)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	worse, err := Run(os.Stdout, job, new, old)
	if err != nil {
		fmt.Fprintln(os.Stderr, "against:", err)
		os.Exit(2)
	}
	if worse > 0 {
		os.Exit(1)
	}
}

// Run measures the rows, prints a line for each, and returns how many are worse.
func Run(w io.Writer, job Job, new, old Side) (worse int, err error) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "row\tnew min\told min\tratio\tnew median\told median\tratio\tB\tallocs\t\t")
	for _, row := range job.Rows {
		a, b, err := tasks(row, new, old)
		if err != nil {
			return worse, fmt.Errorf("%s: %w", row.Name, err)
		}
		samples := measure.Rounds([]measure.Task{a, b}, job.Plan, nil)
		// What looks worse may be noise: more rounds bring the minimum down
		// unless the difference is real.
		for again := 0; again < 2 && measure.Min(samples[0]) > job.Limit*measure.Min(samples[1]); again++ {
			more := measure.Rounds([]measure.Task{b, a}, job.Plan, nil)
			samples[0] = append(samples[0], more[1]...)
			samples[1] = append(samples[1], more[0]...)
		}
		minimum, ratio := ratioOf(measure.Min, samples)
		median, medianRatio := ratioOf(measure.Median, samples)
		mark := ""
		if ratio > job.Limit {
			mark = "WORSE"
			worse++
		}
		bytes, allocs := [2]float64{}, [2]float64{}
		for i, t := range []measure.Task{a, b} {
			bytes[i], allocs[i] = measure.Allocs(t)
		}
		fmt.Fprintf(tw, "%s\t%.1f\t%.1f\t%.3f\t%.1f\t%.1f\t%.3f\t%s\t%s\t%s\t\n", row.Name,
			minimum[0], minimum[1], ratio, median[0], median[1], medianRatio, change(bytes), change(allocs), mark)
		tw.Flush()
	}
	fmt.Fprintf(w, "\nRatios are new to old, less is better. %d of %d rows are worse by more than %.0f %%.\n",
		worse, len(job.Rows), (job.Limit-1)*100)
	return worse, nil
}

func ratioOf(f func([]float64) float64, samples [][]float64) (v [2]float64, ratio float64) {
	v = [2]float64{f(samples[0]), f(samples[1])}
	return v, v[0] / v[1]
}

// change writes a pair of counts, once if they are equal.
func change(v [2]float64) string {
	if v[0] == v[1] {
		return fmt.Sprint(v[0])
	}
	return fmt.Sprintf("%v (%v)", v[0], v[1])
}

// tasks builds both routers and checks their answers.
func tasks(row Row, sides ...Side) (a, b measure.Task, err error) {
	var t [2]measure.Task
	for i, side := range sides {
		version := [2]string{"new", "old"}[i]
		if len(row.Requests) == 0 {
			t[i] = registration(row.Spec, side)
			continue
		}
		h := side(row.Spec)
		for _, r := range row.Requests {
			w := &writer{header: http.Header{}, status: http.StatusOK}
			h.ServeHTTP(w, newRequest(r))
			if w.status != row.Status {
				return a, b, fmt.Errorf("%s version: %s %s: status %d, want %d", version, r.Method, r.Path, w.status, row.Status)
			}
		}
		if row.Fresh {
			t[i] = fresh(h, row.Requests)
		} else {
			t[i] = reused(h, row.Requests)
		}
	}
	return t[0], t[1], nil
}

// registration registers all routes and serves the first one, since a Mux
// compiles its routes when they are first needed.
func registration(s Spec, side Side) measure.Task {
	first := s.Routes[0]
	path := strings.NewReplacer(":", "", "*", "").Replace(first.Pattern)
	return measure.Task{Ops: len(s.Routes), Run: func(times int) {
		for range times {
			h := side(s)
			h.ServeHTTP(&writer{header: http.Header{}}, newRequest(Request{first.Method, path}))
		}
	}}
}

// reused serves all requests with one *http.Request.
func reused(h http.Handler, requests []Request) measure.Task {
	r := newRequest(Request{http.MethodGet, "/"})
	w := &writer{header: http.Header{}}
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

// fresh makes a request for each call. Making them is not timed.
func fresh(h http.Handler, requests []Request) measure.Task {
	w := &writer{header: http.Header{}}
	return measure.Batches(len(requests), 64, func(i int) *http.Request {
		return newRequest(requests[i])
	}, func(r *http.Request) { h.ServeHTTP(w, r) })
}

func newRequest(r Request) *http.Request {
	req, err := http.NewRequest(r.Method, "http://example.com"+r.Path, nil)
	if err != nil {
		panic(err)
	}
	req.RequestURI = r.Path
	req.RemoteAddr = "192.0.2.1:1234"
	return req
}

// writer throws away everything but the status.
type writer struct {
	header http.Header
	status int
}

func (w *writer) Header() http.Header               { return w.header }
func (w *writer) WriteHeader(status int)            { w.status = status }
func (w *writer) Write(b []byte) (int, error)       { return len(b), nil }
func (w *writer) WriteString(s string) (int, error) { return len(s), nil }

// DefaultPlan measures ten rounds of 10 ms for each side.
var DefaultPlan = measure.Plan{Rounds: 10, Round: 10 * time.Millisecond}
