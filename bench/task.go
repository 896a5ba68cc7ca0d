package bench

import (
	"fmt"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Loaded is a contender's router with a scenario's routes.
type Loaded struct {
	requests []Request
	handler  http.Handler
	dirties  bool // it changes the request
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

// Spread returns a task that serves requests on several goroutines at once.
func (l Loaded) Spread(goroutines int) measure.Task {
	if goroutines == 1 {
		return l.Task()
	}
	var tasks []measure.Task
	for range goroutines {
		tasks = append(tasks, l.Task())
	}
	return measure.Spread(tasks)
}

// Fresh returns a task that serves every request of the scenario once, each
// with a new *http.Request, like a server. The time doesn't include the
// creation of the requests.
func (l Loaded) Fresh() measure.Task {
	w := measure.NewWriter()
	const batch = 64
	return measure.Batches(len(l.requests), batch,
		func(i int) *http.Request { return measure.NewRequest(l.requests[i].Method, l.requests[i].Path) },
		func(r *http.Request) { l.handler.ServeHTTP(w, r) })
}

// runner serves all requests with one *http.Request, whose method and path it
// changes, like published suites.
func runner(h http.Handler, fresh bool) func(times int, requests []Request) {
	r := measure.NewRequest(http.MethodGet, "/")
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
