package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Loaded is a contender's router with a scenario's routes.
type Loaded struct {
	requests []Request
	handler  http.Handler
	dirties  bool // it changes the request, which is reset before each call
}

// Load builds the contender's router for the scenario. If the router panics
// because it rejects a route, Load returns the panic as an error.
func Load(c contender.Contender, s Scenario) (l Loaded, err error) {
	defer Recover(&err)
	l.requests = s.Requests
	l.handler, l.dirties = c.Load(s.Spec), c.DirtiesRequest
	return l, nil
}

// Recover, deferred, makes an error of a panic: that is how routers reject routes.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
	}
}

// Task returns a task that serves every request of the scenario once. If the
// router is so slow that this would take too long, the task serves only the
// first requests; long lists are in random order.
func (l Loaded) Task() measure.Task {
	const limit, enough = 500 * time.Millisecond, 100 * time.Millisecond
	run, requests := runner(l.handler, l.dirties), l.requests
	if len(requests) > wholeProof {
		for _, sample := range []int{10, 100} {
			run(1, requests[:sample]) // to warm up
			start := time.Now()
			run(1, requests[:sample])
			if each := time.Since(start) / time.Duration(sample); each*time.Duration(len(requests)) > limit {
				requests = requests[:max(sample, int(enough/each))]
				break
			}
		}
	}
	return measure.Task{Run: func(times int) { run(times, requests) }, Ops: len(requests)}
}

// Spread returns a task that serves requests on several goroutines at once. Its
// time per operation is the wall-clock time divided by the operations of all.
func (l Loaded) Spread(goroutines int) measure.Task {
	var tasks []measure.Task
	for range goroutines {
		tasks = append(tasks, l.Task())
	}
	return measure.Task{Ops: goroutines * tasks[0].Ops, Run: func(times int) {
		var wg sync.WaitGroup
		for _, t := range tasks {
			wg.Go(func() { t.Run(times) })
		}
		wg.Wait()
	}}
}

// Fresh returns a task that is like Task, but resets the request before each call,
// as if it were a new one.
func (l Loaded) Fresh() measure.Task {
	l.dirties = true
	return l.Task()
}

// runner serves all requests with one *http.Request, whose method and path it
// changes, like published suites.
func runner(h http.Handler, fresh bool) func(times int, requests []Request) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	clean := *r
	w := measure.NewWriter()
	return func(times int, requests []Request) {
		for range times {
			for i := range requests {
				if fresh {
					*r = clean
				}
				r.Method = requests[i].Method
				r.RequestURI = requests[i].Path
				r.URL.Path = requests[i].Path
				h.ServeHTTP(w, r)
			}
		}
	}
}

// LoadAndServe builds a router and serves a request, because some routers do
// part of their work only then.
func LoadAndServe(c contender.Contender, rs []routes.Route) any {
	first := Request{Method: rs[0].Method, Path: rs[0].NamedPath()}
	h := c.Load(contender.Spec{Routes: rs})
	runner(h, false)(1, []Request{first})
	return h
}

const (
	wholeProof = 1000
	proofTime  = 2 * time.Second
)

// Prove checks that the contender routes the scenario correctly. It registers
// the scenario's routes with handlers that report the route and values, and
// returns an error for the first request with a wrong route, value or status.
// It repeats each matched request with different values. If there are more than
// wholeProof requests, it checks as many as proofTime allows. It uses
// contender.Seen and must not run concurrently.
func Prove(c contender.Contender, s Scenario) (err error) {
	if c.In(contender.Floor) {
		if s.Status != http.StatusOK {
			return fmt.Errorf("there is no router that could reject a request")
		}
		return nil
	}
	defer Recover(&err)
	spec := s.Spec
	spec.Work = contender.Report
	h := c.Load(spec)
	serve := func(r Request) int {
		w := measure.NewWriter()
		h.ServeHTTP(w, httptest.NewRequest(r.Method, r.Path, nil))
		return w.Status
	}
	began := time.Now()
	for i, r := range s.Requests {
		if i > 20 && len(s.Requests) > wholeProof && time.Since(began) > proofTime {
			return nil
		}
		if err := proveOne(serve, r, s.Status); err != nil {
			return err
		}
		if r.Route < 0 || len(r.Values) == 0 {
			continue
		}
		other := r
		other.Values = nil
		for i := range r.Values {
			other.Values = append(other.Values, fmt.Sprintf("v%d", i))
		}
		route := spec.Routes[r.Route]
		if route.CatchAll() {
			other.Values[len(other.Values)-1] += "/rest.txt"
		}
		other.Path = route.Path(other.Values...)
		if err := proveOne(serve, other, s.Status); err != nil {
			return err
		}
	}
	return nil
}

func proveOne(serve func(Request) int, r Request, status int) error {
	contender.Seen.Route, contender.Seen.Values = -1, nil
	got := serve(r)
	seen := contender.Seen
	switch {
	case got != status:
		return fmt.Errorf("%s %s: status %d, want %d", r.Method, r.Path, got, status)
	case seen.Route != r.Route:
		return fmt.Errorf("%s %s: reached route %d, want %d", r.Method, r.Path, seen.Route, r.Route)
	case !slices.Equal(seen.Values, r.Values):
		return fmt.Errorf("%s %s: values %q, want %q", r.Method, r.Path, seen.Values, r.Values)
	}
	return nil
}
